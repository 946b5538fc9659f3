package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// answer is one record of a file of predictions.
type answer struct {
	number       int // in the file, from 1
	id           string
	db, question string
	text         string
	problem      error // why the text cannot be read
}

// answerForm is how a file holds predictions.
type answerForm int

const (
	textLines  answerForm = iota // one SQL a line
	jsonArray                    // an array of strings or objects
	jsonLines                    // a string or an object a line
	jsonObject                   // texts by index, as BIRD has them
	csvTable                     // with a header
)

// The names of an answer's members, in JSON or in the header of CSV, in the order in
// which they are looked for. Files that have "query" too mean the gold SQL by it.
var (
	idNames  = []string{"id", "index"}
	sqlNames = []string{"sql", "prediction", "predicted_sql", "pred_sql", "pred", "text", "response", "output", "result"}
)

// formOf returns the form of a file of predictions. It examines the content, and the name if the
// content allows more than one form.
func formOf(in Input) (answerForm, error) {
	r, closer, err := OpenText(in.Path)
	if err != nil {
		return textLines, err
	}
	defer closer.Close()
	if isUTF16(r) {
		return textLines, &FileError{File: in.Name, Err: errUTF16}
	}
	head, _ := r.Peek(r.Size())
	head = bytes.TrimLeftFunc(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), unicode.IsSpace)
	rest := bytes.TrimLeftFunc(bytes.TrimLeft(head, "[{"), unicode.IsSpace)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	lines := strings.HasSuffix(strings.TrimSuffix(in.Name, ".gz"), ".jsonl") || bytes.HasPrefix(line, []byte(`"`)) && json.Valid(line)
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		if lines || isMember(rest) {
			return jsonLines, nil
		}
		return jsonObject, nil
	case lines:
		return jsonLines, nil
	case bytes.HasPrefix(head, []byte("[")) && (len(rest) == 0 || bytes.IndexByte([]byte(`"{]`), rest[0]) >= 0):
		return jsonArray, nil
	case isHeader(head):
		return csvTable, nil
	}
	return textLines, nil
}

// isMember reports whether JSON text begins with a key that is a name of a member, not an index.
func isMember(text []byte) bool {
	raw, _, err := newScanner(bytes.NewReader(text)).value()
	var key string
	if err != nil || json.Unmarshal(raw, &key) != nil {
		return false
	}
	return slices.Contains(slices.Concat(idNames, sqlNames, []string{"db_id", "question", "evidence", "query", "prompt"}), strings.ToLower(key))
}

// isHeader reports whether text begins with a CSV header of several columns, one of them of SQL.
func isHeader(text []byte) bool {
	header, err := csvtable.NewReader(bufio.NewReader(bytes.NewReader(text)), maxFields, 1<<10).Read()
	if err != nil || len(header) < 2 || strings.Contains(strings.Join(header, ""), " ") {
		return false
	}
	return column(header, sqlNames) >= 0
}

// maxFields bounds the columns of CSV.
const maxFields = 100

// column returns which field of a header has the first of some names, or -1.
func column(header []string, names []string) int {
	for _, n := range names {
		if i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), n) }); i >= 0 {
			return i
		}
	}
	return -1
}

// eachAnswer iterates over the answers of a file in a structured form.
func eachAnswer(in Input, form answerForm, each func(answer) error) error {
	if form == csvTable {
		return eachRow(in, each)
	}
	return readFile(in.Path, func(s *scanner) error {
		if form == jsonObject {
			return eachKeyed(s, in.Name, each)
		}
		records := (*scanner).array
		if form == jsonLines {
			records = (*scanner).lines
		}
		return s.over(records, in.Name, func(i int, raw []byte, problem error) error {
			a := answer{number: i, problem: problem}
			if problem == nil {
				a.decode(raw)
			}
			return each(a)
		})
	})
}

// birdMark separates the SQL from the db_id in BIRD's predictions.
const birdMark = "\t----- bird -----\t"

