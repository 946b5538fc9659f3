package bird

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// source is the [dataset.Database.Source] of a schema of BIRD.
type source struct {
	Tables json.RawMessage `json:"tables,omitempty"` // the record of SPLIT_tables.json
	Schema []tableColumns  `json:"schema"`           // the names as they were read, in order
	Files  []file          `json:"files,omitempty"`  // the descriptions
}

// tableColumns are the SQL names of a table and its columns.
type tableColumns struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

// file is a file of descriptions: bytes, for not all of BIRD's are UTF-8.
type file struct {
	Name string `json:"name"` // "california_schools_schema.json", "frpm.csv"
	Data []byte `json:"data"`
}

// newSource returns the [dataset.Database.Source] of a schema, from which a writer makes tables.json and the descriptions again:
// the record in tables.json if there is one, the SQL names as they were read and the files of the descriptions.
func newSource(s *schema, files []file) (json.RawMessage, error) {
	var changes dataset.Changes
	changes.AddIf(len(s.raw) > 0, "tables", json.RawMessage(s.raw))
	changes.AddIf(true, "schema", namesOf(s.db))
	changes.AddIf(len(files) > 0, "files", files)
	return dataset.Patch(nil, changes...)
}

// namesOf returns the SQL names of the tables and columns of a schema.
func namesOf(db *dataset.Database) (schema []tableColumns) {
	for _, t := range db.Tables {
		n := tableColumns{Table: t.Original, Columns: []string{}}
		for _, c := range t.Columns {
			n.Columns = append(n.Columns, c.Original)
		}
		schema = append(schema, n)
	}
	return schema
}

// tableNames returns the names of the tables alone.
func tableNames(schema []tableColumns) []string {
	return lists.Map(schema, func(n tableColumns) string { return n.Table })
}

// sourceOf returns the source of a schema; an empty one if the schema is from another format.
func sourceOf(db *dataset.Database) *source {
	var s source
	if dataset.FindMember(db.Source, "schema") == nil || json.Unmarshal(db.Source, &s) != nil {
		return &source{}
	}
	s.Files = slices.DeleteFunc(s.Files, func(f file) bool { return !dataset.ValidID(f.Name) }) // they are written under these names
	return &s
}

// decode decodes the record of a schema. It replaces BIRD's column types, which are declared
// types of SQLite, by Spider's. It passes harmless problems to note.
func (s *schema) decode(note func(error)) error {
	var types struct {
		Types []string `json:"column_types"`
	}
	if err := dataset.Decode(s.raw, &types); err != nil {
		return err
	}
	for i, t := range types.Types {
		types.Types[i] = string(spiderType(t))
	}
	raw := s.raw
	if types.Types != nil { // else DecodeDatabase returns that they are missing
		var err error
		if raw, err = dataset.Patch(raw, dataset.Change{Key: "column_types", Value: types.Types}); err != nil {
			return err
		}
	}
	var err error
	s.db, err = dataset.DecodeDatabase(raw, note)
	return err
}

// spiderType returns the column type for a declared type of SQLite or a type of Spider: that of the first of the parts below
// that it contains, such as Number for "BIGINT", or Others.
func spiderType(declared string) dataset.Type {
	d := strings.ToLower(declared)
	for _, k := range []struct {
		typ   dataset.Type
		parts string
	}{
		{dataset.Boolean, "bool"}, {dataset.Time, "date time year"}, {dataset.Number, "int real num float doub dec"}, {dataset.Text, "text char clob string"},
	} {
		for _, part := range strings.Fields(k.parts) {
			if strings.Contains(d, part) {
				return k.typ
			}
		}
	}
	return dataset.Others
}

// withoutDescriptions returns a copy of a schema that has only what a record of tables.json can
// hold.
func withoutDescriptions(db *dataset.Database) *dataset.Database {
	db = db.Clone()
	db.Source, db.SQLite = nil, ""
	for t := range db.Tables {
		db.Tables[t].Caption = ""
		for c := range db.Tables[t].Columns {
			col := &db.Tables[t].Columns[c]
			*col = dataset.Column{Name: col.Name, Original: col.Original, Type: col.Type}
		}
	}
	return db
}

