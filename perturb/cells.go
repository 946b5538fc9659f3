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

// Cells returns distinct cells for a column that is added to a table next to the column at index beside, in random order. They
// are of the type typ and come from the first of these that has such cells: the candidate's web table, samples of the table
// itself, the embedded values for its name, and at last random values.
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
	drawn := make([]string, 2*cellCount) // some values come again
	for i := range drawn {
		drawn[i] = draw()
	}
	drawn = distinctCells(drawn, dataset.Text)
	return drawn[:min(len(drawn), cellCount)]
}

// distinctCells returns the cells that have a type, without blanks and repetitions.
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

// ownCells returns samples of a table that resemble the cells of a new column with a name:
//
//   - for times, and texts that are dates, the dates of the column at index beside, or else of any column;
//   - for numbers, the numbers of that column;
//   - for texts, the codes of that column if the new one has codes too, or all texts of one that has the same kind of
//     things, as "former name" has next to "name", and "replacement part" in a table of parts with their names.
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
			if isOther(name, c.Name) || isOther(name, t.Name) && isName(c, t) {
				return c.Samples
			}
		}
	}
	return nil
}

// isName reports whether a column has the names of a table's rows.
func isName(c dataset.Column, t *dataset.Table) bool {
	own, _ := strings.CutPrefix(lexicon.Normal(c.Name), lexicon.Normal(t.Name)+" ")
	return c.Type == dataset.Text && slices.Contains([]string{"name", "title"}, own)
}

// isOther reports whether a name means another thing of the kind that a second name means: "former name" and "name".
func isOther(name, of string) bool {
	first, rest, _ := strings.Cut(lexicon.Normal(name), " ")
	return rest != "" && slices.Contains(otherWords, first) && strings.HasSuffix(" "+lexicon.Normal(of), " "+rest)
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
	first := strings.IndexAny(cell, digits)
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
