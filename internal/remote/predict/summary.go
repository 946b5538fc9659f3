package predict

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// Summary counts what was asked and answered.
type Summary struct {
	Victim     string       `json:"victim"` // set by the caller
	Questions  int          `json:"questions"`
	Prompts    int          `json:"prompts"` // distinct ones
	Answered   int          `json:"answered"`
	Unanswered int          `json:"unanswered"`
	Asked      *chat.Counts `json:"asked,omitempty"` // set by the caller if a model was asked
	Cost       *float64     `json:"cost,omitempty"`  // set by the caller where prices are known
	Rounds     int          `json:"repeats,omitempty"`
	Agreeing   *float64     `json:"agreeing,omitempty"` // share of the answered questions with the same SQL in each round
	Out        []string     `json:"out"`

	ids     map[string]bool // of the prompts
	answers map[question]*answers
}

// newSummary returns an empty summary.
func newSummary() *Summary {
	return &Summary{ids: map[string]bool{}, answers: map[question]*answers{}}
}

// question identifies a question: its data directory, and its index in the split.
type question struct {
	dir   string
	index int
}

// answers counts the answers to a question over all rounds.
type answers struct {
	count  int    // number of answers
	first  string // the SQL of the first
	differ bool   // whether another one differs from it
}

// answer counts the answer of one round to a question: its SQL, or err, why there is none. A question counts even if no round answers it.
func (s *Summary) answer(q question, sql string, err error) {
	a := s.answers[q]
	if a == nil {
		a = &answers{}
		s.answers[q] = a
	}
	if err != nil {
		return
	}
	if a.count == 0 {
		a.first = sql
	}
	a.differ = a.differ || sql != a.first
	a.count++
}

// count sets the counts of questions after a number of rounds. A question counts once, and as answered only
// where each round answered it.
func (s *Summary) count(rounds int) {
	s.Questions = len(s.answers)
	agreeing := 0
	for _, a := range s.answers {
		if a.count < rounds {
			s.Unanswered++
			continue
		}
		s.Answered++
		if !a.differ {
			agreeing++
		}
	}
	if rounds > 1 {
		share := float64(agreeing) / float64(max(1, s.Answered))
		s.Rounds, s.Agreeing = rounds, &share
	}
}

// CheckAnswered returns an error if no question is answered, for files below out.
func (s *Summary) CheckAnswered(out string) error {
	if s.Answered == 0 {
		return fmt.Errorf("none of %d questions is answered; nothing is written to %s", s.Questions, out)
	}
	return nil
}

// write writes the lines of a file, unless none is an answer: then it leaves the file as it is.
func (s *Summary) write(path string, lines *fileLines, note func(error)) error {
	if !lines.answered {
		note(fmt.Errorf("%s: none of its questions is answered, it is left as it is", path))
		return nil
	}
	s.Out = append(s.Out, path)
	return writeLines(path, lines.sql)
}

// WriteText writes the summary for people.
func (s *Summary) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d questions, %d distinct prompts: %d answered, %d not\n", s.Victim, s.Questions, s.Prompts, s.Answered, s.Unanswered)
	if s.Asked != nil {
		fmt.Fprintln(w, s.Asked)
	}
	if s.Cost != nil {
		fmt.Fprintf(w, "cost: %.4f\n", *s.Cost)
	}
	if s.Agreeing != nil {
		fmt.Fprintf(w, "asked %d times: %.1f%% of those that were answered have the same SQL each time\n", s.Rounds, 100**s.Agreeing)
	}
	wrote := strings.Join(s.Out, " ")
	if n := len(s.Out); n > 4 {
		wrote = fmt.Sprintf("%d files, %s … %s", n, s.Out[0], s.Out[n-1])
	}
	_, err := fmt.Fprintln(w, "wrote "+wrote)
	return err
}
