package content

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// A pattern splits texts of one form into parts.
type pattern struct {
	why   string
	match *lazyregexp.Regexp // one group a part
	// format joins the parts again. A text that it does not reproduce does not fit; ""
	// accepts every text that matches.
	format string
	types  []dataset.Type // of the parts; numbers lose leading zeros, unless format has them
	// names returns the parts' names, nil where the column's name does not suit the
	// pattern.
	names func(column) []string
}

// maxTextLength bounds the texts that patterns are tried on, in bytes.
const maxTextLength = 200

// dateAndTime is why texts are split that end with a time of day.
const dateAndTime = "date and time"

var patterns = []pattern{
	{"date", lazyregexp.New(`^(\d{4})-(\d\d)-(\d\d)$`), "%04d-%02d-%02d", types("nnn"), ifNamed("dates", dateNames("year month day"))},
	{"date", lazyregexp.New(`^(\d{4})/(\d\d)/(\d\d)$`), "%04d/%02d/%02d", types("nnn"), ifNamed("dates", dateNames("year month day"))},
	{"date", lazyregexp.New(`^(\d\d)/(\d\d)/(\d{4})$`), "%02d/%02d/%04d", types("nnn"), ifNamed("dates", dateNames("month day year"))},
	{"date", lazyregexp.New(`^(\d\d?)/(\d\d?)/(\d{4})$`), "%d/%d/%d", types("nnn"), ifNamed("dates", dateNames("month day year"))},
	{"date", lazyregexp.New(`^([A-Z][a-z]+) (\d\d?), (\d{4})$`), "%s %d, %d", types("tnn"), ifNamed("dates", dateNames("month day year"))},
	{"date", lazyregexp.New(`^([A-Z][a-z]+)(\d\d?),(\d{4})$`), "%s%d,%d", types("tnn"), ifNamed("dates", dateNames("month day year"))},
	{"date", lazyregexp.New(`^(\d\d?) ([A-Z][a-z]+) (\d{4})$`), "%d %s %d", types("ntn"), ifNamed("dates", dateNames("day month year"))},
	{"date", lazyregexp.New(`^(\d\d?) ([A-Z][a-z]+)$`), "%d %s", types("nt"), ifNamed("dates", dateNames("day month"))},
	{dateAndTime, lazyregexp.New(`^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d(?::\d\d)?)$`), "%04d-%02d-%02d %s", types("nnnt"), unlessBirth(ifNamed("dates", dateNames("year month day time")))},
	{dateAndTime, lazyregexp.New(`^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?)$`), "%s %s", types("tt"), timed},
	{"hours, minutes and seconds", lazyregexp.New(`^(\d\d?):(\d\d):(\d\d)$`), "%02d:%02d:%02d", types("nnn"), ifNamed("durations", appendedNames("hours", "minutes", "seconds"))},
	{"minutes and seconds", lazyregexp.New(`^(\d\d?):(\d\d)$`), "%d:%02d", types("nn"), ifNamed("durations", appendedNames("minutes", "seconds"))},
	{"season and year", lazyregexp.New(`^((?i:spring|summer|fall|autumn|winter)) (\d{4})$`), "%s %d", types("tn"), suffixedNames("season", "year", "name")},
	{"local part and domain", lazyregexp.New(`^([^@\s]+)@([^@\s]+)$`), "%s@%s", types("tt"), ifNamed("emails", suffixedNames("user", "domain", "address"))},
	{"number and street", lazyregexp.New(`(?s)^(\d+) (\D.*)$`), "%s %s", types("tt"), ifNamed("streets", fixedNames("house number", "street name"))},
	{"kind and number of a unit", lazyregexp.New(`^([A-Z][a-z]+\.?) (\d+)$`), "%s %s", types("tt"), ifNamed("units of a building", fixedNames("unit type", "unit number"))},
	{"text and number", lazyregexp.New(`^([A-Za-z][A-Za-z -]*) (\d{1,3})$`), "%s %d", types("tn"), ifNamed("counted kinds", appendedNames("name", "number"))},
	{"prefix and number", lazyregexp.New(`^([A-Za-z]+)-(\d+)$`), "%s-%s", types("tt"), ifNamed("codes", suffixedNames("prefix", "number", "number", "no"))},
	{"two numbers", lazyregexp.New(`^(\d+)-(\d+)$`), "%d-%d", types("nn"), ranged},
	{"width and height", lazyregexp.New(`^(\d+) ?[x:] ?(\d+)$`), "", types("nn"), ifNamed("sizes", suffixedNames("width", "height"))},
	{"city and state", lazyregexp.New(`^([^,]+), ([^,]+)$`), "%s, %s", types("tt"), ifNamed("places", suffixedNames("city", "state", "location", "place", "city", "hometown", "birthplace", "residence", "venue"))},
}

