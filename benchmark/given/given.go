// Package given makes perturbations of changes that people gave: a crosswalk file has new names of tables and columns, a
// migration the statements that change a schema.
package given

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// family is the family of perturbations from files.
const family = "given/"

// notName matches what cannot stand in the name of a perturbation, which becomes a folder.
var notName = lazyregexp.New(`[^A-Za-z0-9_]+`)

// nameOf returns the name of the perturbation of a file: "given/names-of-2024" for "names of 2024.csv.gz".
func nameOf(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	name := strings.Trim(notName.ReplaceAllString(base, "-"), "-_")
	if name == "" {
		name = "names"
	}
	return family + name
}

// Rename returns the perturbation of a crosswalk file. It renames the tables and columns of each database at once,
// for all its questions. schemas are those of the data set by db_id. Lines that cannot be used are passed to
// report; a file none of whose lines can be used is an error.
func Rename(path string, schemas map[string]*dataset.Database, report func(error)) (*perturb.Perturbation, error) {
	c := newCrosswalk(path, schemas, report)
	if err := c.read(); err != nil {
		return nil, err
	}
	edits, err := c.edits()
	if err != nil {
		return nil, err
	}
	return perturbation(path, "Gives tables and columns the names that "+filepath.Base(path)+" has for them.", edits), nil
}

// perturbation returns the perturbation of a file that makes edits by db_id.
func perturbation(path, doc string, edits map[string][]perturb.Edit) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: nameOf(path), Doc: doc, Paper: "none", Version: 1, Relation: perturb.Renamed, Files: true, Samples: 1,
		Run: func(p *perturb.Pass) error { return run(p, edits[p.DB.ID]) },
	}
}

// run reports the variant of a database, with the examples that can follow it.
func run(p *perturb.Pass, edits []perturb.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	v := perturb.Variant{Edits: perturb.FollowDerived(p.DB, edits)}
	after, err := perturb.ApplySchema(p.DB, v.Edits)
	if err == nil {
		err = checkKept(p.DB, v.Edits)
	}
	for _, ex := range p.Examples {
		if err != nil {
			p.Reject(ex, 0, "database-refuses-edits", err.Error())
		} else if name := quotedName(ex, v.Edits, after); name != "" {
			p.Reject(ex, 0, "name-needs-quotes", name)
		} else {
			v.Examples = append(v.Examples, ex)
		}
	}
	if len(v.Examples) > 0 {
		p.Report(v)
	}
	return nil
}

// checkKept returns an error if edits change what views or triggers of the database need as it is: SQLite would make
// the change, and they would fail afterwards.
func checkKept(db *dataset.Database, edits []perturb.Edit) error {
	for _, e := range edits {
		table, column := e.Touches()
		t := &db.Tables[db.Table(table)]
		_, adds := e.(perturb.AddColumn)
		_, drops := e.(perturb.DropTable)
		ref, ok := db.Lookup(table, column)
		if adds && t.Kept || drops && t.Read || ok && db.Column(ref).Fixed {
			return fmt.Errorf("views or triggers need %s as it is", strings.TrimSuffix(table+"."+column, "."))
		}
	}
	return nil
}

// quotedName returns a name that edits give the gold SQL and that Spider's official parser does not read: there one such
// query ends the evaluation of all. It returns "" if there is none, or if the parser does not read the query before either. A fault of
// the rewriting is left to the driver.
func quotedName(ex *perturb.Example, edits []perturb.Edit, after *dataset.Database) string {
	query, err := perturb.RewriteGold(ex, edits, after)
	if err != nil || firstQuoted(ex.Gold, ex.Binding) != "" {
		return ""
	}
	q, b, err := sqlast.ParseResolved(query, after)
	if err != nil {
		return ""
	}
	return firstQuoted(q, b)
}

// firstQuoted returns the first name of a table or column in a query that needs quotes, "" if there is none.
func firstQuoted(q *sqlast.Query, b *sqlast.Binding) (name string) {
	check := func(candidate string) {
		if name == "" && !perturb.IsPlainName(candidate) {
			name = candidate
		}
	}
	for t := range sqlast.All[*sqlast.Table](q) {
		check(t.Name.Name)
	}
	for c := range sqlast.All[*sqlast.ColumnRef](q) {
		if b.Target(c).Kind != sqlast.String {
			check(c.Column.Name)
		}
	}
	return name
}
