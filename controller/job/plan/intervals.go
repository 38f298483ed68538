package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// interval is a range of indexes, both ends in it.
type interval struct{ first, last int }

// Intervals are sorted and neither overlap nor touch.
type Intervals []interval

// ParseIntervals reads a list of indexes such as "0,2-4". It leaves out indexes that are not below
// limit, and anything that is not a number.
func ParseIntervals(text string, limit int) Intervals {
	var result Intervals
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if ranged && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err == nil && from >= 0 && from <= to && from < limit {
			result = append(result, interval{from, min(to, limit-1)})
		}
	}
	return merge(result)
}

// merge sorts intervals and joins those that overlap or touch.
func merge(list []interval) Intervals {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.first, b.first) })
	var result Intervals
	for _, i := range list {
		if n := len(result); n > 0 && i.first <= result[n-1].last+1 {
			result[n-1].last = max(result[n-1].last, i.last)
		} else {
			result = append(result, i)
		}
	}
	return result
}

// String is the inverse of ParseIntervals. Two neighbours are written "3,4", and
// only longer runs "3-5", as the API does.
func (is Intervals) String() string {
	var parts []string
	for _, i := range is {
		parts = append(parts, strconv.Itoa(i.first))
		if i.last == i.first+1 {
			parts = append(parts, strconv.Itoa(i.last))
		} else if i.last > i.first {
			parts[len(parts)-1] += "-" + strconv.Itoa(i.last)
		}
	}
	return strings.Join(parts, ",")
}

// Total returns how many indexes is has.
func (is Intervals) Total() int {
	n := 0
	for _, i := range is {
		n += i.last - i.first + 1
	}
	return n
}

// Has reports whether ix is one of the indexes.
func (is Intervals) Has(ix int) bool {
	at := is.from(ix)
	return at < len(is) && is[at].first <= ix
}

// from returns the position of the first interval that does not end before ix.
func (is Intervals) from(ix int) int {
	at, _ := slices.BinarySearchFunc(is, ix, func(i interval, ix int) int { return cmp.Compare(i.last, ix) })
	return at
}

// with returns is and more indexes; is itself does not change.
func (is Intervals) with(indexes ...int) Intervals {
	all := slices.Clone(is)
	for _, ix := range indexes {
		all = append(all, interval{ix, ix})
	}
	return merge(all)
}

func (is Intervals) plus(more Intervals) Intervals { return merge(slices.Concat(is, more)) }

// Minus returns what is in is and not in others.
func (is Intervals) Minus(others Intervals) Intervals {
	var result Intervals
	for _, i := range is {
		for _, o := range others[others.from(i.first):] {
			if o.first > i.last {
				break
			}
			if i.first < o.first {
				result = append(result, interval{i.first, o.first - 1})
			}
			i.first = o.last + 1
		}
		if i.first <= i.last {
			result = append(result, i)
		}
	}
	return result
}

// Lowest returns up to n of the lowest indexes.
func (is Intervals) Lowest(n int) []int {
	var result []int
	for _, i := range is {
		for ix := i.first; ix <= i.last && len(result) < n; ix++ {
			result = append(result, ix)
		}
	}
	return result
}
