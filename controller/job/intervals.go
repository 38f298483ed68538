package job

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// interval is a range of indexes, both ends in it.
type interval struct{ first, last int }

// intervals are sorted and neither overlap nor touch.
type intervals []interval

// parseIntervals reads a list of indexes such as "0,2-4", and leaves out what is
// not below limit or not a number.
func parseIntervals(text string, limit int) intervals {
	var result intervals
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
	return melt(result)
}

// melt sorts and makes one of those that overlap or touch.
func melt(list []interval) intervals {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.first, b.first) })
	var result intervals
	for _, i := range list {
		if n := len(result); n > 0 && i.first <= result[n-1].last+1 {
			result[n-1].last = max(result[n-1].last, i.last)
		} else {
			result = append(result, i)
		}
	}
	return result
}

// String is the inverse of parseIntervals. Two neighbours are written "3,4", and
// only longer runs "3-5", as the API does.
func (is intervals) String() string {
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

func (is intervals) total() int {
	n := 0
	for _, i := range is {
		n += i.last - i.first + 1
	}
	return n
}

func (is intervals) has(ix int) bool {
	at := is.from(ix)
	return at < len(is) && is[at].first <= ix
}

// from is where the intervals begin that do not end before ix.
func (is intervals) from(ix int) int {
	at, _ := slices.BinarySearchFunc(is, ix, func(i interval, ix int) int { return cmp.Compare(i.last, ix) })
	return at
}

// with returns is and more indexes; is itself stays as it was.
func (is intervals) with(indexes ...int) intervals {
	all := slices.Clone(is)
	for _, ix := range indexes {
		all = append(all, interval{ix, ix})
	}
	return melt(all)
}

func (is intervals) plus(more intervals) intervals { return melt(slices.Concat(is, more)) }

// minus returns what is in is and not in others.
func (is intervals) minus(others intervals) intervals {
	var result intervals
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

// lowest returns up to n of the lowest indexes.
func (is intervals) lowest(n int) []int {
	var result []int
	for _, i := range is {
		for ix := i.first; ix <= i.last && len(result) < n; ix++ {
			result = append(result, ix)
		}
	}
	return result
}
