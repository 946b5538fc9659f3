package suite

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// applyAffinity returns a value as a column of an affinity stores it: the text "12" becomes the integer 12
// in a numeric column.
func applyAffinity(a sqlite.Affinity, v sqldata.Value) sqldata.Value {
	number := v.IsNumber()
	switch {
	case a == sqlite.BlobAffinity:
		return v
	case a == sqlite.TextAffinity && number:
		return sqldata.NewText(v.String())
	case a == sqlite.TextAffinity:
		return v
	case v.Kind() == sqldata.Text: // in a column of numbers
		if n, ok := parseNumber(v.Bytes()); ok {
			v, number = n, true
		}
	}
	if !number {
		return v
	}
	switch f := v.Float(); {
	case a == sqlite.RealAffinity:
		return sqldata.NewFloat(f)
	case v.Kind() == sqldata.Real && f == math.Trunc(f) && math.Abs(f) < 1<<51: // SQLite converts no larger ones
		return sqldata.NewInt(int64(f))
	}
	return v
}

// parseNumber parses text that SQLite takes for a number.
func parseNumber(s string) (sqldata.Value, bool) {
	if s = strings.Trim(s, " \t\n\r\f"); s == "" || strings.Trim(s, "+-.0123456789eE") != "" {
		return sqldata.Value{}, false
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return sqldata.NewInt(i), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return sqldata.Value{}, false
	}
	return sqldata.NewFloat(f), true
}

// contentKind is the kind of the values that random contents have in a column.
type contentKind int

const (
	words contentKind = iota
	integers
	reals
	dates
	digits // numbers as text
	flags  // 0 and 1
)

var (
	datePattern   = lazyregexp.New(`^\d{4}-\d\d?-\d\d?`)
	timestampType = lazyregexp.New(`(?i)datetime|timestamp`) // types of dates with a time
)

// contentKindOf returns the kind of a column's cells: that of nine tenths of its content or, if there
// is none, the one that its declared type suggests.
func contentKindOf(c *column) contentKind {
	counts := map[contentKind]int{}
	for _, v := range c.values {
		counts[kindOfValue(v)]++
	}
	for k, n := range counts {
		if 10*n > 9*len(c.values) && !(c.rowid && k != integers) { // an alias of the row id stores nothing but integers
			return k
		}
	}
	switch typ := strings.ToUpper(c.typ); {
	case strings.Contains(typ, "BOOL"):
		return flags
	case strings.Contains(typ, "YEAR"):
		return integers
	case strings.Contains(typ, "DATE"), strings.Contains(typ, "TIME"):
		return dates
	}
	switch c.affine {
	case sqlite.IntegerAffinity, sqlite.NumericAffinity:
		return integers
	case sqlite.RealAffinity:
		return reals
	}
	return words
}

// kindOfValue returns the kind of one cell.
func kindOfValue(v sqldata.Value) contentKind {
	switch v.Kind() {
	case sqldata.Integer:
		return integers
	case sqldata.Real:
		return reals
	}
	s := v.Bytes()
	if _, ok := parseNumber(s); ok {
		return digits
	}
	if datePattern.MatchString(s) {
		return dates
	}
	return words
}

// randomValue draws a value of the column's kind, from a narrow or a wide range.
func (c *column) randomValue(rng *rand.Rand, wide bool) sqldata.Value {
	switch c.kind {
	case integers:
		return sqldata.NewInt(c.randomInteger(rng, wide))
	case digits:
		return sqldata.NewText(strconv.FormatInt(c.randomInteger(rng, wide), 10))
	case reals:
		if wide {
			return sqldata.NewFloat(math.Round(rng.Float64()*1e7) / 1000)
		}
		return sqldata.NewFloat(float64(rng.IntN(40)) / 4)
	case dates:
		years := 3
		if wide {
			years = 60
		}
		date := make([]byte, 0, len("2006-01-02 15:04:05"))
		date = appendDate(date, rng, 2020-rng.IntN(years))
		if timestampType.MatchString(c.typ) {
			date = append(date, " 0"...)
			date = strconv.AppendInt(date, int64(rng.IntN(10)), 10)
			date = append(date, ":00:00"...)
		}
		return sqldata.NewText(string(date))
	case flags:
		return sqldata.NewInt(rng.Int64N(2))
	}
	word := randomWord(rng)
	if !wide {
		word = word[:1+rng.IntN(2)]
	}
	return sqldata.NewText(word)
}

// randomInteger draws an integer: a year if the column is named so, else from a narrow or wide range.
func (c *column) randomInteger(rng *rand.Rand, wide bool) int64 {
	switch {
	case strings.Contains(strings.ToLower(c.name), "year"):
		return 2020 - rng.Int64N(40)
	case !wide:
		return rng.Int64N(10)
	case rng.IntN(4) == 0:
		return rng.Int64N(1 << 31)
	}
	return rng.Int64N(10_000)
}

// appendDate appends a random day of a year, such as 2012-05-28.
func appendDate(date []byte, rng *rand.Rand, year int) []byte {
	date = strconv.AppendInt(date, int64(year), 10)
	for _, n := range []int{12, 28} { // months, and the days that every month has
		date = append(date, '-')
		d := 1 + rng.IntN(n)
		date = append(date, byte('0'+d/10), byte('0'+d%10))
	}
	return date
}

// nearMiss returns a value close to a constant (section 4.1): a number that differs by one or
// a thousandth; a string with a random word before or after it, with another last
// character, a part of it, or itself in other case. Other case is not in the paper, whose
// figure 8 takes "=" and LIKE of one string for equivalent; only other case shows that
// they are not.
func nearMiss(rng *rand.Rand, v sqldata.Value) sqldata.Value {
	switch v.Kind() {
	case sqldata.Integer:
		return sqldata.NewInt(v.Int() + []int64{-1, 1, -1, 1, 2, 10}[rng.IntN(6)])
	case sqldata.Real:
		return sqldata.NewFloat(math.Round((v.Float()+[]float64{-realStep, realStep, -1, 1}[rng.IntN(4)])*1e6) / 1e6)
	case sqldata.Text:
	default:
		return v
	}
	s := v.Bytes()
	if n, ok := parseNumber(s); ok && rng.IntN(2) == 0 {
		return sqldata.NewText(nearMiss(rng, n).String())
	}
	switch rng.IntN(6) {
	case 5:
		if other := otherCase(s); other != s { // else the text has no letters
			return sqldata.NewText(other)
		}
	case 0:
		return sqldata.NewText(s + randomWord(rng))
	case 1:
		return sqldata.NewText(randomWord(rng) + s)
	case 2:
		return sqldata.NewText(randomWord(rng) + s + randomWord(rng))
	case 3:
		return sqldata.NewText(adjacentText(rng, s))
	}
	return sqldata.NewText(substring(rng, s)) // case 4, and case 5 without letters
}

// otherCase returns a string in upper case or, if it is in upper case already, in lower case.
func otherCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}

// adjacentText returns a string that sorts shortly before or after s: "cat" → "cas" or "cau".
func adjacentText(rng *rand.Rand, s string) string {
	if s == "" {
		return "a"
	}
	last := s[len(s)-1]
	if last <= ' ' || last >= '~' {
		return s + "a"
	}
	return s[:len(s)-1] + string(rune(int(last)+[]int{-1, 1}[rng.IntN(2)]))
}
