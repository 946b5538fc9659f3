package dataset

import (
	"cmp"
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

// PairsOf is [Pairs] of predictions that may have been piped.
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

// Golds are the pairs of gold SQL without any predictions.
func Golds(gold string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		return ReadGold(gold, report, func(ex *Example) error { return each(&Pair{Example: ex}) })
	}
}

// Expected is the number of records that predictions are for, and its wording in messages.
type Expected struct {
	Count func() (int, error)
	Name  func(n int) string
}

// Predictions are the answers of one file, which are handed out to one file of gold SQL
// after the other.
type Predictions struct {
	in       Input
	form     answerForm
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
	if p.form, err = formOf(in); err != nil {
		return nil, err
	}
	if p.form == textLines {
		skipBlank, err := p.fit()
		if err != nil {
			return nil, err
		}
		p.next, p.stop = Pull(predictionLines(in, skipBlank), nil)
		return p, nil
	}
	answers := func(_ func(error), each func(answer) error) error { return eachAnswer(in, p.form, each) }
	joined, err := p.joined()
	if err != nil {
		return nil, err
	}
	if !joined {
		p.next, p.stop = Pull(answers, nil)
		return p, nil
	}
	p.book = newAnswerBook(in, report)
	if err := eachAnswer(in, p.form, p.book.add); err != nil {
		return nil, err
	}
	return p, cmp.Or(p.book.empty(), p.within())
}

// joined reports whether the answers identify their questions, which it takes from the first
// readable answer.
func (p *Predictions) joined() (bool, error) {
	readable := func(_ func(error), each func(answer) error) error {
		return eachAnswer(p.in, p.form, func(a answer) error {
			if a.problem != nil && !a.joins() {
				return nil
			}
			return each(a)
		})
	}
	head, _, err := First(readable, nil)
	return head.joins(), err
}

// Close ends reading.
func (p *Predictions) Close() { p.stop() }

// Pairs returns the records of the next file of gold SQL with their predictions, as a stream that
// can be read once.
func (p *Predictions) Pairs(gold string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		from := p.taken
		var failed error
		leftOut := func(err error) {
			for range turnsLost(err) {
				if p.taken++; failed == nil && p.next != nil {
					_, failed = p.one()
				}
			}
			report(err)
		}
		err := ReadGold(gold, leftOut, func(ex *Example) error {
			if failed != nil {
				return failed
			}
			pair, err := p.pair(ex, from+ex.Index)
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

// pair joins an example with its prediction.
func (p *Predictions) pair(ex *Example, index int) (*Pair, error) {
	a, err := p.answerFor(ex, index)
	if err != nil {
		return nil, err
	}
	return &Pair{ex, strings.TrimSpace(a.text), p.form != textLines, a.problem}, nil
}

// answerFor returns the answer for an example.
func (p *Predictions) answerFor(ex *Example, index int) (answer, error) {
	if p.book == nil {
		return p.one()
	}
	a, ok := p.book.of(ex, index)
	if !ok {
		return a, fmt.Errorf("%s: has no key %q, expected one for each record of %s", p.in.Name, strconv.Itoa(index), p.records())
	}
	return a, nil
}

// one returns the next answer in order.
func (p *Predictions) one() (answer, error) {
	a, err, ok := p.next()
	if !ok {
		err = p.misfit()
	}
	return a, err
}

// End returns an error if there are more predictions than records, and reports the answers that
// belong to no question.
func (p *Predictions) End() error {
	if p.book != nil {
		p.book.left()
	}
	if p.next == nil {
		return nil
	}
	if _, err, more := p.next(); err != nil {
		return err
	} else if more {
		return p.misfit()
	}
	return nil
}

// records returns the name of the records that the predictions are for.
func (p *Predictions) records() string {
	n, _ := p.expected.Count()
	return strings.TrimPrefix(p.expected.Name(n), fmt.Sprintf("the %d of ", n))
}

// within returns an error if an index of the answers exceeds the gold, which is then of another
// split.
func (p *Predictions) within() error {
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

// shape is the number of lines of a text: all, and those that are not blank.
type shape struct{ lines, full int }

// shapeOf counts the lines of a file.
func shapeOf(in Input) (s shape, err error) {
	err = eachLine(in.Path, func(l line) error {
		s.lines++
		if !l.blank() {
			s.full++
		}
		return nil
	})
	return s, err
}

// fit reports whether blank lines must be skipped so that there is one line for each record. If no
// line is blank, the records are not counted.
func (p *Predictions) fit() (skipBlank bool, err error) {
	pred, err := shapeOf(p.in)
	if err != nil || pred.lines == pred.full {
		return false, err
	}
	want, err := p.expected.Count()
	switch {
	case err != nil:
		return false, err
	case pred.lines == want:
		return false, nil
	case pred.full == want:
		return true, nil
	}
	return false, p.misfit()
}

// misfit is the error of predictions that are more or fewer than the records.
func (p *Predictions) misfit() error {
	want, err := p.expected.Count()
	if err != nil {
		return err
	}
	if p.form != textLines {
		n := 0
		if err := eachAnswer(p.in, p.form, func(answer) error { n++; return nil }); err != nil {
			return err
		}
		return fmt.Errorf("%s: has %d predictions, expected %s", p.in.Name, n, p.expected.Name(want))
	}
	pred, err := shapeOf(p.in)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: has %d lines (%d of them blank), expected %s", p.in.Name, pred.lines, pred.lines-pred.full, p.expected.Name(want))
}

// CountGold counts the questions of a file of gold SQL, good and bad.
func CountGold(path string) (n int, err error) {
	if !isJSON(path) {
		s, err := shapeOf(File(path))
		return s.full, err
	}
	err = readFile(path, func(s *scanner) error {
		return s.over(recordsOf(path), path, func(_ int, raw []byte, problem error) error {
			if problem != nil {
				n++
			} else {
				n += questions(raw)
			}
			return nil
		})
	})
	return n, err
}

// predictionLines returns the answers in the lines of a text.
func predictionLines(in Input, skipBlank bool) Stream[answer] {
	return func(_ func(error), each func(answer) error) error {
		return eachLine(in.Path, func(l line) error {
			if skipBlank && l.blank() {
				return nil
			}
			text, _, _ := strings.Cut(l.text, "\t")
			return each(answer{number: l.number, text: text, problem: l.problem})
		})
	}
}
