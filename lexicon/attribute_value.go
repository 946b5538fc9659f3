package lexicon

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// maxValue bounds a listed value, in bytes, and with it what one expands to.
const maxValue = 100

// template is a listed value: its parts are drawn one after the other.
type template []part

// part is literal text, or one of the choices of a list.
type part struct {
	text    string // literal, but for digitMark and letterMark
	choices []template
}

const (
	digitMark  = '#'
	letterMark = '^'
)

// parseTemplate parses a listed value such as "The <city> Kid ##". lists holds the lists by name; it is nil if the value
// may not refer to lists.
func parseTemplate(s string, lists map[string][]template) (template, error) {
	if s == "" || len(s) > maxValue {
		return nil, fmt.Errorf("value of %d bytes, expected 1 to %d", len(s), maxValue)
	}
	var t template
	for s != "" {
		text, rest, found := strings.Cut(s, "<")
		if text != "" {
			t = append(t, part{text: text})
		}
		if !found {
			break
		}
		name, rest, closed := strings.Cut(rest, ">")
		choices, known := lists[foldTerm(name)]
		if !closed || !known {
			return nil, fmt.Errorf("<%s: expected the name of a list and >", clip(name))
		}
		t = append(t, part{choices: choices})
		s = rest
	}
	return t, nil
}

// draw returns a value: the text with random digits and letters for its marks, and a random value of each list.
func (t template) draw(rng *rand.Rand) string {
	var b strings.Builder
	for _, p := range t {
		if len(p.choices) > 0 {
			b.WriteString(p.choices[rng.IntN(len(p.choices))].draw(rng))
		}
		for _, r := range p.text {
			switch r {
			case digitMark:
				b.WriteByte(byte('0' + rng.IntN(10)))
			case letterMark:
				b.WriteByte(byte('A' + rng.IntN(26)))
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// parseChoices parses values separated by commas.
func parseChoices(text string, lists map[string][]template) ([]template, error) {
	var out []template
	for s := range strings.SplitSeq(text, ",") {
		t, err := parseTemplate(strings.TrimSpace(s), lists)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// span is a range of numbers or points in time: first, first+step and so on, count values.
type span struct {
	first, step, count int64  // first and step in units of the last decimal, or in seconds since 1970
	decimals           int    // of numbers
	layout             string // of times; empty for numbers
}

// draw returns a random value of the range, as text.
func (s *span) draw(rng *rand.Rand) string { return s.format(s.first + s.step*rng.Int64N(s.count)) }

// spread returns the factor between the first and the last value of a range of numbers. A first value below 1 counts as 1.
func (s *span) spread() int64 {
	one := int64(math.Pow10(s.decimals))
	return (s.first + s.step*(s.count-1)) / max(s.first, one)
}

// format returns v as text: a number in units of its last decimal (150 with two decimals → "1.50"), or seconds as a point in time in
// s.layout.
func (s *span) format(v int64) string {
	if s.layout != "" {
		return time.Unix(v, 0).UTC().Format(s.layout)
	}
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	digits := fmt.Sprintf("%0*d", s.decimals+1, v) // at least one digit before the point
	whole, fraction := digits[:len(digits)-s.decimals], digits[len(digits)-s.decimals:]
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}

// timeLayout is a form of points in time, with its unit in seconds.
type timeLayout struct {
	layout string
	unit   int64
}

// layouts are the accepted forms. A year is read as a number.
var layouts = []timeLayout{
	{time.DateOnly, 24 * 60 * 60}, {"15:04", 60}, {time.TimeOnly, 1}, {time.DateTime, 1}, {"2006-01-02 15:04", 60},
}

// parseSpan parses a range of type number or time, "first..last" or "first..last by step". A time that has no form of layouts
// must be a year, which is a whole number.
func parseSpan(text, typ string) (*span, error) {
	ends, by, _ := strings.Cut(text, " by ")
	first, last, _ := strings.Cut(ends, "..")
	first, last, by = strings.TrimSpace(first), strings.TrimSpace(last), strings.TrimSpace(by)
	if typ == typeTime {
		for _, l := range layouts {
			a, err := time.Parse(l.layout, first)
			if err != nil {
				continue
			}
			b, err := time.Parse(l.layout, last)
			if err != nil {
				return nil, fmt.Errorf("%q: expected a time as %q", clip(last), first)
			}
			return newSpan(span{first: a.Unix(), step: l.unit, layout: l.layout}, b.Unix(), by)
		}
	}
	decimals := max(decimalsOf(first), decimalsOf(last), decimalsOf(by))
	a, errA := parseScaled(first, decimals)
	b, errB := parseScaled(last, decimals)
	fractionOfYear := typ == typeTime && decimals > 0
	if errA != nil || errB != nil || fractionOfYear {
		return nil, fmt.Errorf("ill-formed range of type %s, expected first..last or first..last by step", typ)
	}
	return newSpan(span{first: a, step: 1, decimals: decimals}, b, by)
}

// newSpan completes s, whose step is one unit. It multiplies the step by the number in by, unless that is empty, and sets the
// count of values up to last.
func newSpan(s span, last int64, by string) (*span, error) {
	if by != "" {
		n, err := parseScaled(by, s.decimals)
		if err != nil || n < 1 || n > 1_000_000_000 {
			return nil, fmt.Errorf("step %q, expected a positive number", clip(by))
		}
		s.step *= n
	}
	if last < s.first+s.step {
		return nil, errors.New("range of a single value or none, expected first below last")
	}
	s.count = (last-s.first)/s.step + 1
	return &s, nil
}

// decimalsOf returns the number of digits after the decimal point of a number.
func decimalsOf(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}

// parseScaled parses a number with at most so many decimals and returns it in units of the last decimal: "1.5" with two decimals
// → 150. It rejects numbers of more than 15 digits, so that the sum of two does not overflow.
func parseScaled(number string, decimals int) (int64, error) {
	const most = 15
	pad := decimals - decimalsOf(number)
	if pad < 0 {
		return 0, fmt.Errorf("number %q, expected at most %d decimals", clip(number), decimals)
	}
	if max(len(number)+pad, decimals) > most {
		return 0, fmt.Errorf("number %q, expected at most %d digits", clip(number), most)
	}
	whole, fraction, _ := strings.Cut(number, ".")
	return strconv.ParseInt(whole+fraction+strings.Repeat("0", pad), 10, 64)
}

// clip clips text of any length for a message.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
