package spidersyn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// bar separates the names of an item in the released files.
const bar = "|"

// Bounds on annotations, which come from files. Those of the released AutoMAS file
// have up to some 60 names an item.
const (
	maxAnnotations   = 256 // of an item; more are left out
	maxAnnotationLen = 200 // bytes
)

// ReadAnnotations reads a tables.json in which the natural name of a table or column lists several names, such as "singer |
// vocalist | performer", as in Spider-Syn's ManualMAS and AutoMAS files. The first is the default name, which these files may
// write in lemmas; it is dropped, and the others are the annotations. Tables and columns are found by their SQL names in dbs;
// databases that dbs lacks are skipped. Malformed records, unknown tables and columns, and bad names are reported; messages call
// the file name. The error is for a file that breaks off.
func ReadAnnotations(r io.Reader, name string, dbs []*dataset.Database, report func(error)) (perturb.Annotations, error) {
	known := map[string]*dataset.Database{}
	for _, db := range dbs {
		known[db.ID] = db
	}
	all := perturb.Annotations{}
	record := 0
	reportDecoding := func(err error) {
		if dataset.IsNote(err) { // about types and the like; names are not affected
			return
		}
		if r, ok := errors.AsType[*dataset.RecordError](err); ok {
			record = r.Record // a record that was not decoded counts too
		}
		report(err)
	}
	err := dataset.DecodeTables(r, name, reportDecoding, func(annotated *dataset.Database) error {
		record++
		if db := known[annotated.ID]; db != nil {
			a := annotationReader{db: db, all: all, report: func(err error) {
				report(&dataset.RecordError{File: name, Record: record, Err: err})
			}}
			a.read(annotated)
		}
		return nil
	})
	return all, err
}

// annotationReader reads the annotations of one database.
type annotationReader struct {
	db     *dataset.Database
	all    perturb.Annotations
	report func(error)
}

// read adds the annotations of all tables and columns of one record of the file. It reports and skips tables and columns that
// the database lacks.
func (a *annotationReader) read(annotated *dataset.Database) {
	for _, t := range annotated.Tables {
		i := a.db.Table(t.Original)
		if i < 0 {
			a.problem("table %s is unknown, expected one of the database", t.Original)
			continue
		}
		table := a.db.Tables[i]
		a.add(dataset.ColumnID{DB: a.db.ID, Table: table.Original}, table.Name, t.Name)
		for _, c := range t.Columns {
			ref, ok := a.db.Lookup(t.Original, c.Original)
			if !ok {
				a.problem("column %s.%s is unknown, expected one of the database", t.Original, c.Original)
				continue
			}
			a.add(a.db.ColumnID(ref), a.db.Column(ref).Name, c.Name)
		}
	}
}

// problem reports what is wrong with the record.
func (a *annotationReader) problem(format string, args ...any) {
	a.report(fmt.Errorf("%s: %w", a.db.ID, fmt.Errorf(format, args...)))
}

// add stores the annotations of an item: of names, separated by bars, all but the first, which is the default. It skips repetitions
// and names equal to the default or to own, the item's name in the database. It reports unusable names, and names beyond
// [maxAnnotations], which are left out.
func (a *annotationReader) add(id dataset.ColumnID, own, names string) {
	parts := strings.Split(names, bar)
	seen := map[string]bool{lexicon.Normal(own): true, lexicon.Normal(parts[0]): true}
	var out []string
	for _, alternative := range parts[1:] {
		alternative = strings.Join(strings.Fields(alternative), " ")
		key := lexicon.Normal(alternative)
		switch {
		case !isLabel(alternative), key == "":
			a.problem("%s.%s: name %q, expected words of at most %d bytes", id.Table, id.Column, dataset.Clip(alternative), maxAnnotationLen)
		case len(out) == maxAnnotations:
			a.problem("%s.%s: has %d names, expected at most %d", id.Table, id.Column, len(parts), maxAnnotations)
			a.all[id.Key()] = out
			return // without the rest
		case !seen[key]:
			seen[key] = true
			out = append(out, alternative)
		}
	}
	if len(out) > 0 {
		a.all[id.Key()] = out
	}
}

