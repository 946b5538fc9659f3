package report

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// advetaTable is a table of ADVETA's files of names, with what can be counted without the data
// directory that has its columns.
type advetaTable struct {
	Header []string            `json:"header"`
	Dict   map[string][]string `json:"dict"` // names by header
}

// isADVETA reports whether a file is one of ADVETA's: its name has the bucket ("rpl" or "add"), and its first member is a table.
func isADVETA(path string) bool {
	if _, ok := dataset.SideOf(path); !ok {
		return false
	}
	var t advetaTable
	m, ok, err := dataset.FirstMember(path)
	if !ok || err != nil || json.Unmarshal(m.JSON, &t) != nil {
		return false
	}
	return t.Header != nil && t.Dict != nil
}

// readADVETA fills the section from one of ADVETA's files. It counts all names of the file, including repeated
// ones that the commands leave out. Columns with the same header count as one.
func (s *Section) readADVETA(path string, o *Options) error {
	side, _ := dataset.SideOf(path)
	buckets := dataset.Buckets{}
	err := dataset.RawMembers(path, o.Warn, func(m dataset.Raw) error {
		var t advetaTable
		if err := json.Unmarshal(m.JSON, &t); err != nil {
			o.Warn(m.Problem(err))
			return nil
		}
		// Columns without names count too. The key of a table takes the place of its database and name.
		for _, header := range t.Header {
			buckets[dataset.ColumnID{DB: m.Key, Table: m.Key, Column: header}] = dataset.Bucket{}
		}
		for _, header := range slices.Sorted(maps.Keys(t.Dict)) {
			var b dataset.Bucket
			names := side.Of(&b)
			for _, name := range t.Dict[header] {
				*names = append(*names, dataset.Candidate{Name: name, Source: dataset.ADVETASource})
			}
			buckets[dataset.ColumnID{DB: m.Key, Table: m.Key, Column: header}] = b
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.addNames(path, buckets)
	return nil
}
