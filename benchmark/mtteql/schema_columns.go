package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/rerank"
)

// ColumnRemoval drops a column.
var ColumnRemoval = metamorphic("column-removal", "section 3.2",
	"Drops a column that the gold SQL does not use.", source(columnRemovals).run)

// ColumnRenaming gives a column a synonym for a name. Its names come from the
// REPLACE names of the buckets and from the dictionary.
var ColumnRenaming = metamorphic("column-renaming", "section 3.2",
	"Renames a column that the gold SQL does not use to a synonym.", source(columnRenamings).run)

// ColumnInsertion adds an attribute of what a table is about. The paper asks a
// knowledge graph for what an object has, takes edges of high weight alone, as
// few columns are called "head", and lets users check them against similar
// tables. Here a list of attributes that tables of an entity have takes the
// place of the graph, and those that a bucket has from a similar web table are
// drawn first.
var ColumnInsertion = metamorphic("column-insertion", "section 3.2",
	"Adds a column that tables of the same kind have, with rows.", source(columnInsertions).run)

func columnRemovals(p *perturb.Pass) (changes []change, err error) {
	keys, err := keys(p)
	if err != nil {
		return nil, err
	}
	for _, ref := range columns(p.DB) {
		if table := p.DB.Tables[ref.Table]; !keys[ref] && len(table.Columns) > 1 {
			changes = append(changes, change{
				edit:   perturb.DropColumn{Table: table.Original, Column: p.DB.Column(ref).Original},
				unused: []part{part(ref), listPart(ref.Table)},
			})
		}
	}
	return changes, nil
}

// keptNames is how many names a column gets, the most similar ones: names of
// several words of which the dictionary replaces all read like riddles.
const keptNames = 3

func columnRenamings(p *perturb.Pass) (changes []change, err error) {
	if p.Dictionary == nil && len(p.Buckets) == 0 {
		return nil, lack("no-synonyms-or-buckets")
	}
	own := ownNames(p.DB)
	for _, ref := range columns(p.DB) {
		names := perturb.NewFreeNames(p.DB)
		n := 0
		for _, c := range synonyms(p, ref) {
			if n == keptNames || own[bare(c.Name)] {
				continue
			}
			_, name := firstName(columnNames(names, ref.Table), c.Name)
			if name == "" {
				continue
			}
			n++
			changes = append(changes, change{
				edit: perturb.RenameColumn{
					Table: p.DB.Tables[ref.Table].Original, Column: p.DB.Column(ref).Original, Name: name, Natural: c.Name, From: c,
				},
				unused: []part{part(ref)}, name: c.Name,
			})
		}
	}
	return changes, nil
}

// first is a dictionary of the first synonyms of each term: later ones are true in
// rare senses only.
type first struct{ lexicon.Dictionary }

const keptSynonyms = 4

func (f first) Synonyms(term string) []string {
	s := f.Dictionary.Synonyms(term)
	return s[:min(len(s), keptSynonyms)]
}

// synonyms returns names that may stand for a column's, the best first.
func synonyms(p *perturb.Pass, ref dataset.ColumnRef) (out []dataset.Candidate) {
	for _, c := range p.Buckets[p.DB.ColumnID(ref).Key()].Replace {
		c.Cells = nil
		out = append(out, c)
	}
	if p.Dictionary == nil {
		return out
	}
	table, column := p.DB.Tables[ref.Table], p.DB.Column(ref)
	var context []string
	for _, c := range table.Columns {
		context = append(context, c.Name)
	}
	replacer := lexicon.NewReplacer(first{lexicon.In(p.Dictionary, p.Domains.Domain(table.Name, context))})
	var names []string
	var made []dataset.Candidate
	for _, r := range replacer.Names(p.Rand("names", table.Original, column.Original), column.Name) {
		if fits(p, column.Name, r) {
			names = append(names, r.Name)
			made = append(made, dataset.Candidate{Name: r.Name, Source: "dictionary", Evidence: r.Evidence, Similarity: 1, Forward: 1, Backward: 1})
		}
	}
	var ranked []rerank.Ranked
	if p.Vectors != nil {
		ranked = (&rerank.Reranker{Vectors: p.Vectors, TopK: keptNames}).Rank(column.Name, names, nil)
	}
	if len(ranked) == 0 { // there are no vectors, or they do not know the name
		return append(out, made...)
	}
	for _, r := range ranked {
		c := made[r.Index]
		c.Similarity = r.Similarity
		out = append(out, c)
	}
	return out
}

