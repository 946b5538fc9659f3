package questions

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli/question"
)

// flip changes one thing of a question, so that it asks something else.
type flip struct {
	kind  string
	class int
	make  func(rng *rand.Rand, db *database, question string) (string, bool)
}

// flips are all of them.
var flips = []flip{
	{"number", question.Contradiction, flipNumber},
	{"value", question.Contradiction, flipValue},
	{"comparison", question.Contradiction, swapper(comparisons)},
	{"superlative", question.Contradiction, swapper(superlatives)},
	{"order", question.Contradiction, swapper(orders)},
	{"aggregate", question.Contradiction, swapper(aggregates)},
	{"swapped values", question.Contradiction, swapValues},
	{"negation", question.Contradiction, flipNegation},
	{"column", question.Neutral, flipColumn},
	{"table", question.Neutral, flipTable},
	{"lost condition", question.Neutral, loseCondition},
	{"lost column", question.Neutral, loseColumn},
}

// isFlip reports whether pairs of a kind are of a question with itself, changed.
func isFlip(kind string) bool {
	return slices.ContainsFunc(flips, func(f flip) bool { return f.kind == kind })
}

// swap is a phrase with what turns it round.
type swap struct {
	pattern *regexp.Regexp
	others  []string
}

// swaps reads lines "phrase > other, other" as whole words.
func swaps(text string) []swap {
	var out []swap
	for line := range strings.Lines(strings.TrimSpace(text)) {
		phrase, others, _ := strings.Cut(strings.TrimSpace(line), " > ")
		out = append(out, swap{regexp.MustCompile(`(?i)\b` + phrase + `\b`), strings.Split(others, ", ")})
	}
	return out
}

var comparisons = swaps(`
more than > less than, at least, at most
greater than > less than, smaller than
larger than > smaller than
higher than > lower than
older than > younger than
longer than > shorter than
less than > more than, at most
fewer than > more than
lower than > higher than
smaller than > larger than
younger than > older than
shorter than > longer than
heavier than > lighter than
at least > at most, more than, less than
at most > at least, less than, more than
above > below
below > above
after > before
before > after
or more > or less
or less > or more
exceeding > below
`)

var superlatives = swaps(`
most common > least common
most popular > least popular
the most > the least, the fewest
the least > the most
the fewest > the most
highest > lowest
lowest > highest
largest > smallest
smallest > largest
biggest > smallest
greatest > smallest
oldest > youngest
youngest > oldest
longest > shortest
shortest > longest
tallest > shortest
heaviest > lightest
maximum > minimum
minimum > maximum
max > min
min > max
earliest > latest
latest > earliest
most recent > earliest
best > worst
worst > best
cheapest > most expensive
most expensive > cheapest
fastest > slowest
`)

var orders = swaps(`
ascending > descending
descending > ascending
increasing > decreasing
decreasing > increasing
alphabetical order > reverse alphabetical order
alphabetically > in reverse alphabetical order
from high to low > from low to high
from low to high > from high to low
from oldest to youngest > from youngest to oldest
from youngest to oldest > from oldest to youngest
from the oldest to the youngest > from the youngest to the oldest
from the youngest to the oldest > from the oldest to the youngest
`)

var aggregates = swaps(`
average > total, maximum, minimum, lowest
mean > total, maximum
total amount > average amount
maximum > average
minimum > average, total
how many > which, what are the names of the, what is the average of the
`)

// swapper turns round one phrase of the list.
func swapper(list []swap) func(*rand.Rand, *database, string) (string, bool) {
	return func(rng *rand.Rand, _ *database, q string) (string, bool) {
		for _, i := range rng.Perm(len(list)) {
			at := list[i].pattern.FindStringIndex(q)
			if at == nil {
				continue
			}
			others := list[i].others
			return q[:at[0]] + others[rng.IntN(len(others))] + q[at[1]:], true
		}
		return "", false
	}
}

var (
	wholeNumber = regexp.MustCompile(`\b\d+\b`)
	numberWord  = regexp.MustCompile(`(?i)\b(two|three|four|five|six|seven|eight|nine|ten)\b`)
)

