package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Pair is an example with what a model answered to it.
type Pair struct {
	*Example
	Prediction string // SQL; any bytes of UTF-8, since models write anything
	Structured bool   // it comes from JSON or CSV, which may hold a model's whole answer, and not from a line of SQL
	Problem    error  // why the prediction's record cannot be read; nil mostly
}

// Pairs reads gold SQL, as [ReadGold] does, together with a model's predictions in one of the
// forms of [OpenPredictions]. The prediction for a gold record that cannot be used is skipped.
// Files that do not fit together are an error, at the latest after the last pair.
func Pairs(gold, predictions string) Stream[*Pair] { return PairsOf(gold, File(predictions)) }

// PairsOf pairs a file of gold SQL with predictions as [Pairs] does; the predictions may come from a pipe.
func PairsOf(gold string, predictions Input) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		p, err := OpenPredictions(predictions, Expected{
			Count: func() (int, error) { return CountGold(gold) },
			Name:  func(n int) string { return fmt.Sprintf("the %d of %s", n, gold) },
		}, report)
		if err != nil {
			return err
		}
		defer p.Close()
		if err := p.Pairs(gold)(report, each); err != nil {
			return err
		}
		return p.End() // checks for predictions that no record took
	}
}

// Golds returns the examples of a file of gold SQL as pairs without predictions.
func Golds(gold string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		return ReadGold(gold, report, func(ex *Example) error { return each(&Pair{Example: ex}) })
	}
}

// Expected describes the gold records that predictions are for.
type Expected struct {
	Count func() (int, error)
	Name  func(n int) string // for messages, with the count n: "the 12 of dev.json"
}

// Predictions are the answers of one file, which are handed out to one file of gold SQL
// after the other.
type Predictions struct {
	in       Input
	form     fileForm
	expected Expected
	joined   *answerBook                  // answers by id or question; nil if the answers are in the order of the questions
	next     func() (answer, error, bool) // the next answer of the file; nil if joined is set
	stop     func()
	goldRead int // gold records so far, of all files
}

// OpenPredictions opens a file of predictions:
//
//   - lines of SQL; text after a tab is ignored. Blank lines may separate interactions; any other empty line is an empty prediction.
//   - a JSON array, JSON lines or CSV with a header: texts, or records with the text as sql, prediction, text and the like. They are joined by id, the index of a question from 0, or by db_id and question; without these they are in the order of the questions. Several answers to equal questions are used in turn. If a record has a prompt that ends in SELECT, the text may continue it.
//   - BIRD's JSON object, {"INDEX": "SQL\t----- bird -----\tdb_id"}.
//
// Each answer that cannot be joined is reported and, at the end, each that belongs to no question.
// Indices are counted over all files of gold SQL.
func OpenPredictions(in Input, expected Expected, report func(error)) (*Predictions, error) {
	p := &Predictions{in: in, expected: expected, stop: func() {}}
	var err error
	if p.form, err = detectForm(in); err != nil {
		return nil, err
	}
	if p.form == textLines {
		skipBlank, err := p.skipsBlank()
		if err != nil {
			return nil, err
		}
		p.next, p.stop = Pull(predictionLines(in, skipBlank), nil) // lines are in the order of the questions
		return p, nil
	}
	if err := p.checkReadable(); err != nil {
		return nil, err
	}
	answers := func(_ func(error), each func(answer) error) error { return readAnswers(in, p.form, each) }
	joined, err := p.identified()
	if err != nil {
		return nil, err
	}
	if !joined { // the answers are in the order of the questions
		p.next, p.stop = Pull(answers, nil)
		return p, nil
	}
	p.joined = newAnswerBook(in, report)
	if err := readAnswers(in, p.form, p.joined.add); err != nil {
		return nil, err
	}
	return p, cmp.Or(p.joined.errIfEmpty(), p.checkIndices())
}

// checkReadable returns the problem of the first answer if no answer of the file has readable text, as when all texts
// have unknown names. It stops reading at the first readable answer.
func (p *Predictions) checkReadable() error {
	var first error
	readable := func(_ func(error), each func(answer) error) error {
		return readAnswers(p.in, p.form, func(a answer) error {
			if a.problem == nil {
				return each(a)
			}
			first = cmp.Or(first, error(&FileError{p.in.Name, a.number, a.problem}))
			return nil
		})
	}
	_, found, err := First(readable, nil)
	if found {
		return nil
	}
	return cmp.Or(err, first)
}

// identified reports whether the answers have an id, or a db_id and a question, by which they are joined. It
// looks at the first answer that is readable or has these.
func (p *Predictions) identified() (bool, error) {
	usable := func(_ func(error), each func(answer) error) error {
		return readAnswers(p.in, p.form, func(a answer) error {
			if a.problem != nil && !a.identifiesQuestion() {
				return nil
			}
			return each(a)
		})
	}
	first, _, err := First(usable, nil)
	return first.identifiesQuestion(), err
}

// Close stops reading.
func (p *Predictions) Close() { p.stop() }

// Pairs returns the records of the next file of gold SQL with their predictions, as a stream that
// can be read once.
func (p *Predictions) Pairs(gold string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		earlier := p.goldRead // gold records of the files before
		var failed error      // of reading the predictions
		// leftOut passes over the predictions for a gold record that cannot be used: one, or one for each turn of an interaction.
		leftOut := func(err error) {
			for range predictionsOf(err) {
				if p.goldRead++; failed == nil && p.next != nil {
					_, failed = p.nextAnswer()
				}
			}
			report(err)
		}
		err := ReadGold(gold, leftOut, func(ex *Example) error {
			if failed != nil {
				return failed
			}
			pair, err := p.pair(ex, earlier+ex.Index, report)
			if err != nil {
				return err
			}
			p.goldRead++
			return each(pair)
		})
		if failed != nil {
			return failed
		}
		return err
	}
}

