package content

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// referenceYear is the year in which ages and durations are read, that of Spider's
// release. A column with later years uses its latest.
const referenceYear = 2018

// linearSubstitution returns the substitution of the column of numbers c by a column called name, which holds scale*x + offset
// for each number x.
func linearSubstitution(c column, name string, scale, offset int64, why string) substitution {
	return substitution{
		category: recode.NumberToNumber,
		into:     []part{{name, dataset.Number}},
		linear:   &recode.Linear{Scale: scale, Offset: offset, Digits: c.digits()},
		why:      why,
	}
}

// integers returns the least and the greatest value of a column of whole numbers, and false for other columns.
// Texts of digits are whole numbers if all have the same length, because only then do they
// sort as numbers.
func (c column) integers() (least, greatest int64, ok bool) {
	if !c.numbers && c.digits() == 0 {
		return 0, 0, false
	}
	whole := make([]int64, len(c.values))
	for i, v := range c.values {
		if whole[i], ok = wholeNumber(v); !ok {
			return 0, 0, false
		}
	}
	return slices.Min(whole), slices.Max(whole), true
}

// wholeNumber returns a number or a text as an integer, and false where it is no whole number.
func wholeNumber(v sqldata.Value) (int64, bool) {
	if v.Kind() == sqldata.Real {
		n := int64(v.Float())
		return n, float64(n) == v.Float()
	}
	n, err := strconv.ParseInt(v.String(), 10, 64)
	return n, err == nil
}

// digitForm matches texts of digits.
var digitForm = lazyregexp.New(`^[0-9]{1,9}$`)

// digits returns the length of the values if all are texts of equally many digits (4 for years as text), else 0.
func (c column) digits() int {
	for _, s := range c.texts {
		if len(s) != len(c.texts[0]) || !digitForm.MatchString(s) {
			return 0
		}
	}
	if len(c.texts) == 0 {
		return 0
	}
	return len(c.texts[0])
}

// A count recognises columns of ages, calendar years or the like, and replaces them.
type count struct {
	last            string     // the last word of the column's name, "" for any
	words           [][]string // the name has one word of each of these
	without         []string   // and none of these
	least, greatest int64      // bounds of the values
	into            func(c column, least, greatest int64) []substitution
}

// counts are tried in order; the first that fits is used.
var counts = []count{
	{last: "age", without: words.Words("averaged"), greatest: 130, into: ages},
	{words: [][]string{{"birth"}, {"year"}}, without: words.Words("averaged"), least: 1800, greatest: 2100, into: birthYears},
	{words: [][]string{{"year"}, words.Words("service")}, without: words.Words("averaged"), greatest: 80, into: service},
	{last: "grade", without: words.Words("averaged"), least: 9, greatest: 12, into: grades},
	{words: [][]string{{"year"}}, without: []string{"birth"}, least: 1000, greatest: 2100, into: years},
}

// counted proposes ages and years in another form: "age" 30 → "birth year" 1988. The first of [counts] whose name and bounds
// the column fits makes the proposals.
func counted(c column) []substitution {
	least, greatest, ok := c.integers()
	if !ok {
		return nil
	}
	for _, n := range counts {
		if n.least <= least && greatest <= n.greatest && n.matchesName(c) {
			return n.into(c, least, greatest)
		}
	}
	return nil
}

// matchesName reports whether the column's name has a word of each list in n.words and none of n.without, and ends in n.last if that is set.
func (n count) matchesName(c column) bool {
	for _, words := range n.words {
		if !c.has(words...) {
			return false
		}
	}
	return !c.has(n.without...) && (n.last == "" || n.last == c.last())
}

// ages proposes the year of birth for an age, and also the age in months where no age is above 18.
func ages(c column, _, greatest int64) []substitution {
	out := []substitution{linearSubstitution(c, c.renamed("birth year", "age"), -1, referenceYear, "an age in "+strconv.Itoa(referenceYear)+", as the year of birth")}
	if greatest <= 18 { // of children and animals
		out = append(out, linearSubstitution(c, c.renamed("age in months", "age"), 12, 0, "an age in months"))
	}
	return out
}

// birthYears proposes the age for a year of birth.
func birthYears(c column, _, greatest int64) []substitution {
	year := max(referenceYear, greatest) // no age is negative
	return []substitution{linearSubstitution(c, c.renamed("age", "birth", "year"), -1, year, "a year of birth, as the age in "+strconv.FormatInt(year, 10))}
}

// service proposes the year in which a service began, and its months, for its length in years.
func service(c column, _, _ int64) []substitution {
	return []substitution{
		linearSubstitution(c, join(c.without("year", "number"), "start year"), -1, referenceYear, "years up to "+strconv.Itoa(referenceYear)+", as the year of the beginning"),
		linearSubstitution(c, c.renamed("months", "year"), 12, 0, "years as months"),
	}
}

