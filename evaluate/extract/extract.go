// Package extract finds the SQL in the answer of a language model: inside code fences,
// after a label such as "SQL:", among explanations and reasoning, and as the first of
// several statements.
//
// An answer that is SQL alone comes back unchanged. So does an answer without a query, and
// one that begins with another statement, such as DROP: the evaluator judges those. Wrong
// SQL is never repaired by dropping a part of it.
package extract

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Kind is a kind of text in an answer that is not its SQL.
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

// Extract returns the SQL of an answer, without surrounding blanks, and the kinds of other
// text that were dropped: none if the answer is SQL alone or has no SQL. The last of
// several code fences counts, because drafts come first, and the first of several
// statements.
//
//	"Sure:\n```sql\nSELECT 1;\n```" → "SELECT 1;", [code fence, text before]
func Extract(answer string) (sql string, dropped []Kind) {
	whole := strings.TrimSpace(strings.TrimPrefix(answer, "\ufeff"))
	x := extraction{text: whole, dropped: map[Kind]bool{}}
	x.dropReasoning()
	x.unwrapFence()
	x.dropLabel()
	x.dropBefore()
	if !query.MatchString(x.text) {
		return whole, nil
	}
	x.dropAfter()
	dropped = lists.Filter(Kinds(), func(k Kind) bool { return x.dropped[k] })
	if len(dropped) == 0 {
		return whole, nil
	}
	return x.text, dropped
}

// extraction is an answer while other text is dropped from it.
type extraction struct {
	text    string        // the rest of the answer
	dropped map[Kind]bool // the kinds of text dropped so far
	parses  int           // calls of the parser so far
}

// reduceTo replaces the text by a part of it and records the kind of text that was dropped.
func (x *extraction) reduceTo(part string, k Kind) {
	x.text = strings.TrimSpace(part)
	x.dropped[k] = true
}

var (
	// query matches the beginning of a query, possibly in parentheses.
	query = lazyregexp.New(`(?i)^(?:\(\s*)*(?:SELECT|WITH|VALUES)\b`)
	// statement matches the beginning of a statement that is no query.
	statement = lazyregexp.New(`(?i)^(?:ALTER|ANALYZE|ATTACH|BEGIN|COMMIT|CREATE|DELETE|DETACH|DROP|EXPLAIN|INSERT|PRAGMA|REINDEX|REPLACE|ROLLBACK|SAVEPOINT|UPDATE|VACUUM)\s`)
	// reasoning matches everything up to the last end tag of reasoning.
	reasoning = lazyregexp.New(`(?is)^.*</think(?:ing)?>`)
	// label matches a label with its colon, such as "**The final SQL query:**".
	label = lazyregexp.New(`(?i)^[*_#\s]*(?:(?:the|my|final|predicted|generated|correct|corrected|sqlite|sql)\s+)*(?:a|answer|code|output|prediction|query|response|result|sql|sqlite|statement)[*_\s]*[:：][*_\s]*`)
	// fence matches a code fence; its groups are the language and the inside. The last fence may be open.
	fence = lazyregexp.New("(?s)```[ \t]*(?:([A-Za-z0-9_+-]*)[ \t]*\r?\n|(?i:sqlite3?|sql)\\b)?(.*?)(?:```|$)")
	// dialect matches the languages of fences that may hold SQL.
	dialect = lazyregexp.New(`(?i)sql|^(?:text|plaintext|code)?$`)
	// inline matches an answer that begins with code between single backticks; its groups are the code and
	// the rest.
	inline = lazyregexp.New("(?s)^`([^`]+)`(.*)$")
)

// dropReasoning drops everything up to the last </think>.
func (x *extraction) dropReasoning() {
	if rest := WithoutReasoning(x.text); len(rest) < len(x.text) {
		x.reduceTo(rest, Reasoning)
	}
}

// WithoutReasoning returns the part of an answer after its last </think>.
func WithoutReasoning(answer string) string { return answer[len(reasoning.FindString(answer)):] }

// unwrapFence reduces the text to the inside of its last code fence that holds a query.
func (x *extraction) unwrapFence() {
	if query.MatchString(x.text) && !strings.Contains(x.text, "\n```") {
		return // a fence would be within a string
	}
	if m := inline.FindStringSubmatch(x.text); m != nil && query.MatchString(m[1]) { // `SELECT …`
		x.recordAround("", m[2])
		x.reduceTo(m[1], Fence)
		return
	}
	// m has the begin and end of a whole fence, of its language (-1 without one) and of its inside.
	for _, m := range slices.Backward(fence.FindAllStringSubmatchIndex(x.text, -1)) {
		language, inside := "", strings.TrimSpace(x.text[m[4]:m[5]])
		if m[2] >= 0 {
			language = x.text[m[2]:m[3]]
		}
		if dialect.MatchString(language) && holdsQuery(inside) {
			x.recordAround(x.text[:m[0]], x.text[m[1]:])
			x.reduceTo(inside, Fence)
			return
		}
	}
}

