package bird

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Bounds on a schema that is read off gold SQL.
const (
	maxTables  = 1000
	maxColumns = sqlast.MaxColumns
)

// inferTables passes the schemas of a data set without a tables file to each. They are read from
// the SQLite files or, without these, inferred from the gold SQL and the descriptions, jsonFiles
// by db_id.
func (r *reader) inferTables(jsonFiles map[string]file, report func(error), each func(*schema) error) error {
	inferred, order, err := r.queries()
	if err != nil {
		return err
	}
	isNoted := false // errNoSchemas is reported once
	for i, id := range order {
		var db *dataset.Database
		if path := r.sqlite(id); path != "" {
			problem := func(err error) error { return &dataset.RecordError{File: path, Record: i + 1, Err: err} }
			if db, err = folder.Schema(r.ctx, id, path, func(err error) { report(dataset.Note(problem(err))) }); err != nil {
				err = problem(err)
			}
		} else {
			if !isNoted {
				report(dataset.Note(&dataset.RecordError{File: filepath.Join(r.dir, r.tablesName()), Record: 1, Err: errNoSchemas}))
			}
			isNoted = true
			db, err = r.inferDatabase(id, inferred[id], jsonFiles[id])
		}
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case err != nil:
			report(err)
			continue
		}
		if err := each(&schema{db: db, record: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

var errNoSchemas = errors.New("there is neither a file of schemas nor SQLite; schemas are read off descriptions and gold SQL, and know no primary keys")

// inferDatabase returns the schema of a database by its inference and its description file, or an error if it has no table.
func (r *reader) inferDatabase(id string, in *inference, description file) (*dataset.Database, error) {
	db := in.database(id, description)
	if len(db.Tables) == 0 {
		return nil, &dataset.RecordError{File: r.split, Record: 1, Err: fmt.Errorf("database %q has no table in any gold SQL, expected one", dataset.Clip(id))}
	}
	return db, nil
}

// queries returns an inference for each database of the split, and the db_ids in the order of
// their first questions. Databases without content get their gold SQL. Errors are reported when
// the examples are read.
func (r *reader) queries() (inferred map[string]*inference, order []string, err error) {
	inferred = map[string]*inference{}
	err = dataset.UpToBreak(r.examples, func(error) {}, func(ex *dataset.Example) error {
		if inferred[ex.DB] == nil {
			inferred[ex.DB] = newInference()
			order = append(order, ex.DB)
		}
		if r.sqlite(ex.DB) != "" { // the schema is read from the file
			return nil
		}
		if q, err := sqlast.Parse(ex.Query); err == nil {
			inferred[ex.DB].queries = append(inferred[ex.DB].queries, q)
		}
		return nil
	})
	return inferred, order, err
}

// tablesName returns the name of the missing tables file for messages.
func (r *reader) tablesName() string {
	name, _, _ := strings.Cut(filepath.Base(r.split), ".")
	return strings.TrimSuffix(name, "_sqlite") + "_tables.json"
}

// inference infers the schema of a database from descriptions and gold SQL.
type inference struct {
	queries    []*sqlast.Query
	db         *dataset.Database
	votes      map[dataset.ColumnRef]*typeVotes
	equations  []dataset.ForeignKey      // equal columns of two tables in gold SQL, each pair once
	joinCounts map[dataset.ColumnRef]int // equations with the column, repetitions included
}

// newInference returns an inference without any gold SQL.
func newInference() *inference {
	return &inference{votes: map[dataset.ColumnRef]*typeVotes{}, joinCounts: map[dataset.ColumnRef]int{}}
}

// database infers the schema with a db_id. It adds the columns in descriptions, then those that gold SQL names with
// their table or in a SELECT of one table, and last, by a guess, any other column to the first table of its SELECT.
func (in *inference) database(id string, descriptions file) *dataset.Database {
	in.db = &dataset.Database{ID: id}
	tables, _ := jsonTables(descriptions) // [reader.describe] reports the error
	for _, t := range tables {
		in.describe(t)
	}
	for _, guess := range []bool{false, true} { // only what remains unknown is guessed
		for _, q := range in.queries {
			w := columnWalk{inference: in, guess: guess}
			w.query(q, nil)
		}
	}
	for _, q := range in.queries {
		if b, err := sqlast.Resolve(q, in.db); err == nil {
			in.addVotes(q, b)
		}
	}
	in.setTypes()
	in.setKeys()
	return in.db
}

// describe adds the columns of a table of a description file.
func (in *inference) describe(t jsonTable) {
	table := in.addTable(t.name)
	for _, raw := range t.entries {
		var e jsonEntry
		if dataset.Decode(raw, &e) == nil {
			in.addColumn(table, strings.TrimSpace(e.Column))
		}
	}
}

// addTable returns the index of a table, which it adds if it is new; -1 for an empty name, and if there are too many
// tables.
func (in *inference) addTable(name string) int {
	t := in.db.Table(name)
	if t < 0 && name != "" && len(in.db.Tables) < maxTables {
		t = len(in.db.Tables)
		in.db.Tables = append(in.db.Tables, dataset.Table{Name: lexicon.NaturalName(name), Original: name})
	}
	return t
}

// addColumn adds a column to the table with an index, unless the table has it or as many columns as are allowed. It ignores
// an empty name and the index -1 of no table.
func (in *inference) addColumn(table int, name string) {
	if table < 0 || name == "" {
		return
	}
	if in.hasColumn(table, name) || len(in.db.Tables[table].Columns) >= maxColumns {
		return
	}
	in.db.Tables[table].Columns = append(in.db.Tables[table].Columns, dataset.Column{Name: lexicon.NaturalName(name), Original: name, Type: dataset.Text})
}

// hasColumn reports whether the table with an index has a column.
func (in *inference) hasColumn(table int, name string) bool {
	_, ok := in.db.Lookup(in.db.Tables[table].Original, name)
	return ok
}

// setKeys makes foreign keys from the equations, at most one for a column. The referenced column
// is the one that looks like the key of its table or, if neither or both do, the one that occurs
// in more equations.
func (in *inference) setKeys() {
	rank := func(ref dataset.ColumnRef) int {
		n := in.joinCounts[ref]
		if isTableKey(in.db.Tables[ref.Table].Original, in.db.Column(ref).Original) {
			n += 1 << 30 // more than any number of equations
		}
		return n
	}
	slices.SortFunc(in.equations, func(a, b dataset.ForeignKey) int {
		return cmp.Or(a.Column.Compare(b.Column), a.Target.Compare(b.Target))
	})
	target := map[dataset.ColumnRef]dataset.ColumnRef{}
	for _, j := range in.equations {
		from, to := j.Column, j.Target
		// The column of higher rank is referenced or, of equal ranks, the first.
		if cmp.Or(cmp.Compare(rank(to), rank(from)), from.Compare(to)) < 0 {
			from, to = to, from
		}
		if best, ok := target[from]; !ok || rank(to) > rank(best) {
			target[from] = to
		}
	}
	for t, table := range in.db.Tables {
		for c := range table.Columns {
			ref := dataset.ColumnRef{Table: t, Column: c}
			if to, ok := target[ref]; ok {
				in.db.ForeignKeys = append(in.db.ForeignKeys, dataset.ForeignKey{Column: ref, Target: to})
			}
		}
	}
}

// isTableKey reports whether a column is by its name the key of its table: "id", or "CustomerID"
// of customers.
func isTableKey(table, column string) bool {
	words := lexicon.Words(column)
	if len(words) == 0 || words[len(words)-1] != "id" {
		return false
	}
	return len(words) == 1 || lexicon.Normal(table) == lexicon.Normal(strings.Join(words[:len(words)-1], " "))
}
