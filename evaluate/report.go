package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Report sums up the records of a run. With each figure it gives the comparison, the
// databases and the number of questions, so that another person can reproduce it.
type Report struct {
	Gold          string         `json:"gold"`
	Predictions   string         `json:"predictions"`
	Strict        bool           `json:"strict"`
	PlugValue     bool           `json:"plug_value"`     // see [execution.Options]
	KeepDistinct  bool           `json:"keep_distinct"`  // see [execution.Options]
	OfficialValue bool           `json:"official_value"` // see [execution.Options]
	Questions     int            `json:"questions"`
	Databases     int            `json:"databases"`
	Metrics       []MetricReport `json:"metrics"`
	Partial       *exact.Tally   `json:"partial,omitempty"` // nil unless exact set match was a metric
	Extraction    *Extraction    `json:"extraction,omitempty"`
	GoldCheck     *GoldCheck     `json:"gold_check,omitempty"` // nil unless requested

	databases         map[string]bool
	interaction, turn int // of the last record
}

// MetricReport sums up the verdicts of one metric.
type MetricReport struct {
	Name         string          `json:"name"`
	Comparison   string          `json:"comparison"`
	Levels       []Level         `json:"levels"`                 // the four of hardness, then all
	Difficulties []Level         `json:"difficulties,omitempty"` // by the data set's own difficulty, if it has one
	Turns        []Level         `json:"turns,omitempty"`        // by turn of an interaction, then whole interactions; nil if there are none
	Wrong        []Count         `json:"wrong"`                  // by reason, most frequent first
	NotJudged    []Count         `json:"not_judged,omitempty"`
	Doubts       []Count         `json:"doubts,omitempty"`  // judged verdicts whose gold SQL is at fault, by what
	Changed      *VerdictChanges `json:"changed,omitempty"` // strict mode against the official verdicts

	wrong, notJudged, doubts map[string]int
	interaction              verdict.Verdict // on the interaction in progress
}

// Level is the accuracy on the questions of one hardness, difficulty or turn, or on
// interactions.
type Level struct {
	Name      string  `json:"name"`
	Questions int     `json:"questions"` // or interactions
	Judged    int     `json:"judged"`    // the denominator
	Right     int     `json:"right"`
	Accuracy  float64 `json:"accuracy"` // Right by Judged, 0 to 1; 0 if Judged is 0
}

// Count is how often something occurs.
type Count struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// VerdictChanges counts the verdicts in which strict mode and the official
// evaluator differ.
type VerdictChanges struct {
	ToRight int `json:"to_right"`
	ToWrong int `json:"to_wrong"`
}

// NewReport returns an empty report on a run with the options.
func NewReport(gold, predictions string, o *Options) *Report {
	e := &o.Execution
	r := &Report{Gold: gold, Predictions: predictions, Strict: e.Strict, PlugValue: e.PlugValue, KeepDistinct: e.KeepDistinct, OfficialValue: e.OfficialValue, databases: map[string]bool{}}
	for _, m := range o.Metrics {
		mr := MetricReport{Name: m.Name, Comparison: m.How(o), wrong: map[string]int{}, notJudged: map[string]int{}, doubts: map[string]int{}}
		for h := exact.Easy; h <= exact.Extra; h++ {
			mr.Levels = append(mr.Levels, Level{Name: h.String()})
		}
		mr.Levels = append(mr.Levels, Level{Name: "all"})
		r.Metrics = append(r.Metrics, mr)
	}
	return r
}

// Add counts a record.
func (r *Report) Add(rec *Record) {
	r.Questions++
	r.databases[rec.DB] = true
	r.Databases = len(r.databases)
	begins := rec.Interaction != r.interaction
	if begins {
		r.turn = 0
	}
	complete := rec.Turn == r.turn+1 // the turn before it was counted too
	r.interaction, r.turn = rec.Interaction, rec.Turn
	for i, s := range rec.Scores {
		m := &r.Metrics[i]
		if rec.Difficulty != "" {
			m.addDifficulty(rec.Difficulty, s.Verdict)
		}
		if rec.Interaction > 0 {
			m.addTurn(rec.Turn, begins, complete, s.Verdict)
		}
		m.Levels[rec.Hardness].add(s.Verdict)
		m.Levels[len(m.Levels)-1].add(s.Verdict)
		m.count(&s)
		if r.Strict {
			m.compare(&s)
		}
		if s.Exact != nil {
			r.Partial = cmp.Or(r.Partial, &exact.Tally{})
			r.Partial.Add(rec.Hardness, *s.Exact)
		}
	}
}

