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
	"github.com/tabperturb/tabperturb/internal/table"
)

// Grade is what a judge says of a name on a sheet.
type Grade byte

// The grades that are not invalid.
const (
	Valid    Grade = 'y'
	Close    Grade = 'Y' // valid, and easily taken for the column
	Doubtful Grade = 'b'
)

// invalidGrades are letters that say why a name is invalid, as the head of a sheet does.
const invalidGrades = "sunoedi"

func (g Grade) valid() bool { return g == Valid || g == Close }
func (g Grade) fair() bool  { return g.valid() || g == Doubtful }
func (g Grade) close() bool { return g == Close }

// Judge is one who judged the names of a sheet.
type Judge struct {
	Name    string `json:"name"` // of the file
	Judged  int    `json:"judged"`
	Missing int    `json:"missing"`

	grades map[int]Grade // by the name's number
}

// ReadKey reads the key of a sheet.
func ReadKey(sheet string, report func(error)) (key []SheetName, err error) {
	path := filepath.Join(sheet, KeyFile)
	sides, seen := dataset.Sides(), map[int]bool{}
	err = dataset.Records(path, report, func(raw dataset.Raw) (n SheetName, err error) {
		err = dataset.Decode(raw.JSON, &n)
		switch {
		case err != nil:
		case n.Number < 1 || seen[n.Number]:
			err = fmt.Errorf("number is %d, expected one from 1 that no other has", n.Number)
		case !slices.Contains(sides[:], n.Bucket):
			err = fmt.Errorf("bucket is %q, expected replace or add", dataset.Clip(string(n.Bucket)))
		}
		return n, err
	}, func(n SheetName) error {
		seen[n.Number] = true
		key = append(key, n)
		return nil
	})
	if err == nil && len(key) == 0 {
		err = fmt.Errorf("%s: holds no name, expected the key of a sheet", path)
	}
	return key, err
}

