package review

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// The files of a sheet: the one for judges, and the key with the origin of its names or
// records.
const (
	SheetFile = "sheet.txt"
	KeyFile   = "key.jsonl"
)

// Entry holds the names that one maker has for one data set, or the records of a build.
type Entry struct {
	Dir   string // the data directory, or the build
	Label string // who made the names or the build
	Data  *Data
}

// SheetOptions configure which names or records are drawn.
type SheetOptions struct {
	Size  int  // names of each label and bucket, records of each label and perturbation
	First bool // only the first name of a column
	Seed  uint64
}

// SheetName is a name on a sheet: a line of its key.
type SheetName struct {
	Number   int          `json:"number"` // on the sheet, from 1
	Data     string       `json:"data"`   // the data directory
	DB       string       `json:"db_id"`
	Table    string       `json:"table"`
	Column   string       `json:"column"`
	Bucket   dataset.Side `json:"bucket"`
	Name     string       `json:"name"`
	Label    string       `json:"label"`
	Source   string       `json:"source"`
	Rank     int          `json:"rank"` // in its bucket, from 1
	Validity float64      `json:"validity,omitempty"`

	from   *Data
	column *column
}

// DrawSheet draws names of each label and bucket, evenly from its data sets, and shuffles them. The names of a label do not depend on
// the other labels.
func DrawSheet(entries []Entry, o SheetOptions) []SheetName {
	labels, byLabel := groupByLabel(entries)
	var names []SheetName
	for _, label := range labels {
		for _, side := range dataset.Sides() {
			rng := o.rand(label, string(side))
			names = append(names, roundRobin(byLabel[label], o.Size, func(e Entry) []SheetName { return e.shuffledNames(side, o.First, rng) })...)
		}
	}
	o.rand("", "").Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range names {
		names[i].Number = i + 1
	}
	return names
}

// groupByLabel returns the entries of each label, and the labels in the order of their first entries.
func groupByLabel(entries []Entry) (labels []string, byLabel map[string][]Entry) {
	byLabel = map[string][]Entry{}
	for _, e := range entries {
		if byLabel[e.Label] == nil {
			labels = append(labels, e.Label)
		}
		byLabel[e.Label] = append(byLabel[e.Label], e)
	}
	return labels, byLabel
}

// rand returns the random numbers for the draw of a label and a group: a bucket of names, or a perturbation of records.
func (o SheetOptions) rand(label, group string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "sheet %d %s %s", o.Seed, group, label))))
}

// roundRobin draws up to size items, one from the queue of each entry in turn. queue returns the queue of an entry.
func roundRobin[T any](entries []Entry, size int, queue func(Entry) []T) (drawn []T) {
	queues := lists.Map(entries, queue)
	for more := true; more; {
		more = false
		for i, q := range queues {
			if len(q) > 0 && len(drawn) < size {
				drawn, queues[i], more = append(drawn, q[0]), q[1:], true
			}
		}
	}
	return drawn
}

// shuffledNames returns the names of a bucket in a random order: first one name of each column, then a second one of each that has
// more, and so on. With first, it returns only the first name that each column has in the bucket.
func (e Entry) shuffledNames(side dataset.Side, first bool, rng *rand.Rand) []SheetName {
	var turns [][]SheetName // turns[i] has the i-th name of each column
	for _, i := range rng.Perm(len(e.Data.columns)) {
		c := &e.Data.columns[i]
		order := rng.Perm(len(c.list(side))) // of the names, by their rank
		if first && len(order) > 0 {
			order = []int{0}
		}
		for turn, rank := range order {
			if turn == len(turns) {
				turns = append(turns, nil)
			}
			name := &c.list(side)[rank]
			turns[turn] = append(turns[turn], SheetName{
				Data: e.Dir, DB: c.id.DB, Table: c.id.Table, Column: c.id.Column, Bucket: side, Name: name.Name,
				Label: e.Label, Source: name.Source, Rank: rank + 1, Validity: name.Validity, from: e.Data, column: c,
			})
		}
	}
	return slices.Concat(turns...)
}

// WriteSheet writes the folder of a sheet: the file for judges, and its key. An older sheet is replaced, unless the folder has other
// files: they may be verdicts on it.
func WriteSheet(ctx context.Context, out string, names []SheetName, report func(error)) error {
	return putSheet(out, names, func(w *bufio.Writer) error { return writeNames(ctx, w, names, report) })
}