// add counts a verdict on a further question.
func (l *Level) add(v verdict.Verdict) {
	l.Questions++
	l.judge(v, 1)
}

// judge counts a verdict, or takes it back: by is 1 or -1. It updates the accuracy.
func (l *Level) judge(v verdict.Verdict, by int) {
	if v != verdict.Unjudged {
		l.Judged += by
	}
	if v == verdict.Right {
		l.Right += by
	}
	l.Accuracy = stats.Ratio(l.Right, l.Judged)
}

// addDifficulty counts a verdict in the level of its difficulty and in "all". The levels are
// BIRD's three, "other" once there is another one, and "all".
func (m *MetricReport) addDifficulty(difficulty string, v verdict.Verdict) {
	if m.Difficulties == nil {
		m.Difficulties = []Level{{Name: "simple"}, {Name: "moderate"}, {Name: "challenging"}, {Name: "all"}}
	}
	if !slices.Contains([]string{"simple", "moderate", "challenging"}, difficulty) {
		difficulty = "other"
	}
	last := len(m.Difficulties) - 1 // "all"
	i := slices.IndexFunc(m.Difficulties[:last], func(l Level) bool { return l.Name == difficulty })
	if i < 0 {
		m.Difficulties = slices.Insert(m.Difficulties, last, Level{Name: difficulty})
		i, last = last, last+1
	}
	m.Difficulties[i].add(v)
	m.Difficulties[last].add(v)
}

// turnLevels is the number of levels by turn in the official script of SParC: turns 1 to 4,
// and all later turns.
const turnLevels = 5

// addTurn counts a verdict on a turn and updates the verdict on its interaction, which is right
// if all turns are right and wrong if one is wrong (joint_all in the script). If a turn is not
// judged or missing, and none is wrong, the interaction is not judged. begins is set for the first
// record of an interaction, complete if no turn before this one is missing.
func (m *MetricReport) addTurn(turn int, begins, complete bool, v verdict.Verdict) {
	if m.Turns == nil {
		for i := 1; i < turnLevels; i++ {
			m.Turns = append(m.Turns, Level{Name: fmt.Sprint("turn ", i)})
		}
		m.Turns = append(m.Turns, Level{Name: fmt.Sprint("turn >", turnLevels-1)}, Level{Name: "interaction"})
	}
	m.Turns[min(max(turn, 1), turnLevels)-1].add(v)
	level := &m.Turns[turnLevels]
	if begins { // an interaction counts once, as right until one of its turns is not
		m.interaction = verdict.Right
		level.add(m.interaction)
	}
	level.judge(m.interaction, -1) // replaces the verdict after the turns so far
	switch {
	case v == verdict.Wrong, m.interaction == verdict.Wrong:
		m.interaction = verdict.Wrong
	case v == verdict.Unjudged, !complete:
		m.interaction = verdict.Unjudged
	}
	level.judge(m.interaction, 1)
}

// count counts the reason and the doubt of a score.
func (m *MetricReport) count(s *Score) {
	switch s.Verdict {
	case verdict.Wrong:
		m.wrong[s.Reason]++
		m.Wrong = sortedCounts(m.wrong)
	case verdict.Unjudged:
		m.notJudged[s.Reason]++
		m.NotJudged = sortedCounts(m.notJudged)
	}
	if s.Doubt != "" && s.Verdict != verdict.Unjudged {
		m.doubts[s.Doubt]++
		m.Doubts = sortedCounts(m.doubts)
	}
}

