package outdir

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Share is one of the shares that long work is divided into, so that several processes or
// machines do it: share I of N, from 1. The zero Share is all of the work.
type Share struct{ I, N int }

// MaxShares bounds N.
const MaxShares = 100_000

// ParseShare parses "I/N", such as "3/16" for the third of sixteen shares; "" is all of the work.
func ParseShare(text string) (Share, error) {
	if text == "" {
		return Share{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	inRange := 1 <= n && n <= MaxShares && 1 <= i && i <= n
	if errI != nil || errN != nil || !inRange {
		return Share{}, fmt.Errorf("%q: expected I/N, as 3/16 for the third of sixteen shares", text)
	}
	return Share{i, n}, nil
}

// String returns "I/N".
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// All reports whether the work is not divided.
func (s Share) All() bool { return s.N == 0 }

// Path returns the folder for the share of an output: OUT.part-I-of-N, or OUT for all of the work.
func (s Share) Path(out string) string {
	if s.All() {
		return out
	}
	return fmt.Sprintf("%s.part-%d-of-%d", filepath.Clean(out), s.I, s.N)
}

// Units returns the numbers of the share's units, ascending; sizes has the size of each unit. Units are
// assigned from the largest to the smallest, each to the share with the smallest sum so far, so that no sum
// exceeds the mean by more than one unit. The result depends on the sizes alone.
func (s Share) Units(sizes []int64) []int {
	order := lists.Numbers(len(sizes))
	if s.All() {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	loads := make([]int64, s.N)
	var mine []int
	for _, unit := range order {
		lightest := slices.Index(loads, slices.Min(loads))
		loads[lightest] += max(sizes[unit], 1)
		if lightest == s.I-1 {
			mine = append(mine, unit)
		}
	}
	slices.Sort(mine)
	return mine
}

// shares returns the number of shares that the work at out was divided into, by the names of its parts,
// finished or not. It returns an error for parts of two divisions.
func shares(out string) (int, error) {
	out = filepath.Clean(out)
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(out)+".part-")
		if !ok || !e.IsDir() {
			continue
		}
		s, err := ParseShare(strings.Replace(strings.TrimSuffix(rest, ".partial"), "-of-", "/", 1))
		switch {
		case err != nil: // no part
		case n == 0:
			n = s.N
		case n != s.N:
			return 0, fmt.Errorf("%s: parts of a division by %d and of one by %d lie beside it, expected those of one; remove the others", out, n, s.N)
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("%s: no part of it lies beside it, expected %s and the others of a run with --shard", out, Share{1, 2}.Path(out))
	}
	return n, nil
}
