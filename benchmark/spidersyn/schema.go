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
	sources    *perturb.Senses // of the names; for parts of them
	ctx        context.Context // of the pass, for the attack's models
}

// itemName is the natural name of a table or column, as it is and in normal form.
type itemName struct {
	item         link.Item
	text, normal string
}

// newSchema indexes a database; p.Dictionary must be there.
func newSchema(p perturb.Resources, db *dataset.Database) *schema {
	db = withSpokenNames(db)
	s := &schema{Resources: p, db: db, linker: link.Exact(db), claims: map[string][]string{}, senses: map[string][]string{}}
	general := s.domain()
	dict := lexicon.Forms{Dictionary: p.Dictionary}
	for t, table := range db.Tables {
		s.dicts = append(s.dicts, lexicon.In(dict, cmp.Or(p.Domain(table), general)))
		s.addName(link.Item{Table: t, Column: -1}, table.Name)
		for c, column := range table.Columns {
			s.addName(link.Item{Table: t, Column: c}, column.Name)
		}
	}
	return s
}

// withSpokenNames returns a schema in which a column such as "country name" is called "country", as questions call it, unless
// something else is.
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

// domain returns the domain of the whole database, for tables that are too small
// to tell theirs: Spider-Syn's annotators went by databases (section 2.3).
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

// addName adds the name of an item. The first item of a name claims the synonyms that the dictionary has of it.
func (s *schema) addName(item link.Item, name string) {
	n := itemName{item, lexicon.Bare(name), lexicon.Normal(name)}
	s.names = append(s.names, n)
	if slices.ContainsFunc(s.names[:len(s.names)-1], func(o itemName) bool { return o.normal == n.normal }) {
		return
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

// addSenses adds the names that may replace that of each table and column in its sense, in
// the singular. Items of one name get only names that suit all of them: a question does not
// say which item it means.
func (s *schema) addSenses(senses *perturb.Senses) {
	s.sources = senses
	words := wordsOf(s.db)
	for _, n := range s.names {
		var list []string
		if !n.item.IsTable() {
			for _, added := range senses.Added(dataset.ColumnRef{Table: n.item.Table, Column: n.item.Column}) {
				s.claim(lexicon.Normal(added.Name), added.Name)
			}
		}
		for _, c := range s.candidates(senses, n.item) {
			s.claim(n.normal, c.Name)
			if usable(c.Name, n.text, n.normal) {
				list = append(list, lexicon.InNumber(c.Name, "thing"))
			}
		}
		first, rest, _ := strings.Cut(n.normal, " ")
		if spoken, ok := spokenAs(first, words); ok && s.db.Table(first) >= 0 && rest != "" { // "business id" is of a business
			list = lists.Filter(list, func(name string) bool {
				return slices.ContainsFunc(append(spoken, first), func(noun string) bool {
					return hasRun(lexicon.Normal(name), lexicon.Normal(noun[strings.LastIndex(noun, " ")+1:]))
				})
			})
		}
		if spoken, ok := spokenAs(n.normal, words); ok {
			list = lists.Filter(spoken, func(name string) bool { return rewords(name, n.normal) })
			for _, name := range list {
				s.claim(n.normal, name)
			}
		}
		known := s.senses[n.normal]
		if len(known) > 0 && len(list) > 0 {
			list = slices.DeleteFunc(known, func(name string) bool { return !slices.Contains(list, name) })
		} else if len(list) == 0 {
			list = known
		}
		s.senses[n.normal] = list
	}
}

// usable reports whether a question may have a name in the place of another, which is given as it is and in normal form.
func usable(name, other, normal string) bool {
	return english.IsPlural(name) == english.IsPlural(other) && isPhrase(name) && rewords(name, normal) && !heading.IsUnsaid(name, normal)
}

// candidates returns the names that may replace the name of an item in its sense.
func (s *schema) candidates(senses *perturb.Senses, item link.Item) []dataset.Candidate {
	if item.IsTable() {
		return senses.Table(item.Table)
	}
	return senses.Column(dataset.ColumnRef{Table: item.Table, Column: item.Column})
}

// name returns the name of an item in normal form.
func (s *schema) name(item link.Item) string {
	for _, n := range s.names {
		if n.item == item {
			return n.normal
		}
	}
	return ""
}

// isUnambiguous reports whether a phrase that would replace term, a part of the name of an
// item, names nothing else of the schema: it is no run of words of another item's
// name, holds no other name, and is a synonym of no other name (Spider-Syn,
// section 2.2: no ambiguity). All are in normal form. What the term says itself,
// and items of the same name, do not count.
func (s *schema) isUnambiguous(phrase, term, name string) bool {
	for _, n := range s.names {
		switch {
		case n.normal == name, n.normal == "":
			continue
		case hasRun(n.normal, phrase), hasRun(phrase, n.normal) && !hasRun(term, n.normal):
			return false
		}
	}
	for _, owner := range slices.Concat(s.claims[phrase], s.claims[strings.Replace(name, term, phrase, 1)]) {
		if owner != name && owner != term && !hasRun(name, owner) {
			return false
		}
	}
	return !s.Contrasts.Excludes(term, phrase)
}

// hasRun reports whether words, joined by blanks, hold a run of words.
func hasRun(words, run string) bool { return strings.Contains(" "+words+" ", " "+run+" ") }

// replaceable reports whether a term, in normal form, can change at all: it is no
// reserved word, nor one that ties others together or that any question is made of.
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
// is to stand for: "given name" for "first name", but not "forename". The paper
// leaves those words alone; its data do have forenames.
func keepsReserved(term, phrase string) bool {
	return !slices.ContainsFunc(lexicon.Reserved(), func(w string) bool { return hasRun(term, w) && !hasRun(phrase, w) })
}