// eachKeyed iterates over a JSON object of answers by their keys.
func eachKeyed(s *scanner, name string, each func(answer) error) error {
	var failed error
	err := s.object(func(i int, key string) (bool, error) {
		raw, problem, err := s.value()
		if err != nil {
			return false, err
		}
		a := answer{number: i, id: key, problem: problem}
		if problem == nil {
			a.problem = Decode(raw, &a.text)
		}
		a.text, _, _ = strings.Cut(a.text, birdMark)
		failed = each(a)
		return failed == nil, nil
	})
	return s.ended(name, failed, err)
}

// decode reads an answer from a string or an object.
func (a *answer) decode(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if !bytes.HasPrefix(raw, []byte("{")) {
		a.problem = Decode(raw, &a.text)
		return
	}
	var members map[string]json.RawMessage
	if a.problem = Decode(raw, &members); a.problem != nil {
		return
	}
	a.id = idOf(first(members, idNames))
	var prompt string
	for name, to := range map[string]*string{"db_id": &a.db, "question": &a.question, "prompt": &prompt} {
		_ = json.Unmarshal(members[name], to) // without them it is joined by other things
	}
	if text := first(members, sqlNames); text == nil {
		a.problem = errNoSQL
	} else {
		a.problem = Decode(text, &a.text)
	}
	a.text = continued(prompt, a.text)
}

// idOf returns an id that is a text or a number; "" for null.
func idOf(raw json.RawMessage) string {
	var text *string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	if text == nil {
		return ""
	}
	return *text
}

var errNoSQL = fmt.Errorf("expected SQL as one of %s", strings.Join(sqlNames, ", "))

// first returns the first of some members that is there.
func first(members map[string]json.RawMessage, names []string) json.RawMessage {
	for _, n := range names {
		if raw, ok := members[n]; ok {
			return raw
		}
	}
	return nil
}

// whole matches the beginning of an answer that has its own SELECT.
var whole = lazyregexp.New("(?is)^(?:\\s|\\(|--[^\n]*\n|/\\*.*?\\*/)*(?:SELECT|WITH|VALUES)\\b|```")

// continued returns an answer with SELECT before it, if the prompt ends with SELECT and the answer
// continues from there, as in the released predictions of ChatGPT.
func continued(prompt, answer string) string {
	words := strings.Fields(prompt)
	if len(words) == 0 || !strings.EqualFold(words[len(words)-1], "SELECT") {
		return answer
	}
	if answer == "" || whole.MatchString(answer) {
		return answer
	}
	return "SELECT " + answer
}

// eachRow iterates over the rows of CSV after the header.
func eachRow(in Input, each func(answer) error) error {
	r, closer, err := OpenText(in.Path)
	if err != nil {
		return err
	}
	defer closer.Close()
	rows := csvtable.NewReader(r, maxFields, maxRecord)
	header, err := rows.Read()
	if err != nil {
		return broken(in.Name, err)
	}
	id, sql := column(header, idNames), column(header, sqlNames)
	db, question, prompt := column(header, []string{"db_id"}), column(header, []string{"question"}), column(header, []string{"prompt"})
	for n := 1; ; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &FileError{File: in.Name, Record: n, Err: err}
		}
		field := func(i int) string {
			if i < 0 || i >= len(row) {
				return ""
			}
			return row[i]
		}
		if err := each(answer{n, field(id), field(db), field(question), continued(field(prompt), field(sql)), nil}); err != nil {
			return err
		}
	}
}

// index returns the id as the index of a question, from 0.
func (a *answer) index() (int, error) {
	index, err := strconv.Atoi(a.id)
	if err != nil || index < 0 {
		return 0, fmt.Errorf("key %q, expected the index of a question, from 0", Clip(a.id))
	}
	return index, nil
}

// ErrNotAsked is the [Pair.Problem] of a question that no answer is for.
var ErrNotAsked = errors.New("the question was not asked")

