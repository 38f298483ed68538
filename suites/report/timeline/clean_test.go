package timeline

import "testing"

func TestACleanPictureStaysAsItIs(t *testing.T) {
	svg := `<svg class="tl" viewBox="0 0 1 1" role="img"><path class="a" d="M1 2"></path><text class="t l" x="4" ` +
		`style="text-anchor:start">a &lt;b&gt; &amp; &#34;c&#34;</text></svg>`
	if got, err := Clean(svg); err != nil || got != svg {
		t.Errorf("%s (%v)", got, err)
	}
}

func TestAPictureOfSomethingElseIsRefused(t *testing.T) {
	for _, svg := range []string{
		`<svg><script>1</script></svg>`, `<svg onload="1"></svg>`, `<svg><a href="javascript:1">a</a></svg>`,
		`<svg><path style="background:url(//x)"/></svg>`, `<script></script>`, `<svg></svg><script></script>`,
		`<svg xlink:href="x"></svg>`, `<svg><svg></svg></svg>`, `<svg>`, `</script><script>1</script>`, `text`,
		`<svg><foreignObject/></svg>`, `<svg><x:path/></svg>`,
	} {
		if got, err := Clean(svg); err == nil {
			t.Errorf("%s became %s", svg, got)
		}
	}
}
