package wtq

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// tsvHeader is the first line of a file of questions.
const tsvHeader = "id\tutterance\tcontext\ttargetValue"

// sourceLine is the source of a question whose line in the file does not follow from its fields.
type sourceLine struct {
	Line string `json:"line"`
}

// FindQuestions returns the path of the TSV file with the questions of a split, in the folder or
// its folder data. Its name is that of the split or, for train, dev and test, the one in
// WikiTableQuestions.
func FindQuestions(dir, split string) (string, error) {
	names := []string{split + ".tsv"}
	switch split {
	case "train":
		names = append(names, "random-split-1-train.tsv", "training.tsv")
	case "dev":
		names = append(names, "random-split-1-dev.tsv")
	case "test":
		names = append(names, "pristine-unseen-tables.tsv")
	}
	return dataset.FirstFile(dir, lists.FlatMap(names, func(n string) []string { return []string{filepath.Join("data", n), n} })...)
}

// Questions passes the questions of a TSV file, without gold SQL, to each. problemOf, which may
// be nil, returns an error for a db_id whose questions are left out.
func Questions(path string, problemOf func(db string) error, report func(error), each func(*dataset.Example) error) error {
	each = dataset.Numbered(each)
	seen := map[string]bool{}
	return dataset.TextLines(path, report, func(l dataset.TextLine) error {
		if l.Text == "" || l.Number == 1 && l.Text == tsvHeader {
			return nil
		}
		ex, err := parseLine(l.Text)
		if err == nil && ex.ID != "" && seen[ex.ID] {
			err = fmt.Errorf("id %q is there already, expected each once; this one is left out", dataset.Clip(ex.ID))
		}
		if err == nil && problemOf != nil {
			err = problemOf(ex.DB)
		}
		if err != nil {
			report(&dataset.RecordError{File: path, Record: l.Number, Err: err})
			return nil
		}
		seen[ex.ID] = true
		return each(ex)
	})
}

// parseLine parses a line: id, utterance, context and targetValue, separated by tabs.
func parseLine(text string) (*dataset.Example, error) {
	fields := strings.Split(text, "\t")
	if len(fields) != 4 {
		return nil, fmt.Errorf("line has %d fields, expected 4: id, utterance, context, targetValue", len(fields))
	}
	db, err := TableID(fields[2])
	if err != nil {
		return nil, err
	}
	ex := &dataset.Example{ID: fields[0], Question: unescape(fields[1]), DB: db, Answer: ParseAnswer(fields[3])}
	if strings.TrimSpace(ex.Question) == "" {
		return nil, errors.New("utterance is empty, expected a question")
	}
	if formatLine(ex) != text { // only a line that the writer would not write is kept
		ex.Source, err = json.Marshal(sourceLine{text})
	}
	return ex, err
}

// formatLine returns the line of an example. Fields that did not change keep their spelling in
// the line of the source, if there is one.
func formatLine(ex *dataset.Example) string {
	fields := []string{ex.ID, escape(ex.Question), tablePath(ex.DB), FormatAnswer(ex.Answer)}
	var src sourceLine
	if dataset.Decode(ex.Source, &src) != nil {
		return strings.Join(fields, "\t")
	}
	old, err := parseLine(src.Line)
	if err != nil {
		return strings.Join(fields, "\t")
	}
	for i, oldField := range []string{old.ID, escape(old.Question), tablePath(old.DB), FormatAnswer(old.Answer)} {
		if fields[i] == oldField {
			fields[i] = strings.Split(src.Line, "\t")[i]
		}
	}
	return strings.Join(fields, "\t")
}

// contextPath matches the path of a table: csv/204-csv/590.csv.
var contextPath = lazyregexp.New(`^csv/(?:([^/_]+)-csv/)?([^/]+)\.csv$`)

// TableID returns the id of the database that a context names: "204_590" of
// csv/204-csv/590.csv.
func TableID(context string) (string, error) {
	id := ""
	if m := contextPath.FindStringSubmatch(context); m != nil {
		id = strings.TrimPrefix(m[1]+"_"+m[2], "_")
	}
	if tablePath(id) != context || !dataset.ValidID(id) {
		return "", fmt.Errorf("context is %q, expected csv/N-csv/M.csv", dataset.Clip(context))
	}
	return id, nil
}

// tablePath returns the path of the file of a table, by which questions name the table: csv/204-csv/590.csv for "204_590".
func tablePath(id string) string {
	if batch, table, ok := strings.Cut(id, "_"); ok && batch != "" && table != "" {
		return "csv/" + batch + "-csv/" + table + ".csv"
	}
	return "csv/" + id + ".csv"
}

// escaper escapes a field; tabs and carriage returns become blanks.
var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "|", `\p`, "\t", " ", "\r", " ")

// escape writes a field: line feeds, bars and backslashes as \n, \p and \\.
func escape(s string) string { return escaper.Replace(s) }

// unescaper undoes escaper.
var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\p`, "|")

// unescape is the inverse of [escape].
func unescape(s string) string { return unescaper.Replace(s) }

// ParseAnswer returns the items of a targetValue, which are separated by bars.
func ParseAnswer(field string) []string {
	items := strings.Split(field, "|")
	for i := range items {
		items[i] = unescape(items[i])
	}
	return items
}

// FormatAnswer writes the items as a targetValue.
func FormatAnswer(items []string) string {
	fields := lists.Map(items, escape)
	return strings.Join(fields, "|")
}
