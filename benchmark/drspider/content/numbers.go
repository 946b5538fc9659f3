package content

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// referenceYear is the year from which ages and years past are counted: that of
// Spider's release. A column with later years counts from its latest.
const referenceYear = 2018

// linear proposes a number x as scale*x + offset.
func linear(c column, name string, scale, offset int64, why string) substitution {
	return substitution{
		category: perturb.NumberToNumber,
		into:     []part{{name, dataset.Number}},
		linear:   &perturb.Linear{Scale: scale, Offset: offset, Digits: c.digits()},
		why:      why,
	}
}

// integers returns the values as whole numbers, and false where one is none. Text
// counts where all values have the same number of digits: only then do they sort
// as numbers.
func (c column) integers() (least, greatest int64, ok bool) {
	if !c.numbers && c.digits() == 0 {
		return 0, 0, false
	}
	for i, v := range c.values {
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if v.Kind() == sqldata.Real {
			n, err = int64(v.Float()), nil
			if float64(n) != v.Float() {
				return 0, 0, false
			}
		}
		if err != nil {
			return 0, 0, false
		}
		if i == 0 {
			least, greatest = n, n
		}
		least, greatest = min(least, n), max(greatest, n)
	}
	return least, greatest, true
}

// digits returns how many digits each value has, where all are text and have
// equally many; else 0.
func (c column) digits() int {
	if len(c.texts) == 0 || len(c.texts[0]) > 9 {
		return 0
	}
	for _, s := range c.texts {
		if len(s) != len(c.texts[0]) || strings.Trim(s, "0123456789") != "" {
			return 0
		}
	}
	return len(c.texts[0])
}

// ages turns ages into years of birth and back, and time served into the year of
// its beginning.
func ages(c column) []substitution {
	least, greatest, ok := c.integers()
	if !ok || c.has("average", "avg", "mean", "group", "minimum", "maximum", "limit") {
		return nil
	}
	year := max(referenceYear, greatest)
	switch {
	case c.last() == "age" && least >= 0 && greatest <= 130:
		out := []substitution{linear(c, c.name("birth year", "age"), -1, referenceYear, "an age in "+strconv.Itoa(referenceYear)+", as the year of birth")}
		if greatest <= 18 { // of children and animals
			out = append(out, linear(c, c.name("age in months", "age"), 12, 0, "an age in months"))
		}
		return out
	case c.has("birth") && c.has("year") && least >= 1800 && greatest <= 2100:
		return []substitution{linear(c, c.name("age", "birth", "year"), -1, year, "a year of birth, as the age in "+strconv.FormatInt(year, 10))}
	case c.has("year") && c.has("work", "working", "experience", "service", "employment", "served", "tenure") && least >= 0 && greatest <= 80:
		return []substitution{
			linear(c, join(c.without("year", "number"), "start year"), -1, referenceYear, "years up to "+strconv.Itoa(referenceYear)+", as the year of the beginning"),
			linear(c, c.name("months", "year"), 12, 0, "years as months"),
		}
	case c.last() == "grade" && least >= 9 && greatest <= 12:
		return []substitution{
			linear(c, "high school year", 1, -8, "grades 9 to 12 as the years of high school"),
		}
	}
	return nil
}

// years turns calendar years of one century into its two digits, and those of
// several into years since the first of them: both names tell from when they count.
// Years past would be counted from a year that no question names.
func years(c column) []substitution {
	least, greatest, ok := c.integers()
	if !ok || !c.has("year") || c.has("birth") || least < 1000 || greatest > 2100 {
		return nil
	}
	century := 100 * (least / 100)
	if greatest-century < 100 {
		return []substitution{linear(c, "two digit "+strings.Join(c.words, " "), 1, -century, "a year without its century")}
	}
	first := strconv.FormatInt(century, 10)
	return []substitution{linear(c, join(c.without("year", "date"), "years since "+first), 1, -century, "a year, counted from "+first)}
}

// A unit is a unit of measurement beside which there is another.
type unit struct {
	// A column has the unit by one of these words of its name, or as what columns of
	// these quantities have where they name no unit.
	words, quantities []string
	// least and greatest bound the values, so that the unit of a quantity is plain; no
	// bounds where greatest is 0.
	least, greatest float64
	per, over       int64  // how many of the other are one: per, or the fraction of over
	name            string // of the other; it stands in the place of words, or at the end
	why             string
}

const (
	smaller  = "a measure in a smaller unit"
	larger   = "a measure in a larger unit"
	cents    = "money in its hundredth part"
	thousand = "counted in thousands"
)

var money = strings.Fields("price cost fee salary earning bonus budget revenue income spent charge wage payment expense profit fine deposit donation rent money")

// otherUnits are words that name a unit as well: no other is assumed then.
var otherUnits = strings.Fields("g gram mg milligram t ton tonne oz ounce st stone mm millimeter m inch yard yd mile sq acre ha hectare sqft sqm k usd cent thousandth ms year month day")

