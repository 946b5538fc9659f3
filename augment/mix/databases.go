package mix

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// signature identifies a schema by its SQL names, whatever its db_id.
type signature [sha256.Size]byte

// schemaSignature returns the signature of a schema.
func schemaSignature(db *dataset.Database) signature {
	var b strings.Builder
	for _, t := range db.Tables {
		fmt.Fprintf(&b, "\n%q", strings.ToLower(t.Original))
		for _, c := range t.Columns {
			fmt.Fprintf(&b, " %q", strings.ToLower(c.Original))
		}
	}
	return sha256.Sum256([]byte(b.String()))
}

// unorderedSignature returns the signature of a schema with its tables and columns sorted, as a
// perturbation may have shuffled them.
func unorderedSignature(db *dataset.Database) signature {
	tables := slices.Clone(db.Tables)
	for i := range tables {
		tables[i].Columns = slices.Clone(tables[i].Columns)
		slices.SortFunc(tables[i].Columns, func(a, b dataset.Column) int { return foldedCompare(a.Original, b.Original) })
	}
	slices.SortFunc(tables, func(a, b dataset.Table) int { return foldedCompare(a.Original, b.Original) })
	return schemaSignature(&dataset.Database{Tables: tables})
}

// foldedCompare compares two names in lower case.
func foldedCompare(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }

// banned maps excluded databases to the data directory that has each.
type banned struct {
	ids       map[string]string          // by db_id
	schemas   map[signature]string       // by unorderedSignature
	questions map[string][]excluded      // the databases asked a question, by foldedQuestion
	shared    map[string]map[string]bool // questions that a database shares with an excluded one, by the ids of both
	copied    error                      // for the first database that shares maxShared questions
}

// An excluded database has the db_id id in the data directory dir.
type excluded struct{ dir, id string }

// maxShared is the number of questions by which a database is a copy of an excluded one. No two databases
// of Spider share more than two, such as "How many accounts do we have?".
const maxShared = 3

