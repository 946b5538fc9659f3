package bird

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// source is what [dataset.Database.Source] holds of a schema of BIRD.
type source struct {
	Tables json.RawMessage `json:"tables,omitempty"` // the record of SPLIT_tables.json
	Schema []names         `json:"schema"`           // the names as they were read, in order
	Files  []file          `json:"files,omitempty"`  // the descriptions
}

// names are those of a table and its columns in SQL.
type names struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

// file is a file of descriptions: bytes, for not all of BIRD's are UTF-8.
type file struct {
	Name string `json:"name"` // "california_schools_schema.json", "frpm.csv"
	Data []byte `json:"data"`
}

// newSource returns the source of a schema: its record, its names and the files of its
// descriptions.
func newSource(s *schema, files []file) (json.RawMessage, error) {
	var changes dataset.Changes
	changes.AddIf(len(s.raw) > 0, "tables", json.RawMessage(s.raw))
	changes.AddIf(true, "schema", namesOf(s.db))
	changes.AddIf(len(files) > 0, "files", files)
	return dataset.Patch(nil, changes...)
}

// namesOf returns the SQL names of the tables and columns of a schema.
func namesOf(db *dataset.Database) (schema []names) {
	for _, t := range db.Tables {
		n := names{Table: t.Original, Columns: []string{}}
		for _, c := range t.Columns {
			n.Columns = append(n.Columns, c.Original)
		}
		schema = append(schema, n)
	}
	return schema
}

// tableNames returns the names of the tables alone.
func tableNames(schema []names) []string {
	list := make([]string, len(schema))
	for i, n := range schema {
		list[i] = n.Table
	}
	return list
}

// sourceOf returns what a schema was read from; one of another format has an empty one.
func sourceOf(db *dataset.Database) *source {
	var s source
	if dataset.FindMember(db.Source, "schema") == nil || json.Unmarshal(db.Source, &s) != nil {
		return &source{}
	}
	s.Files = slices.DeleteFunc(s.Files, func(f file) bool { return !dataset.ValidID(f.Name) }) // they are written under these names
	return &s
}

// decode reads the record of a schema. BIRD declares the types of columns as SQLite
// does, which become Spider's.
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
	if types.Types != nil {
		var err error
		if raw, err = dataset.Patch(raw, dataset.Change{Key: "column_types", Value: types.Types}); err != nil {
			return err
		}
	}
	var err error
	s.db, err = dataset.DecodeDatabase(raw, note)
	return err
}

// spiderType returns the type of a column that is declared, or called, so.
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

// bare returns a schema without what tables.json has no place for.
func bare(db *dataset.Database) *dataset.Database {
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

// encodeTables returns the record of a schema for SPLIT_tables.json: the one that it was
// read from, with the members that changed.
func encodeTables(db *dataset.Database, src *source) (json.RawMessage, error) {
	db = bare(db)
	record, err := dataset.TablesRecord(db)
	if err != nil {
		return nil, err
	}
	was := &schema{raw: src.Tables}
	if was.decode(func(error) {}) != nil {
		return record, nil
	}
	now, err := dataset.Members(record)
	if err != nil {
		return nil, err
	}
	before := bare(was.db)
	placed := samePlaces(before, db)
	var changes dataset.Changes
	for _, m := range now {
		keep := false
		switch m.Key {
		case "primary_keys":
			keep = slices.Equal(before.PrimaryKeys, db.PrimaryKeys)
		case "foreign_keys":
			keep = slices.Equal(before.ForeignKeys, db.ForeignKeys)
		case "column_types":
			if m.Value, err = declaredTypes(src, before, db); err != nil {
				return nil, err
			}
		}
		changes.AddIf(!keep || !placed, m.Key, m.Value)
	}
	return dataset.Patch(src.Tables, changes...)
}

// samePlaces reports whether the columns of two schemas have the same positions.
func samePlaces(a, b *dataset.Database) bool {
	return slices.EqualFunc(a.Tables, b.Tables, func(x, y dataset.Table) bool { return len(x.Columns) == len(y.Columns) })
}

// declaredTypes returns the types of a schema's columns, the star included: in the words
// of the record that it was read from where they have not changed.
func declaredTypes(src *source, before, db *dataset.Database) (json.RawMessage, error) {
	var rec struct {
		Types     []string `json:"column_types"`
		Originals [][2]any `json:"column_names_original"`
	}
	if err := json.Unmarshal(src.Tables, &rec); err != nil {
		return nil, err
	}
	words := map[dataset.ColumnRef]string{}
	width := make([]int, len(before.Tables))
	for i, c := range rec.Originals[1:] {
		if t, ok := c[0].(float64); ok {
			words[dataset.ColumnRef{Table: int(t), Column: width[int(t)]}] = rec.Types[i+1]
			width[int(t)]++
		}
	}
	types := []string{rec.Types[0]}
	from := src.align(db)
	for t := range db.Tables {
		for c, col := range db.Tables[t].Columns {
			word := string(col.Type)
			if ref, ok := from[dataset.ColumnRef{Table: t, Column: c}]; ok {
				if was, known := words[ref]; known && before.Column(ref).Type == col.Type {
					word = was
				}
			}
			types = append(types, word)
		}
	}
	return json.Marshal(types)
}

// align returns where the columns of a schema stood when it was read. Names tell; what
// edits renamed kept its place, and what they moved or dropped changed no names.
func (src *source) align(db *dataset.Database) map[dataset.ColumnRef]dataset.ColumnRef {
	from := map[dataset.ColumnRef]dataset.ColumnRef{}
	now := namesOf(db)
	for t, was := range match(tableNames(src.Schema), tableNames(now)) {
		if was < 0 {
			continue
		}
		for c, column := range match(src.Schema[was].Columns, now[t].Columns) {
			if column >= 0 {
				from[dataset.ColumnRef{Table: t, Column: c}] = dataset.ColumnRef{Table: was, Column: column}
			}
		}
	}
	return from
}

// match returns for each name now the position of the old one that it was, or -1.
func match(old, now []string) []int {
	at := map[string]int{}
	for i, n := range old {
		at[strings.ToLower(n)] = i
	}
	to := make([]int, len(now))
	stays := make([]bool, len(old))
	for i, n := range now {
		was, ok := at[strings.ToLower(n)]
		if to[i] = -1; ok {
			to[i], stays[was] = was, true
		}
	}
	for i := range min(len(now), len(old)) {
		if to[i] < 0 && !stays[i] {
			to[i] = i
		}
	}
	return to
}
