package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DBText replaces a text that a column is compared with.
var DBText = retargeted("db-text", "table 7",
	"Replaces a text that a column is compared with, and that the question holds as it is, by another value of the column, in question and gold SQL.", textChanges)

func textChanges(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	all := slices.DeleteFunc(constants(ex), func(c constant) bool { return !c.quoted || c.isNumber || c.column.Column == "" })
	schema := schemaNames(p)
	var d drafts
	seen := map[string]bool{"": true}
	for _, c := range all {
		text := c.core().text
		if seen[text] {
			continue
		}
		seen[text] = true
		same := equal(all, func(o constant) bool { return o.core() == c.core() })
		places := apart(ex.Question, text, all)
		switch {
		case p.Content == nil:
			d.reason = reasonContent
		case len(places) == 0:
			d.reason = reasonVerbatim
		case len(places) > 1, !alike(same), writings(ex, text) > len(same):
			d.reason = reasonTwice
		case utf8.RuneCountInString(text) < 2, schema[lexicon.Normal(text)] && !quoted(ex.Question, places[0]):
			d.reason = reasonWord
		default:
			d.add(pick(p, ex, textsFor(p, ex, all, same, places[0]), text), reasonValues)
		}
	}
	return d.mixed(p, ex)
}

// core is what a text is without the wildcards around it.
type core struct {
	text    string // "" where it is another pattern
	pattern bool   // there are some
}

func (c constant) core() core {
	if c.op != "LIKE" {
		return core{c.text, false}
	}
	text := strings.Trim(c.text, "%")
	if strings.ContainsAny(text, "%_") {
		return core{"", true}
	}
	return core{text, text != c.text}
}

// schemaNames returns the names of the schema's tables and columns.
func schemaNames(p *perturb.Pass) map[string]bool {
	words := map[string]bool{}
	for _, t := range p.DB.Tables {
		words[lexicon.Normal(t.Name)] = true
		for _, c := range t.Columns {
			words[lexicon.Normal(c.Name)] = true
		}
	}
	return words
}

// apart returns where a text stands in the question outside longer constants.
func apart(question, text string, all []constant) []english.Token {
	places := mentions(question, text)
	for _, c := range all {
		longer := c.core().text
		if len(longer) <= len(text) || !strings.Contains(longer, text) {
			continue
		}
		for _, m := range mentions(question, longer) {
			places = slices.DeleteFunc(places, func(t english.Token) bool { return t.Start >= m.Start && t.End <= m.End })
		}
	}
	return places
}

// alike tells whether equal texts are compared in one way, if with several
// columns: the one mention in the question must mean them all.
func alike(same []constant) bool {
	return !slices.ContainsFunc(same, func(c constant) bool { return c.op != same[0].op })
}

// writings counts the texts of the gold SQL that say the same, but for letter case
// and the wildcards of a pattern: the one mention in the question may mean any of
// them, in a predicate (USA, usa, %USA%) or elsewhere (upper('USA')).
func writings(ex *perturb.Example, text string) (n int) {
	for e := range sqlast.All[sqlast.Expr](ex.Gold) {
		if c := constantOf(ex, e); c.quoted && strings.EqualFold(strings.Trim(c.text, "%"), text) {
			n++
		}
	}
	return n
}

func quoted(question string, at english.Token) bool {
	before, _ := utf8.DecodeLastRuneInString(question[:at.Start])
	after, _ := utf8.DecodeRuneInString(question[at.End:])
	return strings.ContainsRune(`"'“‘`, before) && strings.ContainsRune(`"'”’`, after)
}

// textsFor returns the changes of equal constants to each text that may take
// their place.
func textsFor(p *perturb.Pass, ex *perturb.Example, all, same []constant, at english.Token) (out []change) {
	was := same[0].core().text
	q := newQuestion(ex)
	question := strings.ToLower(ex.Question)
	taken := map[string]bool{}
	for _, c := range all {
		taken[strings.ToLower(c.core().text)] = true
	}
	for _, text := range candidates(p, same, was) {
		lower := strings.ToLower(text)
		switch {
		case taken[lower], strings.Contains(question, lower), !similar(was, text), turnsInterval(all, same, text), !q.takesArticle(at, text):
			continue
		}
		taken[lower] = true
		nodes := map[sqlast.Node]sqlast.Node{}
		for _, c := range same {
			nodes[c.node] = &sqlast.Literal{Kind: sqlast.StringLiteral, Text: strings.Replace(c.text, was, text, 1)}
		}
		out = append(out, change{spans: q.replaceBytes(at.Start, at.End, text, "cell"), nodes: nodes, part: same[0].within})
	}
	return out
}

