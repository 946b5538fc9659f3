package content

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxBooleans is the most columns that a text with few distinct values becomes:
// enough for the continents and the days of the week.
const maxBooleans = 7

// truths are the two ways in which columns write booleans, in lower case.
var truths = [][2]string{{"f", "t"}, {"no", "yes"}, {"n", "y"}, {"false", "true"}, {"0", "1"}}

// opposites are adjectives with what stands for their absence, and the word for
// both; all others get "not".
var opposites = map[string][3]string{
	"male":       {"gender", "male", "female"},
	"female":     {"gender", "female", "male"},
	"full time":  {"employment type", "full time", "part time"},
	"part time":  {"employment type", "part time", "full time"},
	"official":   {"official status", "official", "unofficial"},
	"active":     {"status", "active", "inactive"},
	"available":  {"availability", "available", "unavailable"},
	"public":     {"access", "public", "private"},
	"private":    {"access", "private", "public"},
	"paid":       {"payment status", "paid", "unpaid"},
	"valid":      {"validity", "valid", "invalid"},
	"complete":   {"status", "complete", "incomplete"},
	"completed":  {"status", "completed", "not completed"},
	"legal":      {"legal status", "legal", "illegal"},
	"open":       {"status", "open", "closed"},
	"closed":     {"status", "closed", "open"},
	"new":        {"condition", "new", "used"},
	"used":       {"condition", "used", "new"},
	"alive":      {"status", "alive", "dead"},
	"dead":       {"status", "dead", "alive"},
	"online":     {"status", "online", "offline"},
	"married":    {"marital status", "married", "unmarried"},
	"indoor":     {"setting", "indoor", "outdoor"},
	"outdoor":    {"setting", "outdoor", "indoor"},
	"domestic":   {"scope", "domestic", "international"},
	"temporary":  {"duration type", "temporary", "permanent"},
	"permanent":  {"duration type", "permanent", "temporary"},
	"employed":   {"employment status", "employed", "unemployed"},
	"home":       {"venue type", "home", "away"},
	"retired":    {"status", "retired", "active"},
	"successful": {"outcome", "successful", "unsuccessful"},
	"winner":     {"outcome", "won", "lost"},
}

// booleanToText gives the two values of a boolean words. The paper's example is
// is male, which becomes gender.
func booleanToText(c column) []substitution {
	yes := c.truth()
	if yes == nil {
		return nil
	}
	about := c.without("is", "if", "was", "has", "yn", "yes", "or", "no", "flag", "indicator")
	if len(about) == 0 {
		return nil
	}
	what := strings.Join(about, " ")
	o, ok := opposites[what]
	switch {
	case ok:
	case c.has("is", "was", "yn", "no", "flag"):
		o = [3]string{what + " status", what, "not " + what}
	case c.has("has") || len(about) > 1 && strings.EqualFold(c.values[1].String(), "yes"): // high definition TV
		o = [3]string{what + " availability", "available", "not available"}
	default:
		return nil
	}
	return []substitution{{
		category: perturb.BooleanToText,
		into:     []part{{o[0], dataset.Text}},
		cells: func(i int) []sqldata.Value {
			if yes[i] {
				return []sqldata.Value{text(o[1])}
			}
			return []sqldata.Value{text(o[2])}
		},
		why: "a boolean in words",
	}}
}

// truth returns the values of a boolean column as such, nil where it is none.
func (c column) truth() []bool {
	if len(c.values) != 2 {
		return nil
	}
	for _, pair := range truths {
		out := make([]bool, 2)
		for i, v := range c.values {
			at := slices.Index(pair[:], strings.ToLower(v.String()))
			if at < 0 {
				out = nil
				break
			}
			out[i] = at == 1
		}
		if out != nil && out[0] != out[1] {
			return out
		}
	}
	return nil
}

// categories are the last words of columns whose values are kinds or groups.
var categories = strings.Fields(`type kind category class status sex gender hand degree country nationality citizenship
	continent language format result role level option disposition cause purpose surface color colour size breed region
	position grade genre rating party religion race ethnicity season term shift rank department division league medium
	quality priority mode state outcome conference branch subject brand fuel transmission description diet shape material
	climate plan method channel currency visibility tier stage summary zone area sector industry occupation`)

// abbreviated are the values that stand for a word in columns of a name.
var abbreviated = map[string]map[string]string{
	"sex":    {"f": "female", "m": "male"},
	"gender": {"f": "female", "m": "male"},
	"hand":   {"l": "left handed", "r": "right handed"},
}

// textToBooleans turns a text with few distinct values into booleans, one each. Of
// two that are opposites, one says it as well. The paper's examples are hand, which
// becomes is right hand, and degree, which becomes is bachelor, is master and is
// PhD; of two types of pets it has is dog and is cat (table 12), since that
// something is no dog does not say to a reader of the schema that it is a cat.
func textToBooleans(c column) []substitution {
	if n := len(c.texts); n < 2 || n > maxBooleans || !c.categorical() || c.truth() != nil {
		return nil
	}
	names := make([]part, len(c.texts))
	seen := map[string]bool{}
	for i, v := range c.texts {
		name := c.isValue(v)
		if name == "" || seen[name] {
			return nil
		}
		seen[name] = true
		names[i] = part{name, dataset.Boolean}
	}
	var out []substitution
	if len(names) == 2 && c.opposed() {
		for yes := range names {
			out = append(out, substitution{
				category: perturb.TextToBoolean, into: names[yes : yes+1],
				cells: func(i int) []sqldata.Value { return []sqldata.Value{flag(i == yes)} },
				why:   "one of two values",
			})
		}
	}
	return append(out, substitution{
		category: perturb.TextToBooleans, into: names,
		cells: func(i int) []sqldata.Value {
			row := make([]sqldata.Value, len(names))
			for j := range row {
				row[j] = flag(i == j)
			}
			return row
		},
		why: "one of few values each",
	})
}

// opposed tells whether two values are all that there can be: they are opposites, or
// those of a column that has no others.
func (c column) opposed() bool {
	if abbreviated[c.last()] != nil {
		return true
	}
	a, b := strings.ToLower(c.texts[0]), strings.ToLower(c.texts[1])
	for _, o := range opposites {
		if o[1] == a && o[2] == b || o[1] == b && o[2] == a {
			return true
		}
	}
	return false
}

// categorical tells whether the column's name speaks of kinds: its last word, but
// for "name" and "code", or the one before "of".
func (c column) categorical() bool {
	words := slices.Clone(c.words)
	if of := slices.Index(words, "of"); of > 0 {
		words = words[:of]
	}
	for len(words) > 1 && (words[len(words)-1] == "name" || words[len(words)-1] == "code") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := english.Singular(words[len(words)-1])
	return slices.Contains(categories, last) || strings.HasSuffix(last, "type")
}

// isValue returns the name of a boolean for a value: "is dog", "is from france" for
// where people are from, "is in asia" for where other things are. It returns ""
// where the value makes no name.
func (c column) isValue(v string) string {
	v = strings.TrimSpace(v)
	if long := abbreviated[c.last()][strings.ToLower(v)]; long != "" {
		v = long
	}
	words := lexicon.Words(v)
	if len(words) == 0 || len(words) > 3 || len([]rune(v)) < 2 {
		return ""
	}
	for _, r := range v {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !strings.ContainsRune(" -/", r) {
			return ""
		}
	}
	is := "is"
	switch {
	case c.has("nationality", "citizenship"), c.has("country") && containsAny(c.table, persons):
		is = "is from"
	case c.has("country", "continent", "region", "state"):
		is = "is in"
	}
	return is + " " + strings.Join(words, " ")
}
