package question

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// columnSynonymRules replace the words for columns by synonyms: "the hometown" by
// "the birthplace", "with a weight over 100" by "that weigh over 100".
func columnSynonymRules() []rule {
	return []rule{
		columnRule("synonym", replaceColumns),
		columnRule("verb", verbForColumn),
		columnRule("two synonyms", replaceTwoColumns),
	}
}

//go:embed data/column_synonyms.txt
var synonymsText string

// questionSynonyms are the synonyms that suit a sentence.
var questionSynonyms = sync.OnceValue(func() *lexicon.Thesaurus {
	fail := func(err error) { panic(err) } // a test keeps the file well-formed
	t, err := lexicon.ReadThesaurus("column_synonyms.txt", strings.NewReader(synonymsText), fail)
	if err != nil {
		fail(err)
	}
	return t
})

// maxSynonyms is how many synonyms of the pass's dictionary, best first, are
// taken of a word that column_synonyms.txt lacks. Those that follow suit headers
// more than sentences.
const maxSynonyms = 1

func replaceColumns(s *subject, d *drafts) {
	for _, places := range s.columnPlaces() {
		for _, w := range s.replacements(places[0]) {
			if q, ok := s.replaced(places, w); ok {
				d.add(q)
			}
		}
	}
}

// replaceTwoColumns replaces two columns at once, each by its best synonym.
func replaceTwoColumns(s *subject, d *drafts) {
	all := s.columnPlaces()
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			one, two := s.replacements(all[i][0]), s.replacements(all[j][0])
			if len(one) == 0 || len(two) == 0 {
				continue
			}
			if q, ok := s.replaced(all[i], one[0]); ok {
				next := *s.source
				next.question, next.alignment = q, indicator.New(s.ex, s.db).Align(q)
				again := newSubject(&next)
				for _, places := range again.columnPlaces() {
					if again.span(places[0].start, places[0].end) == s.span(all[j][0].start, all[j][0].end) {
						if q, ok := again.replaced(places, two[0]); ok {
							d.add(q)
						}
					}
				}
			}
		}
	}
}

// replaced returns the question with a synonym in all places, in the number and
// case of each.
func (s *subject) replaced(places []place, synonym string) (string, bool) {
	again := s.sentence
	for _, p := range slices.Backward(places) {
		words, start := synonym, p.start
		if head, ok := strings.CutPrefix(synonym, headOnly); ok {
			words, start = head, p.end-1
		}
		if isPlural(s.at(p.end - 1)) {
			words = pluralHead(words)
		}
		one := s.is(p.start-1, "is", "each", "every") || s.is(p.start-2, "is") || s.is(p.end, "is", "was", "has")
		if one && isPlural(words) && !isPlural(s.at(p.end-1)) {
			return "", false // "what is the details"
		}
		if !s.clear(words, p) || strings.Contains(words, " ") && s.is(p.start-1, "'s", "a", "an", "most") {
			return "", false
		}
		again = newSentence(again.with(start, p.end, matchCase(words, s.span(start, start+1))))
	}
	return again.text, true
}

// headOnly marks a synonym of the last word of a place.
const headOnly = "~ "

// place is where a question names a column.
type place struct {
	start, end int // tokens
	column     dataset.ColumnRef
}

// columnPlaces returns where the question names columns by words of their own, in
// order, the places with the same words together. What names a value ("the city of
// Paris"), verbs and parts of longer names are left out, and with them all places
// of these words.
func (s *subject) columnPlaces() [][]place {
	var out [][]place
	bad := map[string]bool{}
	for _, m := range s.alignment.Mentions {
		if m.Kind != indicator.Column || m.Implied() || m.Via != indicator.Name && m.Via != indicator.Part {
			continue
		}
		i := slices.IndexFunc(s.toks, func(t english.Token) bool { return t.Start == m.Start })
		j := slices.IndexFunc(s.toks, func(t english.Token) bool { return t.End == m.End }) + 1
		if i < 0 || j <= i {
			continue
		}
		p, words := place{i, j, m.Column}, singular(strings.Join(s.low[i:j], " "))
		if !s.plainNoun(p, m.Via) {
			bad[words] = true
		}
		k := slices.IndexFunc(out, func(places []place) bool {
			return singular(strings.Join(s.low[places[0].start:places[0].end], " ")) == words
		})
		if k < 0 {
			out = append(out, nil)
			k = len(out) - 1
		}
		out[k] = append(out[k], p)
	}
	return slices.DeleteFunc(out, func(places []place) bool {
		return bad[singular(strings.Join(s.low[places[0].start:places[0].end], " "))]
	})
}