// turnsInterval tells whether a text would make an interval of the gold SQL end
// before it begins.
func turnsInterval(all, same []constant, text string) bool {
	return slices.ContainsFunc(same, func(c constant) bool {
		return slices.ContainsFunc(all, func(o constant) bool {
			return c.turnsInterval(o, cmp.Compare(c.text, o.text), cmp.Compare(text, o.text))
		})
	})
}

// candidates returns the texts of all columns that the constants are compared
// with; for a pattern, the words in them. Where the constant is a cell but for
// blanks around it, so are they: some of Spider's content has such blanks, and
// its gold SQL has not.
func candidates(p *perturb.Pass, same []constant, was string) []string {
	out := textsOf(cellsOf(p, same[0]), was, same[0].text)
	for _, c := range same[1:] {
		if c.column == same[0].column {
			continue
		}
		both := map[string]bool{}
		for _, t := range textsOf(cellsOf(p, c), was, c.text) {
			both[t] = true
		}
		out = slices.DeleteFunc(out, func(t string) bool { return !both[t] })
	}
	return out
}

// textsOf returns the texts of cells, or the words that stand in them where a
// pattern has was.
func textsOf(cells []sqldata.Value, was, pattern string) (out []string) {
	cells = slices.DeleteFunc(slices.Clone(cells), func(v sqldata.Value) bool { return v.Kind() != sqldata.Text })
	trims := slices.ContainsFunc(cells, func(v sqldata.Value) bool { return v.Bytes() != was && strings.TrimSpace(v.Bytes()) == was })
	seen := map[string]bool{}
	for _, v := range cells {
		text := v.Bytes()
		if trims {
			text = strings.TrimSpace(text)
		}
		words := []string{text}
		if pattern != was {
			words = wordsAt(text, strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%"))
			words = slices.DeleteFunc(words, func(w string) bool { return !wordLike(was, w) })
		}
		for _, w := range words {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// wordsAt returns the words of a cell that a pattern finds which is open at the
// ends said.
func wordsAt(cell string, before, after bool) []string {
	words := strings.Fields(cell)
	switch {
	case before && after:
		return words
	case after:
		return words[:min(1, len(words))]
	}
	return words[max(0, len(words)-1):]
}

// wordLike tells whether w may stand for was in a pattern: letters only, all of
// them capitals where was has no others ("TX").
func wordLike(was, w string) bool {
	for _, s := range []string{was, w} {
		if !wordForm.MatchString(s) {
			return false
		}
	}
	return (strings.ToUpper(w) == w) == (strings.ToUpper(was) == was)
}

var wordForm = lazyregexp.New(`^\pL{2,}$`)

// maxText is how long a text may be, in bytes, that is not as long as what it
// replaces.
const maxText = 40

// marks are characters that a text has only where the one that it replaces has them.
const marks = "`´‘’“”\\%_"

// similar tells whether a text can stand where was stands: of letters where that
// is, with the same capitals, of like length, and without what quoting would
// change.
func similar(was, text string) bool {
	switch {
	case utf8.RuneCountInString(text) < 2, len(text) > max(maxText, 2*len(was)), formOf(was) != formOf(text),
		text != strings.TrimSpace(text), !utf8.ValidString(text), strings.ContainsAny(text, `'"`):
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) || strings.ContainsRune(marks, r) && !strings.ContainsRune(was, r)
	})
}

// formOf returns what two texts share that are of one kind: 'A' where the first
// letter is a capital, 'a' where it is none, '0' for a digit, else the first rune.
func formOf(text string) rune {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsUpper(first):
		return 'A'
	case unicode.IsLetter(first):
		return 'a'
	case unicode.IsDigit(first):
		return '0'
	}
	return first
}