// isLabel reports whether text can be written as a natural name between bars: valid UTF-8 of at most maxAnnotationLen bytes without
// bars and control characters. It accepts the empty text.
func isLabel(text string) bool {
	return len(text) <= maxAnnotationLen && utf8.ValidString(text) && !strings.Contains(text, bar) && !strings.ContainsFunc(text, unicode.IsControl)
}

// WriteAnnotations writes a tables.json that [ReadAnnotations] reads: the natural name of each table and column is followed by its
// annotations, as in "name | title". Annotations that cannot be written between bars are left out.
func WriteAnnotations(w io.Writer, dbs []*dataset.Database, all perturb.Annotations) error {
	out := dataset.NewTablesWriter(w)
	for _, db := range dbs {
		annotated := db.Clone()
		for t := range annotated.Tables {
			table := &annotated.Tables[t]
			table.Name = withAlternatives(table.Name, all[dataset.ColumnID{DB: db.ID, Table: table.Original}.Key()])
			for c := range table.Columns {
				table.Columns[c].Name = withAlternatives(table.Columns[c].Name, all[db.ColumnID(dataset.ColumnRef{Table: t, Column: c}).Key()])
			}
		}
		if err := out.Write(annotated); err != nil {
			return err
		}
	}
	return out.Close()
}

// withAlternatives returns a name with its usable alternatives, as the released files have them: "name | title".
func withAlternatives(name string, alternatives []string) string {
	labels := lists.Filter(alternatives, func(a string) bool { return isLabel(a) && a != "" })
	return strings.Join(slices.Concat([]string{name}, labels), " "+bar+" ")
}

// maxTerm bounds the words of a phrase that is looked up, as the dictionary does.
const maxTerm = 4

// maxAuto bounds the names that [AutoAnnotations] makes for an item.
const maxAuto = 12

// AutoAnnotations makes annotations of a database from the dictionary, where the
// paper's AutoMAS takes the nearest GloVe vectors (section 4.1): synonyms of
// the whole name, then the name with one of its words or phrases replaced.
// It keeps reserved words and leaves out names that could mean another item of the schema.
// Without a dictionary it returns none.
func AutoAnnotations(db *dataset.Database, res perturb.Resources) perturb.Annotations {
	all := perturb.Annotations{}
	if res.Dictionary == nil {
		return all
	}
	s := newSchema(res, db)
	for _, n := range s.names {
		id := dataset.ColumnID{DB: db.ID, Table: db.Tables[n.item.Table].Original}
		if !n.item.IsTable() {
			id = db.ColumnID(dataset.ColumnRef(n.item))
		}
		if names := s.alternatives(n); len(names) > 0 {
			all[id.Key()] = names
		}
	}
	return all
}

// alternatives returns at most maxAuto other names of an item, each made by replacing one run of words of its name, of maxTerm words
// at most, with a synonym: "birth city" for "birth town". Synonyms of longer runs come first.
func (s *schema) alternatives(n itemName) []string {
	words := strings.Fields(n.normal)
	var out []string
	for length := min(maxTerm, len(words)); length > 0; length-- {
		for i := 0; i+length <= len(words); i++ {
			term := strings.Join(words[i:i+length], " ")
			for _, synonym := range s.synonyms(term, n) {
				name := strings.Join(slices.Concat(words[:i], []string{synonym}, words[i+length:]), " ")
				if !slices.Contains(out, name) && len(out) < maxAuto && isLabel(name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// synonyms returns the dictionary's synonyms that may replace a term, in normal form, in an item's name: those that keep its reserved
// words and name nothing else of the schema. A term that is itself reserved or no noun has none.
func (s *schema) synonyms(term string, n itemName) []string {
	if !replaceable(term) {
		return nil
	}
	var out []string
	for _, synonym := range s.dicts[n.item.Table].Synonyms(term) {
		if normal := lexicon.Normal(synonym); normal != term && keepsReserved(term, normal) && s.isUnambiguous(normal, term, n.normal) {
			out = append(out, synonym)
		}
	}
	return out
}
