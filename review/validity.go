package review

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Grade is the grade of a judge for a name on a sheet.
type Grade byte

// The grades that are not invalid.
const (
	Valid    Grade = 'y'
	Close    Grade = 'Y' // valid, and easily taken for the column
	Doubtful Grade = 'b'
)

// invalidGrades are the letters of the reasons why a name is invalid; sheetHead explains them.
const invalidGrades = "sunoedi"

// valid reports whether the grade is [Valid] or [Close].
func (g Grade) valid() bool { return slices.Contains([]Grade{Valid, Close}, g) }

// lenient reports whether the grade counts as valid if doubtful names do.
func (g Grade) lenient() bool { return g.valid() || g == Doubtful }

// close reports whether the grade is [Close].
func (g Grade) close() bool { return g == Close }

// Judge is one who judged the names of a sheet.
type Judge struct {
	Name    string `json:"name"` // of the file
	Judged  int    `json:"judged"`
	Missing int    `json:"missing"`

	grades map[int]Grade // by the name's number
}

// readNameKey reads the key of a sheet of names.
func readNameKey(sheet string, report func(error)) ([]SheetName, error) {
	sides := dataset.Sides()
	return readKey(sheet, report, func(n *SheetName) (int, error) {
		if !slices.Contains(sides[:], n.Bucket) {
			return n.Number, fmt.Errorf("bucket is %q, expected replace or add", dataset.Clip(string(n.Bucket)))
		}
		return n.Number, nil
	})
}

// readKey reads the lines of the key of a sheet. check returns the number of a line on the sheet, or an error. A line that cannot be
// used, or that repeats a number, is reported and left out.
func readKey[T any](sheet string, report func(error), check func(*T) (number int, err error)) (key []T, err error) {
	path, seen := filepath.Join(sheet, KeyFile), map[int]bool{}
	err = dataset.Records(path, report, func(raw dataset.Raw) (line T, err error) {
		if err = dataset.Decode(raw.JSON, &line); err != nil {
			return line, err
		}
		number, err := check(&line)
		if number < 1 || seen[number] {
			err = fmt.Errorf("number is %d, expected one from 1 that no other has", number)
		}
		seen[number] = seen[number] || err == nil
		return line, err
	}, func(line T) error {
		key = append(key, line)
		return nil
	})
	if err == nil && len(key) == 0 {
		err = fmt.Errorf("%s: holds no line, expected the key of a sheet", path)
	}
	return key, err
}

// nameForm is the form of a line of a judge's file on a sheet of names.
const nameForm = "NUMBER TAB GRADE"

// readGrades reads a judge's file on a sheet of names. A line that cannot be used is
// reported and left out.
func readGrades(path string, key []SheetName, report func(error)) (*Judge, error) {
	buckets := map[int]dataset.Side{}
	for i := range key {
		buckets[key[i].Number] = key[i].Bucket
	}
	return readJudge(path, nameForm, slices.Collect(maps.Keys(buckets)), report, func(line string) (int, Grade, error) {
		return parseNameGrade(line, buckets)
	})
}