// asked is the key by which an answer is joined to a question: database and folded question.
type asked [2]string

// askedOf returns the key of a question without case, blanks, quotation marks and the sign at its
// end, because files write the same question in tokens or not. Other signs distinguish questions:
// "> 5", "< 5".
func askedOf(db, question string) asked {
	folded := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("'\"`´‘’“”", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, question)
	return asked{db, strings.TrimRight(folded, "?.!")}
}

// Words returns the words of a text in lower case, split at every character that is no letter or
// digit.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// answerBook holds the answers that are joined by an index or by their questions.
type answerBook struct {
	in         Input
	byIndex    map[int]answer
	byQuestion map[asked]*answered
	unread     int // answers that were reported because they cannot be joined
	report     func(error)
}

// answered are the answers to equal questions, which are handed out in turn.
type answered struct {
	all   []answer
	taken int
}

func newAnswerBook(in Input, report func(error)) *answerBook {
	return &answerBook{in: in, byIndex: map[int]answer{}, byQuestion: map[asked]*answered{}, report: report}
}

// joins reports whether an answer identifies its question.
func (a *answer) joins() bool { return a.id != "" || a.db != "" && a.question != "" }

// add stores an answer under its index or question, or reports that it has neither. A repeated
// index is an error.
func (b *answerBook) add(a answer) error {
	index, err := a.index()
	switch _, twice := b.byIndex[index]; {
	case err == nil && twice:
		return &FileError{File: b.in.Name, Record: a.number, Err: cmp.Or(a.problem, fmt.Errorf("key %q stands twice, expected it once", a.id))}
	case err == nil:
		b.byIndex[index] = a
	case a.db != "" && a.question != "":
		key := askedOf(a.db, a.question)
		if b.byQuestion[key] == nil {
			b.byQuestion[key] = &answered{}
		}
		b.byQuestion[key].all = append(b.byQuestion[key].all, a)
	default:
		if a.id == "" {
			err = errors.New("expected an id, or db_id and question, beside the prediction")
		}
		b.unread++
		b.report(&RecordError{File: b.in.Name, Record: a.number, Err: cmp.Or(a.problem, err)})
	}
	return nil
}

// empty returns an error if no answer identifies its question.
func (b *answerBook) empty() error {
	if len(b.byIndex)+len(b.byQuestion) > 0 {
		return nil
	}
	return fmt.Errorf("%s: joins no answer to a question, expected the index of a question as id, from 0, or db_id and question", b.in.Name)
}

var errUnread = errors.New("no answer for the question can be read")

// of returns the answer for an example, which may have a problem. ok is false if all answers are
// joined by index and none has this one.
func (b *answerBook) of(ex *Example, index int) (answer, bool) {
	if a, ok := b.byIndex[index]; ok {
		return a, true
	}
	if q := b.byQuestion[askedOf(ex.DB, ex.Question)]; q != nil {
		q.taken++
		return q.all[(q.taken-1)%len(q.all)], true
	}
	if len(b.byIndex) == 0 || len(b.byQuestion) > 0 {
		return answer{problem: ErrNotAsked}, true
	}
	if b.unread--; b.unread >= 0 {
		return answer{problem: errUnread}, true
	}
	return answer{}, false
}

// left reports, as a note, how many answers belong to no question of the gold. A file may have
// predictions for more data, such as both sides of a build.
func (b *answerBook) left() {
	var left []answer
	for _, q := range b.byQuestion {
		left = append(left, q.all[min(q.taken, len(q.all)):]...)
	}
	if len(left) == 0 {
		return
	}
	first := slices.MinFunc(left, func(a, b answer) int { return cmp.Compare(a.number, b.number) })
	b.report(Note(&RecordError{File: b.in.Name, Record: first.number,
		Err: fmt.Errorf("answers that belong to no question of the gold, or to one that has an answer: %d, the first on %q: %q", len(left), Clip(first.db), Clip(first.question))}))
}
