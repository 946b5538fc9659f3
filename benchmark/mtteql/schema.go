package mtteql

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/evidence"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Schema lists the relations of schemas, in the order of the paper's table 1.
// All of them change one thing of the database at a time, once for all examples
// that permit it: an example does whose gold SQL, resolved, does not use what
// changes. The released code asks whether a column's name occurs in the text of
// the SQL instead, so that "name" is used wherever "surname" is.
var Schema = []*perturb.Perturbation{
	Normalization, Flattening, OpaqueKey, TableShuffle, ColumnShuffle, ColumnRemoval, ColumnRenaming, ColumnInsertion,
}

// change is one change of a database, with what an example's gold SQL must not
// do for the example to permit it.
type change struct {
	edit       perturb.Edit
	mustNotUse []part // the parts that the gold SQL must not use
	name       string // a natural name that the question must not mention; "" for none
	tier       int    // changes of a lower tier are drawn first
}

// tierOf returns the tier of a change of a relation with two tiers: 0 for a preferred one, else 1.
func tierOf(isPreferred bool) int {
	if isPreferred {
		return 0
	}
	return 1
}

// part is what a gold SQL can use of a table: the table at all, a column, or its
// columns as a list, by a star or a join without ON.
type part dataset.ColumnRef

const wholeTable, columnList = -1, -2 // in the place of a column

// tablePart returns the part that is a whole table.
func tablePart(table int) part { return part{Table: table, Column: wholeTable} }

// columnListPart returns the part that is the list of a table's columns.
func columnListPart(table int) part { return part{Table: table, Column: columnList} }

// source returns the changes of a database. The error is a [*perturb.Refusal] where the pass lacks
// what changes are made of; any other error ends the pass.
type source func(p *perturb.Pass) ([]change, error)

// run reports each change for the examples that permit it. An example takes up
// to Pass.Samples of them, at random where it permits more, and counts them from
// 0 on; so one change may be several variants, which differ by sample only.
func (s source) run(p *perturb.Pass) error {
	changes, err := s(p)
	if refusal, refused := errors.AsType[*perturb.Refusal](err); refused {
		p.RejectAll(p.Examples, 0, refusal.Reason)
		return p.Context.Err()
	}
	if err != nil {
		return err
	}
	// A schema may be damaged, and a change that does not fit it would end the build.
	changes = slices.DeleteFunc(changes, func(c change) bool {
		_, err := perturb.ApplySchema(p.DB, perturb.FollowDerived(p.DB, []perturb.Edit{c.edit}))
		return err != nil
	})
	if len(changes) == 0 {
		p.RejectAll(p.Examples, 0, "nothing-to-change")
		return p.Context.Err()
	}
	covered := make([][][]*perturb.Example, len(changes)) // by change and sample
	for i := range covered {
		covered[i] = make([][]*perturb.Example, p.Samples)
	}
	for _, ex := range p.Examples {
		drawn := drawChanges(p, ex, changes)
		if len(drawn) == 0 {
			p.Reject(ex, 0, "all-used")
		}
		for sample, i := range drawn {
			covered[i][sample] = append(covered[i][sample], ex)
		}
	}
	for i, c := range changes {
		for sample, examples := range covered[i] {
			if len(examples) > 0 {
				p.Report(perturb.Variant{Sample: sample, Examples: examples, Edits: []perturb.Edit{c.edit}})
			}
		}
	}
	return p.Context.Err()
}

// drawChanges returns the indices of the changes that an example takes, in rising order: at most p.Samples of those that it permits,
// drawn at random among those of the lowest tiers.
func drawChanges(p *perturb.Pass, ex *perturb.Example, changes []change) []int {
	u := newUsage(p.DB, ex)
	var drawn []int
	for i, c := range changes {
		if u.permits(c) {
			drawn = append(drawn, i)
		}
	}
	first := ex.Turns()[0] // the turns of an interaction draw alike
	rng := p.Rand("draw", first.Question, first.Query)
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	slices.SortStableFunc(drawn, func(i, j int) int { return cmp.Compare(changes[i].tier, changes[j].tier) })
	drawn = drawn[:min(len(drawn), p.Samples)]
	slices.Sort(drawn)
	return drawn
}

// usage is what an example, or the interaction that it is of, uses of its database.
type usage struct {
	parts map[part]bool   // mentioned, shown by a star, or named in the evidence
	words map[string]bool // singular words of the questions
}

