// Package extract takes the SQL out of what a language model answers: out of code
// fences, from behind a label such as "SQL:", from among explanations and reasoning,
// and the first of several statements.
//
// What is SQL alone stays as it is, and so does what holds no query or begins with a
// statement that is none, such as DROP: judging it is for the evaluator. SQL that is
// wrong is never made right by leaving a part of it out.
package extract

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Kind is what stands in an answer beside its SQL.
type Kind string

// The kinds, in the order in which they are named.
const (
	Reasoning Kind = "reasoning"
	Fence     Kind = "code fence"
	Label     Kind = `label such as "SQL:"`
	Before    Kind = "text before"
	After     Kind = "text after"
	Several   Kind = "several statements"
)

// Kinds returns all kinds, in the order in which [Extract] names them.
func Kinds() []Kind { return []Kind{Reasoning, Fence, Label, Before, After, Several} }

// Extract returns the SQL of an answer, without the blanks around it, and what stood
// beside it: nothing where the answer is SQL alone or holds none. Of several code
// fences the last counts, for drafts come first; of several statements the first.
func Extract(answer string) (sql string, beside []Kind) {
	whole := strings.TrimSpace(strings.TrimPrefix(answer, "\ufeff"))
	x := extraction{text: whole, found: map[Kind]bool{}}
	x.reasoning()
	x.fence()
	x.label()
	x.opening()
	if !query.MatchString(x.text) {
		return whole, nil
	}
	x.ending()
	for _, k := range Kinds() {
		if x.found[k] {
			beside = append(beside, k)
		}
	}
	if len(beside) == 0 {
		return whole, nil
	}
	return x.text, beside
}

// extraction is what is left of an answer, and what was found beside it.
type extraction struct {
	text   string
	found  map[Kind]bool
	parses int // so far
}

// keep keeps a part of the text, beside which something of a kind was found.
func (x *extraction) keep(part string, k Kind) {
	x.text = strings.TrimSpace(part)
	x.found[k] = true
}

var (
	query     = lazyregexp.New(`(?i)^(?:\(\s*)*(?:SELECT|WITH|VALUES)\b`)
	statement = lazyregexp.New(`(?i)^(?:ALTER|ANALYZE|ATTACH|BEGIN|COMMIT|CREATE|DELETE|DETACH|DROP|EXPLAIN|INSERT|PRAGMA|REINDEX|REPLACE|ROLLBACK|SAVEPOINT|UPDATE|VACUUM)\s`)
	thought   = lazyregexp.New(`(?is)^.*</think(?:ing)?>`)
	label     = lazyregexp.New(`(?i)^[*_#\s]*(?:(?:the|my|final|predicted|generated|correct|corrected|sqlite|sql)\s+)*(?:a|answer|code|output|prediction|query|response|result|sql|sqlite|statement)[*_\s]*[:：][*_\s]*`)
	fence     = lazyregexp.New("(?s)```[ \t]*(?:([A-Za-z0-9_+-]*)[ \t]*\r?\n|(?i:sqlite3?|sql)\\b)?(.*?)(?:```|$)")
	dialect   = lazyregexp.New(`(?i)sql|^(?:text|plaintext|code)?$`)
	inline    = lazyregexp.New("(?s)^`([^`]+)`(.*)$")
)

// reasoning drops what a model thought before it answered.
func (x *extraction) reasoning() {
	if t := thought.FindString(x.text); t != "" {
		x.keep(x.text[len(t):], Reasoning)
	}
}

// fence keeps the inside of the last code fence that holds a query.
func (x *extraction) fence() {
	if query.MatchString(x.text) && !strings.Contains(x.text, "\n```") {
		return // a fence would be within a string
	}
	if m := inline.FindStringSubmatch(x.text); m != nil && query.MatchString(m[1]) {
		x.around("", m[2])
		x.keep(m[1], Fence)
		return
	}
	for _, m := range slices.Backward(fence.FindAllStringSubmatchIndex(x.text, -1)) {
		language, inside := "", strings.TrimSpace(x.text[m[4]:m[5]])
		if m[2] >= 0 {
			language = x.text[m[2]:m[3]]
		}
		if dialect.MatchString(language) && holdsQuery(inside) {
			x.around(x.text[:m[0]], x.text[m[1]:])
			x.keep(inside, Fence)
			return
		}
	}
}

// holdsQuery tells whether the inside of a fence is a query, perhaps behind a label or a
// comment.
func holdsQuery(inside string) bool {
	inside = inside[len(label.FindString(inside)):]
	return query.MatchString(inside[len(comments.FindString(inside)):])
}