// splitText proposes to split a column of texts that all have the form of one of the [patterns]:
// "2001-02-03" → 2001, 2, 3. Each pattern that fits gives a proposal.
func splitText(c column) []substitution {
	var out []substitution
	if len(c.texts) < 2 || len(c.texts) > maxValues { // a single text does not show a form, and every record contains the map of all texts
		return nil
	}
	for _, p := range patterns {
		names := p.names(c)
		if names == nil { // the column's name does not suit the pattern
			continue
		}
		cells := p.split(c.texts)
		if cells == nil {
			continue
		}
		s := substitution{category: recode.TextToTexts, cells: func(i int) []sqldata.Value { return cells[i] }, template: perturb.Template(p.format), why: p.why + ", split"}
		for i, name := range names {
			s.into = append(s.into, part{name, p.types[i]})
		}
		out = append(out, s)
	}
	return out
}

// split returns the parts of each text. It returns nil if a text does not have the pattern's form, or if the pattern is
// of dates with a time and the time is the same in all texts.
func (p *pattern) split(texts []string) [][]sqldata.Value {
	cells := make([][]sqldata.Value, len(texts))
	for i, s := range texts {
		if len(s) > maxTextLength {
			return nil
		}
		found := p.match.FindStringSubmatch(s)
		if found == nil {
			return nil
		}
		var parts []any
		for j, typ := range p.types {
			if typ != dataset.Number {
				cells[i] = append(cells[i], text(found[j+1]))
				parts = append(parts, found[j+1])
				continue
			}
			n, err := strconv.ParseInt(found[j+1], 10, 64)
			if err != nil { // too many digits
				return nil
			}
			cells[i] = append(cells[i], sqldata.NewInt(n))
			parts = append(parts, n)
		}
		if p.format != "" && fmt.Sprintf(p.format, parts...) != s { // the parts do not join to the text again
			return nil
		}
	}
	last := len(p.types) - 1
	differs := func(row []sqldata.Value) bool { return row[last].String() != cells[0][last].String() }
	if p.why == dateAndTime && !slices.ContainsFunc(cells, differs) {
		return nil // nobody keeps the time of dates that are all at midnight
	}
	return cells
}

// types returns a list of types, one for each letter of s: "tn" gives text and number.
func types(s string) []dataset.Type {
	var out []dataset.Type
	for _, r := range s {
		out = append(out, map[rune]dataset.Type{'t': dataset.Text, 'n': dataset.Number}[r])
	}
	return out
}

// ifNamed returns a function that returns names(c) for a column c whose name has a word of the list of data/words.txt, else nil.
func ifNamed(list string, names func(column) []string) func(column) []string {
	return func(c column) []string {
		if !c.hasWordOf(list) {
			return nil
		}
		return names(c)
	}
}

// dateNames returns a function that names each part of a date after the column, with the part in the place of the word "date":
// the year of "air date" is "air year", that of "birthday" is "year of birth".
func dateNames(parts string) func(column) []string {
	return func(c column) []string {
		birth := c.has("birthday", "dob")
		return lists.Map(strings.Fields(parts), func(part string) string {
			if birth {
				return part + " of birth"
			}
			return c.renamed(part, "date", "datetime")
		})
	}
}

// fixedNames returns a function that names the parts of every column alike: names.
func fixedNames(names ...string) func(column) []string {
	return func(column) []string { return names }
}

// appendedNames returns a function that names each part by the column's name and a word: "duration minutes" and
// "duration seconds" for "duration".
func appendedNames(parts ...string) func(column) []string {
	return func(c column) []string {
		return lists.Map(parts, func(part string) string { return join(c.words, part) })
	}
}

// timed returns the names of the date and the time of a column: "created date" and "created time" for "created", "arrived date"
// and "arrived time" for "date arrived", "valid from date" and "valid from time" for "date valid from". It returns nil if one of
// these would be the column's own name, and for dates of birth.
func timed(c column) []string {
	about := c.without("date", "time", "datetime")
	switch {
	case len(about) == 0, c.last() == "date", c.last() == "time", c.isBirth():
		return nil
	case english.IsPreposition(c.last()) && c.last() != "at" && c.last() != "on": // keep "from", but "weighed at" gives "weighed date"
		about = append(about, c.last())
	}
	return []string{join(about, "date"), join(about, "time")}
}

// isBirth reports whether a column has dates of birth, of which nobody keeps the time of day.
func (c column) isBirth() bool { return c.has("birth", "born", "birthday", "dob", "birthdate") }

// unlessBirth returns a function that returns names(c) for a column c, but nil for dates of birth.
func unlessBirth(names func(column) []string) func(column) []string {
	return func(c column) []string {
		if c.isBirth() {
			return nil
		}
		return names(c)
	}
}

// suffixedNames returns a function that names two parts by the column's name, less the words of without, and the words first and
// second: "email user" and "email domain" for "email address".
func suffixedNames(first, second string, without ...string) func(column) []string {
	return func(c column) []string {
		base := c.without(without...)
		return []string{join(base, first), join(base, second)}
	}
}

// ranged returns the names of the two numbers of a score ("goals for", "goals against") or of a range ("start of years",
// "end of years"), and nil for other columns.
func ranged(c column) []string {
	name := strings.Join(c.words, " ")
	switch {
	case c.hasWordOf("scores"):
		return suffixedNames("for", "against")(c)
	case c.hasWordOf("ranges"):
		return []string{"start of " + name, "end of " + name}
	}
	return nil
}
