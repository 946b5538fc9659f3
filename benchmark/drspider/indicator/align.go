package indicator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxTokens bounds the work on one question: later tokens are not aligned.
const maxTokens = 256

// Via is how a question mentions an element.
type Via uint8

// The ways.
const (
	Implied   Via = iota // not by any words of its own
	Name                 // a name as a whole, a value or keyword by its own words
	Part                 // part of a column's or table's name
	Synonym              // a column by a synonym of its name
	Attribute            // a column by an adjective: "oldest" of an age
	Form                 // a value in another form: "female" of 'F', "ten" of 10
	Carrier              // a keyword by a carrier phrase: "how many" of count
)

// Mention is the words of a question for an element of its gold SQL.
type Mention struct {
	Element
	Start, End int    // bytes in the question; -1 where it is implied
	Text       string // the words; "" where it is implied
	Via        Via
	Key        string // the words in a form that compares: lower case, numbers as #
}

// Implied reports whether the question has no words for the element.
func (m Mention) Implied() bool { return m.Start < 0 }

// Holds reports whether a token is one of the words of the mention.
func (m Mention) Holds(t english.Token) bool { return m.Start <= t.Start && t.End <= m.End }

// Overlaps reports whether the mention has words between two byte positions.
func (m Mention) Overlaps(start, end int) bool { return m.Start < end && start < m.End }

// Alignment is a question with its mentions.
type Alignment struct {
	Question string
	Tokens   []english.Token
	// Mentions has at least one mention of each element: those with words in the
	// order of the question, then the implied ones.
	Mentions []Mention
	singular []string // the tokens in lower case and the singular
}

// Of returns the mentions of a kind, implied ones too.
func (a *Alignment) Of(k Kind) []Mention {
	return lists.Filter(a.Mentions, func(m Mention) bool { return m.Kind == k })
}

// Aligner aligns questions with one gold SQL. It is safe for concurrent use.
type Aligner struct {
	Elements     []Element
	db           *dataset.Database
	tables       []int   // of db, by table of what the linkers know
	columns      [][]int // likewise, by table and column
	exact        link.Linker
	partial      link.Linker
	synonymWords [][][]string // by element: what else a column may be called

	alignments cache.Cache[*Alignment] // by question
}

// maxAlignments is the number of alignments that an aligner caches.
const maxAlignments = 1 << 10

// New returns the aligner of an example's gold SQL. Its linkers know only the tables and columns that the SQL uses.
func New(ex *perturb.Example, db *dataset.Database) *Aligner {
	a := &Aligner{Elements: Elements(ex, db), db: db}
	used := &dataset.Database{ID: db.ID}
	table := func(t int) int { // the index in used of the table t, which it adds at first
		i := slices.Index(a.tables, t)
		if i < 0 {
			i = len(a.tables)
			a.tables, a.columns = append(a.tables, t), append(a.columns, nil)
			used.Tables = append(used.Tables, dataset.Table{Name: db.Tables[t].Name, Original: db.Tables[t].Original})
		}
		return i
	}
	for _, e := range a.Elements {
		switch e.Kind {
		case Table:
			table(e.Table)
		case Column:
			i := table(e.Column.Table)
			a.columns[i] = append(a.columns[i], e.Column.Column)
			used.Tables[i].Columns = append(used.Tables[i].Columns, *db.Column(e.Column))
		}
	}
	a.synonymWords = make([][][]string, len(a.Elements))
	for i, e := range a.Elements {
		if e.Kind == Column {
			a.synonymWords[i] = synonymsOf(db.Column(e.Column).Name)
		}
	}
	a.exact, a.partial = link.Exact(used), link.Partial{MinShare: link.DefaultMinShare}.Linker(used)
	return a
}

// word is a token of a question.
type word struct {
	english.Token
	text     string // in lower case
	singular string
	number   bool // a number
	masked   bool // a part of a name or a value
}

// aligning is the alignment of one question in progress.
type aligning struct {
	*Aligner
	out   *Alignment
	words []word
}

// Align aligns a question; any text will do. Callers share the alignment and must not change it.
func (a *Aligner) Align(question string) *Alignment {
	return a.alignments.Get(cache.Key{Text: question}, maxAlignments, func(k cache.Key) *Alignment { return a.align(k.Text) })
}