// around names what stands around a code fence.
func (x *extraction) around(before, after string) {
	before = strings.TrimSpace(before)
	switch rest := before[len(label.FindString(before)):]; {
	case before == "":
	case rest == "":
		x.found[Label] = true
	default:
		x.found[Before] = true
	}
	if strings.TrimSpace(after) != "" {
		x.found[After] = true
	}
}

// label drops a label that the text begins with.
func (x *extraction) label() {
	if l := label.FindString(x.text); l != "" {
		x.keep(x.text[len(l):], Label)
	}
}

var (
	comments = lazyregexp.New(`(?s)^(?:\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/))*\s*`)

	// Where a query may begin amid other text: a line of its own, or in upper case.
	openings = lazyregexp.New(`(?m)^[ \t]*(?:(?i:SELECT)\s|(?i:WITH)\s+(?:(?i:RECURSIVE)\s+)?\S+\s+(?i:AS)\s*\()|\bSELECT\s|\bWITH\s+\S+\s+AS\s*\(`)

	inner    = lazyregexp.New(`(?i)(?:[(),;]|\b(?:UNION|ALL|EXCEPT|INTERSECT))\s*$`) // what a SELECT within a query stands behind
	sentence = lazyregexp.New(`\S[.:!](?:\s*\n|\s*$|\s+[A-Z])`)                      // the end of one
	from     = lazyregexp.New(`(?i)\bFROM\b`)
)

// opening drops what stands before the query: other text, or comments. A statement that
// is no query stays, and so do comments alone.
func (x *extraction) opening() {
	rest := x.text[len(comments.FindString(x.text)):]
	switch {
	case query.MatchString(rest):
		x.text = rest
		x.heading()
	case statement.MatchString(rest):
	default:
		if places := openingsOf(rest); len(places) > 0 {
			x.keep(rest[x.opens(rest, places):], Before)
		}
	}
}

// heading drops a sentence that begins as a query does, such as "With these tables:",
// where the query stands on a line below.
func (x *extraction) heading() {
	places := slices.DeleteFunc(openingsOf(x.text), func(at int) bool { return at == 0 || !beginsLine(x.text, at) })
	if len(places) == 0 || !sentence.MatchString(x.text[:places[0]]) || x.isQuery(x.text) {
		return
	}
	if at := x.opens(x.text, places); x.isQuery(x.text[at:]) {
		x.keep(x.text[at:], Before)
	}
}

// maxOpenings bounds at how many places a query is looked for.
const maxOpenings = 20

// openingsOf returns where a query may begin in a text, but for those places behind the
// first that would be within a query.
func openingsOf(text string) (places []int) {
	for _, m := range openings.FindAllStringIndex(text, maxOpenings) {
		if before := text[max(0, m[0]-20):m[0]]; len(places) == 0 || !inner.MatchString(before) {
			places = append(places, m[0])
		}
	}
	return places
}

// opens returns at which of some places the query begins: the first that is neither a word
// amid a sentence nor a part of one. SQL that is wrong is none.
func (x *extraction) opens(text string, places []int) int {
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1]
		}
		part := text[at:end]
		hasFrom := from.MatchString(part)
		if hasFrom && !sentence.MatchString(part) || (hasFrom || beginsLine(text, at)) && x.isQuery(text[at:]) {
			return at
		}
	}
	return places[0]
}

func beginsLine(text string, at int) bool {
	return strings.HasSuffix("\n"+strings.TrimRight(text[:at], " \t"), "\n")
}

// isQuery tells whether a text is a query but for what stands behind it.
func (x *extraction) isQuery(text string) bool {
	tried := extraction{text: text, found: map[Kind]bool{}, parses: x.parses}
	tried.ending()
	ok := tried.isSQL(tried.text)
	x.parses = tried.parses
	return ok
}

// maxCuts bounds at how many lines the end of a query is looked for, and maxParses how
// often an answer is parsed in all.
const maxCuts, maxParses = 50, 200

// isSQL tells whether a text is one query.
func (x *extraction) isSQL(text string) bool {
	if x.parses++; x.parses > maxParses {
		return false
	}
	_, err := sqlast.Parse(text)
	return err == nil
}

