package suite

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// realStep is the change of a real constant (section 3.1).
const realStep = 0.001

// editLiteral replaces a constant: an integer by its two neighbours and a random one, a real number
// by those 0.001 away and a random one, a string as editString does.
func (e *editor) editLiteral(n *sqlast.Literal) {
	number := func(text string) {
		change(e, Number, n, func(c *sqlast.Literal) { c.Text = text })
	}
	switch n.Kind {
	case sqlast.StringLiteral:
		e.editString(n, n.Text)
	case sqlast.NumberLiteral:
		if i, err := strconv.ParseInt(n.Text, 10, 62); err == nil { // larger integers count as real numbers
			number(strconv.FormatInt(i+1, 10))
			if i > 0 {
				number(strconv.FormatInt(i-1, 10))
			}
			number(strconv.FormatInt(e.rng.Int64N(10*min(max(i, 10), math.MaxInt64/10)), 10))
		} else if f, err := strconv.ParseFloat(n.Text, 64); err == nil && !math.IsInf(f, 0) {
			number(realText(f + realStep))
			number(realText(max(f-realStep, 0)))
			number(realText(e.rng.Float64() * 10 * max(f, 10)))
		}
	}
}

// realText formats a number with one to six decimals.
func realText(f float64) string {
	const places = 1e6
	text := strconv.FormatFloat(math.Round(f*places)/places, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// editString replaces a string by a random word, by a part of it, and by itself with a random
// word before or after it. In a pattern, only the text between the outer wildcards is changed,
// and one neighbour drops the wildcards.
func (e *editor) editString(at sqlast.Node, text string) {
	set := func(s string) {
		e.replace(String, at, &sqlast.Literal{Kind: sqlast.StringLiteral, Text: s})
	}
	core := strings.Trim(text, "%")
	left, right, _ := strings.Cut(text, core) // the outer wildcards
	if core == "" {
		left, right = text, ""
	}
	set(left + randomWord(e.rng) + right)
	if part := substring(e.rng, core); part != core {
		set(left + part + right)
	}
	if e.rng.IntN(2) == 0 {
		set(left + core + randomWord(e.rng) + right)
	} else {
		set(left + randomWord(e.rng) + core + right)
	}
	if core != text && core != "" {
		set(core)
	}
}

// substring returns a random part of s, shorter than s where that has two
// characters or more.
func substring(rng *rand.Rand, s string) string {
	runes := []rune(s)
	if len(runes) < 2 {
		return s
	}
	n := 1 + rng.IntN(len(runes)-1)
	from := rng.IntN(len(runes) - n + 1)
	return string(runes[from : from+n])
}

// randomWord returns three to eight random letters.
func randomWord(rng *rand.Rand) string {
	word := make([]byte, 3+rng.IntN(6))
	for i := range word {
		word[i] = byte('a' + rng.IntN(26))
	}
	return string(word)
}