// foldedQuestion returns a question in lower case, with one blank for all other characters between letters and digits.
func foldedQuestion(question string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// addQuestion records a question that the folder from asks of the database db. It sets b.copied if db shares maxShared
// questions with an excluded database: then it is a copy under another name.
func (b *banned) addQuestion(from, db, question string) {
	if len(b.questions) == 0 || b.copied != nil {
		return
	}
	folded := foldedQuestion(question)
	for _, e := range b.questions[folded] {
		pair := db + "\x00" + e.dir + "\x00" + e.id
		if b.shared[pair] == nil {
			b.shared[pair] = map[string]bool{}
		}
		if b.shared[pair][folded] = true; len(b.shared[pair]) == maxShared {
			b.copied = fmt.Errorf("%s: asks of the database %s what %s asks of %s, such as %q, expected fewer than %d of its questions", from, db, e.dir, e.id, question, maxShared)
			return
		}
	}
}

// readExcluded returns the databases of the excluded splits. It returns an error if a record cannot be
// read, as that may ask about any database.
func (m *mixer) readExcluded() (*banned, error) {
	b := &banned{ids: map[string]string{}, schemas: map[signature]string{}, questions: map[string][]excluded{}, shared: map[string]map[string]bool{}}
	for _, dir := range m.Exclude {
		source := Source{Name: baseName(dir), Split: m.ExcludeSplit}
		var bad error
		units, err := dataset.Units(dir, m.ExcludeSplit, func(err error) {
			switch {
			case dataset.IsNote(err):
				m.Report(err)
			case bad == nil:
				bad = fmt.Errorf("%w: the databases of an excluded split are known only where all of it can be read", err)
			}
		})
		if bad != nil {
			return nil, bad
		}
		if err != nil {
			return nil, err
		}
		for _, u := range units {
			b.ids[u.DB.ID] = dir
			b.schemas[unorderedSignature(u.DB)] = dir
			for _, ex := range u.Examples {
				folded, e := foldedQuestion(ex.Question), excluded{dir, u.DB.ID}
				if !slices.Contains(b.questions[folded], e) {
					b.questions[folded] = append(b.questions[folded], e)
				}
			}
			source.Databases++
		}
		m.manifest.Exclude = append(m.manifest.Exclude, source)
	}
	return b, nil
}

// check returns an error if a database of the folder from is excluded, by its id, by that of its original or by its tables.
func (b *banned) check(db *dataset.Database, from string) error {
	// A perturbed database has the id of its original before a hash.
	original, _, _ := strings.Cut(db.ID, "__")
	dir, ok := b.ids[db.ID]
	if !ok {
		dir, ok = b.ids[original]
	}
	if ok {
		return fmt.Errorf("%s: has the database %s, which leaks from %s, expected none of its databases", from, db.ID, dir)
	}
	if dir, ok := b.schemas[unorderedSignature(db)]; ok {
		return fmt.Errorf("%s: has the database %s, whose tables are those of one of %s, expected none of its databases", from, db.ID, dir)
	}
	return nil
}

// checkLeaks returns an error if the builds or originals have an excluded database, or ask its
// questions of another.
func (m *mixer) checkLeaks(b *banned) error {
	if len(b.ids) == 0 {
		return nil
	}
	for _, s := range m.schemaFiles() {
		if s.side == "post" {
			continue // the databases on side "pre" are checked
		}
		isAsked := func(string) bool { return true }
		if s.side == "data" {
			asked, err := m.askedDatabases()
			if err != nil {
				return err
			}
			isAsked = func(id string) bool { return asked[id] }
		}
		err := s.each(func(db *dataset.Database) error {
			if !isAsked(db.ID) {
				return nil
			}
			return b.check(db, s.dir)
		})
		if err != nil {
			return err
		}
	}
	return b.copied // set while the records were read (addQuestion)
}

// askedDatabases returns the db_ids of the original examples.
func (m *mixer) askedDatabases() (map[string]bool, error) {
	asked := map[string]bool{}
	return asked, m.eachData(func(ex *dataset.Example) error {
		asked[ex.DB] = true
		return nil
	}, func(error) {})
}

// schemaFile is a tables.json with the databases next to it.
type schemaFile struct {
	side   string // "pre", "data" or "post"
	build  string // if the side is one of a build's
	dir    string
	tables string // name of the file
}

// schemaFiles returns the files before perturbations, on whose databases the records were
// verified, then the data set's own, then those after perturbations.
func (m *mixer) schemaFiles() []schemaFile {
	var pre, post []schemaFile
	for _, b := range m.builds {
		for _, r := range b.relations {
			if r.used && r.records > 0 {
				pre = append(pre, schemaFile{"pre", b.dir, b.path(r, "pre"), "tables.json"})
				post = append(post, schemaFile{"post", b.dir, b.path(r, "post"), "tables.json"})
			}
		}
	}
	if m.Data != "" {
		pre = append(pre, schemaFile{"data", "", m.Data, m.manifest.Data.Inputs[0].Name}) // its file of schemas
	}
	return append(pre, post...)
}

// each calls f with each schema. It skips schemas that cannot be read; writeDatabases reports
// those that are needed.
func (s schemaFile) each(f func(*dataset.Database) error) error {
	return dataset.ReadTables(filepath.Join(s.dir, s.tables), func(error) {}, f)
}

// writeDatabases writes the schema and copies the content of each needed database, and returns
// their number.
func (m *mixer) writeDatabases(ctx context.Context, needed map[string]bool) (int, error) {
	set := databaseSet{dir: m.dir.Path(), written: map[string]signature{}}
	err := outdir.WriteFile(m.dir.Path("tables.json"), func(w io.Writer) error {
		set.tables = dataset.NewTablesWriter(w)
		for _, s := range m.schemaFiles() {
			err := s.each(func(db *dataset.Database) error {
				if !needed[db.ID] {
					return nil
				}
				return set.add(s, db)
			})
			if err != nil {
				return err
			}
		}
		return set.tables.Close()
	})
	if err != nil {
		return 0, err
	}
	if len(set.written) < len(needed) {
		return 0, fmt.Errorf("the builds have schemas for %d of %d databases, expected all: a tables.json was changed", len(set.written), len(needed))
	}
	if err := m.makeUnwritten(ctx, set.unwritten); err != nil {
		return 0, err
	}
	return len(set.written), outdir.Run(ctx, m.Workers, set.copies, func(_ context.Context, _ int, c fileCopy) error {
		return copyFile(c.from, c.to)
	})
}

// databaseSet holds the databases of a mix.
type databaseSet struct {
	dir       string // of the mix
	tables    *dataset.TablesWriter
	written   map[string]signature // of the schemas in tables, by db_id
	copies    []fileCopy           // of content
	unwritten []Unwritten          // content that the builds did not write
}

// fileCopy is a file and where it is copied to.
type fileCopy struct{ from, to string }

// add writes the schema of a database to set.tables and adds its content to set.copies or set.unwritten, unless the set has
// the database. It returns an error if the set has it with another schema.
func (set *databaseSet) add(s schemaFile, db *dataset.Database) error {
	sig := schemaSignature(db)
	if known, ok := set.written[db.ID]; ok {
		if known != sig {
			return fmt.Errorf("%s: database %s has another schema than elsewhere, expected builds of one data set", s.dir, db.ID)
		}
		return nil
	}
	set.written[db.ID] = sig
	from := dataset.FindContent(s.dir, db.ID)
	to := dataset.ContentPath(set.dir, db.ID, from)
	switch {
	case from != "":
		set.copies = append(set.copies, fileCopy{from, to})
	case s.side != "data": // a database of the data directory may have no content
		set.unwritten = append(set.unwritten, Unwritten{s.build, db.ID, to})
	}
	return set.tables.Write(db)
}

// makeUnwritten makes the listed databases, which builds were written without, by m.Make.
func (m *mixer) makeUnwritten(ctx context.Context, list []Unwritten) error {
	switch {
	case len(list) == 0:
		return nil
	case m.Make == nil:
		return fmt.Errorf("%s: has no file of the database %s, expected --data DIR, which the build was made from, or all that materialize makes", list[0].Build, list[0].ID)
	}
	return m.Make(ctx, list)
}

// copyFile copies a file and creates the folder of the copy.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return outdir.CopyFile(from, to)
}
