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

// PairsOf pairs golds with predictions as [Pairs] does; the predictions may come from a pipe.
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
		return p.End()
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
	Name  func(n int) string
}

// Predictions are the answers of one file, which are handed out to one file of gold SQL
// after the other.
type Predictions struct {
	in       Input
	form     fileForm
	expected Expected
	book     *answerBook // nil if the answers are in the order of the questions
	next     func() (answer, error, bool)
	stop     func()
	taken    int // records of the gold so far
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
		p.next, p.stop = Pull(predictionLines(in, skipBlank), nil)
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
	if !joined {
		p.next, p.stop = Pull(answers, nil)
		return p, nil
	}
	p.book = newAnswerBook(in, report)
	if err := readAnswers(in, p.form, p.book.add); err != nil {
		return nil, err
	}
	return p, cmp.Or(p.book.errIfEmpty(), p.checkIndices())
}

// checkReadable returns an error if no answer has text that can be read, such as under unknown names: that of the
// first answer.
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

// identified reports whether the answers identify their questions. The first usable answer
// decides.
func (p *Predictions) identified() (bool, error) {
	readable := func(_ func(error), each func(answer) error) error {
		return readAnswers(p.in, p.form, func(a answer) error {
			if a.problem != nil && !a.identifiesQuestion() {
				return nil
			}
			return each(a)
		})
	}
	head, _, err := First(readable, nil)
	return head.identifiesQuestion(), err
}

// Close stops reading.
func (p *Predictions) Close() { p.stop() }

// Pairs returns the records of the next file of gold SQL with their predictions, as a stream that
// can be read once.
func (p *Predictions) Pairs(gold string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		from := p.taken
		var failed error
		leftOut := func(err error) {
			for range predictionsOf(err) {
				if p.taken++; failed == nil && p.next != nil {
					_, failed = p.nextAnswer()
				}
			}
			report(err)
		}
		err := ReadGold(gold, leftOut, func(ex *Example) error {
			if failed != nil {
				return failed
			}
			pair, err := p.pair(ex, from+ex.Index, report)
			if err != nil {
				return err
			}
			p.taken++
			return each(pair)
		})
		if failed != nil {
			return failed
		}
		return err
	}
}

// pair joins an example with its prediction. index is the position of the example in all gold. A record that has SQL under
// no known name is reported and paired all the same, so that the others are still judged.
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

// answerFor returns the answer for an example, by its index or in order.
func (p *Predictions) answerFor(ex *Example, index int) (answer, error) {
	if p.book == nil {
		return p.nextAnswer()
	}
	a, ok := p.book.answerFor(ex, index)
	if !ok {
		return a, fmt.Errorf("%s: has no key %q, expected one for each record of %s", p.in.Name, strconv.Itoa(index), p.records())
	}
	return a, nil
}

// nextAnswer returns the next answer in the order of the file.
func (p *Predictions) nextAnswer() (answer, error) {
	a, err, ok := p.next()
	if !ok {
		err = p.countError()
	}
	return a, err
}

// End returns an error if there are more predictions than records, and reports the answers that
// belong to no question.
func (p *Predictions) End() error {
	if p.book != nil {
		p.book.reportLeft()
	}
	if p.next == nil {
		return nil
	}
	if _, err, more := p.next(); err != nil {
		return err
	} else if more {
		return p.countError()
	}
	return nil
}

// records returns the name of the gold records for messages.
func (p *Predictions) records() string {
	n, _ := p.expected.Count()
	return strings.TrimPrefix(p.expected.Name(n), fmt.Sprintf("the %d of ", n))
}

// checkIndices returns an error if an answer has an index beyond the gold: the gold is of
// another split then.
func (p *Predictions) checkIndices() error {
	if len(p.book.byIndex) == 0 {
		return nil
	}
	want, err := p.expected.Count()
	if err != nil {
		return err
	}
	if keys := slices.Sorted(maps.Keys(p.book.byIndex)); keys[len(keys)-1] >= want {
		return fmt.Errorf("%s: has the key %q, expected none beyond the %d records of %s", p.in.Name, strconv.Itoa(keys[len(keys)-1]), want, p.records())
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

// skipsBlank reports whether blank lines are no predictions, as there is one other line for each
// gold record. The gold is not counted if no line is blank.
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

// countError returns the error of predictions that are more or fewer than the gold records.
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

// CountGold counts the questions of a file of gold SQL, including those that cannot be used.
func CountGold(path string) (n int, err error) {
	if !isJSONFile(path) {
		s, err := countLines(File(path))
		return s.nonBlank, err
	}
	err = scanFile(path, func(s *scanner) error {
		return s.walkRecords(recordWalk(path), path, func(_ int, raw []byte, problem error) error {
			if problem != nil {
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
