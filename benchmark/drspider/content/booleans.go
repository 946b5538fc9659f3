package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// maxBooleans is the most columns that a text with few distinct values becomes:
// enough for the continents and the days of the week.
const maxBooleans = 7

// truths are the two ways in which columns write booleans, in lower case.
var truths = [][2]string{{"f", "t"}, {"no", "yes"}, {"n", "y"}, {"false", "true"}, {"0", "1"}}

// An opposition names a column of two values: what it is about ("gender"), and the
// values ("male", "female").
type opposition struct{ about, present, absent string }

// oppositions are the rows of data/opposites.txt by their adjectives; all other
// adjectives get "not". Opposed has the two values of each, in either order.
var oppositions, opposed = func() (map[string]opposition, map[[2]string]bool) {
	all, pairs := map[string]opposition{}, map[[2]string]bool{}
	for _, row := range wordfile.Rows(oppositeText, 4) {
		o := opposition{row[1], row[2], row[3]}
		all[row[0]] = o
		pairs[[2]string{o.present, o.absent}], pairs[[2]string{o.absent, o.present}] = true, true
	}
	return all, pairs
}()

// booleanToText proposes a column of words for a boolean column: "is male" with 1 and 0 becomes "gender" with "male" and
// "female" (the paper's example). It proposes nothing if the column's name has no natural words for both values.
func booleanToText(c column) []substitution {
	yes := c.booleans()
	what := strings.Join(c.without(words.Words("boolean")...), " ")
	if yes == nil || what == "" || c.words[0] == "no" { // true of "no show" is that nobody came
		return nil
	}
	o, ok := oppositions[what]
	isFeature := strings.Contains(what, " ") && strings.EqualFold(c.values[1].String(), "yes") // "high definition TV" with no and yes
	switch {
	case ok: // a row of data/opposites.txt
	case strings.ContainsAny(what, "0123456789"): // nothing is "not 24 h"
		return nil
	case c.hasWordOf("status"):
		o = opposition{what + " status", what, "not " + what}
	case isFeature, c.has("has") && !english.IsPlural(what): // nobody asks for the availability of pets
		o = opposition{what + " availability", "available", "not available"}
	default:
		return nil
	}
	return []substitution{{
		category: recode.BooleanToText,
		into:     []part{{o.about, dataset.Text}},
		cells: func(i int) []sqldata.Value {
			if yes[i] {
				return []sqldata.Value{text(o.present)}
			}
			return []sqldata.Value{text(o.absent)}
		},
		why: "a boolean in words",
	}}
}

// booleans returns the two values of a boolean column as booleans, in the order of c.values. It returns nil for other columns.
func (c column) booleans() []bool {
	if len(c.values) != 2 {
		return nil
	}
	a, b := strings.ToLower(c.values[0].String()), strings.ToLower(c.values[1].String())
	switch {
	case slices.Contains(truths, [2]string{a, b}):
		return []bool{false, true}
	case slices.Contains(truths, [2]string{b, a}):
		return []bool{true, false}
	}
	return nil
}

// abbreviated are the words for abbreviated values, by the last word of the column's name
// and the value: "sex", "f" → "female".
var abbreviated = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, row := range wordfile.Rows(abbreviatedText, 3) {
		if all[row[0]] == nil {
			all[row[0]] = map[string]string{}
		}
		all[row[0]][row[1]] = row[2]
	}
	return all
}()

// textToBooleans proposes one boolean column for each value of a text column with 2 to [maxBooleans]
// distinct values; for two opposites also either boolean alone. The paper's examples: "hand" becomes "is right
// hand", and "degree" becomes "is bachelor", "is master" and "is PhD". The pet types dog
// and cat need two booleans (table 12), because a reader of the schema cannot infer
// that a pet that is no dog is a cat.
func textToBooleans(c column) []substitution {
	switch n := len(c.texts); {
	case n < 2, n > maxBooleans, !c.categorical(), c.booleans() != nil:
		return nil
	}
	names := make([]part, len(c.texts))
	seen := map[string]bool{"": true} // a value without a name counts as a repeated name
	for i, v := range c.texts {
		name := c.booleanName(v)
		if seen[name] {
			return nil
		}
		seen[name] = true
		names[i] = part{name, dataset.Boolean}
	}
	var out []substitution
	if len(names) == 2 && c.areOpposites() {
		for yes := range names {
			out = append(out, substitution{
				category: recode.TextToBoolean, into: names[yes : yes+1],
				cells: func(i int) []sqldata.Value { return []sqldata.Value{flag(i == yes)} },
				why:   "one of two values",
			})
		}
	}
	return append(out, substitution{
		category: recode.TextToBooleans, into: names,
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

// areOpposites reports whether the column's two texts leave no third value: they are opposites by data/opposites.txt, or
// the column's name allows only two, as "sex" does.
func (c column) areOpposites() bool {
	values := [2]string{strings.ToLower(c.texts[0]), strings.ToLower(c.texts[1])}
	return abbreviated[c.last()] != nil || opposed[values]
}

// kindName matches a column's name up to "name", "code" or what follows "of": "country" of
// "country name", "type" of "type of pet".
var kindName = lazyregexp.New(`^(.+?)( name| code)*( of .*)?$`)

// categorical reports whether the column's name is that of a category, such as "country name" or "type of pet": the last word
// that [kindName] matches ("country", "type") is a listed category or ends in "type".
func (c column) categorical() bool {
	found := kindName.FindStringSubmatch(strings.Join(c.words, " "))
	if found == nil {
		return false
	}
	_, last := english.CutLast(found[1])
	last = english.Singular(last)
	return slices.Contains(words.Words("categories"), last) || strings.HasSuffix(last, "type")
}

// valueForm matches values that make a name.
var valueForm = lazyregexp.New(`^[A-Za-z /-]{2,}$`)

// booleanName returns the name of the boolean column for a value: "is dog", "is from france" for people,
// "is in asia" for other things. It returns "" unless the value is one to three words of letters.
func (c column) booleanName(v string) string {
	v = strings.TrimSpace(v)
	v = cmp.Or(abbreviated[c.last()][strings.ToLower(v)], v) // "female" for "F"
	name := lexicon.Words(v)
	if len(name) < 1 || len(name) > 3 || !valueForm.MatchString(v) {
		return ""
	}
	ofPerson := c.has("country") && containsAny(c.table, words.Words("persons"))
	is := "is"
	switch {
	case ofPerson, c.has("nationality", "citizenship"):
		is = "is from"
	case c.has("country", "continent", "region", "state"):
		is = "is in"
	}
	return is + " " + strings.Join(name, " ")
}
