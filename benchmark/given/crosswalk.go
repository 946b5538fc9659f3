package given

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// header lists the columns of a crosswalk; others are ignored.
var header = []string{"db_id", "table", "column", "name"}

// The bounds of a crosswalk file: fields of a line, bytes of a field, and notes on lines that change nothing.
const maxFields, maxField, maxNotes = 100, 1 << 10, 20

// crosswalk collects the new names of a file.
type crosswalk struct {
	path    string
	schemas map[string]*dataset.Database
	report  func(error)
	names   map[string][]*newName // by db_id, in the order of the file
	given   map[target]*newName   // the same
	noted   int                   // lines that are for SQLite's own tables
}

// target is a table or column of a database.
type target struct {
	db string
	at dataset.ColumnRef
}

// newName is a new name of a table or column.
type newName struct {
	at   dataset.ColumnRef // of a table with the column noColumn
	name string
	line int // in the file
}

// noColumn is the position of the column in a reference to a table.
const noColumn = -1

// newCrosswalk returns a crosswalk without names.
func newCrosswalk(path string, schemas map[string]*dataset.Database, report func(error)) *crosswalk {
	return &crosswalk{path, schemas, report, map[string][]*newName{}, map[target]*newName{}, 0}
}

// failed reports a line that cannot be used.
func (c *crosswalk) failed(line int, err error) {
	c.report(&dataset.RecordError{File: c.path, Record: line, Err: err})
}

// read reads the file. It returns an error for a file that cannot be read at all.
func (c *crosswalk) read() error {
	r, closer, err := dataset.OpenText(c.path)
	if err != nil {
		return err
	}
	defer closer.Close()
	head, _ := r.Peek(r.Size())
	rows := csvtable.NewReader(r, maxFields, maxField)
	rows.Separator = separatorOf(head)
	first, err := rows.Read()
	columns := positions(first)
	if err != nil && !errors.Is(err, io.EOF) || columns == nil {
		return &dataset.FileError{File: c.path, Record: 1, Err: fmt.Errorf("the header is %q, expected CSV or TSV with the columns %s", dataset.Clip(strings.Join(first, ",")), strings.Join(header, ", "))}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			c.report(&dataset.FileError{File: c.path, Err: err})
			return nil
		}
		cells := lists.Map(columns, func(i int) string {
			if i >= len(row) {
				return ""
			}
			return strings.TrimSpace(row[i])
		})
		if err := c.add(rows.Line(), cells[0], cells[1], cells[2], cells[3]); err != nil {
			c.failed(rows.Line(), err)
		}
	}
}

// separatorOf returns the separator of the header, which is the first line of a text: a tab, else a semicolon, else a comma.
func separatorOf(text []byte) byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for _, s := range []byte("\t;") {
		if bytes.IndexByte(line, s) >= 0 {
			return s
		}
	}
	return ','
}

// positions returns the positions of the columns of header in the first line of a file, nil if one is missing.
func positions(first []string) []int {
	names := lists.Map(first, func(name string) string { return strings.ToLower(strings.TrimSpace(name)) })
	at := lists.Map(header, func(name string) int { return slices.Index(names, name) })
	if slices.Contains(at, -1) {
		return nil
	}
	return at
}

// add adds a line. A line without a table renames the column in each table that has it. For a table of SQLite's own it only
// reports a note.
func (c *crosswalk) add(line int, id, table, column, name string) error {
	db := c.schemas[id]
	switch {
	case !utf8.ValidString(id + table + column + name):
		return errors.New("text is not UTF-8, expected UTF-8")
	case db == nil:
		return fmt.Errorf("no schema of the data set has the db_id %q", dataset.Clip(id))
	case table == "" && column == "":
		return errors.New("names no table and no column, expected one of them")
	}
	found, reserved := find(db, table, column)
	switch {
	case len(found) == 0 && reserved:
		if c.noted++; c.noted <= maxNotes {
			c.report(dataset.Note(&dataset.RecordError{File: c.path, Record: line, Err: fmt.Errorf("the %s is SQLite's own and keeps its name", described(table, column))}))
		}
		return nil
	case len(found) == 0:
		return fmt.Errorf("%s has no %s", id, described(table, column))
	}
	check := perturb.CheckName
	if column == "" {
		check = perturb.CheckTableName
	}
	if err := check(name); err != nil {
		return err
	}
	for _, at := range found {
		if err := c.set(db, newName{at, name, line}); err != nil {
			return err
		}
	}
	return nil
}

