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
	"unicode/utf8"

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

// fileForm is the form of a file of predictions.
type fileForm int

const (
	textLines  fileForm = iota // one SQL per line
	jsonArray                  // an array of strings or objects
	jsonLines                  // a string or an object a line
	jsonObject                 // texts by index, as BIRD has them
	csvTable                   // with a header
)

// The names of an answer's members, in JSON or in the header of CSV, in the order of precedence. Files
// that have "query" too mean the gold SQL by it. The last of textNames are those of the answers of servers.
var (
	idNames    = []string{customID, "id", "index"}
	textNames  = []string{"pred", "prediction", "predicted", "predicted_sql", "pred_sql", "generated_sql", "sql", "text", "generated_text", "completion", "response", "output", "result", "body", "choices", "message", "content"}
	otherNames = []string{"db_id", "question", "evidence", "query", "prompt"}
	knownNames = slices.Concat(idNames, textNames, otherNames)
)

// customID is the name of the id that a client gave a request of a batch, such as "request-7".
const customID = "custom_id"

// detectForm returns the form of a file of predictions from its first bytes. If they allow several forms, the ending of
// its name decides. A file without JSON and without a separator in its first line has one query per line.
func detectForm(in Input) (fileForm, error) {
	r, closer, err := OpenText(in.Path)
	if err != nil {
		return textLines, err
	}
	defer closer.Close()
	if isUTF16(r) {
		return textLines, &FileError{File: in.Name, Err: errUTF16}
	}
	head, _ := r.Peek(r.Size())
	head = bytes.TrimLeftFunc(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), unicode.IsSpace) // without a byte order mark
	inside := bytes.TrimLeftFunc(bytes.TrimLeft(head, "[{"), unicode.IsSpace)
	firstLine, _, _ := bytes.Cut(head, []byte("\n"))
	isString := bytes.HasPrefix(firstLine, []byte(`"`)) && json.Valid(firstLine)
	isLines := isString || strings.HasSuffix(strings.TrimSuffix(in.Name, ".gz"), ".jsonl")
	// An array holds strings, objects or arrays. Any other bracket begins text, such as the name [id].
	isArray := bytes.HasPrefix(head, []byte("[")) && (len(inside) == 0 || bytes.IndexByte([]byte(`"{]`), inside[0]) >= 0)
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		keyOnLine := len(bytes.TrimSpace(firstLine)) > len("{")
		if isLines || beginsWithMember(inside, keyOnLine) {
			return jsonLines, nil
		}
		return jsonObject, nil
	case isLines:
		return jsonLines, nil
	case isArray:
		return jsonArray, nil
	case separatorOf(head) != 0:
		return csvTable, nil
	}
	return textLines, nil
}

// beginsWithMember reports whether text, the inside of a JSON object, begins with the name of a member of an answer and not with
// the index of a question, as BIRD's object does. If the key is on the line of the opening brace, as in JSON lines
// (sameLine), any key but an index is a member; else only a known name is one.
func beginsWithMember(text []byte, sameLine bool) bool {
	raw, _, err := newScanner(bytes.NewReader(text)).nextValue()
	var key string
	if err != nil || json.Unmarshal(raw, &key) != nil {
		return false
	}
	if _, err := strconv.Atoi(key); sameLine {
		return err != nil
	}
	return slices.Contains(knownNames, strings.ToLower(key))
}

// separatorOf returns the separator of the CSV header that a text begins with, 0 for other text. The names in a header
// have at most 1 KiB.
func separatorOf(text []byte) byte {
	for _, separator := range []byte(",\t;") {
		rows := csvtable.NewReader(bufio.NewReader(bytes.NewReader(text)), maxFields, 1<<10)
		rows.Separator = separator
		if header, err := rows.Read(); err == nil && isHeader(header) {
			return separator
		}
	}
	return 0
}

// isHeader reports whether fields are a header of answers: several names without blanks, one of them known.
func isHeader(fields []string) bool {
	if len(fields) < 2 || strings.Contains(strings.Join(fields, ""), " ") {
		return false
	}
	return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(knownNames, strings.ToLower(f)) })
}

// maxFields bounds the columns of CSV.
const maxFields = 100

