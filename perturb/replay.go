package perturb

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// ReplayHead is the first line of a file of recorded edits. It describes the perturbation that
// reports them.
type ReplayHead struct {
	Name     string   `json:"name"` // "family/name" of letters, digits, "-" and "_"
	Doc      string   `json:"doc"`
	Paper    string   `json:"paper"`
	Relation Relation `json:"relation"`
}

// replayLine is any other line: edits, and the example that they are for. That is
// named by its position in the split, by its question, and its gold SQL if
// questions repeat, or by all of them, which must agree.
type replayLine struct {
	DB       string          `json:"db_id"`
	Example  *int            `json:"example,omitempty"`
	Question string          `json:"question,omitempty"`
	Query    string          `json:"query,omitempty"`
	Sample   int             `json:"sample"`
	Edits    json.RawMessage `json:"edits"`
}

// replayed is a line that can be read.
type replayed struct {
	replayLine
	line  int
	edits []Edit
}

// Replayed is a perturbation that reports edits which were recorded: those of an
// earlier build, or what a person wrote.
type Replayed struct {
	*Perturbation
	file  string
	lines []*replayed            // in the order of the file
	byDB  map[string][]*replayed // the same
}

// The bounds of a file of recorded edits.
const (
	maxReplayLine   = 16 << 20 // bytes
	maxReplaySample = 9999
)

// Replay reads a file of recorded edits, as [ReadReplay] does.
func Replay(name string, fsys fs.FS, report func(error)) (*Replayed, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadReplay(name, f, report)
}

// ReadReplay reads recorded edits: JSON lines, a [ReplayHead] and then for each
// example and sample
//
//	{"db_id": …, "example": 17, "question": …, "query": …, "sample": 0, "edits": […]}
//
// with edits as [MarshalEdits] writes them and the sample 0 if it is left out.
// "example" or "question" may be left out, and "query" too. A line that cannot be used
// is reported and skipped, and so is the rest of a file that breaks off. [Replayed.Check]
// reports the lines that name an unknown example. Name is the file's name in messages.
// It returns an error for a file without a head.
func ReadReplay(name string, f io.Reader, report func(error)) (*Replayed, error) {
	r := &Replayed{file: name, byDB: map[string][]*replayed{}}
	seen := map[string]int{}
	n := 0 // of the line, from 1
	err := replayLines(f, func(line []byte) error {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if r.Perturbation == nil {
			head, err := readHead(line)
			if err != nil {
				return err
			}
			r.Perturbation = &Perturbation{Name: head.Name, Doc: head.Doc, Paper: head.Paper, Version: 1, Relation: head.Relation, Files: head.Relation != Retargeted, Run: r.run}
			return nil
		}
		if err := r.addLine(line, n, seen); err != nil {
			report(&dataset.RecordError{File: name, Record: n, Err: err})
		}
		return nil
	})
	switch {
	case err != nil && r.Perturbation == nil:
		return nil, &dataset.FileError{File: name, Record: n, Err: err}
	case err != nil:
		report(&dataset.FileError{File: name, Record: n + 1, Err: err})
	case r.Perturbation == nil:
		return nil, &dataset.FileError{File: name, Err: errors.New("has no lines, expected a head and then edits")}
	}
	return r, nil
}

// addLine parses line n of the file and adds it; seen maps the key of each earlier line to its number.
func (r *Replayed) addLine(line []byte, n int, seen map[string]int) error {
	rec, err := readReplayed(line, r.Relation)
	if err != nil {
		return err
	}
	if first := seen[rec.key()]; first > 0 {
		return fmt.Errorf("example and sample are those of line %d, expected one line for each", first)
	}
	seen[rec.key()], rec.line = n, n
	r.lines = append(r.lines, rec)
	r.byDB[rec.DB] = append(r.byDB[rec.DB], rec)
	return nil
}

// replayLines passes every line of r to each. It cuts a line at maxReplayLine bytes; the rest is
// no whole JSON.
func replayLines(r io.Reader, each func(line []byte) error) error {
	br := bufio.NewReaderSize(r, 1<<16)
	if bom, err := br.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" { // a byte order mark
		br.Discard(3)
	}
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxReplayLine-len(line))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if failed := each(line); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line = line[:0]
	}
}

// replayName matches the names of perturbations from files: builds make folders of that name.
var replayName = lazyregexp.New(`^[A-Za-z0-9][\w-]*/[A-Za-z0-9][\w-]*$`)

// readHead parses and checks the first line.
func readHead(line []byte) (*ReplayHead, error) {
	h := &ReplayHead{}
	if err := decodeStrict(line, h, "name, doc, paper and relation"); err != nil {
		return nil, fmt.Errorf("the first line is no head: %w", err)
	}
	return h, h.check()
}

