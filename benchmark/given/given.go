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
)

// family is the family of perturbations from files.
const family = "given/"

// notName matches characters that the name of a perturbation cannot have, as it becomes a folder.
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

// run reports the variant of a database with all its examples. It rejects all of them if the database does not take the edits, and an
// example whose gold SQL would have a name in quotes.
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

// checkKept returns an error if edits change what views or triggers of the database depend on. SQLite would make the change,
// and they would fail afterwards.
func checkKept(db *dataset.Database, edits []perturb.Edit) error {
	for _, e := range edits {
		table, column := e.Touches()
		t := &db.Tables[db.Table(table)]
		_, adds := e.(perturb.AddColumn)
		_, drops := e.(perturb.DropTable)
		ref, ok := db.Lookup(table, column)
		switch {
		case adds && t.Kept, drops && t.Read, ok && db.Column(ref).Fixed:
			return fmt.Errorf("views or triggers need %s as it is", strings.TrimSuffix(table+"."+column, "."))
		}
	}
	return nil
}

// quotedName returns a name that gold SQL has after the edits and that Spider's official parser does not read, "" if there is none
// ([perturb.QuotedName]). If gold SQL cannot be rewritten, it returns "": the driver reports that.
func quotedName(ex *perturb.Example, edits []perturb.Edit, after *dataset.Database) string {
	query, err := perturb.RewriteGold(ex, edits, after)
	if err != nil {
		return ""
	}
	return perturb.QuotedName(ex, query, after)
}
