package review

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// RecordValidity sums up the grades of the judges for the records of a sheet.
type RecordValidity struct {
	Records   int            `json:"records"`
	Judges    []*Judge       `json:"judges"`
	Shares    []RecordShares `json:"shares"`
	Agreement []RecordKappa  `json:"agreement"`
}

// RecordShares sums up the grades of one judge for the records of a label: of one perturbation, or
// of all if it is empty.
type RecordShares struct {
	Perturbation string                    `json:"perturbation"`
	Label        string                    `json:"label"`
	Judge        string                    `json:"judge"`
	N            int                       `json:"n"` // records that the judge graded
	Criteria     map[string]stats.Estimate `json:"criteria"`
	All          stats.Estimate            `json:"all"` // criteria hold at once
}

// RecordKappa is Cohen's kappa of a criterion, or of all at once, the mean over each two
// judges.
type RecordKappa struct {
	On      string       `json:"on"`
	Records int          `json:"records"` // on which two judges or more gave a verdict
	Kappa   stats.Number `json:"kappa"`
}

// allCriteria is the [RecordKappa.On] of all criteria at once.
const allCriteria = "all three"

// judgedRecords sums up the grades of judges for the records of a key.
func judgedRecords(key []SheetRecord, judges []*Judge) *RecordValidity {
	v := &RecordValidity{Records: len(key), Judges: judges, Shares: []RecordShares{}, Agreement: []RecordKappa{}}
	perturbations, labels := map[string]bool{"": true}, map[string]bool{} // "" for all perturbations
	for i := range key {
		perturbations[key[i].Perturbation], labels[key[i].Label] = true, true
	}
	for _, perturbation := range slices.Sorted(maps.Keys(perturbations)) {
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			numbers := numbersOf(key, func(r *SheetRecord) bool {
				return r.Label == label && (perturbation == "" || r.Perturbation == perturbation)
			})
			if len(numbers) == 0 {
				continue
			}
			for _, j := range judges {
				s := j.recordShares(numbers)
				s.Perturbation, s.Label = perturbation, label
				v.Shares = append(v.Shares, s)
			}
		}
	}
	if len(judges) > 1 {
		v.Agreement = agreeOnRecords(key, judges)
	}
	return v
}

// numbersOf returns the numbers on the sheet of the records that meet a condition.
func numbersOf(key []SheetRecord, matches func(*SheetRecord) bool) (numbers []int) {
	for i := range key {
		if matches(&key[i]) {
			numbers = append(numbers, key[i].Number)
		}
	}
	return numbers
}

// anyRecord is the condition of [numbersOf] that all records meet.
func anyRecord(*SheetRecord) bool { return true }

// recordShares returns the shares of records that meet each criterion, and that meet all, among those that the judge graded.
func (j *Judge) recordShares(numbers []int) RecordShares {
	s := RecordShares{Judge: j.Name, Criteria: map[string]stats.Estimate{}}
	holding, holdingAll := make([]int, len(criteria)), 0
	for _, number := range numbers {
		g, ok := j.grades[number]
		if !ok {
			continue
		}
		s.N++
		holdingAll += indicator(g.holdsAll())
		for i := range criteria {
			holding[i] += indicator(g.holds(i))
		}
	}
	for i, name := range criteriaNames() {
		s.Criteria[name] = stats.Wilson(holding[i], s.N)
	}
	s.All = stats.Wilson(holdingAll, s.N)
	return s
}

// agreeOnRecords returns Cohen's kappa of the judges on each criterion, and on whether all hold.
func agreeOnRecords(key []SheetRecord, judges []*Judge) (out []RecordKappa) {
	numbers := numbersOf(key, anyRecord)
	on := func(name string, meets func(Grade) bool) {
		n, kappa := agree(numbers, judges, anyGrade, meets)
		out = append(out, RecordKappa{name, n, kappa})
	}
	for i, name := range criteriaNames() {
		on(name, func(g Grade) bool { return g.holds(i) })
	}
	on(allCriteria, Grade.holdsAll)
	return out
}

// WriteText writes the tables for people.
func (v *RecordValidity) WriteText(w io.Writer) error {
	heads := []string{"perturbation", "label", "judge", "n"}
	for _, name := range append(criteriaNames(), allCriteria) {
		heads = append(heads, name+" %")
	}
	shares := table.New("", heads...)
	for _, s := range v.Shares {
		row := []any{cmp.Or(printable(s.Perturbation, sheetShort), "all"), printable(s.Label, sheetShort), printable(s.Judge, sheetShort), s.N}
		for _, name := range criteriaNames() {
			row = append(row, s.Criteria[name])
		}
		shares.Add(append(row, s.All)...)
	}
	page := table.Page{Tables: []*table.Table{shares}}
	if len(v.Agreement) > 0 {
		t := table.New("agreement", "on", "records", "Cohen's kappa")
		for _, k := range v.Agreement {
			t.Add(k.On, k.Records, decimals(k.Kappa))
		}
		page.Tables = append(page.Tables, t)
	}
	page.Legend = missingText(v.Judges, v.Records, "records")
	return page.Write(w, "text")
}