// holdsQuery reports whether the inside of a fence is a query, possibly after a label or
// comments.
func holdsQuery(inside string) bool {
	inside = inside[len(label.FindString(inside)):]
	return query.MatchString(inside[len(comments.FindString(inside)):])
}

// recordAround records the kinds of the text before and after a code fence, which is dropped
// with the fence. A label such as "SQL:" before the fence is no text of its own.
func (x *extraction) recordAround(before, after string) {
	before = strings.TrimSpace(before)
	switch rest := before[len(label.FindString(before)):]; {
	case before == "":
	case rest == "":
		x.dropped[Label] = true
	default:
		x.dropped[Before] = true
	}
	if strings.TrimSpace(after) != "" {
		x.dropped[After] = true
	}
}

// dropLabel drops a label, such as "SQL:", at the beginning of the text.
func (x *extraction) dropLabel() {
	if l := label.FindString(x.text); l != "" {
		x.reduceTo(x.text[len(l):], Label)
	}
}

var (
	// comments matches the comments and blanks at the beginning of a text.
	comments = lazyregexp.New(`(?s)^(?:\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/))*\s*`)

	// openings matches where a query may begin amid other text: at the beginning of a line, or in upper case.
	openings = lazyregexp.New(`(?m)^[ \t]*(?:(?i:SELECT)\s|(?i:WITH)\s+(?:(?i:RECURSIVE)\s+)?\S+\s+(?i:AS)\s*\()|\bSELECT\s|\bWITH\s+\S+\s+AS\s*\(`)

	inner    = lazyregexp.New(`(?i)(?:[(),;]|\b(?:UNION|ALL|EXCEPT|INTERSECT))\s*$`) // text before a SELECT that is within a query
	sentence = lazyregexp.New(`\S[.:!](?:\s*\n|\s*$|\s+[A-Z])`)                      // the end of a sentence
	from     = lazyregexp.New(`(?i)\bFROM\b`)
)

// dropBefore drops text and comments before the query; comments alone are not recorded as dropped. If there is no query, or
// the text begins with another statement, nothing is dropped.
func (x *extraction) dropBefore() {
	rest := x.text[len(comments.FindString(x.text)):]
	if query.MatchString(rest) {
		x.text = rest
		x.dropHeading()
		return
	}
	if statement.MatchString(rest) {
		return
	}
	if positions := openingsOf(rest); len(positions) > 0 {
		x.reduceTo(rest[x.queryStart(rest, positions):], Before)
	}
}

// dropHeading drops a sentence that begins like a query, such as "With these tables:",
// if the query follows on a line below.
func (x *extraction) dropHeading() {
	positions := lists.Filter(openingsOf(x.text), func(position int) bool { return position > 0 && beginsLine(x.text, position) })
	if len(positions) == 0 {
		return
	}
	if heading := x.text[:positions[0]]; !sentence.MatchString(heading) || x.isQuery(x.text) {
		return // the text above has no end of a sentence, or the query begins in it
	}
	if start := x.queryStart(x.text, positions); x.isQuery(x.text[start:]) {
		x.reduceTo(x.text[start:], Before)
	}
}

// maxOpenings bounds the positions at which a query may begin.
const maxOpenings = 20

// openingsOf returns the positions in a text where a query may begin. After the first, a
// SELECT within a query, such as one after UNION or "(", is left out.
func openingsOf(text string) (positions []int) {
	for _, m := range openings.FindAllStringIndex(text, maxOpenings) {
		// 20 bytes hold any keyword of inner and some blanks.
		if before := text[max(0, m[0]-20):m[0]]; len(positions) == 0 || !inner.MatchString(before) {
			positions = append(positions, m[0])
		}
	}
	return positions
}

// queryStart returns the position at which the query begins: the first of those given that is not within a
// sentence, as in "I SELECT the names." If there is none, it returns the first.
func (x *extraction) queryStart(text string, positions []int) int {
	for i, start := range positions {
		end := len(text)
		if i+1 < len(positions) {
			end = positions[i+1]
		}
		if x.beginsQuery(text, start, text[start:end]) {
			return start
		}
	}
	return positions[0]
}

// beginsQuery reports whether a query begins at a position of the text; part is the text from there up to the
// next position. A part with FROM and without the end of a sentence counts as a query; any other must parse.
func (x *extraction) beginsQuery(text string, start int, part string) bool {
	hasFrom := from.MatchString(part)
	if hasFrom && !sentence.MatchString(part) {
		return true
	}
	return (hasFrom || beginsLine(text, start)) && x.isQuery(text[start:])
}

// beginsLine reports whether only blanks precede a position on its line.
func beginsLine(text string, position int) bool {
	return strings.HasSuffix("\n"+strings.TrimRight(text[:position], " \t"), "\n")
}

// isQuery reports whether a text is a query once the text after it is dropped.
func (x *extraction) isQuery(text string) bool {
	tried := extraction{text: text, dropped: map[Kind]bool{}, parses: x.parses} // under the same bound on parses
	tried.dropAfter()
	ok := tried.isSQL(tried.text)
	x.parses = tried.parses
	return ok
}