// grades proposes the years of high school, 1 to 4, for the grades 9 to 12.
func grades(c column, _, _ int64) []substitution {
	return []substitution{linearSubstitution(c, "high school year", 1, -8, "grades 9 to 12 as the years of high school")}
}

// years proposes the last two digits for calendar years of one century, and the years since the first century's
// beginning for years of several centuries. "Years ago" would count from a year that no question names.
func years(c column, least, greatest int64) []substitution {
	century := 100 * (least / 100)
	if greatest-century < 100 {
		return []substitution{linearSubstitution(c, "two digit "+strings.Join(c.words, " "), 1, -century, "a year without its century")}
	}
	first := strconv.FormatInt(century, 10)
	return []substitution{linearSubstitution(c, join(c.without("year", "date"), "years since "+first), 1, -century, "a year, counted from "+first)}
}

// A unit is a unit of measurement that can be converted into another: a row of
// data/units.txt, which explains the fields. A value is multiplied by per/over.
type unit struct {
	words, quantities []string
	least, greatest   float64
	per, over         int64
	name              string // of the other unit
	why               string
}

var unitList = func() (list []unit) {
	for _, row := range wordfile.Rows(unitText, 8) {
		u := unit{words: strings.Fields(row[0]), quantities: strings.Fields(row[1]), name: row[6], why: row[7]}
		if _, err := fmt.Sscan(strings.Join(row[2:6], " "), &u.least, &u.greatest, &u.per, &u.over); err != nil {
			panic(fmt.Sprintf("unit %q: %v", row, err)) // the file is part of this package
		}
		list = append(list, u)
	}
	return list
}()

// units proposes measures in other units: "length in km" → "length in miles". A column that names no unit gets the unit
// that is usual for its quantity, if its values are in the unit's range: "height" of 1.2 to 2.6 → "height in centimeters".
func units(c column) []substitution {
	values := c.decimals()
	if values == nil || c.hasWordOf("no measure") {
		return nil
	}
	size := func(a, b sqldata.Value) int { return cmp.Compare(a.Float(), b.Float()) }
	least, greatest := slices.MinFunc(values, size).Float(), slices.MaxFunc(values, size).Float()
	byName := func(u unit) bool { return !c.has("per") && c.has(u.words...) }    // no unit to convert: the kilogram of a price per kilogram
	named := c.hasWordOf("other units") || slices.ContainsFunc(unitList, byName) // the column's name has a unit
	var out []substitution
	for _, u := range unitList {
		name := ""
		switch {
		case least < u.least, greatest > u.greatest:
			continue
		case byName(u):
			name = c.renamed(u.name, u.words...)
		case !named && c.measures(u.quantities):
			name = join(c.words, u.name)
		default:
			continue
		}
		s := linearSubstitution(c, name, u.per, 0, u.why)
		s.linear.Over = u.over                  // values are multiplied by per/over
		if !c.numbers && s.linear.Digits == 0 { // texts of several lengths
			s.cells, s.linear = s.cellByCell(values), nil
		}
		out = append(out, s)
	}
	return out
}

// longestUnit is the number of letters up to which a word counts as the short form of a unit.
const longestUnit = 3

// measures reports whether a column's name has one of the quantities without a unit. A short word after the quantity is its
// unit, as in "capacity teu", but not in a name with "per": "price per kg" is money.
func (c column) measures(quantities []string) bool {
	at := slices.IndexFunc(c.words, func(w string) bool { return containsAny([]string{w}, quantities) })
	isUnit := func(w string) bool { return len(w) <= longestUnit && !english.IsFunction(w) }
	return at >= 0 && (c.has("per") || !slices.ContainsFunc(c.words[at+1:], isUnit))
}

// decimalForm matches numbers as they are written in text: 7.50, but not 1e3.
var decimalForm = lazyregexp.New(`^([0-9]+\.?[0-9]*|\.[0-9]+)$`)

// decimals returns the values as numbers, or nil if one is no number. Texts of digits, with or
// without a point, count as numbers; of more than [maxValues] texts it returns nil.
func (c column) decimals() []sqldata.Value {
	if c.numbers {
		return c.values
	}
	if len(c.texts) > maxValues {
		return nil
	}
	var out []sqldata.Value
	for _, s := range c.texts {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !decimalForm.MatchString(s) {
			return nil
		}
		out = append(out, sqldata.NewFloat(f))
	}
	return out
}

// cellByCell returns a function that applies the linear map of s to the number values[i] and returns the new cell. Numbers stored as
// texts of several lengths do not sort as numbers, so their map lists them cell by cell.
func (s substitution) cellByCell(values []sqldata.Value) func(int) []sqldata.Value {
	m := recode.Map{Linear: s.linear}
	return func(i int) []sqldata.Value {
		now, err := m.Apply(values[i], 1) // a list of one new value
		if err != nil {                   // the new number is out of range: NULL
			return []sqldata.Value{{}}
		}
		return now
	}
}