// readJudge reads a judge's file on a sheet with the given numbers. parse returns the number and the grade of a line; form describes
// lines for messages. A line that cannot be used is reported and left out. A file without a grade is an error.
func readJudge(path, form string, numbers []int, report func(error), parse func(line string) (int, Grade, error)) (*Judge, error) {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	j := &Judge{Name: path, grades: map[int]Grade{}}
	s := bufio.NewScanner(r)
	for line := 1; s.Scan(); line++ {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		number, grade, err := parse(s.Text())
		switch {
		case err != nil:
		case !slices.Contains(numbers, number):
			err = fmt.Errorf("%d is not on the sheet, expected a number of its key", number)
		case j.grades[number] != 0:
			err = fmt.Errorf("%d stands twice, expected it once; the first counts", number)
		default:
			j.grades[number] = grade
		}
		if err != nil {
			report(&dataset.RecordError{File: path, Record: line, Err: err})
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w, expected lines %s", path, err, form)
	}
	j.Judged = len(j.grades)
	if j.Judged == 0 {
		return nil, fmt.Errorf("%s: holds no verdict on a number of the sheet, expected lines %s", path, form)
	}
	j.Missing = len(numbers) - j.Judged
	return j, nil
}

// parseNameGrade parses a line of the form nameForm, which has the number of a name, a tab and a letter, and returns the
// number and the grade. buckets has the bucket of each number on the sheet.
func parseNameGrade(line string, buckets map[int]dataset.Side) (int, Grade, error) {
	first, letter, found := strings.Cut(line, "\t")
	number, err := strconv.Atoi(strings.TrimSpace(first))
	letter = strings.TrimSpace(letter)
	switch {
	case !found, err != nil:
		return 0, 0, fmt.Errorf("%q, expected %s", dataset.Clip(line), nameForm)
	case len(letter) != 1, !strings.Contains("yYb"+invalidGrades, letter):
		return 0, 0, fmt.Errorf("grade %q, expected y, Y, b or a letter of %s", dataset.Clip(letter), invalidGrades)
	case Grade(letter[0]) == Close && buckets[number] == dataset.Replace:
		return 0, 0, errors.New(`grade "Y" of a REPLACE name, expected y: closeness is of ADD names`)
	}
	return number, Grade(letter[0]), nil
}

// Validity sums up the grades of the judges for the names of a sheet.
type Validity struct {
	Names       int           `json:"names"`
	Judges      []*Judge      `json:"judges"`
	Shares      []Shares      `json:"shares"`
	Agreement   []Kappa       `json:"agreement"`
	Calibration []Calibration `json:"calibration"`
}

// Shares sums up the grades of one judge for some names of a bucket.
type Shares struct {
	Bucket  dataset.Side   `json:"bucket"`
	By      string         `json:"by"` // all, label, data or source
	Value   string         `json:"value"`
	Judge   string         `json:"judge"`
	N       int            `json:"n"` // names that the judge graded
	Strict  stats.Estimate `json:"strict"`
	Lenient stats.Estimate `json:"lenient"` // with the doubtful ones
	Close   stats.Number   `json:"close"`   // of the valid ones; ADD only
	Invalid map[string]int `json:"invalid"` // by letter
}

// Kappa is Cohen's kappa of a question, the mean over each two judges.
type Kappa struct {
	Bucket dataset.Side `json:"bucket"`
	On     string       `json:"on"`
	Names  int          `json:"names"` // to which two judges or more answered
	Kappa  stats.Number `json:"kappa"`
}

// Calibration compares predicted validity with the judged one, in bins of equal size.
type Calibration struct {
	Bucket dataset.Side `json:"bucket"`
	Gap    stats.Number `json:"mean_gap"` // between predicted and judged of a bin, weighted by its names
	Bins   []Bin        `json:"bins"`
}

// Bin holds names of similar predicted validity.
type Bin struct {
	Names     int          `json:"names"`
	Predicted stats.Number `json:"predicted"` // mean
	Judged    stats.Number `json:"judged"`    // strict share, the mean over the judges of each name
}

// bins is how many bins a calibration has; with fewer names, one each.
const bins = 10

// groups are the groupings of names for which shares are reported.
var groups = []struct {
	by string
	of func(*SheetName) string
}{
	{"all", func(*SheetName) string { return "" }},
	{"label", func(n *SheetName) string { return n.Label }},
	{"data", func(n *SheetName) string { return n.Data }},
	{"source", func(n *SheetName) string { return n.Source }},
}

// judgedNames sums up the grades of judges for the names of a key, by bucket: the shares of valid names in all and by label, data set and
// source (groups), the agreement of judges, and the calibration of predicted validity.
func judgedNames(key []SheetName, judges []*Judge) *Validity {
	v := &Validity{Names: len(key), Judges: judges, Shares: []Shares{}, Agreement: []Kappa{}, Calibration: []Calibration{}}
	for _, side := range dataset.Sides() {
		names := slices.DeleteFunc(slices.Clone(key), func(n SheetName) bool { return n.Bucket != side })
		for _, group := range groups {
			by := map[string][]SheetName{}
			for i := range names {
				value := group.of(&names[i])
				by[value] = append(by[value], names[i])
			}
			for _, value := range slices.Sorted(maps.Keys(by)) {
				for _, j := range judges {
					s := j.shares(by[value])
					s.Bucket, s.By, s.Value = side, group.by, value
					v.Shares = append(v.Shares, s)
				}
			}
		}
		if len(judges) > 1 {
			v.Agreement = append(v.Agreement, agreeOnGrades(side, names, judges)...)
		}
		if c := calibrate(names, judges); len(c.Bins) > 0 {
			c.Bucket = side
			v.Calibration = append(v.Calibration, c)
		}
	}
	return v
}

// shares returns the shares of valid and lenient names among those that the judge graded and, in the bucket ADD, of close names among
// the valid ones. It counts the reasons of invalid names. All names are of one bucket.
func (j *Judge) shares(names []SheetName) Shares {
	s := Shares{Judge: j.Name, Close: stats.Undefined(), Invalid: map[string]int{}}
	valid, lenient, near := 0, 0, 0
	for i := range names {
		g, ok := j.grades[names[i].Number]
		if !ok {
			continue
		}
		s.N++
		valid += indicator(g.valid())
		near += indicator(g.close())
		if g.lenient() {
			lenient++
		} else {
			s.Invalid[string(g)]++
		}
	}
	s.Strict, s.Lenient = stats.Wilson(valid, s.N), stats.Wilson(lenient, s.N)
	if len(names) > 0 && names[0].Bucket == dataset.Add {
		s.Close = stats.Share(near, valid)
	}
	return s
}

// agreeOnGrades returns Cohen's kappa of the judges on the names of a bucket: whether names are valid, valid or doubtful, and for ADD
// close. Close counts only if both judges find a name valid: otherwise a disagreement on validity would count twice.
func agreeOnGrades(side dataset.Side, names []SheetName, judges []*Judge) (out []Kappa) {
	numbers := lists.Map(names, func(n SheetName) int { return n.Number })
	for _, q := range []struct {
		on             string
		applies, meets func(Grade) bool
	}{
		{"valid", anyGrade, Grade.valid},
		{"valid or doubtful", anyGrade, Grade.lenient},
		{"close", Grade.valid, Grade.close},
	} {
		if q.on == "close" && side != dataset.Add {
			continue
		}
		n, kappa := agree(numbers, judges, q.applies, q.meets)
		out = append(out, Kappa{side, q.on, n, kappa})
	}
	return out
}

// anyGrade reports true for every grade.
func anyGrade(Grade) bool { return true }

// agree returns how far judges agree on whether a grade meets a condition: the mean of Cohen's kappa over the pairs of judges, undefined if
// it is undefined for each pair. An item counts for a pair if both judges graded it and applies accepts both grades. The number is that of
// the items that count for some pair.
func agree(numbers []int, judges []*Judge, applies, meets func(Grade) bool) (int, stats.Number) {
	answered, sum, pairs := map[int]bool{}, 0.0, 0
	for i, x := range judges {
		for _, y := range judges[i+1:] {
			counts := [][]int{{0, 0}, {0, 0}} // by whether x's grade meets it, and y's
			for _, n := range numbers {
				a, b := x.grades[n], y.grades[n]
				if a == 0 || b == 0 {
					continue
				}
				if applies(a) && applies(b) {
					answered[n] = true
					counts[indicator(meets(a))][indicator(meets(b))]++
				}
			}
			if k := cohenKappa(counts); k.Defined() {
				sum += float64(k)
				pairs++
			}
		}
	}
	return len(answered), stats.Number(sum / float64(pairs))
}

// indicator returns 1 for true and 0 for false.
func indicator(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// calibrate compares the predicted validity of names with the share of judges who find them valid. It sorts the names by their
// prediction into bins of equal size; Gap is the mean difference of both, weighted by the sizes of the bins.
func calibrate(names []SheetName, judges []*Judge) (c Calibration) {
	type point struct{ predicted, judged float64 }
	var points []point
	for i := range names {
		valid, n := 0, 0
		for _, j := range judges {
			if g, ok := j.grades[names[i].Number]; ok {
				valid += indicator(g.valid())
				n++
			}
		}
		if n > 0 && names[i].Validity > 0 { // judged, and a prediction was made
			points = append(points, point{names[i].Validity, float64(valid) / float64(n)})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.predicted, b.predicted) })
	count, gap := min(bins, len(points)), 0.0
	for b := range count {
		part := points[b*len(points)/count : (b+1)*len(points)/count]
		predicted, judged, n := 0.0, 0.0, float64(len(part))
		for _, p := range part {
			predicted, judged = predicted+p.predicted, judged+p.judged
		}
		gap += math.Abs(predicted - judged) // of the sums, which weights a bin by its size
		c.Bins = append(c.Bins, Bin{len(part), stats.Number(predicted / n), stats.Number(judged / n)})
	}
	c.Gap = stats.Number(gap / float64(len(points)))
	return c
}

// WriteText writes the tables for people: for each bucket the shares of valid names, the agreement of the judges, and for each bucket
// the calibration of predicted validity. A table without rows is left out.
func (v *Validity) WriteText(w io.Writer) error {
	var page table.Page
	for _, side := range dataset.Sides() {
		t := table.New(strings.ToUpper(string(side)), "names", "judge", "n", "valid %", "with doubtful %", "close %", "invalid")
		for _, s := range v.Shares {
			if s.Bucket == side {
				t.Add(printable(s.By+" "+s.Value, sheetShort), printable(s.Judge, sheetShort), s.N, s.Strict, s.Lenient, s.Close, reasonCounts(s.Invalid))
			}
		}
		if len(t.Rows) > 0 {
			page.Tables = append(page.Tables, t)
		}
	}
	if len(v.Agreement) > 0 {
		t := table.New("agreement", "bucket", "on", "names", "Cohen's kappa")
		for _, k := range v.Agreement {
			t.Add(strings.ToUpper(string(k.Bucket)), k.On, k.Names, decimals(k.Kappa))
		}
		page.Tables = append(page.Tables, t)
	}
	for _, c := range v.Calibration {
		t := table.New("predicted validity, "+strings.ToUpper(string(c.Bucket)), "bin", "names", "predicted %", "judged valid %")
		for i, b := range c.Bins {
			t.Add(i+1, b.Names, b.Predicted, b.Judged)
		}
		t.Notes = []string{"mean gap " + c.Gap.Percent()}
		page.Tables = append(page.Tables, t)
	}
	page.Legend = missingText(v.Judges, v.Names, "names")
	return page.Write(w, "text")
}

// missingText returns a line for each judge who left out some of the total items, which what names; "" for none.
func missingText(judges []*Judge, total int, what string) string {
	var lines []string
	for _, j := range judges {
		if j.Missing > 0 {
			lines = append(lines, fmt.Sprintf("%s: no verdict on %d of %d %s", printable(j.Name, sheetLong), j.Missing, total, what))
		}
	}
	return strings.Join(lines, "\n")
}

// reasonCounts lists the letters of reasons with their counts, the most frequent first: "s 3, u 1".
func reasonCounts(counts map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Index(invalidGrades, a)-strings.Index(invalidGrades, b))
	})
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, counts[k])
	}
	return cmp.Or(strings.Join(keys, ", "), "-")
}
