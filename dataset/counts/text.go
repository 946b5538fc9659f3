package counts

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Statistics counts a data set, and the names for its columns.
type Statistics struct {
	Data    Data   `json:"data"`
	Replace *Names `json:"replace,omitempty"` // nil if no names were given
	Add     *Names `json:"add,omitempty"`
}

// Of counts units and, unless names is nil, the names for their columns.
func Of(units []*dataset.Unit, names dataset.Buckets) *Statistics {
	var counter DataCounter
	for _, u := range units {
		counter.Add(u)
	}
	s := &Statistics{Data: counter.Data()}
	if names != nil {
		dbs := dataset.Databases(units)
		replace, add := OfBuckets(dbs, names, dataset.Replace), OfBuckets(dbs, names, dataset.Add)
		s.Replace, s.Add = &replace, &add
	}
	return s
}

// WriteText writes the counts as text for people.
func (s *Statistics) WriteText(w io.Writer) error {
	d := s.Data
	fmt.Fprintf(w, "%d databases, %d tables, %d columns (%.2f a table), %d different names of %d words\n",
		d.Databases, d.Tables, d.Columns, d.PerTable, d.UniqueColumns, d.UniqueWords)
	questions := []string{fmt.Sprintf("%d questions", d.Questions)}
	if d.Interactions > 0 {
		questions = append(questions, fmt.Sprintf("%d interactions", d.Interactions))
	}
	if d.Finals > 0 {
		questions = append(questions, fmt.Sprintf("%d final questions", d.Finals))
	}
	fmt.Fprintln(w, strings.Join(questions, ", "))
	if s.Replace == nil {
		return nil
	}
	t := table.New("", "", "columns with names", "a table", "names", "a column", "different names", "words", "of these columns alone", "words")
	for _, row := range []struct {
		side  dataset.Side
		names *Names
	}{{dataset.Replace, s.Replace}, {dataset.Add, s.Add}} {
		n := row.names
		t.Add(strings.ToUpper(string(row.side)), n.Perturbed, fmt.Sprintf("%.2f", n.PerTable), n.Candidates, fmt.Sprintf("%.2f", n.PerColumn), n.UniqueColumns, n.UniqueWords, n.Originals, n.OriginalWords)
	}
	_, err := fmt.Fprint(w, t)
	return err
}
