package content

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// A pattern splits texts of one form into parts.
type pattern struct {
	why   string
	match *regexp.Regexp // one group a part
	// format joins the parts again, with %v for each; what does not come out as it
	// was does not fit.
	format string
	types  []dataset.Type // of the parts; numbers lose leading zeros, unless format has them
	// names returns the parts' names, nil where the column's name does not go with
	// the pattern.
	names func(column) []string
}

// maxTextLength bounds the texts that patterns are tried on, in bytes.
const maxTextLength = 200

var patterns = []pattern{
	{"date", regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)$`), "%04d-%02d-%02d", types("nnn"), dated("year month day")},
	{"date", regexp.MustCompile(`^(\d{4})/(\d\d)/(\d\d)$`), "%04d/%02d/%02d", types("nnn"), dated("year month day")},
	{"date", regexp.MustCompile(`^(\d\d)/(\d\d)/(\d{4})$`), "%02d/%02d/%04d", types("nnn"), dated("month day year")},
	{"date", regexp.MustCompile(`^(\d\d?)/(\d\d?)/(\d{4})$`), "%d/%d/%d", types("nnn"), dated("month day year")},
	{"date", regexp.MustCompile(`^([A-Z][a-z]+) (\d\d?), (\d{4})$`), "%s %d, %d", types("tnn"), dated("month day year")},
	{"date", regexp.MustCompile(`^([A-Z][a-z]+)(\d\d?),(\d{4})$`), "%s%d,%d", types("tnn"), dated("month day year")},
	{"date", regexp.MustCompile(`^(\d\d?) ([A-Z][a-z]+) (\d{4})$`), "%d %s %d", types("ntn"), dated("day month year")},
	{"date", regexp.MustCompile(`^(\d\d?) ([A-Z][a-z]+)$`), "%d %s", types("nt"), dated("day month")},
	{"date and time", regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d(?::\d\d)?)$`), "%04d-%02d-%02d %s", types("nnnt"), dated("year month day time")},
	{"date and time", regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?)$`), "%s %s", types("tt"), timed},
	{"hours, minutes and seconds", regexp.MustCompile(`^(\d\d?):(\d\d):(\d\d)$`), "%02d:%02d:%02d", types("nnn"), clocked("hours minutes seconds")},
	{"minutes and seconds", regexp.MustCompile(`^(\d\d?):(\d\d)$`), "%d:%02d", types("nn"), clocked("minutes seconds")},
	{"season and year", regexp.MustCompile(`^((?i:spring|summer|fall|autumn|winter)) (\d{4})$`), "%s %d", types("tn"), suffixed("season", "year", "name")},
	{"local part and domain", regexp.MustCompile(`^([^@\s]+)@([^@\s]+)$`), "%s@%s", types("tt"), emailed},
	{"number and street", regexp.MustCompile(`(?s)^(\d+) (\D.*)$`), "%s %s", types("tt"), streets},
	{"kind and number of a unit", regexp.MustCompile(`^([A-Z][a-z]+\.?) (\d+)$`), "%s %s", types("tt"), unitNames},
	{"text and number", regexp.MustCompile(`^([A-Za-z][A-Za-z -]*) (\d{1,3})$`), "%s %d", types("tn"), numbered},
	{"prefix and number", regexp.MustCompile(`^([A-Za-z]+)-(\d+)$`), "%s-%s", types("tt"), coded},
	{"two numbers", regexp.MustCompile(`^(\d+)-(\d+)$`), "%d-%d", types("nn"), ranged},
	{"width and height", regexp.MustCompile(`^(\d+) ?[x:] ?(\d+)$`), "", types("nn"), sized},
	{"city and state", regexp.MustCompile(`^([^,]+), ([^,]+)$`), "%s, %s", types("tt"), located},
}

// splitText splits texts that all have one of the forms of patterns.
func splitText(c column) []substitution {
	var out []substitution
	if len(c.texts) < 2 || len(c.texts) > maxValues {
		return nil
	}
	for _, p := range patterns {
		names := p.names(c)
		if len(names) != len(p.types) {
			continue
		}
		if cells := p.split(c.texts); cells != nil {
			s := substitution{category: perturb.TextToTexts, cells: func(i int) []sqldata.Value { return cells[i] }, why: p.why + ", split"}
			for i, name := range names {
				s.into = append(s.into, part{name, p.types[i]})
			}
			out = append(out, s)
		}
	}
	return out
}

// split returns the parts of the texts, nil where one has another form.
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
			if err != nil {
				return nil
			}
			cells[i] = append(cells[i], sqldata.NewInt(n))
			parts = append(parts, n)
		}
		if p.format != "" && fmt.Sprintf(p.format, parts...) != s {
			return nil
		}
	}
	return cells
}

// types reads "tn" as text and number.
func types(s string) []dataset.Type {
	var out []dataset.Type
	for _, r := range s {
		out = append(out, map[rune]dataset.Type{'t': dataset.Text, 'n': dataset.Number}[r])
	}
	return out
}

// dated puts the parts of a date in the place of the word "date": "air date"
// becomes "air year".
func dated(parts string) func(column) []string {
	return func(c column) []string {
		if !c.has("date", "birthday", "dob", "datetime") {
			return nil
		}
		var names []string
		for _, p := range strings.Fields(parts) {
			if c.has("birthday", "dob") {
				names = append(names, p+" of birth")
				continue
			}
			names = append(names, c.name(p, "date", "datetime"))
		}
		return names
	}
}

// clocked puts the parts of a duration behind the words for what lasts.
func clocked(parts string) func(column) []string {
	return func(c column) []string {
		if !c.has("duration", "length", "runtime", "playtime") {
			return nil
		}
		var names []string
		for _, p := range strings.Fields(parts) {
			names = append(names, join(c.words, p))
		}
		return names
	}
}

// timed names date and time, where that gives two new names: "created" becomes
// "created date" and "created time", "date arrived" becomes "arrived date" and
// "arrived time".
func timed(c column) []string {
	about := c.without("date", "time", "datetime")
	if len(about) == 0 || c.last() == "date" || c.last() == "time" {
		return nil
	}
	return []string{join(about, "date"), join(about, "time")}
}

// suffixed puts words behind the column's name, without some of its words.
func suffixed(first, second string, without ...string) func(column) []string {
	return func(c column) []string {
		base := c.without(without...)
		return []string{join(base, first), join(base, second)}
	}
}

func emailed(c column) []string {
	if !c.has("email", "mail") {
		return nil
	}
	return suffixed("user", "domain", "address")(c)
}

func streets(c column) []string {
	if !c.has("street", "address", "line") {
		return nil
	}
	return []string{"house number", "street name"}
}

func unitNames(c column) []string {
	if !c.has("line", "apartment", "unit", "suite") {
		return nil
	}
	return []string{"unit type", "unit number"}
}

// numbered is for kinds that are counted through: "Auditions 1", "Auditions 2".
func numbered(c column) []string {
	if !c.has("type", "round", "stage", "level", "phase", "series") {
		return nil
	}
	return []string{join(c.words, "name"), join(c.words, "number")}
}

func coded(c column) []string {
	if !c.has("code", "number", "no", "model", "serial") {
		return nil
	}
	return suffixed("prefix", "number", "number", "no")(c)
}

func ranged(c column) []string {
	switch {
	case c.has("score", "result"):
		return suffixed("for", "against")(c)
	case c.has("range", "interval", "group", "season", "term", "period"):
		return []string{join(nil, "start of "+strings.Join(c.words, " ")), join(nil, "end of "+strings.Join(c.words, " "))}
	}
	return nil
}

func sized(c column) []string {
	if !c.has("size", "dimension", "resolution", "ratio", "screen") {
		return nil
	}
	return suffixed("width", "height")(c)
}

func located(c column) []string {
	if !c.has("location", "place", "city", "hometown", "birthplace", "residence", "venue", "origin") {
		return nil
	}
	base := c.without("location", "place", "city", "hometown", "birthplace", "residence", "venue")
	return []string{join(base, "city"), join(base, "state")}
}