// compare counts a strict verdict that is not the official one. Nothing is compared where one of them is missing.
func (m *MetricReport) compare(s *Score) {
	if s.Official == verdict.Unjudged || s.Verdict == verdict.Unjudged {
		return
	}
	m.Changed = cmp.Or(m.Changed, &VerdictChanges{})
	switch {
	case s.Official == s.Verdict:
	case s.Verdict == verdict.Right:
		m.Changed.ToRight++
	default:
		m.Changed.ToWrong++
	}
}

// sortedCounts returns counts as a list, the largest first, equal ones by name.
func sortedCounts(counts map[string]int) []Count {
	list := lists.Map(slices.Sorted(maps.Keys(counts)), func(what string) Count { return Count{what, counts[what]} })
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// WriteText prints the report for people. If parts is set it includes the partial scores of
// exact set match.
func (r *Report) WriteText(w io.Writer, parts bool) error {
	if err := r.GoldCheck.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s against %s: %s on %s\n", r.Predictions, r.Gold, table.Count(r.Questions, "question"), table.Count(r.Databases, "database"))
	if e := r.Extraction.String(); e != "" {
		fmt.Fprintln(w, e)
	}
	err := cmp.Or(
		r.writeLevels(w, "questions", func(m *MetricReport) []Level { return m.Levels }),
		r.writeLevels(w, "questions", func(m *MetricReport) []Level { return m.Difficulties }),
		r.writeLevels(w, "count", func(m *MetricReport) []Level { return m.Turns }),
	)
	if err != nil {
		return err
	}
	for _, m := range r.Metrics {
		fmt.Fprintf(w, "\n%s: %s\n", m.Name, m.Comparison)
		printCounts(w, "wrong", m.Wrong)
		printCounts(w, "not judged", m.NotJudged)
		printCounts(w, "judged, but the gold is at fault", m.Doubts)
		if m.Changed != nil {
			fmt.Fprintf(w, "  against the official evaluator: %d right instead of wrong, %d wrong instead of right\n", m.Changed.ToRight, m.Changed.ToWrong)
		}
	}
	if parts && r.Partial != nil {
		fmt.Fprintln(w)
		return r.Partial.WriteText(w)
	}
	return nil
}

// writeLevels prints a table of the accuracies in percent on the levels that levelsOf returns, a line for
// each metric; nothing if there are no levels. counts is the header of the line of numbers of questions.
func (r *Report) writeLevels(w io.Writer, counts string, levelsOf func(*MetricReport) []Level) error {
	if len(r.Metrics) == 0 || len(levelsOf(&r.Metrics[0])) == 0 {
		return nil
	}
	t := newLevelTable([]string{""}, []any{counts}, levelsOf(&r.Metrics[0]))
	for i := range r.Metrics {
		m := &r.Metrics[i]
		t.add(levelsOf(m), m.Name)
	}
	_, err := fmt.Fprintf(w, "\n%s", t)
	return err
}

// levelTable is a table with a column for each level and one for the number of judged questions.
type levelTable struct{ *table.Table }

// newLevelTable returns a table whose columns are header, one for each level and "judged". Its first line
// has the cells of first under header, then the number of questions of each level.
func newLevelTable(header []string, first []any, levels []Level) levelTable {
	for _, l := range levels {
		header, first = append(header, l.Name), append(first, l.Questions)
	}
	t := table.New("", append(header, "judged")...)
	t.Right = true
	t.Add(append(first, "")...)
	return levelTable{t}
}

// add adds a line: the leading cells, the accuracies on levels, and how many questions of the last of them were judged.
func (t levelTable) add(levels []Level, leading ...any) {
	for _, l := range levels {
		leading = append(leading, l.percent())
	}
	t.Add(append(leading, levels[len(levels)-1].Judged)...)
}

// percent returns the accuracy in percent, or "-" if nothing was judged.
func (l *Level) percent() string {
	if l.Judged == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*l.Accuracy)
}

// printCounts prints a line with counts; nothing if there are none.
func printCounts(w io.Writer, what string, counts []Count) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s: %s\n", what, countsText(counts))
}

// countsText returns counts on a line: "no SQL 3, other rows 1".
func countsText(counts []Count) string {
	return strings.Join(lists.Map(counts, func(c Count) string { return fmt.Sprintf("%s %d", c.What, c.Count) }), ", ")
}
