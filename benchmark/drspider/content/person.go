package content

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// doers are nouns for people by what they did: "writer" by "written", for the values of a
// column "written by". doerParticiples are the keys, such as "written".
var doers, doerParticiples = func() (map[string]string, []string) {
	people, verbs := map[string]string{}, []string{}
	for _, row := range wordfile.Rows(doerText, 2) {
		people[row[0]] = row[1]
		verbs = append(verbs, row[0])
	}
	return people, verbs
}()

// maxMononyms is the greatest share of names of one word ("Timbaland"), whose last name is
// empty.
const maxMononyms = 0.25

// splitName proposes to split the names of people at their first blank: "name" becomes "first name" and "last name" (the
// paper's example). The column's name must be one for people's names, and all its texts must look like names.
func splitName(c column) []substitution {
	if !c.namesPeople() || slices.ContainsFunc(c.texts, func(v string) bool { return !personal.MatchString(strings.TrimSpace(v)) }) {
		return nil
	}
	owner := c.owner()
	return c.splitInTwo(nameParts, join(owner, "first name"), join(owner, "last name"), "names of people, split at the first blank")
}

// splitInTwo proposes to split texts by the function cut into two columns called first and second. It proposes nothing if the
// second part is "" in more than the share [maxMononyms] of the texts.
func (c column) splitInTwo(cut func(string) (string, string), first, second, why string) []substitution {
	if len(c.texts) == 0 || len(c.texts) > maxValues {
		return nil
	}
	single := lists.Count(c.texts, func(v string) bool { _, rest := cut(v); return rest == "" })
	if float64(single) > maxMononyms*float64(len(c.texts)) {
		return nil
	}
	return []substitution{{
		category: recode.TextToTexts,
		into:     []part{{first, dataset.Text}, {second, dataset.Text}},
		cells: func(i int) []sqldata.Value {
			a, b := cut(c.texts[i])
			return []sqldata.Value{text(a), text(b)}
		},
		template: "%s %s",
		why:      why,
	}}
}

// nameParts splits a name at its first blank. A rest that is only the Roman numeral of a ruler stays in the first name
// ("Baldwin I"), and the last name is "".
func nameParts(name string) (first, last string) {
	first, last, _ = strings.Cut(name, " ")
	if last != "" && strings.Trim(last, "IVX") == "" {
		return name, ""
	}
	return first, last
}

// owner returns the words that go before "first name" for the people whose names the column holds: "manager" for "manager name",
// "writer" for "written by". It leaves out words of the table's name, and returns nil if the table is about these people.
func (c column) owner() []string {
	words := c.without("full", "name")
	if who := doers[c.participleBeforeBy()]; who != "" {
		words = []string{who}
	}
	if len(words) > 0 && containsAny(c.table, words[len(words)-1:]) {
		return nil // a player name of players
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return containsAny(c.table, []string{w}) }) // "manager" for an area manager of areas
}

// namesPeople reports whether the column holds names of people, by its own name: "name"
// in a table of people, "manager name", "author", "written by". The quoted lists of words are those of data/words.txt.
func (c column) namesPeople() bool {
	if c.hasWordOf("other names") {
		return false
	}
	about := c.without("full", "name")
	switch {
	case len(about) == 0: // "name", "full name"
		return c.last() == "name" && containsAny(c.table, words.Words("persons"))
	case c.participleBeforeBy() != "": // "written by"
		return c.has(doerParticiples...)
	case c.last() == "name": // "manager name"
		return containsAny(about[len(about)-1:], words.Words("persons"))
	}
	return containsAny([]string{c.last()}, words.Words("titles")) // "author"
}

// participleBeforeBy returns the word before "by" at the end of the column's name, or "".
func (c column) participleBeforeBy() string {
	if len(c.words) < 2 || c.last() != "by" {
		return ""
	}
	return c.words[len(c.words)-2]
}

// personal matches texts that can be a person's name: letters, and marks within
// words.
var personal = lazyregexp.New(`^[\pL\pM .'’-]+$`)

// join returns the words and one more, joined by blanks.
func join(words []string, more string) string {
	return strings.Join(append(append([]string(nil), words...), more), " ")
}

// splitMake proposes to split the makes of vehicles at their first blank into brand and
// model: "ford", "galaxie 500". On average two texts or more must have the same first word, else it is no brand.
func splitMake(c column) []substitution {
	if !slices.Contains([]string{"make", "vehicle"}, c.last()) {
		return nil
	}
	cut := func(s string) (brand, model string) {
		brand, model, _ = strings.Cut(s, " ")
		return brand, model
	}
	brands := map[string]bool{}
	for _, v := range c.texts {
		brand, _ := cut(v)
		brands[brand] = true
	}
	if 2*len(brands) > len(c.texts) {
		return nil
	}
	return c.splitInTwo(cut, "brand", "model name", "brand and model, split at the first blank")
}
