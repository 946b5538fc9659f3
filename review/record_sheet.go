package review

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// SheetRecord is a record on a sheet: a line of its key.
type SheetRecord struct {
	Number int    `json:"number"` // on the sheet, from 1
	Build  string `json:"build"`
	DB     string `json:"db_id"`
	RecordID
	Label string `json:"label"`

	from   *Data
	record *record
}

// DrawRecords draws records of each label and perturbation, evenly from its builds, and shuffles
// them. The records of a label do not depend on the other labels.
func DrawRecords(entries []Entry, o SheetOptions) (drawn []SheetRecord) {
	labels, byLabel := groupByLabel(entries)
	for _, label := range labels {
		for _, perturbation := range perturbationsOf(byLabel[label]) {
			rng := o.rand(label, perturbation)
			drawn = append(drawn, roundRobin(byLabel[label], o.Size, func(e Entry) []SheetRecord { return e.shuffledRecords(perturbation, rng.Perm) })...)
		}
	}
	o.rand("", "").Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	for i := range drawn {
		drawn[i].Number = i + 1
	}
	return drawn
}

// perturbationsOf returns the names of the perturbations in the records of builds, sorted.
func perturbationsOf(entries []Entry) (names []string) {
	for _, e := range entries {
		for i := range e.Data.columns {
			if name := e.Data.columns[i].record.Perturbation; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// shuffledRecords returns the records of a perturbation in a random order: first one record of each example, then a second one of
// each that has more, and so on. permute returns a random order of n numbers.
func (e Entry) shuffledRecords(perturbation string, permute func(int) []int) []SheetRecord {
	var turns [][]SheetRecord // turns[i] has the i-th record of each example
	drawn := map[int32]int{}  // records so far, by example
	for _, i := range permute(len(e.Data.columns)) {
		r := e.Data.columns[i].record
		if r.Perturbation != perturbation {
			continue
		}
		turn := drawn[r.Example]
		drawn[r.Example]++
		if turn == len(turns) {
			turns = append(turns, nil)
		}
		turns[turn] = append(turns[turn], SheetRecord{Build: e.Dir, DB: r.DBPre, RecordID: r.id, Label: e.Label, from: e.Data, record: r})
	}
	return slices.Concat(turns...)
}

// WriteRecordSheet writes the folder of a sheet of records, as [WriteSheet] does.
func WriteRecordSheet(ctx context.Context, out string, records []SheetRecord, report func(error)) error {
	return putSheet(out, records, func(w *bufio.Writer) error {
		w.WriteString(recordSheetHead())
		for i := range records {
			r := &records[i]
			view := r.from.build.view(ctx, &r.record.Record)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if view.Problem != "" {
				report(dataset.Note(fmt.Errorf("the sheet shows no tables of record %d: %s", r.Number, view.Problem)))
			}
			r.write(w, view)
		}
		return nil
	})
}

// recordSheetHead returns the instructions for judges; their verdicts are read by
// [readRecordGrades].
func recordSheetHead() string {
	var b strings.Builder
	b.WriteString(`Each block has a number and a record: a question with its gold SQL, before and after a change.
Judge it by what the block shows, and write a line for it into a file of your own: the number,
and for each criterion 1 where it holds and 0 where it does not, with tabs between them:

` + recordForm() + "\n\n")
	for _, c := range criteria {
		fmt.Fprintf(&b, "%-9s %s\n", c.Name, c.Evidence)
	}
	b.WriteString(`
The first line of a block is the definition. Of a table the columns are shown that it has, in
>> and << those that the other side has not, or has under another natural name, which is in quotes, and its first rows.
`)
	return b.String()
}

// Bounds of what a sheet shows of a record: rows of a table, characters of a text.
const (
	sheetRows = 3
	sheetText = 2000
)

// write writes the block of a record. It shows nothing from which a judge could know who made the record.
func (r *SheetRecord) write(w io.Writer, view *RecordView) {
	fmt.Fprintf(w, "\n%d\n  definition: %s\n", r.Number, cmp.Or(printable(view.Definition, sheetText), "the build has none"))
	r.writeText(w, "question", r.record.QuestionPre, r.record.QuestionPost)
	r.writeText(w, "SQL", r.record.QueryPre, r.record.QueryPost)
	for i := range view.Tables {
		view.Tables[i].write(w)
	}
}

// writeText writes a text before and after, on one line if they are equal.
func (r *SheetRecord) writeText(w io.Writer, what, before, after string) {
	if before == after {
		fmt.Fprintf(w, "  %s before and after: %s\n", what, printable(before, sheetText))
		return
	}
	fmt.Fprintf(w, "  %s before: %s\n  %s after: %s\n", what, printable(before, sheetText), what, printable(after, sheetText))
}

// write writes a table as text: its name, the headers of its columns and the first rows.
func (t *TableView) write(w io.Writer) {
	headers := lists.Map(t.Columns, func(c TableColumn) string {
		name := c.Column
		if c.This && c.Renamed { // the SQL name stays
			name += fmt.Sprintf(" %q", c.Name)
		}
		return sheetHeader(name, c.This)
	})
	when := t.When
	if when == "both" {
		when = "before and after"
	}
	fmt.Fprintf(w, "  table %s: %s (%s)\n", when, printable(t.Table, sheetShort), strings.Join(headers, " | "))
	for _, row := range t.Rows[:min(len(t.Rows), sheetRows)] {
		var cells []string
		for _, cell := range row {
			text := "NULL"
			if cell != nil {
				text = printable(*cell, sheetShort)
			}
			cells = append(cells, text)
		}
		fmt.Fprintf(w, "    %s\n", strings.Join(cells, " | "))
	}
}

// isRecordSheet reports whether a sheet is of records, by the first line of its key: lines of names have no perturbation.
func isRecordSheet(sheet string) bool {
	path := filepath.Join(sheet, KeyFile)
	first, ok, err := dataset.First(func(report func(error), each func(SheetRecord) error) error {
		return dataset.Records(path, report, func(raw dataset.Raw) (r SheetRecord, err error) {
			return r, dataset.Decode(raw.JSON, &r)
		}, each)
	}, func(error) {})
	return ok && err == nil && first.Perturbation != ""
}

// readRecordKey reads the key of a sheet of records.
func readRecordKey(sheet string, report func(error)) ([]SheetRecord, error) {
	return readKey(sheet, report, func(r *SheetRecord) (int, error) { return r.Number, r.check() })
}

// readRecordGrades reads a judge's file on a sheet of records. A line that cannot be used is
// reported and left out.
func readRecordGrades(path string, key []SheetRecord, report func(error)) (*Judge, error) {
	form := recordForm() + ", each 1 or 0"
	return readJudge(path, form, numbersOf(key, anyRecord), report, func(line string) (int, Grade, error) {
		number, grade, err := parseRecordGrade(line)
		if err != nil {
			err = fmt.Errorf("%q, expected %s", dataset.Clip(line), form)
		}
		return number, grade, err
	})
}

// recordForm returns the form of a line of a judge's file on a sheet of records.
func recordForm() string {
	return "NUMBER TAB " + strings.ToUpper(strings.Join(criteriaNames(), " TAB "))
}

// judged is set in every [Grade] of a record; the lower bits are set by the criteria that hold.
const judged Grade = 1 << 7

// holds reports whether a criterion, by its index in criteria, is met.
func (g Grade) holds(criterion int) bool { return g&(1<<criterion) != 0 }

// holdsAll reports whether all criteria are met.
func (g Grade) holdsAll() bool { return g == judged|(1<<len(criteria)-1) }

// errGrade is the error of a line that is no verdict; the caller adds the line.
var errGrade = errors.New("no verdict on a record")

// parseRecordGrade parses a line: the number of a record, and 1 or 0 for each criterion, separated
// by tabs.
func parseRecordGrade(line string) (int, Grade, error) {
	fields := strings.Split(line, "\t")
	number, err := strconv.Atoi(strings.TrimSpace(fields[0]))
	if err != nil || len(fields) != 1+len(criteria) {
		return 0, 0, errGrade
	}
	grade := judged // the bit that keeps a grade from being 0; bit i is set if criterion i holds
	for i, field := range fields[1:] {
		switch strings.TrimSpace(field) {
		case "1":
			grade |= 1 << i
		case "0":
		default:
			return 0, 0, errGrade
		}
	}
	return number, grade, nil
}