// align finds the mentions of a question: first values, then whole names, parts of names, synonyms, keywords and
// adjectives, each among the words that are not masked yet. It adds implied mentions for the elements left.
func (a *Aligner) align(question string) *Alignment {
	w := &aligning{Aligner: a, out: &Alignment{Question: question, Tokens: english.Tokens(question)}}
	for i := range w.out.Tokens {
		w.out.singular = append(w.out.singular, english.Singular(w.out.lower(i)))
	}
	numbers := numeral.Find(question)
	for _, t := range w.out.Tokens[:min(len(w.out.Tokens), maxTokens)] {
		text := strings.ToLower(strings.ReplaceAll(question[t.Start:t.End], "’", "'"))
		isNumber := slices.ContainsFunc(numbers, func(n numeral.Numeral) bool {
			if n.Doubtful || slices.Contains([]numeral.Style{numeral.Ordinal, numeral.OrdinalWord}, n.Style) {
				return false // "which one", "first"
			}
			return n.Start <= t.Start && t.End <= n.End
		})
		w.words = append(w.words, word{t, text, english.Singular(text), isNumber, false})
	}
	w.values(numbers)
	w.link(w.exact, Name) // whole names first
	w.link(w.partial, Part)
	w.synonyms()
	w.keywords()
	w.attributes()
	w.implied()
	slices.SortStableFunc(w.out.Mentions, func(a, b Mention) int {
		if a.Implied() != b.Implied() {
			return cmp.Compare(b.Start, a.Start) // implied ones, at -1, are last
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return w.out
}

// mention adds a mention by the tokens from i to before j.
func (w *aligning) mention(e Element, i, j int, via Via, key string) {
	start, end := w.words[i].Start, w.words[j-1].End
	w.out.Mentions = append(w.out.Mentions, Mention{e, start, end, w.out.Question[start:end], via, key})
}

// key returns the words from i to before j in the singular.
func (w *aligning) key(i, j int) string {
	words := lists.Map(w.words[i:j], func(w word) string { return w.singular })
	return strings.Join(words, " ")
}

// mask marks the words from i to before j as masked, so that no other mention takes them.
func (w *aligning) mask(i, j int) {
	for k := i; k < j; k++ {
		w.words[k].masked = true
	}
}

// areFree reports whether no word from i to before j is masked.
func (w *aligning) areFree(i, j int) bool {
	return !slices.ContainsFunc(w.words[i:j], func(w word) bool { return w.masked })
}

// mentioned reports whether the element has a mention yet.
func (w *aligning) mentioned(e Element) bool {
	return slices.ContainsFunc(w.out.Mentions, func(m Mention) bool { return m.Element == e })
}

// implied adds a mention without words for each element that has none.
func (w *aligning) implied() {
	for _, e := range w.Elements {
		if !w.mentioned(e) {
			w.out.Mentions = append(w.out.Mentions, Mention{Element: e, Start: -1, End: -1})
		}
	}
}

// link adds the mentions of tables and columns that a linker finds among the words that are not masked, and masks their words. The mentions
// get via, which is Part for the linker of parts of names: it mentions only elements that have no mention yet.
func (w *aligning) link(linker link.Linker, via Via) {
	tokens := make([]string, len(w.words))
	for i, word := range w.words {
		tokens[i] = "," // for a masked word: no name has it
		if !word.masked {
			tokens[i] = word.text
		}
	}
	for _, s := range linker.Link(tokens) {
		item := Element{Kind: Table, Column: noColumn(), Table: w.tables[s.Item.Table]}
		if !s.Item.IsTable() {
			item = Element{Kind: Column, Column: dataset.ColumnRef{Table: item.Table, Column: w.columns[s.Item.Table][s.Item.Column]}, Table: -1}
		}
		i := slices.IndexFunc(w.Elements, func(e Element) bool { e.Clauses = 0; return e == item }) // of any clauses
		switch {
		case i < 0: // the table of a column, which the SQL does not use by itself
			continue
		case via != Part: // a whole name always mentions its element
		case w.mentioned(w.Elements[i]), !w.isEnough(item, s.Start, s.End): // a part of a name that mentions nothing
			continue
		}
		w.mention(w.Elements[i], s.Start, s.End, via, w.key(s.Start, s.End))
		w.mask(s.Start, s.End)
	}
}

// isEnough reports whether the words from i to before j, a part of the name of e, mention e. For a table they must have the name's last
// word, as the words before it are adjectives ("high schooler"), and likewise for a key, as its other words name its table
// ("student id").
func (w *aligning) isEnough(e Element, i, j int) bool {
	var words []string
	if e.Kind == Table {
		words = lexicon.Words(w.db.Tables[e.Table].Name)
	} else {
		words = lexicon.Words(w.db.Column(e.Column).Name)
	}
	if len(words) == 0 {
		return false
	}
	last := english.Singular(words[len(words)-1])
	switch {
	case e.Kind == Table, last == "id", last == "code", last == "key":
		return slices.ContainsFunc(w.words[i:j], func(w word) bool { return w.singular == last })
	}
	return true
}

// values adds the mentions of constants: word for word, then, of those left, as numbers ("ten" for 10) and as words for a sex ("women" for
// 'F').
func (w *aligning) values(numbers []numeral.Numeral) {
	values := lists.Filter(w.Elements, func(e Element) bool { return e.Kind == Value })
	// Longer constants first: 'New York City' before 'New York'.
	slices.SortStableFunc(values, func(a, b Element) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	for _, e := range values {
		tokens := english.NewSentence(strings.ToLower(e.Value)).Words
		for i := 0; i+len(tokens) <= len(w.words); i++ {
			if w.areFree(i, i+len(tokens)) && w.hasTokens(i, tokens) {
				w.mentionValue(e, i, i+len(tokens), Name)
			}
		}
	}
	for _, e := range values {
		if w.mentioned(e) {
			continue
		}
		if v, err := strconv.ParseFloat(e.Value, 64); err == nil {
			w.mentionNumber(e, v, numbers)
		}
		for i, word := range w.words {
			if !word.masked && slices.Contains(w.sexWords(e), word.text) {
				w.mentionValue(e, i, i+1, Form)
			}
		}
	}
}

// mentionValue adds the mention of a constant by the words from i to before j and masks them. Its key is the words with their letter case,
// as another case is another form, but with the last word singular, as a plural is no other form: "dog pets" are "dogs".
func (w *aligning) mentionValue(e Element, i, j int, via Via) {
	key := w.out.Question[w.words[i].Start:w.words[j-1].End]
	if last := w.words[j-1]; strings.HasSuffix(key, last.text) {
		key = strings.TrimSuffix(key, last.text) + last.singular
	}
	w.mention(e, i, j, via, key)
	w.mask(i, j)
}

// hasTokens reports whether the words from i on are the tokens of a constant, given in lower case, or differ from them only in number. A
// constant that is a single letter, 'A' or 'I', is mentioned only by the capital, as "a" and "i" are words.
func (w *aligning) hasTokens(i int, tokens []string) bool {
	for k, t := range tokens {
		word := w.words[i+k]
		if word.text != t && word.singular != english.Singular(t) {
			return false
		}
		if written := word.Of(w.out.Question); len(tokens) == 1 && written == t && slices.Contains([]string{"a", "i"}, t) {
			return false
		}
	}
	return len(tokens) > 0
}

// mentionNumber adds the mention of a number by the first numeral of that value whose words are free.
func (w *aligning) mentionNumber(e Element, v float64, numbers []numeral.Numeral) {
	for _, n := range numbers {
		if n.Value != v || n.Doubtful {
			continue
		}
		i := slices.IndexFunc(w.words, func(t word) bool { return t.End > n.Start })    // its first word
		j := slices.IndexFunc(w.words, func(t word) bool { return t.End >= n.End }) + 1 // after its last word
		if i >= 0 && j > i && w.areFree(i, j) {
			w.mentionValue(e, i, j, Form)
			return
		}
	}
}

// sexWords returns the words that mention a value of a column of sexes: "women", "girl" and others for 'F'. It returns nil for other values
// and columns.
func (w *aligning) sexWords(e Element) []string {
	if e.Column == noColumn() || !hasWord(w.db.Column(e.Column).Name, "sex", "gender") {
		return nil
	}
	switch strings.ToLower(e.Value) {
	case "f", "female":
		return []string{"female", "females", "woman", "women", "girl", "girls", "f"}
	case "m", "male":
		return []string{"male", "males", "man", "men", "boy", "boys", "m"}
	}
	return nil
}

// hasWord reports whether a name has one of the words, in either number.
func hasWord(name string, words ...string) bool {
	return slices.ContainsFunc(lexicon.Words(name), func(w string) bool { return slices.Contains(words, english.Singular(w)) })
}
