package abstain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// search looks for what else in a database may give the values of a column. It errs on the side of finding.
type search struct {
	*perturb.Pass
	names    *names
	frames   map[int][]frame             // by table
	searched map[dataset.ColumnRef]error // what was found for a column; nil for nothing
}

// newSearch returns a search in the database of a pass.
func newSearch(p *perturb.Pass, senses *perturb.Senses) search {
	return search{Pass: p, names: newNames(p, senses), frames: map[int][]frame{}, searched: map[dataset.ColumnRef]error{}}
}

// elsewhere returns a [*perturb.Refusal] if something else in the database may give the values of a column, or if another column
// holds a text with which the gold SQL of an example compares it. It searches once for each column.
func (s *search) elsewhere(ex *perturb.Example, ref dataset.ColumnRef) error {
	found, ok := s.searched[ref]
	if !ok {
		for _, look := range []func(dataset.ColumnRef) error{s.names.alike, s.sameValues, s.determined} {
			if found = look(ref); found != nil {
				break
			}
		}
		if s.Context.Err() != nil {
			return s.Context.Err()
		}
		s.searched[ref] = found
	}
	if found != nil {
		return found
	}
	return s.constantElsewhere(ex, ref)
}

// refusalBy returns the refusal of a column whose values the column at by may give.
func refusalBy(db *dataset.Database, reason perturb.Reason, ref, by dataset.ColumnRef) error {
	return &perturb.Refusal{Reason: reason, Detail: db.ColumnID(ref).String() + " by " + db.ColumnID(by).String()}
}

// shortText is the length in bytes below which a text is part of others by chance.
const shortText = 3

// overlap reports whether two folded cells are equal, or both have shortText bytes or more and one is part of the other.
func overlap(a, b string) bool {
	return a == b || min(len(a), len(b)) >= shortText && (strings.Contains(a, b) || strings.Contains(b, a))
}

// constantElsewhere returns a refusal if a column other than ref holds a text with which the gold SQL compares ref.
func (s *search) constantElsewhere(ex *perturb.Example, ref dataset.ColumnRef) error {
	texts := constants(s.DB, ex, ref)
	for by := range s.DB.AllColumns() {
		if by == ref || len(texts) == 0 {
			continue
		}
		for _, v := range s.Content.Distinct(s.Context, by) {
			value := fold(v)
			for _, text := range texts {
				if overlap(value, text) {
					return refusalBy(s.DB, "same-values", ref, by)
				}
			}
		}
	}
	return nil
}

// sharedValues is the share of the distinct texts of a column from which on another column with these texts may give its values.
const sharedValues = 0.25

// sameValues returns a refusal if another column of the database holds at least the share sharedValues of a column's texts.
func (s *search) sameValues(ref dataset.ColumnRef) error {
	texts := s.texts(ref)
	for by := range s.DB.AllColumns() {
		if by == ref || len(texts) == 0 {
			continue
		}
		shared := 0
		for text := range s.texts(by) {
			if texts[text] {
				shared++
			}
		}
		if float64(shared) >= sharedValues*float64(len(texts)) {
			return refusalBy(s.DB, "same-values", ref, by)
		}
	}
	return nil
}

// texts returns the distinct texts of a column that are no numbers, folded.
func (s *search) texts(ref dataset.ColumnRef) map[string]bool {
	texts := map[string]bool{}
	for _, v := range s.Content.Distinct(s.Context, ref) {
		if _, isNumber := sqldata.ParseNumber(v.String()); v.Kind() == sqldata.Text && !isNumber && fold(v) != "" {
			texts[fold(v)] = true
		}
	}
	return texts
}

// fold returns the form in which cells are compared; "" for NULL.
func fold(v sqldata.Value) string {
	if v.IsNull() {
		return ""
	}
	return foldText(v.String())
}

// foldText returns a text in lower case, with a blank for all that is neither letter, digit nor point.
func foldText(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	}), " ")
}

// frame holds rows of a table, alone or with the rows of another table that a key joins to it.
type frame struct {
	joined  bool
	columns []dataset.ColumnRef
	rows    [][]sqldata.Value
}

// maxFrame bounds the rows of a frame.
const maxFrame = 1000

