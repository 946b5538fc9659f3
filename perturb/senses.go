package perturb

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// Senses finds synonyms of the tables and columns of one database in the sense that they have
// there: from the thesaurus of headings or, for a heading that it lacks, from a dictionary that
// knows it in one sense only.
type Senses struct {
	Resources
	db      *dataset.Database // with samples of its cells
	buckets dataset.Buckets
}

// Senses returns the senses of the pass's database. If it has rows, the samples of its
// cells help to choose a sense.
func (p *Pass) Senses() (*Senses, error) {
	db, err := p.Sampled()
	if err != nil {
		return nil, err
	}
	return &Senses{p.Resources, db, p.Buckets}, nil
}

// Database returns the database of the pass, with samples of its cells if it has rows.
func (s *Senses) Database() *dataset.Database { return s.db }

// Sampled returns the pass's database, with samples of its cells if it has rows.
func (p *Pass) Sampled() (*dataset.Database, error) {
	if p.Content == nil {
		return p.DB, nil
	}
	db := p.DB.Clone()
	// A column that cannot be read gets no samples: its error is dropped.
	return db, dataset.AddSamples(p.Context, db, func(error) {})
}

// Column returns names that may replace a column, the best first, without the names of other columns in its bucket ([Senses.Added]).
func (s *Senses) Column(ref dataset.ColumnRef) []dataset.Candidate {
	return lists.Filter(s.column(ref), func(c dataset.Candidate) bool { return !s.Adds(ref, c.Name) })
}

// HasHeadLast reports whether a name has the form that schemas use: its head noun comes last ("event type", not "type of event"), and
// "id" is not written out as "identifier".
func HasHeadLast(name string) bool {
	words := lexicon.Words(name)
	isTurned := len(words) > 2 && words[1] == "of" && slices.Contains(lastHeads, words[0])
	return !isTurned && !slices.Contains(words, "identifier")
}

// lastHeads are words that identifiers end in. Others may come first: "date_of_birth", "number_of_pages".
var lastHeads = strings.Fields("name title type kind amount code")

// Added returns the ADD names of the bucket of a column: those of new columns next to it. A question of the same build must not use one
// of them for the column itself.
func (s *Senses) Added(ref dataset.ColumnRef) []dataset.Candidate {
	return s.buckets[s.db.ColumnID(ref).Key()].Add
}

// Adds reports whether a name has the same words as one of [Senses.Added], in any order.
func (s *Senses) Adds(ref dataset.ColumnRef, name string) bool {
	return slices.ContainsFunc(s.Added(ref), func(c dataset.Candidate) bool { return lexicon.WordSet(c.Name) == lexicon.WordSet(name) })
}

// minValidity is the least predicted validity of a name by which a perturbation of several names renames a column: one bad name
// spoils them all.
const minValidity = 0.75

// Replacing returns the REPLACE names of the bucket of a column, without their cells and without names whose predicted validity is too low.
func (s *Senses) Replacing(ref dataset.ColumnRef) (names []dataset.Candidate) {
	for _, c := range s.buckets[s.db.ColumnID(ref).Key()].Replace {
		if c.Validity > 0 && c.Validity < minValidity { // 0: not predicted
			continue
		}
		c.Cells = nil
		names = append(names, c)
	}
	return names
}

// AreJudged reports whether a model predicted the validity of the names in the buckets. If so, a name of [Senses.Column] that the
// buckets lack failed that judgement.
func (s *Senses) AreJudged() bool {
	for _, b := range s.buckets {
		if slices.ContainsFunc(b.Replace, func(c dataset.Candidate) bool { return c.Validity > 0 }) {
			return true
		}
	}
	return false
}

// column returns the names of [Senses.Column] and those of other columns in its bucket too. They come from the thesaurus of
// headings or, if that does not know the name, from the dictionary.
func (s *Senses) column(ref dataset.ColumnRef) (out []dataset.Candidate) {
	name := lexicon.Bare(s.db.Column(ref).Name)
	if s.Headings == nil {
		return s.oneSense(name)
	}
	out = s.headings(s.Headings().Of(&s.db.Tables[ref.Table], ref.Column))
	if len(out) > 0 || s.Headings().Has(name) {
		return out
	}
	return s.oneSense(name)
}

// Part returns names that may replace a part of the name of a column ("country" of "country code") or, if ref.Column is -1, of a
// table. It looks the part up as if it were the whole name.
func (s *Senses) Part(ref dataset.ColumnRef, part string) []dataset.Candidate {
	if s.Headings != nil && ref.Column >= 0 {
		c := s.Headings().Of(&s.db.Tables[ref.Table], ref.Column)
		c.Name, c.Cells = part, nil
		if out := s.headings(c); len(out) > 0 {
			return out
		}
	}
	return s.tableNamed(part)
}

