package spidersyn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
)

// schema indexes the names of a database: which words may replace the name of an item,
// and which would name another item.
type schema struct {
	perturb.Resources
	db     *dataset.Database
	linker link.Linker
	dicts  []lexicon.Dictionary // by table: that of its domain
	names  []itemName           // tables, each before its columns
	claims map[string][]string  // by a synonym, in normal form: the names that have it
	senses map[string][]string  // by a name in normal form: names that may replace it in this database
	// attack proposes words in the place of senses, for parts of names too; nil without an attack.
	attack     proposer
	attackName string
	sources    *perturb.Senses // where senses come from; nil before addSenses
	ctx        context.Context // of the pass, for the attack's models
}

// itemName is the natural name of a table or column, as it is and in normal form.
type itemName struct {
	item         link.Item
	text, normal string
}

// newSchema indexes the names of a database, and the synonyms that each claims: no other name may be replaced by these. senses are
// added by addSenses. p.Dictionary must not be nil.
func newSchema(p perturb.Resources, db *dataset.Database) *schema {
	db = withSpokenNames(db)
	s := &schema{Resources: p, db: db, linker: link.Exact(db), claims: map[string][]string{}, senses: map[string][]string{}}
	general := s.domain()
	dict := lexicon.Forms{Dictionary: p.Dictionary}
	for t, table := range db.Tables {
		s.dicts = append(s.dicts, lexicon.In(dict, cmp.Or(p.Domain(table), general))) // a small table may have no domain
		s.addName(link.Item{Table: t, Column: -1}, table.Name)
		for c, column := range table.Columns {
			s.addName(link.Item{Table: t, Column: c}, column.Name)
		}
	}
	return s
}

// withSpokenNames returns a copy of a schema in which a column "country name" is called "country", as in questions. A column keeps its
// name if the rest without "name" is no noun of data/nouns.txt, or is the name of another table or column.
func withSpokenNames(db *dataset.Database) *dataset.Database {
	spoken := *db
	spoken.Tables = slices.Clone(db.Tables)
	isTaken := func(name string) bool {
		same := func(other string) bool { return lexicon.Normal(other) == lexicon.Normal(name) }
		return slices.ContainsFunc(db.Tables, func(t dataset.Table) bool {
			return same(t.Name) || slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return same(c.Name) })
		})
	}
	for t := range spoken.Tables {
		columns := slices.Clone(spoken.Tables[t].Columns)
		for c := range columns {
			short, ok := strings.CutSuffix(columns[c].Name, " name")
			if _, isNoun := nouns()[lexicon.Normal(short)]; ok && isNoun && !isTaken(short) {
				columns[c].Name = short
			}
		}
		spoken.Tables[t].Columns = columns
	}
	return &spoken
}

// domain returns the domain of the whole database, for tables whose own names are too few
// to show one: Spider-Syn's annotators worked database by database (section 2.3).
func (s *schema) domain() string {
	var tables, columns []string
	for _, t := range s.db.Tables {
		tables = append(tables, t.Name)
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
	}
	return s.Domains.Domain(strings.Join(tables, " "), columns)
}

// addName adds the name of an item. The first item of a name claims the dictionary's synonyms of it, so that they replace no other name.
func (s *schema) addName(item link.Item, name string) {
	n := itemName{item, lexicon.Bare(name), lexicon.Normal(name)}
	s.names = append(s.names, n)
	if slices.ContainsFunc(s.names[:len(s.names)-1], func(o itemName) bool { return o.normal == n.normal }) {
		return // an item before it claimed them
	}
	for _, synonym := range s.dicts[item.Table].Synonyms(n.normal) {
		s.claim(n.normal, synonym)
	}
}

// claim stores that a name has a synonym, so that the synonym replaces no other name.
func (s *schema) claim(name, synonym string) {
	key := lexicon.Normal(synonym)
	s.claims[key] = append(s.claims[key], name)
}

// addSenses fills s.senses: for each name of a table or column the names that may replace it in its sense, in the
// singular. A question does not show which of several items of one name it means, so only names that suit all of them
// are kept; items without names do not count.
func (s *schema) addSenses(senses *perturb.Senses) {
	s.sources = senses
	words := wordsOf(s.db)
	for _, n := range s.names {
		if !n.item.IsTable() { // the name of a column that a build may add names that column alone
			for _, added := range senses.Added(dataset.ColumnRef(n.item)) {
				s.claim(lexicon.Normal(added.Name), added.Name)
			}
		}
		list := s.namesFor(n, words)
		switch known := s.senses[n.normal]; { // the names for earlier items of this name
		case len(list) == 0:
			list = known
		case len(known) > 0: // only those that suit all
			list = slices.DeleteFunc(known, func(name string) bool { return !slices.Contains(list, name) })
		}
		s.senses[n.normal] = list
	}
}

