package evaluate

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// VerdictWriter writes a file of verdicts: TSV with a header and one line per record:
// index, db_id, hardness, a column for each metric with 1, 0 or - (not judged),
// and the reasons, empty if all is right.
type VerdictWriter struct {
	w       *bufio.Writer
	metrics []Metric
}

// NewVerdictWriter begins a file of verdicts.
func NewVerdictWriter(w io.Writer, metrics []Metric) *VerdictWriter {
	v := &VerdictWriter{bufio.NewWriter(w), metrics}
	v.w.WriteString("index\tdb_id\thardness")
	for _, m := range metrics {
		v.w.WriteString("\t" + m.Name)
	}
	v.w.WriteString("\treason\n")
	return v
}

// Write adds a record.
func (v *VerdictWriter) Write(r *Record) error {
	fmt.Fprintf(v.w, "%d\t%s\t%s", r.Index, clean(r.DB), r.Hardness)
	for _, s := range r.Scores {
		v.w.WriteString("\t" + s.Verdict.Mark())
	}
	_, err := fmt.Fprintf(v.w, "\t%s\n", r.Reason(v.metrics))
	return err
}

// Close writes what is buffered; it does not close the writer below.
func (v *VerdictWriter) Close() error { return v.w.Flush() }

// Reason returns in one line why the verdicts of the metrics are not right; if there are
// several metrics, with the name of each.
func (r *Record) Reason(metrics []Metric) string {
	var parts []string
	for i, s := range r.Scores {
		text := s.Reason
		if text == "" {
			continue
		}
		if s.Detail != "" {
			text += " (" + s.Detail + ")"
		}
		if s.Doubt != "" {
			text += ", " + s.Doubt
		}
		if len(r.Scores) > 1 {
			text = metrics[i].Name + ": " + text
		}
		parts = append(parts, text)
	}
	return clean(strings.Join(parts, "; "))
}

// clean replaces control characters, so that a text fits into one field of one line.
func clean(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}