// headings returns the names that the thesaurus of headings has for a column with certainty. It leaves out unreadable ones, those made by an
// unsuitable pattern, and those that end in a preposition although c.Name does not, or the other way round.
func (s *Senses) headings(c heading.Column) (out []dataset.Candidate) {
	name := lexicon.Bare(c.Name)
	for _, n := range s.Headings().Names(c).Replace {
		isNatural := s.isReadable(n.Text, name) && endsInPreposition(n.Text) == endsInPreposition(name)
		if n.Sure() && isNatural && !isForced(n, name) {
			out = append(out, Certain(n.Text, dataset.ThesaurusSource, n.Sense))
		}
	}
	return out
}

// endsInPreposition reports whether the last word of a name is a preposition, so that the name is no noun: "employed since", "until".
func endsInPreposition(name string) bool {
	words := lexicon.Words(name)
	return len(words) > 0 && english.IsPreposition(words[len(words)-1])
}

// Table returns names that may replace a table, the best first, without those that only add a
// word ("insurance policies" of "policies").
func (s *Senses) Table(t int) []dataset.Candidate { return s.tableNamed(s.db.Tables[t].Name) }

// tableNamed returns names that may replace the name of a table: readable ones of the thesaurus, else the synonym of a phrase with one
// sense. If the name is a fixed phrase ("department stores"), only its own synonyms may replace it.
func (s *Senses) tableNamed(name string) (out []dataset.Candidate) {
	if s.Headings != nil {
		for _, n := range s.Headings().Tables(name) {
			if s.differs(n, name) && !s.breaksPhrase(name, n) {
				out = append(out, Certain(n, dataset.ThesaurusSource, name+" -> "+n))
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return s.oneSense(name)
}

// breaksPhrase reports whether name is a fixed phrase and to no listed synonym of it: "department shops" for
// "department stores". The words of such a phrase mean something else alone, so they must not be replaced one by one.
// A phrase is fixed if it has a vector or synonyms as a whole.
func (s *Senses) breaksPhrase(name, to string) bool {
	phrase := lexicon.Normal(name)
	listed := s.Synonyms(phrase)
	isFixed := strings.Contains(phrase, " ") && (s.HasVector(phrase) || len(listed) > 0)
	return isFixed && !slices.Contains(listed, lexicon.Normal(to))
}

// isForced reports whether a name was made by a pattern of the thesaurus, in which {} matches any words, that does not suit
// the words of name. The pattern "{}" only adds the owner of the column ("death killed"). A pattern such as "{} id" is for
// nouns, so it does not suit function words and participles ("caused by ship identifier").
func isForced(n heading.Name, name string) bool {
	switch {
	case strings.HasPrefix(n.Sense, "{}:"):
		return true
	case !strings.HasPrefix(n.Sense, "{} "), strings.HasPrefix(n.Sense, "{} yes or no"): // no pattern, or one for participles too
		return false
	}
	words := lexicon.Words(name)
	return slices.ContainsFunc(words, func(w string) bool { return english.IsFunction(w) || strings.HasSuffix(w, "ed") })
}

// oneSense returns at most one candidate: the first synonym of a phrase that the dictionary knows in
// one sense only. Its further synonyms are rarer words. A single word gets none, as it has more senses
// than a dictionary lists.
func (s *Senses) oneSense(name string) []dataset.Candidate {
	if s.Dictionary == nil || len(lexicon.Words(name)) < 2 {
		return nil
	}
	for _, synonym := range lexicon.OneSense(s.Dictionary, name) {
		excluded := s.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), synonym)
		if !excluded && s.differs(synonym, name) {
			return []dataset.Candidate{Certain(synonym, dataset.DictionarySource, name+" -> "+synonym)}
		}
	}
	return nil
}

// isReadable reports whether every abbreviation in a name is a word of the other name too.
func (s *Senses) isReadable(name, other string) bool {
	if s.Abbreviations == nil {
		return true
	}
	words := strings.Fields(lexicon.Normal(other))
	for _, w := range lexicon.Words(name) {
		w = english.Singular(w)
		switch {
		case slices.Contains(words, w), isFullWord(w):
			continue
		case len(s.Abbreviations.ExpandListed(w)) > 0:
			return false
		}
	}
	return true
}

// isFullWord reports whether a word is no abbreviation although it looks like one: a keyword of SQL
// or a function word ("in"), but not "no", which is also short for number.
func isFullWord(word string) bool {
	return word != "no" && english.IsFunction(word) || slices.Contains(lexicon.Reserved(), word)
}

// differs reports whether a name is a readable alternative to the other name: it lacks one of its words and is no other spelling of it.
func (s *Senses) differs(name, other string) bool {
	return !HoldsWords(name, other) && s.isReadable(name, other) && !lexicon.SameSpelling(name, other)
}
