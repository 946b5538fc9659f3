// Package database holds the perturbations of Dr.Spider that rename tables and columns
// (section 3.1): schema-synonym to synonyms, schema-abbreviation to shorter forms of their
// names.
//
// Both first make a dictionary for the database, the names that each of its
// tables and columns may take, and then draw from it, sample by sample: every
// entry is renamed with a probability of one half, at least one of them, to one
// of its names. A sample covers the examples whose gold SQL mentions what it
// renames; one that repeats an earlier one is left out.
//
// The paper mentions columns alone, and not how large a subset it samples. Here tables
// are renamed as well, because questions mention both. Columns of one name that a foreign
// key ties together are one entry and are renamed alike, because schemas usually call a
// key by one name on both sides.
package database

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{SchemaSynonym, SchemaAbbreviation}

// share is the probability with which a sample renames an entry of the
// dictionary.
const share = 0.5

// source returns a function that proposes names for the tables and columns of a pass, the best first.
// The error is a [*perturb.Refusal] where the pass lacks the resources for names.
type source func(*perturb.Pass) (propose func(entry) []dataset.Candidate, err error)

// renaming returns a perturbation that renames tables and columns to names of a source.
func renaming(name, doc string, s source) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "drspider/" + name, Doc: doc, Paper: "Dr.Spider, section 3.1", Version: 2,
		Relation: perturb.Renamed, Group: perturb.GroupDB, Files: true, Run: s.run,
	}
}

// run reports one variant for each sample: the renamed database with the examples that mention a renamed table or column. It
// rejects examples of samples that repeat an earlier one, and all examples if the source refuses the database.
func (s source) run(p *perturb.Pass) error {
	dictionary, err := s.dictionary(p)
	refusal, refused := errors.AsType[*perturb.Refusal](err)
	if err != nil && !refused {
		return err
	}
	drawn := map[string]bool{}
	for sample := range p.Samples {
		if refused {
			p.RejectAll(p.Examples, sample, refusal.Reason)
			continue
		}
		edits := draw(p, dictionary, sample)
		if len(edits) == 0 {
			p.RejectAll(p.Examples, sample, "no-free-name-in-sample")
			continue
		}
		covered := mentioning(p, edits)
		if len(covered) == 0 { // no question to ask of the renamed database
			continue
		}
		id, err := perturb.VariantID(p.DB.ID, edits)
		if err != nil {
			return err
		}
		if drawn[id] {
			p.RejectAll(covered, sample, "repeated-sample")
			continue
		}
		drawn[id] = true
		p.Report(perturb.Variant{Sample: sample, Examples: covered, Edits: edits})
	}
	return p.Context.Err()
}

// dictionary returns the entries for which the source proposes names, with these. The error is a
// [*perturb.Refusal] if there are none or the source refuses the pass.
func (s source) dictionary(p *perturb.Pass) ([]entry, error) {
	propose, err := s(p)
	if err != nil {
		return nil, err
	}
	dictionary := withCandidates(p.DB, propose)
	if len(dictionary) == 0 {
		return nil, &perturb.Refusal{Reason: "no-other-name"}
	}
	return dictionary, nil
}

// draw returns the edits of one sample, in the order of the dictionary: it chooses each entry with the probability [share], at
// least one, and renames it to a random free name. Siblings, such as "first name" and "last name", are chosen together or not at all.
func draw(p *perturb.Pass, dictionary []entry, sample int) []perturb.Edit {
	rng := p.Rand(strconv.Itoa(sample))
	chosen := make([]bool, len(dictionary))
	for i := range chosen {
		chosen[i] = rng.Float64() < share
	}
	for i := range chosen {
		first := slices.IndexFunc(dictionary, func(e entry) bool { return e.isSiblingOf(p.DB, dictionary[i]) })
		if first >= 0 && first < i {
			chosen[i] = chosen[first]
		}
	}
	if !slices.Contains(chosen, true) { // one entry with its siblings
		one := rng.IntN(len(chosen))
		for i := range chosen {
			chosen[i] = i == one || dictionary[i].isSiblingOf(p.DB, dictionary[one])
		}
	}
	names := perturb.NewFreeNames(p.DB)
	var edits []perturb.Edit
	for i, e := range dictionary {
		// The smaller of two random ranks makes better names more probable.
		n := len(e.candidates)
		first := min(rng.IntN(n), rng.IntN(n)) // drawn for every entry, so that the names do not depend on the chosen entries
		if !chosen[i] {
			continue
		}
		for j := range n { // the first free name from that rank on
			if renamed := e.rename(p.DB, names, e.candidates[(first+j)%n]); renamed != nil {
				edits = append(edits, renamed...)
				break
			}
		}
	}
	return edits
}

// isSiblingOf reports whether two entries have sibling columns in one table: "departure airport" and "arrival airport", see
// [perturb.AreSiblings].
func (e entry) isSiblingOf(db *dataset.Database, other entry) bool {
	return slices.ContainsFunc(e.columns, func(a dataset.ColumnRef) bool {
		return slices.ContainsFunc(other.columns, func(b dataset.ColumnRef) bool {
			return a.Table == b.Table && perturb.AreSiblings(db.Column(a).Name, db.Column(b).Name)
		})
	})
}

// rename returns the edits that rename an entry, all its columns alike, to a candidate. It returns nil if the name is
// taken in one of their tables, or is no SQL name as it is, see [altered].
func (e entry) rename(db *dataset.Database, names *perturb.FreeNames, c dataset.Candidate) (edits []perturb.Edit) {
	if e.isTable() {
		name, ok := names.TakeTable(c.Name)
		if !ok || altered(name, c.Name) {
			return nil
		}
		return []perturb.Edit{perturb.RenameTable{Table: db.Tables[e.table].Original, Name: name, Natural: c.Name, From: c}}
	}
	for _, ref := range e.columns {
		name, ok := names.Take(ref.Table, c.Name)
		if !ok || altered(name, c.Name) {
			return nil
		}
		edits = append(edits, perturb.RenameColumn{
			Table: db.Tables[ref.Table].Original, Column: db.Column(ref).Original, Name: name, Natural: c.Name, From: c,
		})
	}
	return edits
}

// altered reports whether the SQL identifier for a name has additions to it, because the name is a
// keyword of SQL ("desc_") or begins with a digit ("n_1st_place"). Such names are
// skipped, since there are others to choose from.
func altered(identifier, name string) bool {
	return letters(identifier) != letters(name) || strings.HasSuffix(identifier, "_")
}

// mentioning returns the examples whose gold SQL mentions a table or column that the edits rename. A star
// mentions its table, but not the table's columns.
func mentioning(p *perturb.Pass, edits []perturb.Edit) []*perturb.Example {
	tables, columns := map[string]bool{}, map[dataset.ColumnRef]bool{}
	for _, e := range edits {
		table, column := e.Touches()
		if column == "" { // a renamed table
			tables[table] = true
			continue
		}
		ref, _ := p.DB.Lookup(table, column)
		columns[ref] = true
	}
	return lists.Filter(p.Examples, func(ex *perturb.Example) bool {
		return slices.ContainsFunc(ex.Columns, func(ref dataset.ColumnRef) bool { return columns[ref] }) ||
			slices.ContainsFunc(ex.Binding.Tables(), func(table string) bool { return tables[table] })
	})
}