// namesFor returns the names, in the singular, that may replace the name of an item: those of data/nouns.txt if it has the
// name, else those of the thesaurus that fit a question. It claims all names that it finds for the item, so that they replace no other
// name. words are the words of the database.
func (s *schema) namesFor(n itemName, words map[string]bool) (names []string) {
	for _, c := range s.candidates(n.item) {
		s.claim(n.normal, c.Name)
		if usable(c.Name, n.text, n.normal) {
			names = append(names, lexicon.InNumber(c.Name, "thing")) // in the singular, as "thing" is
		}
	}
	if spoken, ok := spokenAs(n.normal, words); ok {
		names = lists.Filter(spoken, func(name string) bool { return rewords(name, n.normal) })
		for _, name := range names {
			s.claim(n.normal, name)
		}
		return names
	}
	// If business is a table, the names for "business id" must have that noun or a synonym of it.
	first, rest, _ := strings.Cut(n.normal, " ")
	if spoken, ok := spokenAs(first, words); ok && rest != "" && s.db.Table(first) >= 0 {
		hasNoun := func(name, noun string) bool {
			_, head := english.CutLast(noun)
			return hasRun(lexicon.Normal(name), lexicon.Normal(head))
		}
		names = lists.Filter(names, func(name string) bool {
			return hasNoun(name, first) || slices.ContainsFunc(spoken, func(noun string) bool { return hasNoun(name, noun) })
		})
	}
	return names
}

// usable reports whether a question may have a name in the place of other, whose normal form is normal: the name is a phrase of the
// same number, in other words, without words that questions do not use.
func usable(name, other, normal string) bool {
	return english.IsPlural(name) == english.IsPlural(other) && isPhrase(name) && rewords(name, normal) && !heading.IsUnsaid(name, normal)
}

// candidates returns the names that s.sources has for an item in its sense.
func (s *schema) candidates(item link.Item) []dataset.Candidate {
	if item.IsTable() {
		return s.sources.Table(item.Table)
	}
	return s.sources.Column(dataset.ColumnRef(item))
}

// name returns the name of an item in normal form, "" for an item that the database lacks.
func (s *schema) name(item link.Item) string {
	for _, n := range s.names {
		if n.item == item {
			return n.normal
		}
	}
	return ""
}

// isUnambiguous reports whether a phrase that replaces term, a part of an item's name, names nothing else of the schema
// (Spider-Syn, section 2.2: no ambiguity). It returns false if another name contains the phrase, if the phrase contains
// another name that the term does not, if another name claims the phrase or the whole new name as a synonym, or if
// phrase and term exclude each other ("debit", "credit"). All arguments are in normal form.
func (s *schema) isUnambiguous(phrase, term, name string) bool {
	for _, n := range s.names {
		switch {
		case n.normal == name, n.normal == "": // items of the same name or of none
			continue
		case hasRun(n.normal, phrase), hasRun(phrase, n.normal) && !hasRun(term, n.normal):
			return false
		}
	}
	newName := strings.Replace(name, term, phrase, 1)
	for _, owner := range slices.Concat(s.claims[phrase], s.claims[newName]) {
		if owner != name && owner != term && !hasRun(name, owner) {
			return false
		}
	}
	return !s.Contrasts.Excludes(term, phrase)
}

// hasRun reports whether words, joined by blanks, contain the words of run in a row.
func hasRun(words, run string) bool { return strings.Contains(" "+words+" ", " "+run+" ") }

// replaceable reports whether a term, in normal form, may be replaced at all: it ends in a
// noun, and is neither a reserved word nor a word such as "number", which speaks of the SQL.
func replaceable(term string) bool {
	return endsInNoun(strings.Fields(term)) && !isOfClass("MEASURE", term) && !slices.Contains(lexicon.Reserved(), term)
}

// endsInNoun reports whether the last word of a phrase may be a noun: it is no function
// word, nor a participle, which only headers end in ("nationality held").
func endsInNoun(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return !english.IsFunction(last) && !isParticiple(last)
}

// namesNothing reports whether a word names no table or column.
func namesNothing(w string) bool { return english.IsFunction(w) || isOfClass("MEASURE", w) }

// keepsReserved reports whether a phrase has every reserved word of the term that it
// replaces: "given name" for "first name" does, "forename" does not. The paper
// leaves those words alone, although its data have forenames.
func keepsReserved(term, phrase string) bool {
	return !slices.ContainsFunc(lexicon.Reserved(), func(w string) bool { return hasRun(term, w) && !hasRun(phrase, w) })
}