// readAnswers passes the answers of a JSON or CSV file to each.
func readAnswers(in Input, form fileForm, each func(answer) error) error {
	if form == csvTable {
		return readRowAnswers(in, each)
	}
	return scanFile(in.Path, func(s *scanner) error {
		if form == jsonObject {
			return readKeyedAnswers(s, in.Name, each)
		}
		records := (*scanner).eachElement
		if form == jsonLines {
			records = (*scanner).nonBlankLines
		}
		return s.walkRecords(records, in.Name, func(i int, raw []byte, problem error) error {
			a := answer{number: i, problem: problem}
			if problem == nil {
				a.decode(raw)
			}
			return each(a)
		})
	})
}

// birdSeparator separates the SQL from the db_id in BIRD's predictions.
const birdSeparator = "\t----- bird -----\t"

// readKeyedAnswers passes the members of a JSON object to each: the key is the id of the answer,
// the value its text. The db_id that BIRD appends to the text is cut off.
func readKeyedAnswers(s *scanner, name string, each func(answer) error) error {
	var failed error
	err := s.eachMember(func(i int, key string) (bool, error) {
		raw, problem, err := s.nextValue()
		if err != nil {
			return false, err
		}
		a := answer{number: i, id: key, problem: problem}
		if problem == nil {
			a.text, a.problem = answerText(raw, maxDepth)
		}
		a.text, _, _ = strings.Cut(a.text, birdSeparator)
		failed = each(a)
		return failed == nil, nil
	})
	return s.endError(name, failed, err)
}

// decode reads an answer from its JSON, which is its text or an object.
func (a *answer) decode(raw []byte) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		a.text, a.problem = answerText(raw, maxDepth)
		return
	}
	members, err := DecodeAnswer(raw)
	if a.problem = err; err == nil {
		a.read(members)
	}
}

// read reads an answer from its members.
func (a *answer) read(members AnswerMembers) {
	a.id = members.ID()
	if _, ok := members[customID]; ok { // "request-7" answers question 7
		a.id = lastNumber.FindString(a.id)
	}
	for name, target := range map[string]*string{"db_id": &a.db, "question": &a.question} {
		_ = json.Unmarshal(members[name], target) // a member that is no text counts as absent: the id may still identify the question
	}
	a.text, _, a.problem = members.Text()
}

// lastNumber matches the number that an id such as "request-7" ends with.
var lastNumber = lazyregexp.New(`[0-9]+$`)

// readRowAnswers passes the rows of a CSV file, after its header, to each. A row that is not UTF-8 has that as its problem.
func readRowAnswers(in Input, each func(answer) error) error {
	r, closer, err := OpenText(in.Path)
	if err != nil {
		return err
	}
	defer closer.Close()
	head, _ := r.Peek(r.Size())
	rows := csvtable.NewReader(r, maxFields, maxRecord)
	rows.Separator = separatorOf(head)
	header, err := rows.Read()
	if err != nil {
		return fileError(in.Name, err)
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &FileError{File: in.Name, Record: rows.Line(), Err: err}
		}
		a, members := answer{number: rows.Line()}, AnswerMembers{}
		for i, name := range header[:min(len(header), len(row))] {
			members[strings.ToLower(name)], _ = json.Marshal(row[i]) // a string always has JSON
		}
		a.read(members)
		if !utf8.ValidString(strings.Join(row, "")) {
			a.problem = errNotUTF8
		}
		if err := each(a); err != nil {
			return err
		}
	}
}

// index returns the id of an answer as the index of its question in the gold, from 0.
func (a *answer) index() (int, error) {
	index, err := strconv.Atoi(a.id)
	if err != nil || index < 0 {
		return 0, fmt.Errorf("key %q, expected the index of a question, from 0", Clip(a.id))
	}
	return index, nil
}

// ErrNotAsked is the [Pair.Problem] of a question that no answer is for.
var ErrNotAsked = errors.New("the question was not asked")

// questionKey identifies a question: the db_id and the folded text, see [questionKeyOf].
type questionKey [2]string

// questionKeyOf returns the key of a question. It ignores case, blanks, quotation marks and the
// final mark, because files write the same question with or without tokens. Other signs
// distinguish questions: "> 5", "< 5".
func questionKeyOf(db, question string) questionKey {
	folded := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("'\"`´‘’“”", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, question)
	return questionKey{db, strings.TrimRight(folded, "?.!")}
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
	byQuestion map[questionKey]*answerQueue
	variants   bool // an answer names a perturbed database by its own id
	unusable   int  // answers that were reported because they cannot be joined
	report     func(error)
}