// plainNoun tells whether a place is a noun phrase of its own that stands for the
// column and not for one of its values.
func (s *subject) plainNoun(p place, via indicator.Via) bool {
	last := singular(s.at(p.end - 1))
	switch {
	case s.isContent(p.end) && !s.verbAt(p.end), s.quoted(p.start), s.is(p.end, "\"", "'", "``", "“", "(", "-", ":"), s.is(p.start-1, "("):
		return false
	case s.is(p.start-1, "and", "or", ",") && sharesHead[s.at(p.start-2)], p.end-p.start == 1 && s.is(p.start-1, "that", "who", "which", "to"):
		return false // "first and last name", "that costs more"
	case s.valueAt(p.end), s.is(p.end, "of") && s.valueAt(s.skip(p.end+1, "the", "\"", "'")), s.is(p.end, "is", "are", "was") && s.at(p.end-1) == "title":
		return false
	case s.is(p.start-2, "does", "do", "did") || s.is(p.start-3, "does", "do", "did"): // a verb: "how much does it cost"
		return false
	case strings.HasSuffix(last, "ed") || strings.HasSuffix(last, "ing") || participles[last]:
		return known(strings.Join(s.low[p.start:p.end], " "))
	case via == indicator.Part:
		name := lexicon.Words(lexicon.Normal(s.db.Column(p.column).Name))
		return len(name) > 0 && name[len(name)-1] == last && !s.isContent(p.start-1)
	}
	return true
}

// sharesHead are words that stand before "and" and the name of a column whose last
// word they share: "first and last name".
var sharesHead = wordSet(`first middle last second start starting beginning end ending high highest low lowest home away current
	permanent old new birth arrival departure arriving departing cell mobile daily weekly monthly yearly annual minimum maximum given family`)

// valueAt tells whether words for a value begin at the token i, or stand before it
// ("the Caribbean region").
func (s *subject) valueAt(i int) bool {
	return i >= 0 && i < len(s.toks) && slices.ContainsFunc(s.alignment.Mentions, func(m indicator.Mention) bool {
		return m.Kind == indicator.Value && m.Start == s.toks[i].Start
	})
}

// verbAt tells whether the content word at i may be a verb or participle and so
// no further part of a noun phrase.
func (s *subject) verbAt(i int) bool {
	return participles[s.at(i)] || strings.HasSuffix(s.at(i), "ed") || strings.HasSuffix(s.at(i), "er") && s.is(i+1, "than")
}

// quoted tells whether the token i stands in quotes.
func (s *subject) quoted(i int) bool {
	n := 0
	for k := range i {
		if s.is(k, "\"", "'", "“", "”") {
			n++
		}
	}
	return n%2 == 1
}

// replacements returns synonyms for the words of a place, in the singular: of the
// whole, else of its head, which are marked.
func (s *subject) replacements(p place) []string {
	words := strings.ToLower(s.span(p.start, p.end))
	out := s.synonyms(words)
	if len(out) > 0 || p.end-p.start == 1 || known(words) {
		return out
	}
	for _, w := range s.synonyms(s.at(p.end - 1)) {
		if !strings.Contains(w, " ") {
			return []string{headOnly + w}
		}
	}
	return nil
}

// known tells whether the file of this package has the term, in either number.
func known(term string) bool { return listed(term) || listed(singular(term)) }

// listed tells whether the file of this package has the term as it is written.
func listed(term string) bool {
	return len(questionSynonyms().Synonyms(term)) > 0 || len(lexicon.RestrictedSynonyms(questionSynonyms(), term)) > 0
}

// synonyms returns the synonyms of a term, in the singular, in the domain of the
// database.
func (s *subject) synonyms(term string) []string {
	domain := s.domain()
	for _, t := range []string{term, singular(term)} {
		if listed(t) {
			list := lexicon.In(questionSynonyms(), domain).Synonyms(t)
			return slices.DeleteFunc(list, func(w string) bool { return w == t })
		}
	}
	_, head := cutLast(singular(term))
	if s.Dictionary == nil || s.Vectors == nil || leftAlone[head] || slices.Contains(lexicon.Reserved(), head) {
		return nil
	}
	own, _, _ := lexicon.Phrase(s.Vectors, singular(term))
	var out []string
	for _, w := range lexicon.In(s.Dictionary, domain).Synonyms(singular(term)) {
		if len(out) == maxSynonyms {
			break
		}
		vec, known, total := lexicon.Phrase(s.Vectors, w)
		near := !strings.ContainsRune(w+term, ' ') && known == total && lexicon.Cosine(own, vec) >= nearSynonym
		if (near || reordered(term, w)) && !unlikeNoun(w) && (s.Contrasts == nil || !s.Contrasts.Excludes(w, singular(term))) {
			out = append(out, w)
		}
	}
	return out
}

