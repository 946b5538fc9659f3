package squall

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// tableFile is a file of tables/json. Contents[i] is the group of columns with Headers[i]: the
// column c1 with the cells of the table, then the columns that Squall derived from it
// (c1_number, c1_list). The first two groups are id, the number of the row, and agg, which marks
// rows that sum up others.
type tableFile struct {
	Headers  []string   `json:"headers"`
	Types    []string   `json:"types"`
	Contents [][]column `json:"contents"`
}

// column is a column of Squall. In a source it has data only if they do not follow from the
// rows: the JSON has some numbers as text that the SQLite file has as numbers.
type column struct {
	Col  string            `json:"col"`
	Type string            `json:"type"` // as declared in SQLite: TEXT, INTEGER, REAL, EMPTY; LIST TEXT…
	Data []json.RawMessage `json:"data,omitempty"`
}

// What a table may have at most.
const (
	maxFile    = 64 << 20
	maxColumns = 2000
)

// readTable reads a file of tables/json. The error is a [*dataset.RecordError] of the file.
func readTable(file string) (t *tableFile, raw []byte, err error) {
	recordError := func(err error) error { return &dataset.RecordError{File: file, Record: 1, Err: err} }
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, nil, recordError(errors.New("table is not there, expected this file"))
	case !info.Mode().IsRegular(), info.Size() > maxFile:
		return nil, nil, recordError(fmt.Errorf("no file of at most %d MiB, expected one", maxFile>>20))
	}
	if raw, err = os.ReadFile(file); err != nil {
		return nil, nil, recordError(err)
	}
	if t, err = parseTable(raw); err != nil {
		return nil, nil, recordError(err)
	}
	return t, raw, nil
}

// parseTable decodes and checks a table.
func parseTable(raw []byte) (*tableFile, error) {
	if _, err := dataset.Members(raw); err != nil { // as for a repeated key
		return nil, err
	}
	t := new(tableFile)
	if err := dataset.Decode(raw, t); err != nil {
		return nil, err
	}
	return t, t.validate()
}

// typeName matches the declared types that are accepted, because they go into SQL as they are.
var typeName = lazyregexp.New(`^[A-Za-z ]*$`)

// validate returns an error if the lists of a table do not fit together.
func (t *tableFile) validate() error {
	n := len(t.Contents)
	switch {
	case n == 0:
		return errors.New(`"contents" is empty or not there, expected columns`)
	case len(t.Headers) != n:
		return fmt.Errorf("headers has %d names and contents %d columns, expected as many", len(t.Headers), n)
	case len(t.Types) != n:
		return fmt.Errorf("types has %d types and contents %d columns, expected as many", len(t.Types), n)
	}
	seen, count := map[string]bool{}, 0
	for i, group := range t.Contents {
		if len(group) == 0 {
			return fmt.Errorf("column %d of contents is empty, expected a column and what is derived from it", i+1)
		}
		for j, c := range group {
			key := strings.ToLower(c.Col)
			hasSuffix := strings.HasPrefix(c.Col, group[0].Col+"_") && len(c.Col) > len(group[0].Col+"_")
			switch count++; {
			case c.Col == "", seen[key]:
				return fmt.Errorf("column %q is there twice or has no name, expected each once", dataset.Clip(c.Col))
			case j > 0 && !hasSuffix: // c1_number follows c1
				return fmt.Errorf("column %q stands with %q, expected %s_ and what is derived", dataset.Clip(c.Col), dataset.Clip(group[0].Col), dataset.Clip(group[0].Col))
			case !typeName.MatchString(c.Type):
				return fmt.Errorf("column %q has the type %q, expected one of SQLite or a LIST of it", dataset.Clip(c.Col), dataset.Clip(c.Type))
			case count > maxColumns:
				return fmt.Errorf("table has more than %d columns, expected fewer", maxColumns)
			}
			seen[key] = true
		}
	}
	return nil
}

// suffix returns the part of the name of column j of a group after the name of its first column:
// "number" for c1_number, and "" for the first column.
func suffix(group []column, j int) string {
	return strings.TrimPrefix(group[j].Col[len(group[0].Col):], "_")
}

// rowCount returns the number of rows: the number of cells of the first column.
func (t *tableFile) rowCount() int { return len(t.Contents[0][0].Data) }

// noteRagged passes each column that has more or fewer cells than there are rows to note.
func (t *tableFile) noteRagged(note func(error)) {
	for _, group := range t.Contents {
		for _, c := range group {
			if len(c.Data) != t.rowCount() {
				note(fmt.Errorf("column %s has %d cells and %s %d, expected as many; what is not there is NULL", dataset.Clip(c.Col), len(c.Data), dataset.Clip(t.Contents[0][0].Col), t.rowCount()))
			}
		}
	}
}