// answerQueue holds the answers to one question that is asked several times. They are used in
// turn.
type answerQueue struct {
	answers []answer
	taken   int
}

// newAnswerBook returns an empty book for the answers of a file.
func newAnswerBook(in Input, report func(error)) *answerBook {
	return &answerBook{in: in, byIndex: map[int]answer{}, byQuestion: map[questionKey]*answerQueue{}, report: report}
}

// identifiesQuestion reports whether an answer has an id, or a db_id and a question.
func (a *answer) identifiesQuestion() bool { return a.id != "" || a.db != "" && a.question != "" }

// add stores an answer under its index or else under its question, for which there may be several. An answer with
// neither is reported and counted as unusable. A repeated index is an error.
func (b *answerBook) add(a answer) error {
	index, err := a.index()
	switch _, isRepeated := b.byIndex[index]; {
	case err == nil && isRepeated:
		return &FileError{File: b.in.Name, Record: a.number, Err: cmp.Or(a.problem, fmt.Errorf("key %q stands twice, expected it once", a.id))}
	case err == nil:
		b.byIndex[index] = a
	case a.db != "" && a.question != "":
		b.variants = b.variants || OriginalID(a.db) != a.db // the db_id is that of a perturbed database
		key := questionKeyOf(a.db, a.question)
		if b.byQuestion[key] == nil {
			b.byQuestion[key] = &answerQueue{}
		}
		b.byQuestion[key].answers = append(b.byQuestion[key].answers, a)
	default:
		if a.id == "" {
			err = errors.New("expected an id, or db_id and question, beside the prediction")
		}
		b.unusable++
		b.report(&RecordError{File: b.in.Name, Record: a.number, Err: cmp.Or(a.problem, err)})
	}
	return nil
}

// errIfEmpty returns an error if no answer identifies its question.
func (b *answerBook) errIfEmpty() error {
	if len(b.byIndex)+len(b.byQuestion) > 0 {
		return nil
	}
	return fmt.Errorf("%s: joins no answer to a question, expected the index of a question as id, from 0, or db_id and question", b.in.Name)
}

// errUnusable is the [Pair.Problem] of a question whose answer may be one of those that were
// reported.
var errUnusable = errors.New("no answer for the question can be read")

// answerFor returns the answer for an example; index is the position of the example in the gold.
// The answer may have a problem. ok is false if all answers are joined by index and none has
// this one.
func (b *answerBook) answerFor(ex *Example, index int) (_ answer, ok bool) {
	if a, ok := b.byIndex[index]; ok {
		return a, true
	}
	q := b.byQuestion[questionKeyOf(ex.DB, ex.Question)]
	if q == nil && !b.variants { // the answers may name a perturbed database by the original's id
		q = b.byQuestion[questionKeyOf(OriginalID(ex.DB), ex.Question)]
	}
	switch {
	case q != nil:
		q.taken++
		return q.answers[(q.taken-1)%len(q.answers)], true // in turn, and the first again after the last
	case len(b.byIndex) == 0, len(b.byQuestion) > 0: // not all are joined by index; those joined by question need not be complete
		return answer{problem: ErrNotAsked}, true
	}
	if b.unusable--; b.unusable >= 0 { // each answer that could not be joined may be one that is missing
		return answer{problem: errUnusable}, true
	}
	return answer{}, false
}

// reportUnused reports as a note how many answers belong to no question of the gold. A file may
// have predictions for more data, such as both sides of a build.
func (b *answerBook) reportUnused() {
	var unused []answer
	for _, q := range b.byQuestion {
		unused = append(unused, q.answers[min(q.taken, len(q.answers)):]...) // taken counts answers that were given again too
	}
	if len(unused) == 0 {
		return
	}
	first := slices.MinFunc(unused, func(a, b answer) int { return cmp.Compare(a.number, b.number) })
	b.report(Note(&RecordError{File: b.in.Name, Record: first.number,
		Err: fmt.Errorf("answers that belong to no question of the gold, or to one that has an answer: %d, the first on %q: %q", len(unused), Clip(first.db), Clip(first.question))}))
}
