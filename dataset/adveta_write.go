package dataset

import (
	"fmt"
	"io"
	"slices"
)

// advetaRecord is a member of the file that [WriteADVETA] writes, with the keys in the order of
// ADVETA's own files.
type advetaRecord struct {
	Header   []string     `json:"header"`
	DB       string       `json:"db_id"`
	Table    string       `json:"table_name_original"`
	Original []string     `json:"column_names_original"`
	ID       string       `json:"table_id"`
	Dict     orderedLists `json:"dict"`
}

// orderedLists is a JSON object of lists that keeps the order of its keys.
type orderedLists []namedList

// namedList is the entry of one header in "dict".
type namedList struct {
	key    string
	values []string
}

// MarshalJSON returns an object with the entries in their order.
func (m orderedLists) MarshalJSON() ([]byte, error) {
	fields := make([]Member, len(m))
	for i, e := range m {
		values, err := encode(e.values, "", "")
		if err != nil {
			return nil, err
		}
		fields[i] = Member{e.key, values}
	}
	return objectJSON(fields)
}

// WriteADVETA writes one side of the buckets of dbs in the form of ADVETA's files for Spider: all
// tables and, for each column with candidates, their names. Table n of all dbs, from 0, has the id
// SPIDER_n; for Spider's tables.json these are ADVETA's own ids. Columns with the same natural
// name share one list, because the form identifies columns by it.
func WriteADVETA(w io.Writer, kind Side, dbs []*Database, buckets Buckets) error {
	n := 0
	sep := "{\n"
	for _, db := range dbs {
		for t := range db.Tables {
			id := fmt.Sprintf("SPIDER_%d", n)
			n++
			element, err := encode(newADVETARecord(kind, db, t, id, buckets), "  ", "  ")
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%s  %q: %s", sep, id, element); err != nil {
				return err
			}
			sep = ",\n"
		}
	}
	end := "\n}\n"
	if n == 0 {
		end = "{}\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// newADVETARecord returns the record of table t of a database; id is its ADVETA id.
func newADVETARecord(kind Side, db *Database, t int, id string, buckets Buckets) advetaRecord {
	table := db.Tables[t]
	out := advetaRecord{Header: []string{}, DB: db.ID, Table: table.Original, Original: []string{}, ID: id}
	for c, col := range table.Columns {
		out.Header = append(out.Header, col.Name)
		out.Original = append(out.Original, col.Original)
		b := buckets[db.ColumnID(ColumnRef{t, c}).Key()]
		for _, candidate := range *kind.Of(&b) {
			entry := slices.IndexFunc(out.Dict, func(e namedList) bool { return e.key == col.Name })
			if entry < 0 {
				entry = len(out.Dict)
				out.Dict = append(out.Dict, namedList{key: col.Name})
			}
			if e := &out.Dict[entry]; !slices.Contains(e.values, candidate.Name) {
				e.values = append(e.values, candidate.Name)
			}
		}
	}
	return out
}