// isOwn reports whether a group is id or agg, which Squall adds to every table.
func isOwn(group []column) bool { return slices.Contains(ownNames, group[0].Col) }

// schema returns the database of a table, without its source. The SQL names of its columns are
// made from the headers, so that they follow a renaming: with the header "Year", c1 is year and
// c1_number is year_number.
func (t *tableFile) schema(id string) *dataset.Database {
	var names []string      // of the first columns of the groups, except id and agg
	var suffixes [][]string // of the derived columns of these groups
	reserved := []string{}  // the names of the groups id and agg, which stay
	for i, group := range t.Contents {
		derivedSuffixes := suffixesOf(group)
		if isOwn(group) {
			reserved = append(reserved, group[0].Col)
			for _, s := range derivedSuffixes {
				reserved = append(reserved, group[0].Col+"_"+s)
			}
			continue
		}
		names, suffixes = append(names, wtq.NaturalName(t.Headers[i], len(names)+1)), append(suffixes, derivedSuffixes)
	}
	originals := dataset.Identifiers(names, suffixes, reserved...)
	var columns []dataset.Column
	n := 0 // groups so far, except id and agg
	for i, group := range t.Contents {
		base := dataset.Column{Name: group[0].Col, Original: group[0].Col, Type: columnType(t.Types[i], group[0].Type, ""), Fixed: isOwn(group)}
		if !isOwn(group) {
			base.Name, base.Original, base.Header = names[n], originals[n], wtq.HeaderOf(t.Headers[i], names[n])
			n++
		}
		columns = append(columns, base)
		for j := 1; j < len(group); j++ {
			s := suffix(group, j)
			columns = append(columns, dataset.Column{
				Name: base.Name + " " + strings.ReplaceAll(s, "_", " "), Original: base.Original + "_" + s,
				Type: columnType(t.Types[i], group[j].Type, s), Base: base.Original,
			})
		}
	}
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Name: "table", Original: tableName, Columns: columns}}}
}

// tableName is the one table of every database of Squall.
const tableName = "w"

// columnType returns the type of a column. group is Squall's type of its group, declared its
// declared type, suffix as in [suffix]: "parsed" for c1_parsed, whose cells are dates.
func columnType(group, declared, suffix string) dataset.Type {
	switch {
	case isList(declared):
		return dataset.Text
	case declared == "INTEGER", declared == "REAL":
		return dataset.Number
	case strings.HasSuffix(suffix, "parsed"):
		return dataset.Time
	case suffix != "":
		return dataset.Text
	case group == "number":
		return dataset.Number
	case group == "date", group == "time", group == "timespan":
		return dataset.Time
	}
	return dataset.Text
}

// sourceRecord returns the record of a table without the cells that can be restored from its
// rows.
func (t *tableFile) sourceRecord(raw []byte) (json.RawMessage, error) {
	contents := make([][]column, len(t.Contents))
	for i, group := range t.Contents {
		for _, c := range group {
			restorable, err := isRestorable(c, t.rowCount())
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", dataset.Clip(c.Col), err)
			}
			if restorable {
				c.Data = nil
			}
			contents[i] = append(contents[i], c)
		}
	}
	return dataset.Patch(raw, dataset.Change{Key: "contents", Value: contents})
}

// isRestorable reports whether the JSON data of a column can be restored from the cells that SQLite stores for them.
// The error is for an invalid cell.
func isRestorable(c column, rows int) (bool, error) {
	same := len(c.Data) == rows
	for i, raw := range c.Data {
		v, err := decodeCell(raw)
		if err != nil {
			return false, fmt.Errorf("cell %d: %w", i+1, err)
		}
		same = same && string(listOrCell(applyAffinity(v, c.Type), c.Type)) == strings.TrimSpace(string(raw))
	}
	return same, nil
}

// listOrCell returns a value as the JSON of a cell of a column of a declared type. In a list column, text that is no JSON
// list is the only item of a list, and NULL is an empty list.
func listOrCell(v sqldata.Value, declared string) []byte {
	if !isList(declared) {
		return appendCell(nil, v)
	}
	if _, ok := jsonList(v); ok {
		return []byte(v.Bytes())
	}
	list := []byte{'['}
	if !v.IsNull() {
		list = appendCell(list, v)
	}
	return append(list, ']')
}

// row returns row i as the table's SQLite file has it. Lists are their JSON text, and a cell that a column lacks is NULL.
func (t *tableFile) row(i int) ([]sqldata.Value, error) {
	var row []sqldata.Value
	for _, group := range t.Contents {
		for _, c := range group {
			var v sqldata.Value
			if i < len(c.Data) {
				var err error
				if v, err = decodeCell(c.Data[i]); err != nil {
					return nil, fmt.Errorf("row %d, column %s: %w", i+1, dataset.Clip(c.Col), err)
				}
			}
			row = append(row, applyAffinity(v, c.Type))
		}
	}
	return row, nil
}
