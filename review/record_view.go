package review

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/diff"
	"github.com/tabperturb/tabperturb/perturb"
)

// RecordView is what a person sees of a record.
type RecordView struct {
	Perturbation string      `json:"perturbation"`
	Definition   string      `json:"definition"` // what the perturbation does; may be empty
	Changes      []Change    `json:"changes"`    // question and gold SQL
	Tables       []TableView `json:"tables"`     // that the gold SQL uses or that change, before and after
	Problem      string      `json:"problem"`    // why tables are missing
}

// Change is a text before and after.
type Change struct {
	What   string      `json:"what"`
	Before []diff.Span `json:"before"`
	After  []diff.Span `json:"after"`
}

// TableView is a table with its first rows. [TableColumn.This] marks the columns that the other side lacks, or has
// under another natural name.
type TableView struct {
	When        string        `json:"when"` // before, after, or both
	Table       string        `json:"table"`
	Columns     []TableColumn `json:"columns"`
	Rows        [][]*string   `json:"rows"`
	RowsProblem string        `json:"rows_problem"`
}

// maxShown bounds the tables that are shown of a schema.
const maxShown = 6

// build is where records come from. Its schemas are read when a record is looked at.
type build struct {
	dir         string
	definitions map[string]string // by perturbation
	byTexts     map[texts][]int   // records, among the columns of [Data]

	mu      sync.Mutex
	schemas map[string]*schemas // by perturbation
}

// schemas are the databases of a perturbation, by id.
type schemas struct {
	before, after map[string]*dataset.Database
	problem       string
}

// newBuild returns the build in a folder, with the definitions of its perturbations.
func newBuild(dir string, m *benchmark.Manifest) *build {
	b := &build{dir: dir, definitions: map[string]string{}, byTexts: map[texts][]int{}, schemas: map[string]*schemas{}}
	for i := range m.Perturbations {
		b.definitions[m.Perturbations[i].Name] = m.Perturbations[i].Definition()
	}
	return b
}

// schemasOf returns the schemas of a perturbation before and after, which are read once. If they cannot be read, the result has the
// problem.
func (b *build) schemasOf(perturbation string) *schemas {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.schemas[perturbation]; s != nil {
		return s
	}
	s := &schemas{}
	b.schemas[perturbation] = s
	var err error
	dir := filepath.Join(b.dir, filepath.FromSlash(perturbation))
	if s.before, err = readSchemas(filepath.Join(dir, "pre")); err == nil {
		s.after, err = readSchemas(filepath.Join(dir, "post"))
	}
	if err != nil {
		s.problem = "the schemas cannot be read: " + truncate(err.Error(), maxEvidence)
	}
	return s
}

// readSchemas reads the schemas of a data directory, by db_id. It silently leaves out those that cannot be used.
func readSchemas(dir string) (map[string]*dataset.Database, error) {
	all := map[string]*dataset.Database{}
	err := dataset.ReadTables(filepath.Join(dir, "tables.json"), func(error) {}, func(db *dataset.Database) error {
		if dataset.ValidID(db.ID) {
			db.Source, db.SQLite = nil, dataset.FindContent(dir, db.ID)
			all[db.ID] = db
		}
		return nil
	})
	return all, err
}

// recordView describes a record without the decisions on it. Where the view of a column has a table and a column, it has the perturbation
// and the position of the record.
func (d *Data) recordView(ctx context.Context, id int) *ColumnView {
	c := &d.columns[id]
	return &ColumnView{
		ID: id, DB: c.id.DB, Table: c.id.Table, Column: c.id.Column, TableName: c.id.Table, Name: c.id.Column,
		Columns: []TableColumn{}, Rows: [][]*string{}, Questions: []Question{}, Record: d.build.view(ctx, &c.record.Record),
	}
}

