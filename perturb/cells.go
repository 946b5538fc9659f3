package perturb

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// cellCount is how many distinct cells an added column repeats.
const cellCount = 12

// Cells returns at most cellCount distinct cells of type typ, in random order, for a column named c.Name that is added to t next to
// the column at index beside. It uses the first source that has cells of that type: the candidate's web table (c.Cells), samples
// of t, the embedded values for the name, else random values.
func Cells(rng *rand.Rand, c dataset.Candidate, typ dataset.Type, t *dataset.Table, beside int) []string {
	if typ == dataset.Text && lastWord(c.Name) == "date" { // databases without a type of dates store them as texts
		typ = dataset.Time
	}
	if cells := distinctCells(c.Cells, typ); len(cells) > 0 {
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		return cells[:min(len(cells), cellCount)]
	}
	draw := func() string { return randomCell(rng, c.Name, typ) }
	if own := ownCells(c.Name, typ, t, beside); len(own) > 0 {
		draw = func() string { return varied(rng, own[rng.IntN(len(own))], typ) }
	} else if kind, ok := lexicon.DefaultCells().Like(c.Name); ok && dataset.Type(kind.Type) == typ {
		draw = func() string { return kind.Value(rng) }
	}
	drawn := make([]string, 2*cellCount) // twice as many as needed, as draws repeat
	for i := range drawn {
		drawn[i] = draw()
	}
	drawn = distinctCells(drawn, dataset.Text) // as Text: they have their type already
	return drawn[:min(len(drawn), cellCount)]
}

// distinctCells returns the cells without surrounding blanks, empty cells and repetitions. For [dataset.Number] it also drops
// cells that are no numbers and removes commas: "1,200" becomes "1200".
func distinctCells(from []string, typ dataset.Type) (cells []string) {
	seen := map[string]bool{"": true}
	for _, cell := range from {
		cell = strings.TrimSpace(cell)
		if typ == dataset.Number {
			cell = strings.ReplaceAll(cell, ",", "")
			if _, ok := sqldata.ParseNumber(cell); !ok {
				continue
			}
		}
		if !seen[cell] {
			seen[cell] = true
			cells = append(cells, cell)
		}
	}
	return cells
}

// ownCells returns samples of t that resemble the cells of a new column with that name and type next to the column at index beside;
// nil if there are none:
//
//   - for times, the dates of the neighbour, else of the first column that has dates;
//   - for numbers, unless the new column is an id, the numbers of the neighbour;
//   - for codes ("zip code"), the samples of the neighbour that have digits;
//   - for other texts, the samples of the first column for the same kind of thing: "name" for "former name", or the names of the
//     rows of table "parts" for "replacement part".
func ownCells(name string, typ dataset.Type, t *dataset.Table, beside int) []string {
	near := t.Columns[beside]
	switch {
	case typ == dataset.Time:
		for _, c := range append([]dataset.Column{near}, t.Columns...) {
			if dates := lists.Filter(c.Samples, isDate); len(dates) > 0 {
				return dates
			}
		}
	case typ == dataset.Number && near.Type == typ && lastWord(name) != "id":
		return distinctCells(near.Samples, typ)
	case typ == dataset.Text && isCode(name):
		return lists.Filter(near.Samples, func(s string) bool { return strings.ContainsAny(s, digits) })
	case typ == dataset.Text:
		for _, c := range append([]dataset.Column{near}, t.Columns...) {
			if isVariantOf(name, c.Name) || isVariantOf(name, t.Name) && isName(c, t) {
				return c.Samples
			}
		}
	}
	return nil
}

// isName reports whether a text column names the rows of its table: "name", "title" or "singer name" in table singer.
func isName(c dataset.Column, t *dataset.Table) bool {
	own, _ := strings.CutPrefix(lexicon.Normal(c.Name), lexicon.Normal(t.Name)+" ")
	return c.Type == dataset.Text && slices.Contains([]string{"name", "title"}, own)
}

// isVariantOf reports whether a name is one of otherWords and then the last words of base: "former name" for "name" or "stage name".
func isVariantOf(name, base string) bool {
	first, rest, _ := strings.Cut(lexicon.Normal(name), " ")
	return rest != "" && slices.Contains(otherWords, first) && strings.HasSuffix(" "+lexicon.Normal(base), " "+rest)
}

// otherWords begin the names of other things of a kind.
var otherWords = strings.Fields("former previous last next old new other second secondary alternate alternative parent related prerequisite replacement")

const digits = "0123456789"

// lastWord returns the last word of a name, "" for none.
func lastWord(name string) string {
	words := lexicon.Words(name)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// isCode reports whether a column with a name holds identifiers of letters and digits.
func isCode(name string) bool {
	return slices.Contains([]string{"number", "code", "no", "id", "phone", "fax"}, lastWord(name))
}

// isDate reports whether a cell begins with a date.
func isDate(cell string) bool {
	_, err := time.Parse(time.DateOnly, cell[:min(len(cell), len(time.DateOnly))])
	return err == nil
}

// varied returns a cell that resembles a given one: a date up to 200 days before or after it, a number of half to one and a
// half times its size, or its text with all digits but the first replaced.
func varied(rng *rand.Rand, cell string, typ dataset.Type) string {
	switch typ {
	case dataset.Time:
		day, _ := time.Parse(time.DateOnly, cell[:len(time.DateOnly)])
		return day.AddDate(0, 0, rng.IntN(401)-200).Format(time.DateOnly) + cell[len(time.DateOnly):]
	case dataset.Number:
		n, _ := strconv.ParseFloat(cell, 64)
		_, decimals, _ := strings.Cut(cell, ".")
		return strconv.FormatFloat(n*(0.5+rng.Float64()), 'f', min(len(decimals), 4), 64)
	}
	text := []byte(cell)
	first := strings.IndexAny(cell, digits) // -1 for a text without digits, which stays
	for i := first + 1; first >= 0 && i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' {
			text[i] = digits[rng.IntN(len(digits))]
		}
	}
	return string(text)
}

// randomCell returns a random value of a type: "1987" for a number whose name has "year", "motto 7"
// for a text named "motto".
func randomCell(rng *rand.Rand, name string, typ dataset.Type) string {
	switch typ {
	case dataset.Number:
		if strings.Contains(name, "year") {
			return strconv.Itoa(1950 + rng.IntN(75))
		}
		return strconv.Itoa(1 + rng.IntN(1000))
	case dataset.Time:
		return fmt.Sprintf("%d-%02d-%02d", 1980+rng.IntN(45), 1+rng.IntN(12), 1+rng.IntN(28))
	case dataset.Boolean:
		return []string{"T", "F"}[rng.IntN(2)]
	}
	return fmt.Sprintf("%s %d", cmp.Or(lastWord(name), "value"), 1+rng.IntN(99))
}
