package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DBText replaces a text that a column is compared with.
var DBText = retargeted("db-text", "table 7",
	"Replaces a text that a column is compared with, and that the question holds as it is, by another value of the column, in question and gold SQL.", textChanges)

// textChanges returns changes of the texts that the question states exactly once: country =
// 'France', "singers from France" → 'Spain', "singers from Spain". If there are none, it returns the reason why.
func textChanges(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	all := slices.DeleteFunc(constants(ex), func(c constant) bool { return !c.quoted || c.isNumber || c.column.Column == "" })
	schema := schemaNames(p)
	var d drafts
	seen := map[string]bool{"": true}
	for _, c := range all {
		text := c.core().text // without wildcards; "" if no question can state it
		if seen[text] {
			continue
		}
		seen[text] = true
		same := lists.Filter(all, func(o constant) bool { return o.core() == c.core() })
		places := separateMentions(ex.Question, text, all)
		switch {
		case p.Content == nil:
			d.reason = reasonContent
		case len(places) == 0:
			d.reason = reasonVerbatim
		case len(places) > 1, len(mentions(strings.ToLower(ex.Question), strings.ToLower(text))) > 1: // several mentions
			d.reason = reasonTwice
		case !oneOperator(same), countWritings(ex, text) > len(same): // one mention, but maybe of other constants
			d.reason = reasonTwice
		case slices.ContainsFunc(all, func(o constant) bool { return areSiblings(c, o) }): // the two may be exchanged
			d.reason = reasonTwice
		case utf8.RuneCountInString(text) < 2, schema[lexicon.Normal(text)] && !quoted(ex.Question, places[0]): // it may mean a column
			d.reason = reasonWord
		default:
			d.addOrReason(shuffled(p, ex, textsFor(p, ex, all, same, places[0]), text), reasonValues)
		}
	}
	return d.interleaved(p, ex)
}

// areSiblings reports whether two constants are compared with sibling columns of one table, such as first name and last name.
func areSiblings(c, o constant) bool {
	return c.column.Table == o.column.Table && perturb.AreSiblings(c.column.Column, o.column.Column)
}

// isStage reports whether the text at a place of the question is a stage of a process, by the word before it: "still open". No other
// text replaces it, as orders that are closed are not "still closed".
func (q *question) isStage(at english.Token) bool {
	return slices.Contains(words.Words("before stages"), q.Word(q.From(at.Start)-1))
}

// core is a text that a question can state: "Rock" of '%Rock%'.
type core struct {
	text    string // "" if there are wildcards within it
	pattern bool   // the constant has wildcards
}

// isPattern reports whether the constant is a pattern with the wildcards % and _.
func (c constant) isPattern() bool { return c.op == "LIKE" || c.op == "ILIKE" }

// core returns the constant's text without the wildcards around it. For a pattern with wildcards within, as 'R_ck', the text is "": no
// question states it.
func (c constant) core() core {
	if !c.isPattern() {
		return core{c.text, false}
	}
	text := strings.Trim(c.text, "%")
	if strings.ContainsAny(text, "%_") {
		return core{"", true}
	}
	return core{text, text != c.text}
}

// schemaNames returns the set of the names of all tables and columns, in normal form.
func schemaNames(p *perturb.Pass) map[string]bool {
	names := map[string]bool{}
	for _, t := range p.DB.Tables {
		names[lexicon.Normal(t.Name)] = true
	}
	for ref := range p.DB.AllColumns() {
		names[lexicon.Normal(p.DB.Column(ref).Name)] = true
	}
	return names
}