// putSheet writes a sheet, by the function write, and its key to the folder out, whole or not at all. It refuses a folder with other
// files.
func putSheet[T any](out string, key []T, write func(*bufio.Writer) error) error {
	entries, _ := os.ReadDir(out) // NewDir reports a folder that cannot be read
	for _, e := range entries {
		if e.Name() != SheetFile && e.Name() != KeyFile {
			return fmt.Errorf("%s: holds %s, expected no such folder, an empty one, or one with nothing but a sheet", out, e.Name())
		}
	}
	dir, err := outdir.NewDir(out, KeyFile)
	if err != nil {
		return err
	}
	if err := dir.Restart(); err != nil {
		return err
	}
	err = dataset.CreateFile(dir.Path(SheetFile), write)
	if err == nil {
		err = dataset.CreateFile(dir.Path(KeyFile), func(w *bufio.Writer) error { return writeKey(w, key) })
	}
	if err != nil {
		return errors.Join(err, dir.Abort())
	}
	return dir.Commit()
}

// writeKey writes the key of a sheet as JSON lines.
func writeKey[T any](w io.Writer, key []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range key {
		if err := enc.Encode(&key[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeNames writes the head and the blocks of a sheet of names. It reads the sample cells of a database before its first name.
func writeNames(ctx context.Context, w *bufio.Writer, names []SheetName, report func(error)) error {
	sampled := map[*database]bool{}
	w.WriteString(sheetHead)
	for i := range names {
		db := names[i].from.databases[names[i].column.db]
		if !sampled[db] {
			sampled[db] = true
			if err := dataset.AddSamples(ctx, db.Database, report); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil { // such as a missing file
				report(dataset.Note(fmt.Errorf("the sheet shows no cells of %s: %w", db.ID, err)))
			}
		}
		names[i].write(w, db)
	}
	return nil
}

// sheetHead is the instructions for judges; their grades are read by [readGrades].
const sheetHead = `Each block has a number, R or A, and a name. Judge the name by what the block shows, and write
a line for it into a file of your own: the number, a tab, the grade.

R: the name would replace the column. Valid where all hold: who reads it expects exactly these
cells, nothing wider, narrower or other; people say so; no other column could be meant.
A: a column of this name would be added beside it. Valid where all hold: it is something else,
so that no question on the column is answered by it and no column is repeated; one row of this
table could have it; people say so.

y  valid
Y  valid, and close (A only): a careless reader could take it for the column
b  doubtful: a reasonable colleague would argue
Invalid, with the first letter that fits:
s  a sense that the word has elsewhere
u  nobody says so
n  narrower or wider than the column
o  another property
e  equivalent to the column (A)
d  repeats another column
i  implausible for a row of this table
`

// Bounds of what a sheet shows of a column, the latter two in characters.
const (
	sheetQuestions = 3
	sheetShort     = 60
	sheetLong      = 200
)

// write writes the block of a name, whose first line has the initial of the bucket, R or A. It shows nothing from which a judge could
// know who made the name.
func (n *SheetName) write(w io.Writer, db *database) {
	table := &db.Tables[n.column.ref.Table]
	var headers []string
	for i, c := range table.Columns {
		headers = append(headers, sheetHeader(cmp.Or(c.Name, c.Original), i == n.column.ref.Column))
	}
	column := db.Column(n.column.ref)
	cells := lists.Map(column.Samples, func(cell string) string { return printable(cell, sheetShort) })
	title := table.Name
	if !dataset.Named(title) { // not descriptive, such as "t_204"
		title = cmp.Or(table.Caption, title, table.Original)
	}
	fmt.Fprintf(w, "\n%d %.1s  %s\n", n.Number, strings.ToUpper(string(n.Bucket)), strings.ToLower(printable(n.Name, sheetLong)))
	fmt.Fprintf(w, "  column: %s\n  table: %s\n  headers: %s\n", printable(cmp.Or(column.Name, column.Original), sheetShort), printable(title, sheetLong), strings.Join(headers, " | "))
	if len(cells) > 0 {
		fmt.Fprintf(w, "  cells: %s\n", strings.Join(cells, " | "))
	}
	using := n.from.questionsUsing(n.column)
	for _, i := range using[:min(len(using), sheetQuestions)] {
		fmt.Fprintf(w, "  question: %s\n", printable(db.examples[i].Question, sheetLong))
	}
}

// sheetHeader returns the header of a column as a sheet shows it; marked puts it in >> and <<.
func sheetHeader(name string, marked bool) string {
	header := printable(name, sheetShort)
	if marked {
		return ">>" + header + "<<"
	}
	return header
}

// printable returns text of a data set on one line of at most maxChars characters. Characters that are not printable become blanks:
// they could control a terminal or the direction of writing.
func printable(s string, maxChars int) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	return truncate(strings.Join(strings.Fields(printable), " "), maxChars)
}