// view describes a record for the page: the changes of question and gold SQL, and the tables that its queries use. If the schema
// changed too, it shows the tables before and after.
func (b *build) view(ctx context.Context, r *dataset.Record) *RecordView {
	v := &RecordView{Perturbation: r.Perturbation, Definition: b.definitions[r.Perturbation], Tables: []TableView{}, Changes: []Change{
		newChange("question", diff.Texts, r.QuestionPre, r.QuestionPost, maxQuestion), newChange("gold SQL", diff.SQL, r.QueryPre, r.QueryPost, maxQuery),
	}}
	s := b.schemasOf(r.Perturbation)
	before, after := s.before[r.DBPre], s.after[r.DBPost]
	switch {
	case s.problem != "":
		v.Problem = s.problem
	case before == nil, after == nil:
		v.Problem = fmt.Sprintf("no schema of %s and %s, expected both in tables.json", truncate(r.DBPre, maxEvidence), truncate(r.DBPost, maxEvidence))
	case r.DBPre == r.DBPost:
		v.show(ctx, "both", before, before, r.QueryPre, r.QueryPost)
	default:
		v.show(ctx, "before", before, after, r.QueryPre)
		v.show(ctx, "after", after, before, r.QueryPost)
	}
	return v
}

// newChange compares a text before and after by a function, each cut to most characters.
func newChange(what string, compare func(before, after string) (was, now []diff.Span), before, after string, most int) Change {
	c := Change{What: what}
	c.Before, c.After = compare(truncate(before, most), truncate(after, most))
	return c
}

// show adds the tables of a schema that queries use, or that differ from those of the schema other on the other side of the change,
// at most maxShown. when is the side: before, after, or both.
func (v *RecordView) show(ctx context.Context, when string, db, other *dataset.Database, queries ...string) {
	used := tablesOf(db, queries)
	shown := 0
	for t := range db.Tables {
		columns := tableColumns(db, t, func(c *dataset.Column) bool { return changed(&db.Tables[t], c, other) })
		for i := range columns { // a column that differs, but that the other side has, differs in its natural name only
			_, isThere := other.Lookup(db.Tables[t].Original, columns[i].Column)
			columns[i].Renamed = columns[i].This && isThere
		}
		differs := slices.ContainsFunc(columns, func(c TableColumn) bool { return c.This }) || isShuffled(&db.Tables[t], other)
		if !slices.Contains(used, t) && !differs || shown == maxShown {
			continue
		}
		shown++
		sample := sampleRowsOf(ctx, &database{Database: db}, t)
		v.Tables = append(v.Tables, TableView{when, db.Tables[t].Original, columns, sample.rows, sample.problem})
	}
}

// changed reports whether another schema lacks a column of a table, or has it under another natural name. That finds recoded columns
// too: columns with other names replace them.
func changed(table *dataset.Table, c *dataset.Column, other *dataset.Database) bool {
	ref, ok := other.Lookup(table.Original, c.Original)
	return !ok || other.Column(ref).Name != c.Name
}

// isShuffled reports whether a table has the same columns in another order in another schema.
func isShuffled(table *dataset.Table, other *dataset.Database) bool {
	t := other.Table(table.Original)
	if t < 0 {
		return false
	}
	here, there := columnNames(table), columnNames(&other.Tables[t])
	return !slices.Equal(here, there) && slices.Equal(slices.Sorted(slices.Values(here)), slices.Sorted(slices.Values(there)))
}

// columnNames returns the SQL names of a table's columns.
func columnNames(t *dataset.Table) []string {
	return lists.Map(t.Columns, func(c dataset.Column) string { return c.Original })
}

// tablesOf returns the tables that queries use; none for a query that cannot be resolved.
func tablesOf(db *dataset.Database, queries []string) (used []int) {
	for _, query := range queries {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: query})
		if err != nil {
			continue
		}
		for _, name := range ex.Binding.Tables() {
			if t := db.Table(name); t >= 0 {
				used = append(used, t)
			}
		}
	}
	return used
}

// tableColumns describes the columns of the table at position t. this reports which of them are marked with [TableColumn.This].
func tableColumns(db *dataset.Database, t int, this func(*dataset.Column) bool) (columns []TableColumn) {
	for i := range db.Tables[t].Columns {
		c := &db.Tables[t].Columns[i]
		columns = append(columns, TableColumn{
			Column: c.Original, Name: c.Name, Type: string(c.Type),
			Key: slices.Contains(db.PrimaryKeys, dataset.ColumnRef{Table: t, Column: i}), This: this(c),
		})
	}
	return columns
}
