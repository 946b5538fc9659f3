package evaluate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// added returns a report on records of one metric, given as "INTERACTION.TURN MARK" or
// "DIFFICULTY MARK".
func added(t *testing.T, records ...string) *evaluate.Report {
	t.Helper()
	r := evaluate.NewReport("gold", "pred", &evaluate.Options{Metrics: metrics(t, "exec")})
	for _, text := range records {
		what, mark, _ := strings.Cut(text, " ")
		v, ok := verdict.FromMark(mark)
		if !ok {
			t.Fatalf("%q: no mark", text)
		}
		rec := &evaluate.Record{DB: "db", Hardness: exact.Easy, Scores: []evaluate.Score{{Verdict: v, Reason: "r"}}}
		if n, _ := fmt.Sscanf(what, "%d.%d", &rec.Interaction, &rec.Turn); n != 2 {
			rec.Difficulty = what
		}
		r.Add(rec)
	}
	return r
}

// level prints a level as "QUESTIONS/JUDGED/RIGHT".
func level(l evaluate.Level) string { return fmt.Sprintf("%d/%d/%d", l.Questions, l.Judged, l.Right) }

func TestInteractions(t *testing.T) {
	for _, tt := range []struct {
		name, records, whole, turns string // turns: those that are not 0/0/0
	}{
		{"right and wrong", "1.1 1,1.2 1,2.1 1,2.2 0,2.3 1,3.1 0", "3/3/1", "3/3/2 2/2/1 1/1/1"},
		{"behind the fourth", "1.1 1,1.2 1,1.3 1,1.4 1,1.5 1,1.6 1", "1/1/1", "1/1/1 1/1/1 1/1/1 1/1/1 2/2/2"},
		{"a turn not judged", "1.1 1,1.2 -,1.3 1,2.1 1", "2/1/1", "2/2/2 1/0/0 1/1/1"},
		{"wrong and not judged", "1.1 -,1.2 0,2.1 0,2.2 -", "2/2/0", "2/1/0 2/1/0"},
		{"a turn is not there", "1.1 1,1.3 1,2.2 1,3.1 1", "3/1/1", "2/2/2 1/1/1 1/1/1"},
		{"no judged one", "1.1 -", "1/0/0", "1/0/0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := added(t, strings.Split(tt.records, ",")...).Metrics[0]
			last := len(m.Turns) - 1
			var turns []string
			for _, l := range m.Turns[:last] {
				if l.Questions > 0 {
					turns = append(turns, level(l))
				}
			}
			if got := level(m.Turns[last]); got != tt.whole || strings.Join(turns, " ") != tt.turns {
				t.Errorf("interactions %s, turns %v; want %s, %s", got, turns, tt.whole, tt.turns)
			}
		})
	}
}

func TestLevelsInText(t *testing.T) {
	r := added(t, "1.1 1", "1.2 0", "2.1 1", "moderate 1", "odd 0", "simple 1", "moderate 0")
	var text bytes.Buffer
	if err := r.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	const want = `pred against gold: 7 questions on 1 database

             easy  medium  hard  extra   all  judged
  questions     7       0     0      0     7        
       exec  57.1       -     -      -  57.1       7

             simple  moderate  challenging  other   all  judged
  questions       1         2            0      1     4        
       exec   100.0      50.0            -    0.0  50.0       4

         turn 1  turn 2  turn 3  turn 4  turn >4  interaction  judged
  count       2       1       0       0        0            2        
   exec   100.0     0.0       -       -        -         50.0       2
`
	got, _, _ := strings.Cut(text.String(), "\nexec:")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(added(t, "1.1 1").Metrics[0])
	if err != nil || !bytes.Contains(raw, []byte(`{"name":"interaction","questions":1,"judged":1,"right":1,"accuracy":1}`)) || bytes.Contains(raw, []byte("difficulties")) {
		t.Errorf("JSON: %s, %v; want interactions and no difficulties", raw, err)
	}
}
