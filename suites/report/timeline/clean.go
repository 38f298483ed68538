package timeline

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// What a picture is made of.
var (
	elements   = []string{"svg", "g", "path", "rect", "circle", "text", "title"}
	attributes = regexp.MustCompile(`^(class|role|aria-label|viewBox|[xydr]|d[xy]|c[xy]|width|height|` +
		`data-(left|wide|room|span|r))$`)
	anchored = "text-anchor:start"
)

// Clean returns a picture of another program with nothing in it but what SVG draws: no script, no link. The error
// says what it is not.
func Clean(svg string) (string, error) {
	decoder := xml.NewDecoder(strings.NewReader(svg))
	var clean strings.Builder
	for open := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return clean.String(), nil
		} else if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			known := slices.Contains(elements, t.Name.Local) && (open == 0) == (t.Name.Local == "svg")
			if t.Name.Space != "" || !known {
				return "", fmt.Errorf("%s is no part of a timeline", t.Name.Local)
			}
			open++
			clean.WriteString("<" + t.Name.Local)
			for _, a := range t.Attr {
				known := attributes.MatchString(a.Name.Local) || a.Name.Local == "style" && a.Value == anchored
				if a.Name.Space != "" || !known {
					return "", fmt.Errorf("%s is no part of a timeline", a.Name.Local)
				}
				fmt.Fprintf(&clean, ` %s="%s"`, a.Name.Local, html.EscapeString(a.Value))
			}
			clean.WriteString(">")
		case xml.EndElement:
			open--
			clean.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if open == 0 {
				return "", errors.New("text is no part of a timeline")
			}
			clean.WriteString(html.EscapeString(string(t)))
		}
	}
}