// pair joins an example with its prediction. index is the position of the example in all gold. A prediction without SQL
// under a known name is reported and paired with its problem, so that the others are still judged.
func (p *Predictions) pair(ex *Example, index int, report func(error)) (*Pair, error) {
	a, err := p.answerFor(ex, index)
	if err != nil {
		return nil, err
	}
	if errors.Is(a.problem, errNoSQL) {
		report(&RecordError{File: p.in.Name, Record: a.number, Err: a.problem})
	}
	isModelText := p.form != textLines // lines hold SQL alone
	return &Pair{ex, strings.TrimSpace(a.text), isModelText, a.problem}, nil
}

// answerFor returns the answer for an example: the joined one, or the next in the order of the file. index is the position
// of the example in all gold.
func (p *Predictions) answerFor(ex *Example, index int) (answer, error) {
	if p.joined == nil {
		return p.nextAnswer()
	}
	a, ok := p.joined.answerFor(ex, index)
	if !ok {
		return a, fmt.Errorf("%s: has no key %q, expected one for each record of %s", p.in.Name, strconv.Itoa(index), p.records())
	}
	return a, nil
}

// nextAnswer returns the next answer in the order of the file. After the last it returns [Predictions.countError].
func (p *Predictions) nextAnswer() (answer, error) {
	a, err, ok := p.next()
	if !ok {
		err = p.countError()
	}
	return a, err
}

// End checks the predictions after the last gold record. If they are in the order of the records, more predictions than
// records are an error; if they are joined, it reports the answers that belong to no question.
func (p *Predictions) End() error {
	if p.joined != nil {
		p.joined.reportUnused()
	}
	if p.next == nil { // joined answers may be more or fewer than the records
		return nil
	}
	_, err, more := p.next()
	if err == nil && more {
		err = p.countError()
	}
	return err
}

// records returns the name of the gold for messages, without the count: "dev.json" for "the 12 of dev.json".
func (p *Predictions) records() string {
	n, _ := p.expected.Count()
	return strings.TrimPrefix(p.expected.Name(n), fmt.Sprintf("the %d of ", n))
}

// checkIndices returns an error if an answer has an index beyond the gold: the gold is of
// another split then.
func (p *Predictions) checkIndices() error {
	if len(p.joined.byIndex) == 0 {
		return nil
	}
	want, err := p.expected.Count()
	if err != nil {
		return err
	}
	if last := slices.Max(slices.Collect(maps.Keys(p.joined.byIndex))); last >= want {
		return fmt.Errorf("%s: has the key %q, expected none beyond the %d records of %s", p.in.Name, strconv.Itoa(last), want, p.records())
	}
	return nil
}

// lineCounts counts the lines of a text.
type lineCounts struct{ all, nonBlank int }

// countLines counts the lines of a file.
func countLines(in Input) (s lineCounts, err error) {
	err = readLines(in.Path, func(l line) error {
		s.all++
		if !l.blank() {
			s.nonBlank++
		}
		return nil
	})
	return s, err
}

// skipsBlank reports whether the blank lines of a text separate interactions and are no empty predictions: they do if
// the other lines are as many as the gold records. It is false if all lines together are as many; any other number
// is an error. Without blank lines the gold is not counted.
func (p *Predictions) skipsBlank() (skipBlank bool, err error) {
	pred, err := countLines(p.in)
	if err != nil || pred.all == pred.nonBlank {
		return false, err
	}
	want, err := p.expected.Count()
	switch {
	case err != nil:
		return false, err
	case pred.all == want:
		return false, nil
	case pred.nonBlank == want:
		return true, nil
	}
	return false, p.countError()
}

// countError returns the error of predictions that are more or fewer than the gold records. It reads the file again to
// count them.
func (p *Predictions) countError() error {
	want, err := p.expected.Count()
	if err != nil {
		return err
	}
	if p.form != textLines {
		n := 0
		if err := readAnswers(p.in, p.form, func(answer) error { n++; return nil }); err != nil {
			return err
		}
		return fmt.Errorf("%s: has %d predictions, expected %s", p.in.Name, n, p.expected.Name(want))
	}
	pred, err := countLines(p.in)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: has %d lines (%d of them blank), expected %s", p.in.Name, pred.all, pred.all-pred.nonBlank, p.expected.Name(want))
}

// CountGold counts the questions of a file of gold SQL, including those that cannot be used: the lines of a text that are not
// blank, or the records of JSON, where each turn of an interaction counts.
func CountGold(path string) (n int, err error) {
	if !isJSONFile(path) {
		s, err := countLines(File(path))
		return s.nonBlank, err
	}
	err = scanFile(path, func(s *scanner) error {
		return s.walkRecords(recordWalk(path), path, func(_ int, raw []byte, problem error) error {
			if problem != nil { // a record that cannot be read counts as one question
				n++
			} else {
				n += questionsOf(raw)
			}
			return nil
		})
	})
	return n, err
}

// predictionLines returns the lines of a text as answers. Only the part before a tab counts, because gold files have the
// db_id behind it. If skipBlank is set, blank lines are no answers.
func predictionLines(in Input, skipBlank bool) Stream[answer] {
	return func(_ func(error), each func(answer) error) error {
		return readLines(in.Path, func(l line) error {
			if skipBlank && l.blank() {
				return nil
			}
			text, _, _ := strings.Cut(l.text, "\t")
			return each(answer{number: l.number, text: text, problem: l.problem})
		})
	}
}