// maxCuts bounds the lines at which the end of a query is tried, and maxParses the calls of
// the parser for one answer.
const maxCuts, maxParses = 50, 200

// isSQL reports whether a text parses as one query; it is false after maxParses calls.
func (x *extraction) isSQL(text string) bool {
	if x.parses++; x.parses > maxParses {
		return false
	}
	_, err := sqlast.Parse(text)
	return err == nil
}

// dropAfter drops the text after the query: what follows a semicolon, and then, if the rest is no SQL, the lines
// from the first that begins prose or another query. The lines before it must be SQL, unless an empty line and prose follow.
func (x *extraction) dropAfter() {
	semicolon, lines := ends(x.text)
	if semicolon >= 0 {
		x.cut(semicolon, x.text[semicolon+1:])
	}
	if x.isSQL(x.text) {
		return
	}
	cuts := 0
	for _, lineBreak := range lines {
		if lineBreak >= len(x.text) || cuts == maxCuts {
			return // the rest was cut at the semicolon, or enough lines were tried
		}
		head, rest := x.text[:lineBreak], strings.TrimSpace(x.text[lineBreak:])
		if !isProse(rest) && !query.MatchString(rest) {
			continue
		}
		cuts++
		if x.isSQL(head) || isParagraph(x.text[lineBreak+1:]) {
			x.cut(lineBreak, rest)
			return
		}
	}
}

// isParagraph reports whether the rest of a text is prose after an empty line.
func isParagraph(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == "" && isProse(strings.TrimSpace(rest))
}

// cut ends the text at a position and records the kind of rest, the text that it drops. It drops nothing if
// that is only a semicolon and comments.
func (x *extraction) cut(end int, rest string) {
	rest = strings.TrimLeft(rest, "; \t\r\n")
	rest = rest[len(comments.FindString(rest)):]
	switch {
	case rest == "":
		return // a semicolon alone is not dropped
	case query.MatchString(rest), statement.MatchString(rest):
		x.reduceTo(x.text[:end], Several)
	default:
		x.reduceTo(x.text[:end], After)
	}
}

// closers lists the delimiters of strings, quoted names and block comments.
var closers = []struct{ open, close string }{{"'", "'"}, {`"`, `"`}, {"`", "`"}, {"[", "]"}, {"/*", "*/"}}

// ends returns the position of the first semicolon of a text, or -1, and those of its line
// breaks. Strings, quoted names and comments are skipped.
func ends(text string) (semicolon int, lines []int) {
	semicolon = -1
	unclosed := map[string]bool{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			if semicolon < 0 {
				semicolon = i
			}
		case '\n':
			lines = append(lines, i)
		}
		i += skipped(text[i:], unclosed) // to the last byte of a string, name or comment; unclosed has the quotes that end none
	}
	return semicolon, lines
}

// skipped returns the length less one of the string, quoted name or comment that text begins with, so that a loop goes on
// after its last byte; 0 if text begins with none. A delimiter that nothing closes, such as the apostrophe of "don't", is
// added to unclosed and begins nothing from then on.
func skipped(text string, unclosed map[string]bool) int {
	if strings.HasPrefix(text, "--") {
		line, _, _ := strings.Cut(text, "\n") // the line break itself is not part of the comment
		return len(line) - 1
	}
	for _, c := range closers {
		rest, ok := strings.CutPrefix(text, c.open)
		if !ok || unclosed[c.open] {
			continue
		}
		if i := strings.Index(rest, c.close); i >= 0 {
			return len(c.open) + i + len(c.close) - 1
		}
		unclosed[c.open] = true
	}
	return 0
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ", "\x00", " ")

// OneLine returns SQL on one line, as files of predictions need it: without comments, and
// with blanks for line breaks and tabs, also within strings.
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
	// firstWords matches the first words of a line of prose; its first group is the first word.
	firstWords = lazyregexp.New(`^[*_#>\s-]*([A-Za-z']+)(:|[*_]*:|,?\s+[a-zA-Z'` + "`" + `"]+)`)
	// clauses matches the words with which a further line of a query may begin.
	clauses = lazyregexp.New(`(?i)^(?:AND|AS|ASC|BETWEEN|CASE|CROSS|DESC|ELSE|END|EXCEPT|FROM|FULL|GROUP|HAVING|INNER|INTERSECT|IS|JOIN|LEFT|LIKE|LIMIT|NATURAL|NOT|NULLS|OFFSET|ON|OR|ORDER|OUTER|OVER|RIGHT|SELECT|SET|THEN|UNION|USING|VALUES|WHEN|WHERE|WINDOW|WITH)$`)
)

// isProse reports whether a text begins like a sentence or a heading and not like a clause of
// SQL, so that wrong SQL is not cut.
func isProse(text string) bool {
	if strings.HasPrefix(text, "--") {
		return false
	}
	m := firstWords.FindStringSubmatch(text)
	return m != nil && !clauses.MatchString(m[1])
}