// fits tells whether a name that the dictionary makes says the same as a column's:
// no contrast excludes the one from the other, as a whole or in a part, and no
// part became narrower ("time" and "time of day").
func fits(p *perturb.Pass, name string, r lexicon.Replacement) bool {
	if p.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), r.Name) {
		return false
	}
	for part := range strings.SplitSeq(r.Evidence, "; ") {
		from, to, _ := strings.Cut(part, " -> ")
		if p.Contrasts.Excludes(from, to) || within(strings.Fields(lexicon.Normal(from)), strings.Fields(lexicon.Normal(to))) {
			return false
		}
	}
	return true
}

// cellCount is how many cells an inserted column cycles through.
const cellCount = 12

func columnInsertions(p *perturb.Pass) (changes []change, err error) {
	if p.Attributes == nil {
		return nil, lack("no-attributes")
	}
	own := ownNames(p.DB)
	for t, table := range p.DB.Tables {
		if !alterable(p.DB, t) {
			continue
		}
		names := perturb.NewFreeNames(p.DB)
		similar := similarNames(p, t)
		attributes := p.Attributes.Of(table.Name)
		if !speaks(table, attributes) {
			continue
		}
		for _, a := range attributes {
			if own[bare(a.Name)] || resembles(p, table, a.Name) {
				continue
			}
			_, name := firstName(columnNames(names, t), a.Name)
			if name == "" {
				continue
			}
			e := perturb.AddColumn{
				Table: table.Original, Name: name, Natural: a.Name, Type: dataset.Type(a.Type),
				From: dataset.Candidate{Name: a.Name, Source: "attributes", Evidence: table.Name, Similarity: 1, Forward: 1, Backward: 1},
			}
			rng := p.Rand("cells", table.Original, a.Name)
			for range cellCount {
				e.Cells = append(e.Cells, a.Value(rng))
			}
			changes = append(changes, change{edit: e, unused: []part{listPart(t)}, name: a.Name, backed: similar[bare(a.Name)]})
		}
	}
	return changes, nil
}

// speaks tells whether a table has one of the attributes already, so that it is
// about the entity that its name says: the "model" of a list of cars is not the
// one that fashion has.
func speaks(table dataset.Table, attributes []lexicon.Attribute) bool {
	for _, c := range table.Columns {
		column := strings.Fields(lexicon.Normal(c.Name))
		if within(column, generalWords) {
			continue
		}
		for _, a := range attributes {
			if words := strings.Fields(lexicon.Normal(a.Name)); within(words, column) && !within(words, generalWords) || within(column, words) {
				return true
			}
		}
	}
	return false
}

// similarNames returns the names, bare, that web tables similar to a table have,
// as far as they came into the buckets of its columns.
func similarNames(p *perturb.Pass, table int) map[string]bool {
	names := map[string]bool{}
	for c := range p.DB.Tables[table].Columns {
		b := p.Buckets[p.DB.ColumnID(dataset.ColumnRef{Table: table, Column: c}).Key()]
		for _, c := range slices.Concat(b.Add, b.Replace) {
			names[bare(c.Name)] = c.Source == "retrieval" || names[bare(c.Name)]
		}
	}
	return names
}

// resembles tells whether a table has a column that a question for the attribute
// could mean: one says all that the other does, they share a word that tells
// what they are about, or the dictionary has them as synonyms.
func resembles(p *perturb.Pass, table dataset.Table, attribute string) bool {
	words := strings.Fields(lexicon.Normal(attribute))
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		column := strings.Fields(lexicon.Normal(c.Name))
		return within(words, column) || within(column, words) || shareWord(attribute, c.Name) || synonymous(p, attribute, c.Name) || synonymous(p, c.Name, attribute)
	})
}

// synonymous tells whether the dictionary has one name among the synonyms of
// another.
func synonymous(p *perturb.Pass, name, other string) bool {
	return p.Dictionary != nil &&
		slices.ContainsFunc(p.Dictionary.Synonyms(strings.Join(lexicon.Words(name), " ")), func(s string) bool { return bare(s) == bare(other) })
}

// shareWord tells whether two names share a word that tells what they are about.
func shareWord(a, b string) bool {
	words := strings.Fields(lexicon.Normal(b))
	for w := range strings.FieldsSeq(lexicon.Normal(a)) {
		if !slices.Contains(generalWords, w) && slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// within tells whether all words are among others.
func within(words, others []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(others, w) })
}

// generalWords are words that names share which have nothing else in common.
var generalWords = strings.Fields("name id date number type code time status count total of year is has average level rate title reference description")