// find returns the references that a line names: the table if column is "", else the column in that table, or in each table that
// has it if table is "". It leaves out SQLite's own tables; reserved is true if one of them has that name or column.
func find(db *dataset.Database, table, column string) (found []dataset.ColumnRef, reserved bool) {
	reserved = perturb.IsReserved(table)
	for t := range db.Tables {
		name := db.Tables[t].Original
		if table != "" && !strings.EqualFold(name, table) {
			continue
		}
		at, has := db.Lookup(name, column)
		if column == "" {
			at, has = dataset.ColumnRef{Table: t, Column: noColumn}, true
		}
		switch {
		case has && perturb.IsReserved(name):
			reserved = true
		case has:
			found = append(found, at)
		}
	}
	return found, reserved
}

// described returns a table or column for messages.
func described(table, column string) string {
	switch {
	case column == "":
		return "table " + dataset.Clip(table)
	case table == "":
		return "column " + dataset.Clip(column)
	}
	return "column " + dataset.Clip(table+"."+column)
}

// set adds a new name. An earlier one of the same table or column must be the same.
func (c *crosswalk) set(db *dataset.Database, n newName) error {
	if earlier := c.given[target{db.ID, n.at}]; earlier != nil {
		if earlier.name != n.name {
			return fmt.Errorf("line %d names %s %q, expected one name for each", earlier.line, idOf(db, n.at), earlier.name)
		}
		return nil
	}
	c.given[target{db.ID, n.at}] = &n
	c.names[db.ID] = append(c.names[db.ID], &n)
	return nil
}

// idOf returns the SQL name of a table, or of a column with that of its table.
func idOf(db *dataset.Database, at dataset.ColumnRef) string {
	table := db.Tables[at.Table].Original
	if at.Column == noColumn {
		return table
	}
	return table + "." + db.Column(at).Original
}

// edits returns the renamings of each database by db_id, in the order of the file. A line whose name another table or column of the
// database would have after all of them is reported and left out. It returns an error if there are no renamings.
func (c *crosswalk) edits() (map[string][]perturb.Edit, error) {
	all := map[string][]perturb.Edit{}
	for _, id := range slices.Sorted(maps.Keys(c.names)) {
		db := c.schemas[id]
		for _, n := range c.unique(db, c.names[id]) {
			all[id] = appendEdit(all[id], renaming(db, n)) // unless it is nil: the name is the old one
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(all)), func(edits []perturb.Edit) bool { return len(edits) > 0 }) {
		return nil, &dataset.FileError{File: c.path, Err: errors.New("renames nothing of the data set, expected new names of its tables and columns")}
	}
	return all, nil
}

// unique returns the names without those that another table or column would have after all renamings. It repeats the search
// until nothing is left out: a table or column whose line is left out keeps its old name, which another line may give.
func (c *crosswalk) unique(db *dataset.Database, names []*newName) []*newName {
	for {
		taken := unchangedNames(db, names)
		left := lists.Filter(names, func(n *newName) bool {
			p := placeOf(n.at, n.name)
			if with := taken[p]; with != "" {
				c.failed(n.line, fmt.Errorf("%s would have the name %q of %s, expected another name", idOf(db, n.at), n.name, with))
				return false
			}
			taken[p] = fmt.Sprintf("%s by line %d", idOf(db, n.at), n.line)
			return true
		})
		if len(left) == len(names) {
			return names
		}
		names = left
	}
}

// place is a name where it must be unique: in the database or, of a column, in a table.
type place struct {
	table int // noColumn for names of tables
	name  string
}

// placeOf returns the place of a name of a table or column.
func placeOf(at dataset.ColumnRef, name string) place {
	if at.Column == noColumn {
		return place{noColumn, strings.ToLower(name)}
	}
	return place{at.Table, strings.ToLower(name)}
}

// unchangedNames returns the SQL names of the tables and columns without a new name, by the place that the name takes.
func unchangedNames(db *dataset.Database, names []*newName) map[place]string {
	renamed := map[dataset.ColumnRef]bool{}
	for _, n := range names {
		renamed[n.at] = true
	}
	taken := map[place]string{}
	for t, table := range db.Tables {
		if at := (dataset.ColumnRef{Table: t, Column: noColumn}); !renamed[at] {
			taken[placeOf(at, table.Original)] = table.Original
		}
		for c, column := range table.Columns {
			if at := (dataset.ColumnRef{Table: t, Column: c}); !renamed[at] {
				taken[placeOf(at, column.Original)] = idOf(db, at)
			}
		}
	}
	return taken
}

// renaming returns the edit of a new name; nil if it is the old one.
func renaming(db *dataset.Database, n *newName) perturb.Edit {
	natural := lexicon.NaturalName(n.name)
	from := perturb.Certain(n.name, "given", "")
	table := db.Tables[n.at.Table].Original
	switch {
	case n.at.Column == noColumn && table != n.name:
		return perturb.RenameTable{Table: table, Name: n.name, Natural: natural, From: from}
	case n.at.Column != noColumn && db.Column(n.at).Original != n.name:
		return perturb.RenameColumn{Table: table, Column: db.Column(n.at).Original, Name: n.name, Natural: natural, From: from}
	}
	return nil
}