// reordered tells whether b has the nouns of the phrase a in another order, without
// "of": "price of ticket" suits a header alone.
func reordered(a, b string) bool {
	nouns := func(phrase string) []string {
		words := slices.DeleteFunc(strings.Fields(lexicon.Normal(phrase)), func(w string) bool { return w == "of" })
		slices.Sort(words)
		return words
	}
	return a != b && !strings.Contains(b, " of ") && slices.Equal(nouns(a), nouns(b))
}

// nearSynonym is the least cosine of a single word from the pass's dictionary; of
// phrases only reordered ones are taken. Chosen by reading what it lets through.
const nearSynonym = 0.7

// leftAlone are column words without a synonym that a question would use.
var leftAlone = wordSet(`goal time times rank class detail area region start end first last middle county vote factory enrollment age name id code state continent date street year model month day destination title language
	number type form template type code text line section height product tour tours airline airport flight document song singer stadium concert dog cat`)

// unlikeNoun tells whether a synonym cannot stand for a noun in a sentence: it
// ends with a preposition, a participle or an adjective of header style.
func unlikeNoun(words string) bool {
	_, last := cutLast(words)
	return functionWords[last] || participles[last] || slices.Contains([]string{"old", "no", "full", "out"}, last) || strings.HasSuffix(last, "ed")
}

// domain returns the domain of the tables that the gold SQL uses, "" where they
// are of none or of several.
func (s *subject) domain() string {
	domain := ""
	for _, e := range s.elements {
		if e.Kind != indicator.Table {
			continue
		}
		t := s.db.Tables[e.Table]
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
		d := s.Domains.Domain(t.Name, columns)
		if d != "" && domain != "" && d != domain {
			return ""
		}
		if d != "" {
			domain = d
		}
	}
	return domain
}

// clear tells whether a synonym names no other table or column of the schema, and
// the question does not say it yet.
func (s *subject) clear(synonym string, p place) bool {
	name := lexicon.Normal(synonym)
	own := lexicon.Normal(s.db.Column(p.column).Name)
	for _, t := range s.db.Tables {
		if lexicon.Normal(t.Name) == name {
			return false
		}
		for _, c := range t.Columns {
			if n := lexicon.Normal(c.Name); n == name && n != own {
				return false
			}
		}
	}
	words := lexicon.Words(name)
	if strings.Contains(strings.ToLower(s.text), synonym) {
		return false
	}
	return len(words) > 0 && words[0] != singular(s.at(p.start-1)) && words[len(words)-1] != singular(s.at(p.end))
}

// pluralHead puts the head of a noun phrase into the plural: "number of rooms" has
// it before "of".
func pluralHead(noun string) string {
	if head, rest, ok := strings.Cut(noun, " of "); ok {
		return plural(head) + " of " + rest
	}
	if head, rest, ok := strings.Cut(noun, " in "); ok {
		return plural(head) + " in " + rest
	}
	return plural(noun)
}

// columnVerbs say the same of an entity as a comparison of the column does.
var columnVerbs = []struct {
	columns []string
	verb    string
}{
	{[]string{"weight"}, "weigh"},
	{[]string{"price", "cost", "charge amount", "cost of treatment", "ticket price", "unit price"}, "cost"},
	{[]string{"earnings", "income", "salary", "wage", "winnings"}, "earn"},
	{[]string{"duration", "running time"}, "last"},
}

// verbForColumn: "players with earnings above 100" become "players who earn above
// 100".
func verbForColumn(s *subject, d *drafts) {
	for c := range s.comparisons() {
		if !c.isClause() {
			continue
		}
		pronoun, be, _ := strings.Cut(s.copula(c.Start, c.column), " ")
		for _, v := range columnVerbs {
			if !slices.ContainsFunc(v.columns, func(name string) bool { return slices.Contains(c.adj.columns, name) && s.ofColumn(c.column, name) }) {
				continue
			}
			verb := v.verb
			if be == "is" {
				verb += "s"
			}
			d.add(s.replace(c.Span, pronoun+" "+verb+c.pick(" more than", " less than")))
		}
	}
}

// ofColumn tells whether the column's name ends with the words.
func (s *subject) ofColumn(c dataset.ColumnRef, words string) bool {
	return strings.HasSuffix(" "+lexicon.Normal(s.db.Column(c).Name), " "+lexicon.Normal(words))
}