// ReadGrades reads a judge's file. A line that cannot be used is reported and left out.
func ReadGrades(path string, key []SheetName, report func(error)) (*Judge, error) {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	buckets := map[int]dataset.Side{}
	for i := range key {
		buckets[key[i].Number] = key[i].Bucket
	}
	j := &Judge{Name: path, grades: map[int]Grade{}}
	s := bufio.NewScanner(r)
	for line := 1; s.Scan(); line++ {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		if err := j.add(s.Text(), buckets); err != nil {
			report(&dataset.RecordError{File: path, Record: line, Err: err})
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w, expected lines NUMBER TAB GRADE", path, err)
	}
	if j.Judged = len(j.grades); j.Judged == 0 {
		return nil, fmt.Errorf("%s: holds no verdict on a name of the sheet, expected lines NUMBER TAB GRADE", path)
	}
	j.Missing = len(key) - j.Judged
	return j, nil
}

func (j *Judge) add(line string, buckets map[int]dataset.Side) error {
	first, second, found := strings.Cut(line, "\t")
	number, err := strconv.Atoi(strings.TrimSpace(first))
	grade := strings.TrimSpace(second)
	bucket, known := buckets[number]
	switch {
	case !found || err != nil:
		return fmt.Errorf("%q, expected NUMBER TAB GRADE", dataset.Clip(line))
	case !known:
		return fmt.Errorf("%d is not on the sheet, expected a number of its key", number)
	case j.grades[number] != 0:
		return fmt.Errorf("%d stands twice, expected it once; the first counts", number)
	case len(grade) != 1 || !strings.Contains("yYb"+invalidGrades, grade):
		return fmt.Errorf("grade %q, expected y, Y, b or a letter of %s", dataset.Clip(grade), invalidGrades)
	case Grade(grade[0]) == Close && bucket != dataset.Add:
		return errors.New(`grade "Y" of a REPLACE name, expected y: closeness is of ADD names`)
	}
	j.grades[number] = Grade(grade[0])
	return nil
}

// Validity is what judges say of the names of a sheet.
type Validity struct {
	Names       int           `json:"names"`
	Judges      []*Judge      `json:"judges"`
	Shares      []Shares      `json:"shares"`
	Agreement   []Kappa       `json:"agreement"`
	Calibration []Calibration `json:"calibration"`
}

// Shares are what one judge says of some names of a bucket.
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

// Calibration compares predicted validity with what judges say, in bins of equal size.
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

// groups are by what names are told apart.
var groups = []struct {
	by string
	of func(*SheetName) string
}{
	{"all", func(*SheetName) string { return "" }},
	{"label", func(n *SheetName) string { return n.Label }},
	{"data", func(n *SheetName) string { return n.Data }},
	{"source", func(n *SheetName) string { return n.Source }},
}

// Judged sums up what judges say.
func Judged(key []SheetName, judges []*Judge) *Validity {
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

func (j *Judge) shares(names []SheetName) Shares {
	s := Shares{Judge: j.Name, Close: stats.Undefined(), Invalid: map[string]int{}}
	valid, fair, near := 0, 0, 0
	for i := range names {
		g, ok := j.grades[names[i].Number]
		if !ok {
			continue
		}
		s.N++
		if g.valid() {
			valid++
		}
		if g.close() {
			near++
		}
		if g.fair() {
			fair++
		} else {
			s.Invalid[string(g)]++
		}
	}
	s.Strict, s.Lenient = stats.Wilson(valid, s.N), stats.Wilson(fair, s.N)
	if len(names) > 0 && names[0].Bucket == dataset.Add {
		s.Close = stats.Share(near, valid)
	}
	return s
}

// agreeOnGrades asks whether judges agree. Whether a name is close is asked of those alone
// that both find valid: else it would be asked again which ones are.
func agreeOnGrades(side dataset.Side, names []SheetName, judges []*Judge) (out []Kappa) {
	for _, q := range []struct {
		on         string
		asked, yes func(Grade) bool
	}{
		{"valid", func(Grade) bool { return true }, Grade.valid},
		{"valid or doubtful", func(Grade) bool { return true }, Grade.fair},
		{"close", Grade.valid, Grade.close},
	} {
		if q.on == "close" && side != dataset.Add {
			continue
		}
		answered, sum, pairs := map[int]bool{}, 0.0, 0
		for i, x := range judges {
			for _, y := range judges[i+1:] {
				counts := [][]int{{0, 0}, {0, 0}}
				for i := range names {
					n := names[i].Number
					if a, b := x.grades[n], y.grades[n]; a != 0 && b != 0 && q.asked(a) && q.asked(b) {
						answered[n] = true
						counts[one(q.yes(a))][one(q.yes(b))]++
					}
				}
				if k := Cohen(counts); k.Defined() {
					sum += float64(k)
					pairs++
				}
			}
		}
		out = append(out, Kappa{side, q.on, len(answered), stats.Number(sum / float64(pairs))})
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// calibrate compares the validities of names that have one.
func calibrate(names []SheetName, judges []*Judge) (c Calibration) {
	type point struct{ predicted, judged float64 }
	var points []point
	for i := range names {
		valid, n := 0, 0
		for _, j := range judges {
			if g, ok := j.grades[names[i].Number]; ok {
				valid += one(g.valid())
				n++
			}
		}
		if n > 0 && names[i].Validity > 0 {
			points = append(points, point{names[i].Validity, float64(valid) / float64(n)})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.predicted, b.predicted) })
	most, gap := min(bins, len(points)), 0.0
	for b := range most {
		part := points[b*len(points)/most : (b+1)*len(points)/most]
		predicted, judged, n := 0.0, 0.0, float64(len(part))
		for _, p := range part {
			predicted, judged = predicted+p.predicted, judged+p.judged
		}
		gap += math.Abs(predicted - judged)
		c.Bins = append(c.Bins, Bin{len(part), stats.Number(predicted / n), stats.Number(judged / n)})
	}
	c.Gap = stats.Number(gap / float64(len(points)))
	return c
}

// WriteText prints what the judges say for people.
func (v *Validity) WriteText(w io.Writer) error {
	var page table.Page
	for _, side := range dataset.Sides() {
		t := table.New(strings.ToUpper(string(side)), "names", "judge", "n", "valid %", "with doubtful %", "close %", "invalid")
		for _, s := range v.Shares {
			if s.Bucket == side {
				t.Add(plain(s.By+" "+s.Value, sheetShort), plain(s.Judge, sheetShort), s.N, s.Strict, s.Lenient, s.Close, letters(s.Invalid))
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
	var missing []string
	for _, j := range v.Judges {
		if j.Missing > 0 {
			missing = append(missing, fmt.Sprintf("%s: no verdict on %d of %d names", plain(j.Name, sheetLong), j.Missing, v.Names))
		}
	}
	page.Legend = strings.Join(missing, "\n")
	return page.Write(w, "text")
}

// letters lists how often names are invalid for which reason, the most frequent first.
func letters(counts map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Index(invalidGrades, a)-strings.Index(invalidGrades, b))
	})
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, counts[k])
	}
	return cmp.Or(strings.Join(keys, ", "), "-")
}