// framesOf returns the frames of a table: its first rows alone, and for each foreign key from it or to it its first rows joined with
// those of the other table.
func (s *search) framesOf(t int) []frame {
	if frames, ok := s.frames[t]; ok {
		return frames
	}
	frames := []frame{s.readFrame(t, t, "")}
	for _, k := range s.DB.ForeignKeys {
		mine, its := k.Column, k.Target
		if mine.Table != t {
			mine, its = its, mine
		}
		if mine.Table != t || its.Table == t { // a key of other tables, or within the table
			continue
		}
		on := fmt.Sprintf(" JOIN %s AS b ON a.%s = b.%s", s.quoted(its.Table), sqldata.QuoteName(s.DB.Column(mine).Original), sqldata.QuoteName(s.DB.Column(its).Original))
		frames = append(frames, s.readFrame(t, its.Table, on))
	}
	s.frames[t] = frames
	return frames
}

// quoted returns the name of a table for SQL.
func (s *search) quoted(t int) string { return sqldata.QuoteName(s.DB.Tables[t].Original) }

// readFrame reads the first maxFrame rows of table t or, if the SQL join is not "", of t joined with table by. A frame that cannot be
// read has no rows.
func (s *search) readFrame(t, by int, join string) frame {
	f := frame{joined: join != ""}
	var list []string
	for ref := range s.DB.AllColumns() {
		alias := "a"
		if ref.Table == by && f.joined {
			alias = "b"
		} else if ref.Table != t {
			continue
		}
		f.columns = append(f.columns, ref)
		list = append(list, alias+"."+sqldata.QuoteName(s.DB.Column(ref).Original))
	}
	res, err := s.Content.Query(s.Context, fmt.Sprintf("SELECT %s FROM %s AS a%s LIMIT %d", strings.Join(list, ", "), s.quoted(t), join, maxFrame))
	if err == nil {
		f.rows = res.Rows
	}
	return f
}

// determined returns a refusal if the rows of its table, alone or joined by a key, show that another column agrees with a column,
// determines it or sorts its rows alike, or that it is computed from other columns of the table.
func (s *search) determined(ref dataset.ColumnRef) error {
	for _, f := range s.framesOf(ref.Table) {
		x := f.cells(slices.Index(f.columns, ref))
		for i, by := range f.columns {
			if by == ref || f.joined && by.Table == ref.Table { // its own table has a frame of its own
				continue
			}
			y := f.cells(i)
			if agree(x, y) {
				return refusalBy(s.DB, "same-values", ref, by)
			}
			isKey := perturb.IsKey(s.DB, by) // a key determines every column of its row
			if !isKey && (follows(x, y) || sameOrder(x, y)) {
				return refusalBy(s.DB, "determined", ref, by)
			}
		}
		if !f.joined && f.computed(x, ref) {
			return &perturb.Refusal{Reason: "determined", Detail: s.DB.ColumnID(ref).String() + " by arithmetic"}
		}
	}
	return nil
}

// cells returns a column of the frame.
func (f *frame) cells(i int) []sqldata.Value {
	return lists.Map(f.rows, func(row []sqldata.Value) sqldata.Value { return row[i] })
}

// agree reports whether the cells of two columns overlap in at least a quarter of the rows in which both have one.
func agree(x, y []sqldata.Value) bool {
	rows, equal := 0, 0
	for i := range x {
		a, b := fold(x[i]), fold(y[i])
		if a == "" || b == "" {
			continue
		}
		rows++
		if overlap(a, b) {
			equal++
		}
	}
	return rows > 0 && float64(equal) >= sharedValues*float64(rows)
}

// follows reports whether the cells of y determine those of x, as a city determines its country: each value of y comes with one value of
// x only, x has several values, and values of y repeat in a fifth of the rows or more, without which that would prove nothing.
func follows(x, y []sqldata.Value) bool {
	of, values := map[string]string{}, map[string]bool{}
	for i := range x {
		a, b := fold(x[i]), fold(y[i])
		if known, ok := of[b]; ok && known != a {
			return false
		}
		of[b], values[a] = a, true
	}
	return len(values) > 1 && 5*len(of) <= 4*len(x)
}

// The rows and the rank correlation from which on two columns of numbers sort their rows alike.
const (
	leastOrdered = 6
	alikeOrder   = 0.9
	maxOrdered   = 200
)

