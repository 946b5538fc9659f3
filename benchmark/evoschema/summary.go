package evoschema

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Summary counts what came of the records of all files.
type Summary struct {
	Seed  uint64    `json:"seed"`
	Types []*Counts `json:"types"`
}

// Counts are those of one type of change.
type Counts struct {
	Type     string         `json:"type"`
	Records  int            `json:"records"`
	Gold     int            `json:"gold"`     // with gold SQL after the change
	Compiled int            `json:"compiled"` // of these, in the schema after
	Same     int            `json:"same"`     // of these, with the same answer on generated rows
	Repaired int            `json:"repaired"` // made again from the gold SQL before, with the same answer
	Written  int            `json:"written"`  // the same and the repaired
	Weak     int            `json:"weak"`     // written, though their answer is no row, NULL or 0
	LeftOut  map[string]int `json:"left_out"` // by reason
}

// add adds the counts of a type.
func (s *Summary) add(name string) *Counts {
	c := &Counts{Type: name, LeftOut: map[string]int{}}
	s.Types = append(s.Types, c)
	return c
}

// leave counts a record that is left out.
func (c *Counts) leave(reason string) { c.LeftOut[reason]++ }

// WriteText writes the counts as tables: those of the types, and the reasons why records are left out.
func (s *Summary) WriteText(w io.Writer) error {
	t := table.New("", "type", "records", "with gold SQL", "compile", "same answer", "repaired", "written, all compile", "weak")
	reasons := map[string]int{}
	for _, c := range s.Types {
		share := func(n int) string {
			if c.Gold == 0 {
				return "-"
			}
			return fmt.Sprintf("%d (%.1f%%)", n, 100*stats.Ratio(n, c.Gold))
		}
		t.Add(c.Type, c.Records, c.Gold, share(c.Compiled), share(c.Same), c.Repaired, share(c.Written), c.Weak)
		for reason, n := range c.LeftOut {
			reasons[reason] += n
		}
	}
	if _, err := fmt.Fprint(w, t); err != nil {
		return err
	}
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		if _, err := fmt.Fprintf(w, "%8d  left out: %s\n", reasons[reason], reason); err != nil {
			return err
		}
	}
	return nil
}