// unitList holds units of which the name or the values leave little doubt. People
// are measured in metres or centimetres and pets and people weighed in kilograms,
// land is in square kilometres; were it another unit, the map would hold and only
// the new name be wrong.
var unitList = []unit{
	{words: []string{"minute"}, per: 60, name: "seconds", why: smaller},
	{words: []string{"hour", "hr"}, per: 60, name: "minutes", why: smaller},
	{words: []string{"seconds", "sec"}, per: 1000, name: "milliseconds", why: smaller},
	{words: []string{"week"}, per: 7, name: "days", why: smaller},
	{words: []string{"km", "kilometer", "kilometre"}, per: 1000, name: "meters", why: smaller},
	{words: []string{"kg", "kilogram"}, per: 1000, name: "grams", why: smaller},
	{words: []string{"lb", "lbs", "pound"}, per: 16, name: "ounces", why: smaller},
	{words: []string{"feet", "ft"}, per: 12, name: "inches", why: smaller},
	{words: []string{"meter", "metre"}, per: 100, name: "centimeters", why: smaller},
	{words: []string{"cm", "centimeter"}, per: 10, name: "millimeters", why: smaller},
	{words: []string{"cm", "centimeter"}, per: 1, over: 100, name: "meters", why: larger},
	{words: []string{"billion"}, per: 1000, name: "millions", why: smaller},
	{words: []string{"million"}, per: 1000, name: "thousands", why: smaller},
	{words: []string{"million"}, per: 1_000_000, why: smaller},
	{words: []string{"million"}, per: 1, over: 1000, name: "billions", why: larger},
	{words: []string{"thousand"}, per: 1000, why: smaller},
	{words: []string{"percentage", "percent", "pct"}, greatest: 100, per: 10, name: "per mille", why: smaller},
	{words: []string{"percentage", "percent", "pct"}, greatest: 100, per: 1, over: 100, name: "fraction", why: "a percentage as a fraction of 1"},
	{quantities: []string{"height"}, least: 1.2, greatest: 2.6, per: 100, name: "in centimeters", why: smaller},
	{quantities: []string{"height"}, least: 120, greatest: 260, per: 10, name: "in millimeters", why: smaller},
	{quantities: []string{"height"}, least: 120, greatest: 260, per: 1, over: 100, name: "in meters", why: larger},
	{quantities: []string{"weight"}, least: 0.5, greatest: 500, per: 1000, name: "in grams", why: smaller},
	{quantities: []string{"surface"}, greatest: 1e9, per: 100, name: "in hectares", why: smaller},
	{quantities: []string{"surface"}, greatest: 1e9, per: 1_000_000, name: "in square meters", why: smaller},
	{quantities: []string{"expectancy"}, least: 20, greatest: 110, per: 12, name: "in months", why: smaller},
	{quantities: money, greatest: 1e9, per: 100, name: "in cents", why: cents},
	{quantities: money, least: 1000, greatest: 1e12, per: 1, over: 1000, name: "in thousands", why: thousand},
	{quantities: strings.Fields("population"), greatest: 1e12, per: 1, over: 1000, name: "in thousands", why: thousand},
	{quantities: strings.Fields("population"), least: 100_000, greatest: 1e12, per: 1, over: 1_000_000, name: "in millions", why: "counted in millions"},
	{quantities: strings.Fields("sale weight capacity attendance vote viewer visitor"), least: 500, greatest: 1e12, per: 1, over: 1000, name: "in thousands", why: thousand},
}

// units writes a measure in another unit.
func units(c column) []substitution {
	values := c.decimals()
	if values == nil || c.has("code", "id", "number", "count", "type", "rank", "rate", "ratio", "index") {
		return nil
	}
	least, greatest := values[0].Float(), values[0].Float()
	for _, v := range values {
		least, greatest = min(least, v.Float()), max(greatest, v.Float())
	}
	per := c.has("per") // of a price per kilogram the kilogram is no unit to change
	named := !per && slices.ContainsFunc(unitList, func(u unit) bool { return c.has(u.words...) }) || c.has(otherUnits...)
	var out []substitution
	for _, u := range unitList {
		byName := !per && c.has(u.words...)
		if !byName && (named || !c.has(u.quantities...)) || u.greatest > 0 && (least < u.least || greatest > u.greatest) {
			continue
		}
		name := join(c.words, u.name)
		if byName {
			name = c.name(u.name, u.words...)
		}
		s := linear(c, name, u.per, 0, u.why)
		s.linear.Over = u.over
		if !c.numbers && s.linear.Digits == 0 {
			s.cells, s.linear = s.each(values), nil
		}
		out = append(out, s)
	}
	return out
}

// decimals returns the values as numbers, nil where one is none. Text counts that
// is digits with or without a point, as it was written: 7.50, but not 1e3.
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
		if err != nil || strings.Trim(s, "0123456789.") != "" {
			return nil
		}
		out = append(out, sqldata.NewFloat(f))
	}
	return out
}

// each returns the cells of a linear map of numbers that are stored as text, not
// all of one length: their order is not that of the texts, so the map lists them.
func (s substitution) each(values []sqldata.Value) func(int) []sqldata.Value {
	m := perturb.ValueMap{Linear: s.linear}
	return func(i int) []sqldata.Value {
		now, err := m.Apply(values[i], 1)
		if err != nil { // no value of a linear map of numbers
			return []sqldata.Value{{}}
		}
		return now
	}
}