// sameOrder reports whether the numbers of two columns sort the first maxOrdered rows alike, in one direction or the other.
func sameOrder(x, y []sqldata.Value) bool {
	var a, b []float64
	for i := range x[:min(len(x), maxOrdered)] {
		if x[i].IsNumber() && y[i].IsNumber() {
			a, b = append(a, x[i].Float()), append(b, y[i].Float())
		}
	}
	return len(a) >= leastOrdered && math.Abs(float64(stats.KendallTau(a, b))) >= alikeOrder
}

// maxTerms bounds the number of numeric columns for which sums, products and quotients are tried.
const maxTerms = 10

// computed reports whether x, the cells of the column at ref, can be computed from other columns of the frame: as the sum of some of
// them, as a summand of one that is a sum, or as the product or quotient of two, also in another unit.
func (f *frame) computed(x []sqldata.Value, ref dataset.ColumnRef) bool {
	var terms [][]sqldata.Value
	for i, by := range f.columns {
		if y := f.cells(i); by != ref && slices.ContainsFunc(y, sqldata.Value.IsNumber) && len(terms) < maxTerms {
			terms = append(terms, y)
		}
	}
	for set := 1; set < 1<<len(terms); set++ { // each set of terms, a bit for each
		sum := func(row int) float64 { return sumOf(terms, set, row) }
		if holds(x, sum) {
			return true
		}
		for i, whole := range terms {
			isOutside := set&(1<<i) == 0
			if isOutside && holds(whole, func(row int) float64 { return x[row].Float() + sum(row) }) {
				return true
			}
		}
	}
	for _, y := range terms {
		for _, z := range terms {
			product := func(row int) float64 { return y[row].Float() * z[row].Float() }
			quotient := func(row int) float64 { return y[row].Float() / z[row].Float() }
			for _, compute := range []func(int) float64{product, quotient} {
				if holds(x, compute) || scaled(x, compute) {
					return true
				}
			}
		}
	}
	return false
}

// sumOf returns the sum of a row over the columns whose bit is in set.
func sumOf(terms [][]sqldata.Value, set, row int) (sum float64) {
	for i, y := range terms {
		if set&(1<<i) != 0 {
			sum += y[row].Float()
		}
	}
	return sum
}

// leastComputed is the number of rows from which on arithmetic is no chance. The comparison of a column ends early if more than maxMissed
// of its rows, and most so far, differ from what is computed.
const leastComputed, maxMissed = 3, 2

// holds reports whether at least half of the numbers of a column other than 0 are what a computation gives, to a thousandth. It returns
// false for fewer than leastComputed such numbers, and early if more than maxMissed, and most so far, are not.
func holds(x []sqldata.Value, compute func(row int) float64) bool {
	rows, right := 0, 0
	for i := range x {
		if !x[i].IsNumber() || x[i].Float() == 0 {
			continue
		}
		rows++
		if math.Abs(compute(i)-x[i].Float()) <= 0.001*math.Abs(x[i].Float()) {
			right++
		}
		if rows-right > maxMissed && 2*right < rows {
			return false
		}
	}
	return rows >= leastComputed && 2*right >= rows
}

// scaled reports whether the numbers of a column are what a computation gives times a constant: crimes per 1,000 inhabitants. It
// returns false for fewer than leastOrdered rows and for a column of one number, as these prove nothing.
func scaled(x []sqldata.Value, compute func(row int) float64) bool {
	var numbers, factors []float64
	for i := range x {
		n, y := x[i].Float(), compute(i)
		isDivisor := y != 0 && !math.IsNaN(y) && !math.IsInf(y, 0)
		if x[i].IsNumber() && n != 0 && isDivisor {
			numbers, factors = append(numbers, n), append(factors, n/y)
		}
	}
	return len(factors) >= leastOrdered && isConstant(factors) && !isConstant(numbers)
}

// isConstant reports whether at least nine of ten numbers are equal to their median, to a hundredth, as numbers may be rounded.
func isConstant(numbers []float64) bool {
	sorted := slices.Sorted(slices.Values(numbers))
	middle := sorted[len(sorted)/2]
	isNear := func(n float64) bool { return math.Abs(n-middle) <= 0.01*math.Abs(middle) }
	return 10*lists.Count(numbers, isNear) >= 9*len(numbers)
}
