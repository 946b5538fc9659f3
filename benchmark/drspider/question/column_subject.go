package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// subject is a question with what the rules of columns and values ask of its
// gold SQL and schema.
type subject struct {
	sentence
	*source
	elements []indicator.Element
	columns  []dataset.ColumnRef // those that the gold SQL uses outside join conditions
	entities map[string]bool     // words for what rows are: of the names of tables, singular; made when first asked for
}

// newSubject returns the subject of a source. It makes it once and stores it in the source, for all rules.
func newSubject(src *source) *subject {
	if src.subject != nil && src.subject.source == src { // a copied source has the subject of its original
		return src.subject
	}
	s := &subject{sentence: newSentence(src.question), source: src, elements: indicator.Elements(src.ex, src.db)}
	for _, e := range s.elements {
		if e.Kind == indicator.Column {
			s.columns = append(s.columns, e.Column)
		}
	}
	src.subject = s
	return s
}

// tableNames returns the name of a table and its synonyms of one word.
func (s *subject) tableNames(t dataset.Table) []string {
	return append([]string{t.Name}, lists.Filter(s.Synonyms(lexicon.Normal(t.Name)), func(n string) bool { return !strings.Contains(n, " ") })...)
}

// isEntity reports whether the last word of a noun phrase is a noun for people, or a word of the name of a table or of its synonyms.
func (s *subject) isEntity(noun string) bool {
	_, last := english.CutLast(strings.ToLower(english.SingularPhrase(noun)))
	if people()[last] {
		return true
	}
	if s.entities == nil {
		s.entities = map[string]bool{}
		for _, t := range s.db.Tables {
			for _, name := range s.tableNames(t) {
				for _, w := range lexicon.Words(name) {
					s.entities[english.Singular(w)] = true
				}
			}
		}
	}
	return s.entities[last]
}

// namesRows reports whether a noun, in either number, is a word of a table's name or of a synonym of it. Table is an index;
// -1 has no noun.
func (s *subject) namesRows(table int, noun string) bool {
	if table < 0 {
		return false
	}
	noun = english.Singular(strings.ToLower(noun))
	return slices.ContainsFunc(s.tableNames(s.db.Tables[table]), func(name string) bool {
		return slices.ContainsFunc(lexicon.Words(name), func(w string) bool { return english.Singular(w) == noun })
	})
}

// outputs returns the columns that the gold SQL selects. It returns nil if it selects anything else, such as a count.
func (s *subject) outputs() []dataset.ColumnRef {
	var out []dataset.ColumnRef
	for _, c := range s.ex.Gold.Select.Columns {
		col, ok := s.ex.Column(s.db, c.Expr)
		if !ok {
			return nil
		}
		out = append(out, col)
	}
	return out
}

// drafts collects paraphrases without repeats.
type drafts struct {
	question string
	list     []string
}

// add adds a draft, unless it repeats the question or an earlier draft.
func (d *drafts) add(question string) {
	question = english.Tidy(question)
	if question != "" && !strings.EqualFold(question, english.Tidy(d.question)) && !slices.Contains(d.list, question) {
		d.list = append(d.list, question)
	}
}