// check returns an error if a field of the head is missing or not of its form.
func (h *ReplayHead) check() error {
	switch {
	case !replayName.MatchString(h.Name):
		return fmt.Errorf(`"name" is %q, expected family/name of letters, digits, "-" and "_"`, h.Name)
	case strings.TrimSpace(h.Doc) == "":
		return errors.New(`"doc" is empty, expected a sentence`)
	case strings.TrimSpace(h.Paper) == "":
		return errors.New(`"paper" is empty, expected a paper and its section, or who wrote the edits`)
	case !slices.Contains(relations, h.Relation):
		return fmt.Errorf(`"relation" is %q, expected one of %q`, h.Relation, relations)
	}
	return nil
}

// decodeStrict decodes one JSON value into v. An unknown key is an error: it is most likely misspelt.
// expected describes the keys.
func decodeStrict(line []byte, v any, expected string) error {
	if !utf8.Valid(line) {
		return errors.New("text is not UTF-8, expected UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s, expected a JSON object with %s", strings.TrimPrefix(err.Error(), "json: "), expected)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the JSON object, expected one with %s", expected)
	}
	return nil
}

// readReplayed parses and checks one line of edits. The relation must allow them.
func readReplayed(line []byte, relation Relation) (*replayed, error) {
	r := &replayed{}
	if len(line) >= maxReplayLine {
		return nil, fmt.Errorf("line is larger than %d MiB, expected less", maxReplayLine>>20)
	}
	if err := decodeStrict(line, &r.replayLine, "db_id, example, question, query, sample and edits"); err != nil {
		return nil, err
	}
	switch {
	case r.DB == "":
		return nil, errors.New(`lacks "db_id", expected it`)
	case r.Example == nil && r.Question == "":
		return nil, errors.New(`lacks both "example" and "question", expected one of them`)
	case r.Example != nil && *r.Example < 0:
		return nil, fmt.Errorf(`"example" is %d, expected a position in the split, from 0`, *r.Example)
	case r.Sample < 0, r.Sample > maxReplaySample:
		return nil, fmt.Errorf(`"sample" is %d, expected 0 to %d`, r.Sample, maxReplaySample)
	}
	edits, err := UnmarshalEdits(r.Edits)
	if err != nil {
		return nil, err
	}
	if len(edits) == 0 {
		return nil, errors.New(`"edits" is empty, expected at least one`)
	}
	if err := cmp.Or(relation.Allows(edits), validateAll(edits)); err != nil {
		return nil, err
	}
	r.edits = edits
	r.Edits, err = MarshalEdits(edits) // equal edits, equal bytes
	return r, err
}

// replayIdent are the names that this tool gives, which need no quotes but for blanks.
var replayIdent = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_ ]*$`)

// validateAll returns the first error of an edit's own rules, with the edit's position.
func validateAll(edits []Edit) error {
	for i, e := range edits {
		if err := e.validate(); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return fmt.Errorf("edit %d: %s", i, first)
		}
	}
	return nil
}

// checkIdent returns an error for an SQL name that would need quotes or that SQLite reserves.
func checkIdent(name string) error {
	if !replayIdent.MatchString(name) || needsQuotes(name) || IsReserved(name) {
		return fmt.Errorf("name %q, expected a letter and then letters, digits and underscores, and no SQL keyword", name)
	}
	return nil
}

// maxName bounds a new name of a table or column, in bytes.
const maxName = 255

// CheckName returns an error for a text that cannot be the SQL name of a column, in quotes if need be.
func CheckName(name string) error {
	isControl := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError } // RuneError: no UTF-8
	isSized := name != "" && len(name) <= maxName
	if !isSized || strings.ContainsFunc(name, isControl) || strings.TrimSpace(name) != name {
		return fmt.Errorf("name %q, expected 1 to %d bytes of UTF-8 without control characters or blanks around them", dataset.Clip(name), maxName)
	}
	return nil
}

// CheckTableName returns an error if a name cannot be that of a table: [CheckName] rejects it or SQLite reserves it.
func CheckTableName(name string) error {
	if IsReserved(name) {
		return fmt.Errorf("name %q, expected one that does not begin with sqlite_", dataset.Clip(name))
	}
	return CheckName(name)
}

// IsReserved reports whether SQLite keeps a name for tables of its own, such as sqlite_sequence.
func IsReserved(name string) bool { return strings.HasPrefix(strings.ToLower(name), "sqlite_") }

// checkNatural returns an error for a blank natural name or question.
func checkNatural(words string) error {
	if strings.TrimSpace(words) == "" {
		return errors.New("a natural name or a question is empty, expected words")
	}
	return nil
}

// checkType returns an error for a type of column that Spider does not have.
func checkType(t dataset.Type) error {
	if types := []dataset.Type{dataset.Text, dataset.Number, dataset.Time, dataset.Boolean, dataset.Others}; !slices.Contains(types, t) {
		return fmt.Errorf("type %q, expected one of %q", t, types)
	}
	return nil
}

// key returns a text that is equal for lines of the same database, example and sample. Only the data set shows
// whether a line that names its example by position and one that quotes its question are of one example.
func (r *replayed) key() string {
	if r.Example != nil {
		return fmt.Sprintf("%q %d %d", r.DB, *r.Example, r.Sample)
	}
	return fmt.Sprintf("%q %q %q %d", r.DB, r.Question, r.Query, r.Sample)
}
