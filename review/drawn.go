package review

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// NameSource is the files of names that have one label and data directory, and how many names
// were drawn from them.
type NameSource struct {
	Label   string   `json:"label"`
	Data    string   `json:"data"` // the data directory
	Replace int      `json:"replace"`
	Add     int      `json:"add"`
	Files   []string `json:"-"`
}

// NameSources are the sources of a sheet of names.
type NameSources []*NameSource

// ParseNameSources parses arguments DATA=BUCKETS and DATA=BUCKETS=LABEL; the default label is the base name of BUCKETS. Files with
// the same label and data directory become one source.
func ParseNameSources(args []string) (all NameSources, err error) {
	for _, arg := range args {
		parts := strings.Split(arg, "=")
		if len(parts) == 2 {
			parts = append(parts, filepath.Base(parts[1]))
		}
		if len(parts) != 3 || slices.Contains(parts, "") {
			return nil, fmt.Errorf("%q: expected DATA=BUCKETS, DATA=BUCKETS=LABEL, or the folder of a build", arg)
		}
		data, file, label := filepath.Clean(parts[0]), parts[1], parts[2]
		s := all.find(label, data)
		if s == nil {
			s = &NameSource{Label: label, Data: data}
			all = append(all, s)
		}
		s.Files = append(s.Files, file)
	}
	return all, nil
}

// find returns the source with a label and data directory, nil for none.
func (all NameSources) find(label, data string) *NameSource {
	for _, s := range all {
		if s.Label == label && s.Data == data {
			return s
		}
	}
	return nil
}

// Count adds the names that were drawn to the counts of their sources.
func (all NameSources) Count(names []SheetName) {
	for _, n := range names {
		s := all.find(n.Label, n.Data)
		if n.Bucket == dataset.Add {
			s.Add++
		} else {
			s.Replace++
		}
	}
}

// WriteText writes the table of what was drawn, and the path of the sheet.
func (all NameSources) WriteText(w io.Writer, out string) error {
	t, n := table.New("", "label", "data", "REPLACE", "ADD"), 0
	for _, s := range all {
		t.Add(s.Label, s.Data, s.Replace, s.Add)
		n += s.Replace + s.Add
	}
	_, err := fmt.Fprintf(w, "%s\nwrote %s of %s\n", t, out, table.Count(n, "name"))
	return err
}

// DrawnRecords counts the records that were drawn of a perturbation of a build.
type DrawnRecords struct {
	Label        string `json:"label"`
	Build        string `json:"build"`
	Perturbation string `json:"perturbation"`
	Records      int    `json:"records"`
}

// CountRecords counts the records of each label, build and perturbation. The counts are sorted by these.
func CountRecords(records []SheetRecord) []DrawnRecords {
	counts := map[DrawnRecords]int{}
	for _, r := range records {
		counts[DrawnRecords{Label: r.Label, Build: r.Build, Perturbation: r.Perturbation}]++
	}
	drawn := []DrawnRecords{}
	for _, d := range slices.SortedFunc(maps.Keys(counts), DrawnRecords.compare) {
		d.Records = counts[d]
		drawn = append(drawn, d)
	}
	return drawn
}

// compare orders counts by label, build and perturbation.
func (d DrawnRecords) compare(e DrawnRecords) int {
	return cmp.Or(cmp.Compare(d.Label, e.Label), cmp.Compare(d.Build, e.Build), cmp.Compare(d.Perturbation, e.Perturbation))
}

// WriteDrawnRecords writes the table of what was drawn, and the path of the sheet.
func WriteDrawnRecords(w io.Writer, drawn []DrawnRecords, out string) error {
	t, n := table.New("", "label", "build", "perturbation", "records"), 0
	for _, d := range drawn {
		t.Add(d.Label, d.Build, d.Perturbation, d.Records)
		n += d.Records
	}
	_, err := fmt.Fprintf(w, "%s\nwrote %s of %s\n", t, out, table.Count(n, "record"))
	return err
}