// flipNumber changes a number by up to ten, as Dr.Spider changes them.
func flipNumber(rng *rand.Rand, _ *database, q string) (string, bool) {
	if all := wholeNumber.FindAllStringIndex(q, -1); len(all) > 0 {
		at := all[rng.IntN(len(all))]
		n, err := strconv.Atoi(q[at[0]:at[1]])
		if err != nil {
			return "", false
		}
		by := 1 + rng.IntN(10)
		if n > by && rng.IntN(2) == 0 {
			by = -by
		}
		return q[:at[0]] + strconv.Itoa(n+by) + q[at[1]:], true
	}
	words := []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	at := numberWord.FindStringIndex(q)
	if at == nil {
		return "", false
	}
	i := slices.Index(words, strings.ToLower(q[at[0]:at[1]]))
	return q[:at[0]] + words[(i+1+rng.IntN(len(words)-1))%len(words)] + q[at[1]:], true
}

var capital = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{2,})\b`)

// otherNames stand for a name by its capital: places, people and things.
var otherNames = []string{"Brazil", "Germany", "Boston", "Susan", "Kenya", "Miller", "Paris", "Nokia", "Texas", "Linda", "Korea", "Dublin", "Spanish", "Chinese"}

// flipValue replaces a quoted value of a question by another value of the database or by a name, or else a capitalised word
// by a name. It returns false if the question has neither or does not change.
func flipValue(rng *rand.Rand, db *database, q string) (string, bool) {
	if at := quotation.FindStringIndex(q); at != nil {
		now := otherNames[rng.IntN(len(otherNames))]
		if len(db.values) > 1 && rng.IntN(4) > 0 {
			now = db.values[rng.IntN(len(db.values))]
		}
		was := q[at[0]+1 : at[1]-1]
		return q[:at[0]+1] + now + q[at[1]-1:], !strings.EqualFold(now, was)
	}
	at := capital.FindStringSubmatchIndex(q)
	if at == nil || mentions(db, q[at[2]:at[3]]) {
		return "", false
	}
	now := otherNames[rng.IntN(len(otherNames))]
	return q[:at[2]] + now + q[at[3]:], now != q[at[2]:at[3]]
}

var (
	anyValue = regexp.MustCompile(`\B"[^"]{2,40}"\B|\B'[^' ][^']{1,38}'\B|\b\d+\b|\b[A-Z][a-z]{2,}\b`)
	set      = regexp.MustCompile(`(?i)\b(or|between|both|either)\b|^[ ,]*(and)?[ ,]*$`)
)

// swapValues exchanges the only two values of a question, unless they are alternatives of one condition. It returns false for
// any other question.
func swapValues(_ *rand.Rand, db *database, q string) (string, bool) {
	all := lists.Filter(anyValue.FindAllStringIndex(q, -1), func(at []int) bool { return at[0] > 0 && !mentions(db, q[at[0]:at[1]]) })
	if len(all) != 2 || set.MatchString(q[all[0][1]:all[1][0]]) {
		return "", false
	}
	x, y := all[0], all[1]
	now := q[:x[0]] + q[y[0]:y[1]] + q[x[1]:y[0]] + q[x[0]:x[1]] + q[y[1]:]
	return now, !strings.EqualFold(now, q)
}

// mentions reports whether a word is one of the schema's.
func mentions(db *database, word string) bool {
	word = lexicon.Normal(word)
	for _, t := range db.schema.Tables {
		if slices.Contains(strings.Fields(lexicon.Normal(t.Name)), word) {
			return true
		}
		for _, c := range t.Columns {
			if slices.Contains(strings.Fields(lexicon.Normal(c.Name)), word) {
				return true
			}
		}
	}
	return false
}

var (
	negation  = regexp.MustCompile(`(?i)\b(do not|does not|did not|don't|doesn't|didn't|never|not)\s`)
	without   = regexp.MustCompile(`(?i)\bwithout (any )?`)
	doubled   = regexp.MustCompile(`(?i)\b(no|nor|neither|none|only)\b`)
	assertion = regexp.MustCompile(`(?i)\b(who|that|which) (have|has|had|are|is|were|was)\s`)
)

// flipNegation drops a negation or adds one.
func flipNegation(_ *rand.Rand, _ *database, q string) (string, bool) {
	if at := negation.FindStringIndex(q); at != nil {
		if doubled.MatchString(q) {
			return "", false
		}
		return q[:at[0]] + q[at[1]:], true
	}
	if at := without.FindStringIndex(q); at != nil {
		return q[:at[0]] + "with " + q[at[1]:], true
	}
	at := assertion.FindStringSubmatchIndex(q)
	if at == nil || doubled.MatchString(q[at[0]:]) {
		return "", false
	}
	return q[:at[5]] + " not" + q[at[5]:], true
}
