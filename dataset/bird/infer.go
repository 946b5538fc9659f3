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

// inferTables iterates over the schemas of a data set without tables.json: read from the SQLite
// files, or inferred from descriptions and gold SQL.
func (r *reader) inferTables(all map[string]file, report func(error), each func(*schema) error) error {
	inferred, order, err := r.queries()
	if err != nil {
		return err
	}
	warned := false
	for i, id := range order {
		db, err := (*dataset.Database)(nil), error(nil)
		path := r.sqlite(id)
		if path == "" {
			if !warned {
				warned = true
				err := errors.New("there is neither a file of schemas nor SQLite; schemas are read off descriptions and gold SQL, and know no primary keys")
				report(dataset.Note(&dataset.RecordError{File: filepath.Join(r.dir, r.wanted()), Record: 1, Err: err}))
			}
			if db = inferred[id].database(id, all[id]); len(db.Tables) == 0 {
				report(&dataset.RecordError{File: r.split, Record: 1, Err: fmt.Errorf("database %q has no table in any gold SQL, expected one", dataset.Clip(id))})
				continue
			}
		} else {
			problem := func(err error) error { return &dataset.RecordError{File: path, Record: i + 1, Err: err} }
			db, err = folder.Schema(r.ctx, id, path, func(err error) { report(dataset.Note(problem(err))) })
			switch {
			case r.ctx.Err() != nil:
				return r.ctx.Err()
			case err != nil:
				report(problem(err))
				continue
			}
		}
		if err := each(&schema{db: db, record: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

// queries returns the databases of the split in the order of their first questions, with the gold
// SQL of those without content. Errors are reported when the examples are read.
func (r *reader) queries() (inferred map[string]*inference, order []string, err error) {
	inferred = map[string]*inference{}
	err = dataset.UpToBreak(r.examples, func(error) {}, func(ex *dataset.Example) error {
		if inferred[ex.DB] == nil {
			inferred[ex.DB] = newInference()
			order = append(order, ex.DB)
		}
		if r.sqlite(ex.DB) != "" {
			return nil
		}
		if q, err := sqlast.Parse(ex.Query); err == nil {
			inferred[ex.DB].queries = append(inferred[ex.DB].queries, q)
		}
		return nil
	})
	return inferred, order, err
}

// wanted is the name of the file of schemas that is not there.
func (r *reader) wanted() string {
	name, _, _ := strings.Cut(filepath.Base(r.split), ".")
	return strings.TrimSuffix(name, "_sqlite") + "_tables.json"
}

// natural returns the natural name of an SQL name: its words.
func natural(name string) string {
	if words := strings.Join(lexicon.Words(name), " "); words != "" {
		return words
	}
	return strings.ToLower(name)
}

// inference reads the schema of a database off descriptions and gold SQL.
type inference struct {
	queries []*sqlast.Query
	db      *dataset.Database
	votes   map[dataset.ColumnRef]*votes
	joins   []dataset.ForeignKey      // equations of columns of two tables, each once
	joined  map[dataset.ColumnRef]int // how often they join
}

func newInference() *inference {
	return &inference{votes: map[dataset.ColumnRef]*votes{}, joined: map[dataset.ColumnRef]int{}}
}

// database returns the schema. Columns are those that the descriptions list and those
// that gold SQL names beyond doubt: with their table, or in a SELECT of one table. What
// is left belongs to the first table of its SELECT.
func (in *inference) database(id string, descriptions file) *dataset.Database {
	in.db = &dataset.Database{ID: id}
	tables, _ := jsonTables(descriptions) // [reader.describe] reports the error
	for _, t := range tables {
		in.describe(t)
	}
	for _, sure := range []bool{true, false} {
		for _, q := range in.queries {
			w := scopeWalk{in: in, guess: !sure}
			w.query(q, nil)
		}
	}
	for _, q := range in.queries {
		if b, err := sqlast.Resolve(q, in.db); err == nil {
			in.use(q, b)
		}
	}
	in.setTypes()
	in.setKeys()
	return in.db
}

// describe adds the columns of a table with descriptions.
func (in *inference) describe(t jsonTable) {
	table := in.table(t.name)
	for _, raw := range t.entries {
		var e jsonEntry
		if dataset.Decode(raw, &e) == nil {
			in.column(table, strings.TrimSpace(e.Column))
		}
	}
}

// table returns the position of a table, which is added where it is not there; -1 where
// there are too many.
func (in *inference) table(name string) int {
	t := in.db.Table(name)
	if t < 0 && name != "" && len(in.db.Tables) < maxTables {
		t = len(in.db.Tables)
		in.db.Tables = append(in.db.Tables, dataset.Table{Name: natural(name), Original: name})
	}
	return t
}

// column adds a column where it is not there.
func (in *inference) column(table int, name string) {
	if table < 0 || name == "" {
		return
	}
	if in.has(table, name) || len(in.db.Tables[table].Columns) >= maxColumns {
		return
	}
	in.db.Tables[table].Columns = append(in.db.Tables[table].Columns, dataset.Column{Name: natural(name), Original: name, Type: dataset.Text})
}

func (in *inference) has(table int, name string) bool {
	_, ok := in.db.Lookup(in.db.Tables[table].Original, name)
	return ok
}

// setKeys makes foreign keys of joins, one of a column at most. The column that is
// referred to is the one that its table is known by: it has the table's name or is called
// id, or else joins more often.
func (in *inference) setKeys() {
	rank := func(ref dataset.ColumnRef) int {
		n := in.joined[ref]
		if own(in.db.Tables[ref.Table].Original, in.db.Column(ref).Original) {
			n += 1 << 30
		}
		return n
	}
	slices.SortFunc(in.joins, func(a, b dataset.ForeignKey) int {
		return cmp.Or(a.Column.Compare(b.Column), a.Target.Compare(b.Target))
	})
	target := map[dataset.ColumnRef]dataset.ColumnRef{}
	for _, j := range in.joins {
		from, to := j.Column, j.Target
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

// own reports whether the name of a column is that of the key of its table: "id", or "CustomerID"
// in customers.
func own(table, column string) bool {
	words := lexicon.Words(column)
	if len(words) == 0 || words[len(words)-1] != "id" {
		return false
	}
	return len(words) == 1 || lexicon.Normal(table) == lexicon.Normal(strings.Join(words[:len(words)-1], " "))
}