// encodeTables returns the record of a schema in SPLIT_tables.json: the one that it was read
// from with what changed, or a new record.
func encodeTables(db *dataset.Database, src *source) (json.RawMessage, error) {
	db = withoutDescriptions(db)
	record, err := dataset.TablesRecord(db)
	if err != nil {
		return nil, err
	}
	old := &schema{raw: src.Tables}
	if old.decode(func(error) {}) != nil {
		return record, nil
	}
	members, err := dataset.Members(record)
	if err != nil {
		return nil, err
	}
	before := withoutDescriptions(old.db)
	sameOrder := samePositions(before, db)
	var changes dataset.Changes
	for _, m := range members {
		same := false // equal keys stay in the form of the source, such as a composite key as a nested list
		switch m.Key {
		case "primary_keys":
			same = slices.Equal(before.PrimaryKeys, db.PrimaryKeys)
		case "foreign_keys":
			same = slices.Equal(before.ForeignKeys, db.ForeignKeys)
		case "column_types":
			if m.Value, err = declaredTypes(src, before, db); err != nil {
				return nil, err
			}
		}
		changes.AddIf(!same || !sameOrder, m.Key, m.Value)
	}
	return dataset.Patch(src.Tables, changes...) // members with an equal value keep their bytes
}

// samePositions reports whether two schemas have the same number of columns in each table.
func samePositions(a, b *dataset.Database) bool {
	return slices.EqualFunc(a.Tables, b.Tables, func(x, y dataset.Table) bool { return len(x.Columns) == len(y.Columns) })
}

// declaredTypes returns the column types of a record, the star included. A type that did not
// change keeps the spelling of the record in src; before is the schema of that record.
func declaredTypes(src *source, before, db *dataset.Database) (json.RawMessage, error) {
	var rec struct {
		Types     []string `json:"column_types"`
		Originals [][2]any `json:"column_names_original"`
	}
	if err := json.Unmarshal(src.Tables, &rec); err != nil {
		return nil, err
	}
	words := map[dataset.ColumnRef]string{}  // the spellings of src
	width := make([]int, len(before.Tables)) // columns of each table so far
	for i, c := range rec.Originals[1:] {    // [table, name], the columns of each table in their order
		if t, ok := c[0].(float64); ok {
			words[dataset.ColumnRef{Table: int(t), Column: width[int(t)]}] = rec.Types[i+1]
			width[int(t)]++
		}
	}
	types := []string{rec.Types[0]}
	oldPositions := src.align(db)
	for t := range db.Tables {
		for c, col := range db.Tables[t].Columns {
			word := string(col.Type)
			if ref, ok := oldPositions[dataset.ColumnRef{Table: t, Column: c}]; ok {
				if oldWord, known := words[ref]; known && before.Column(ref).Type == col.Type {
					word = oldWord
				}
			}
			types = append(types, word)
		}
	}
	return json.Marshal(types)
}

// align maps each column of db that is not new to its position in the schema that src was read with. Columns match
// by name. A renamed column matches by its index, because edits that rename move nothing, and edits that move or
// drop columns rename nothing.
func (src *source) align(db *dataset.Database) map[dataset.ColumnRef]dataset.ColumnRef {
	oldPositions := map[dataset.ColumnRef]dataset.ColumnRef{}
	current := namesOf(db)
	for t, oldTable := range matchNames(tableNames(src.Schema), tableNames(current)) {
		if oldTable < 0 {
			continue
		}
		for c, column := range matchNames(src.Schema[oldTable].Columns, current[t].Columns) {
			if column >= 0 {
				oldPositions[dataset.ColumnRef{Table: t, Column: c}] = dataset.ColumnRef{Table: oldTable, Column: column}
			}
		}
	}
	return oldPositions
}

// matchNames returns for each current name the index of the old name that it equals or replaces, or -1 if it is
// added. Names that equal no old name replace the old name of the same index, unless that is matched.
func matchNames(old, current []string) []int {
	oldIndices := map[string]int{}
	for i, n := range old {
		oldIndices[strings.ToLower(n)] = i
	}
	matches := make([]int, len(current))
	matched := make([]bool, len(old))
	for i, n := range current {
		oldIndex, ok := oldIndices[strings.ToLower(n)]
		if matches[i] = -1; ok {
			matches[i], matched[oldIndex] = oldIndex, true
		}
	}
	for i := range min(len(current), len(old)) {
		if matches[i] < 0 && !matched[i] {
			matches[i] = i
		}
	}
	return matches
}