// ending drops what stands behind the query: what follows a semicolon, or what begins
// with a line behind which the text is no SQL any more.
func (x *extraction) ending() {
	semicolon, lines := ends(x.text)
	if semicolon >= 0 {
		x.cut(semicolon, x.text[semicolon+1:])
	}
	if x.isSQL(x.text) {
		return
	}
	cuts := 0
	for _, at := range lines {
		if at >= len(x.text) || cuts == maxCuts {
			return
		}
		head, rest := x.text[:at], strings.TrimSpace(x.text[at:])
		if !isProse(rest) && !query.MatchString(rest) {
			continue
		}
		cuts++
		if x.isSQL(head) || isParagraph(x.text[at+1:]) {
			x.cut(at, rest)
			return
		}
	}
}

// isParagraph tells whether the rest of a text is prose behind an empty line.
func isParagraph(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == "" && isProse(strings.TrimSpace(rest))
}

// cut cuts the text and names what follows.
func (x *extraction) cut(at int, rest string) {
	rest = strings.TrimLeft(rest, "; \t\r\n")
	rest = rest[len(comments.FindString(rest)):]
	switch {
	case rest == "":
		return // nothing to name; a semicolon stays where nothing else is changed
	case query.MatchString(rest), statement.MatchString(rest):
		x.keep(x.text[:at], Several)
	default:
		x.keep(x.text[:at], After)
	}
}

// closers are what strings, quoted names and comments end with, by what they begin with.
var closers = []struct{ open, close string }{
	{"'", "'"}, {`"`, `"`}, {"`", "`"}, {"[", "]"}, {"--", "\n"}, {"/*", "*/"},
}

// ends returns where the first statement of a text ends, or -1 where nothing ends it, and
// the ends of its lines, neither within a string, a quoted name or a comment.
func ends(text string) (semicolon int, lines []int) {
	semicolon = -1
	unclosed := map[string]bool{} // such as an apostrophe, which begins no string
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			if semicolon < 0 {
				semicolon = i
			}
		case '\n':
			lines = append(lines, i)
		}
		i += skipped(text[i:], unclosed)
	}
	return semicolon, lines
}

// skipped returns by how many bytes the last of a string, quoted name or comment lies behind
// the first, which the text begins with; 0 where it begins with none.
func skipped(text string, unclosed map[string]bool) int {
	for _, c := range closers {
		rest, ok := strings.CutPrefix(text, c.open)
		if !ok || unclosed[c.open] {
			continue
		}
		switch i := strings.Index(rest, c.close); {
		case i >= 0 && c.close == "\n":
			return len(c.open) + i - 1 // the line still ends
		case i >= 0:
			return len(c.open) + i + len(c.close) - 1
		case c.close == "\n":
			return len(text) - 1
		}
		unclosed[c.open] = true
	}
	return 0
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ", "\x00", " ")

// OneLine writes SQL on one line, as files of predictions have it: comments go, and line
// breaks and tabs become blanks, those within strings too.
func OneLine(sql string) string {
	var b strings.Builder
	unclosed := map[string]bool{}
	for i := 0; i < len(sql); i++ {
		end := i + skipped(sql[i:], unclosed) + 1
		switch part := sql[i:end]; {
		case strings.HasPrefix(part, "--"): // up to its line break
		case strings.HasPrefix(part, "/*"):
			b.WriteByte(' ')
		default:
			b.WriteString(part)
		}
		i = end - 1
	}
	return strings.TrimSpace(strings.ToValidUTF8(lineBreaks.Replace(b.String()), "?"))
}

var (
	firstWords = lazyregexp.New(`^[*_#>\s-]*([A-Za-z']+)(:|[*_]*:|,?\s+[a-zA-Z'` + "`" + `"]+)`)
	clauses    = lazyregexp.New(`(?i)^(?:AND|AS|ASC|BETWEEN|CASE|CROSS|DESC|ELSE|END|EXCEPT|FROM|FULL|GROUP|HAVING|INNER|INTERSECT|IS|JOIN|LEFT|LIKE|LIMIT|NATURAL|NOT|NULLS|OFFSET|ON|OR|ORDER|OUTER|OVER|RIGHT|SELECT|SET|THEN|UNION|USING|VALUES|WHEN|WHERE|WINDOW|WITH)$`)
)

// isProse tells whether a text begins as a sentence or a heading does, not as a clause of
// SQL: SQL that is merely wrong must not be cut.
func isProse(text string) bool {
	if strings.HasPrefix(text, "--") {
		return false
	}
	m := firstWords.FindStringSubmatch(text)
	return m != nil && !clauses.MatchString(m[1])
}