// newUsage returns the usage of an example and all turns of its interaction.
func newUsage(db *dataset.Database, ex *perturb.Example) usage {
	u := usage{map[part]bool{}, map[string]bool{}}
	for _, turn := range ex.Turns() {
		u.add(db, turn)
	}
	return u
}

// add adds what one turn uses: the tables and columns that its gold SQL or evidence names, the columns that a star shows, the words of
// its question, and the column lists of tables under a star or a join by name, whose answer depends on which columns the table has.
func (u usage) add(db *dataset.Database, ex *perturb.Example) {
	for _, ref := range ex.Columns {
		u.parts[part(ref)] = true
	}
	if ex.Evidence != "" {
		for _, l := range evidence.Links(ex, db) { // what they name must stay as well
			u.parts[tablePart(db.Table(l.Table))] = true
			if ref, ok := db.Lookup(l.Table, l.Column); ok {
				u.parts[part(ref)] = true
			}
		}
	}
	for _, name := range ex.Binding.Tables() {
		u.parts[tablePart(db.Table(name))] = true
	}
	for _, star := range ex.Binding.Stars() {
		for _, t := range ex.Binding.Star(star) {
			if ref, ok := db.Lookup(t.Table, t.Column); ok {
				u.parts[part(ref)], u.parts[columnListPart(ref.Table)] = true, true
			}
		}
	}
	for f := range sqlast.All[*sqlast.FromItem](ex.Gold) {
		if f.Natural || len(f.Using) > 0 {
			for _, name := range ex.Binding.Tables() {
				u.parts[columnListPart(db.Table(name))] = true
			}
		}
	}
	for w := range strings.FieldsSeq(lexicon.Normal(ex.Question)) {
		u.words[w] = true
	}
}

// permits reports whether an example uses nothing that a change must not find in use.
func (u usage) permits(c change) bool {
	return !slices.ContainsFunc(c.mustNotUse, func(p part) bool { return u.parts[p] }) && !u.hasWords(c.name)
}

// hasWords reports whether the questions have all words of a name, so that they may mean the item of that name. It is false for "".
func (u usage) hasWords(name string) bool {
	words := strings.Fields(lexicon.Normal(name))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !u.words[w] })
}

// alterable reports whether a table may change: no view or trigger depends on it, and it is none of
// SQLite's own tables, which some of Spider's schemas list.
func alterable(db *dataset.Database, table int) bool {
	return !db.Tables[table].Kept && !perturb.IsReserved(db.Tables[table].Original)
}

// fixed returns the columns that must stay: those that are part of a key in the schema, and those that the
// file needs ([perturb.Content.Fixed]).
func fixed(p *perturb.Pass) (map[dataset.ColumnRef]bool, error) {
	fixed := map[dataset.ColumnRef]bool{}
	if p.Content != nil {
		var err error
		if fixed, err = p.Content.Fixed(p.Context); err != nil {
			return nil, err
		}
	}
	for _, ref := range p.DB.PrimaryKeys {
		fixed[ref] = true
	}
	for _, k := range p.DB.ForeignKeys {
		fixed[k.Column], fixed[k.Target] = true, true
	}
	return fixed, nil
}

// columns returns the columns of the tables that can be altered, in the order of the schema. It leaves out those
// that are derived from others, which change with these, and those of the data set's format.
func columns(db *dataset.Database) (refs []dataset.ColumnRef) {
	for ref := range db.AllColumns() {
		if alterable(db, ref.Table) && db.Column(ref).Own() {
			refs = append(refs, ref)
		}
	}
	return refs
}

// firstName returns the first of some natural names for which take returns an identifier, with that identifier;
// "" if there is none. It skips identifiers that end in an underscore, as that sets them apart from a keyword of
// SQL ("order_").
func firstName(take func(natural string) (identifier string, ok bool), naturals ...string) (natural, identifier string) {
	for _, n := range naturals {
		if id, ok := take(n); ok && !strings.HasSuffix(id, "_") {
			return n, id
		}
	}
	return "", ""
}

// columnNames takes identifiers for columns of a table.
func columnNames(names *perturb.FreeNames, table int) func(string) (string, bool) {
	return func(natural string) (string, bool) { return names.Take(table, natural) }
}