// separateMentions returns the places of a text in the question, except those within a mention of a longer
// constant that contains it: "York", but not that of "New York".
func separateMentions(question, text string, all []constant) []english.Token {
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

// oneOperator reports whether all of some equal texts are compared by the same operator, maybe with
// several columns. Then the one mention in the question means them all.
func oneOperator(same []constant) bool {
	return !slices.ContainsFunc(same, func(c constant) bool { return c.op != same[0].op })
}

// countWritings counts the constants of the gold SQL that equal a text but for letter case and
// wildcards, in predicates (USA, usa, %USA%) or elsewhere (upper('USA')). One mention in the question may mean any of them.
func countWritings(ex *perturb.Example, text string) (n int) {
	for e := range sqlast.All[sqlast.Expr](ex.Gold) {
		if c := constantOf(ex, e); c.quoted && strings.EqualFold(strings.Trim(c.text, "%"), text) {
			n++
		}
	}
	return n
}

// quoted reports whether a part of a question is in quotes.
func quoted(question string, at english.Token) bool {
	before, _ := utf8.DecodeLastRuneInString(question[:at.Start])
	after, _ := utf8.DecodeRuneInString(question[at.End:])
	return strings.ContainsRune(`"'“‘`, before) && strings.ContainsRune(`"'”’`, after)
}

// textsFor returns the changes of the equal constants same, which the question states at one place,
// to each text that may replace them. A text that is a stage ("still open") stays.
func textsFor(p *perturb.Pass, ex *perturb.Example, all, same []constant, at english.Token) (out []change) {
	old := same[0].core().text
	q := newQuestion(ex)
	question := strings.ToLower(ex.Question)
	taken := map[string]bool{} // texts of the gold SQL, in lower case, and those that have a change
	for _, c := range all {
		taken[strings.ToLower(c.core().text)] = true
	}
	for _, text := range candidates(p, same, old) {
		lower := strings.ToLower(text)
		switch {
		case taken[lower], strings.Contains(question, lower): // the question or the gold SQL would have it twice
			continue
		case !similar(old, text), emptiesInterval(all, same, text), !q.fitsArticle(at, text), q.isStage(at):
			continue
		}
		taken[lower] = true
		nodes := map[sqlast.Node]sqlast.Node{}
		for _, c := range same {
			nodes[c.node] = &sqlast.Literal{Kind: sqlast.StringLiteral, Text: strings.Replace(c.text, old, text, 1)}
		}
		out = append(out, change{spans: q.replaceBytes(at.Start, at.End, text, "cell"), nodes: nodes, part: same[0].within})
	}
	return out
}

// emptiesInterval reports whether a text in the place of the constants same would make an interval of the gold SQL end
// before it begins: 'M' for 'A' in BETWEEN 'A' AND 'F'.
func emptiesInterval(all, same []constant, text string) bool {
	return slices.ContainsFunc(same, func(c constant) bool {
		return slices.ContainsFunc(all, func(o constant) bool {
			return c.emptiesInterval(o, cmp.Compare(c.text, o.text), cmp.Compare(text, o.text))
		})
	})
}

// candidates returns the texts that all columns with which the constants are
// compared have in common: cells or, for a pattern, words of cells. Text is the constants' core.
func candidates(p *perturb.Pass, same []constant, text string) []string {
	out := textsOf(cellsOf(p, same[0]), text, same[0].text)
	for _, c := range same[1:] {
		if c.column == same[0].column {
			continue
		}
		both := map[string]bool{}
		for _, t := range textsOf(cellsOf(p, c), text, c.text) {
			both[t] = true
		}
		out = slices.DeleteFunc(out, func(t string) bool { return !both[t] })
	}
	return out
}

// textsOf returns the distinct texts that may replace pattern in comparisons with these cells: the texts of the cells or, if old is
// only the core of the pattern, their words that such a pattern could match. If old is a cell but for blanks around it, all texts are
// trimmed: some cells of Spider have blanks that its gold SQL lacks.
func textsOf(cells []sqldata.Value, old, pattern string) (out []string) {
	cells = lists.Filter(cells, func(v sqldata.Value) bool { return v.Kind() == sqldata.Text })
	trims := slices.ContainsFunc(cells, func(v sqldata.Value) bool { return v.Bytes() != old && strings.TrimSpace(v.Bytes()) == old })
	seen := map[string]bool{}
	for _, v := range cells {
		text := v.Bytes()
		if trims {
			text = strings.TrimSpace(text)
		}
		words := []string{text}
		if pattern != old {
			words = wordsAt(text, strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%"))
			words = slices.DeleteFunc(words, func(w string) bool { return !wordLike(old, w) })
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

// wordsAt returns the words of a cell that the core of a pattern can match: all words if the pattern has wildcards before and after
// its core, the first word if only after ('Rock%'), else the last word ('%Rock').
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

// wordLike reports whether a word may replace the word old in a pattern: both have only
// letters, and both or neither are written in capitals ("TX").
func wordLike(old, word string) bool {
	if !wordForm.MatchString(old) || !wordForm.MatchString(word) {
		return false
	}
	return (strings.ToUpper(word) == word) == (strings.ToUpper(old) == old)
}

// wordForm matches words of two or more letters.
var wordForm = lazyregexp.New(`^\pL{2,}$`)

// maxText is how long a new text may be, in bytes, where that is more than twice the
// length of the old one.
const maxText = 40

// marks are characters that a new text may have only if the old one has them.
const marks = "`´‘’“”\\%_"

// similar reports whether a text can replace the text old in a question and in SQL: it begins alike by [formOf], is not much longer, and has
// no quotes, blanks at its ends, unprintable characters, or [marks] that old lacks.
func similar(old, text string) bool {
	switch {
	case utf8.RuneCountInString(text) < 2, len(text) > max(maxText, 2*len(old)), formOf(old) != formOf(text):
		return false
	case text != strings.TrimSpace(text), !utf8.ValidString(text), strings.ContainsAny(text, `'"`):
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) || (strings.ContainsRune(marks, r) && !strings.ContainsRune(old, r))
	})
}

// formOf returns how a text begins: 'A' for a capital, 'a' for another letter, '0' for a
// digit, else the first rune.
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
