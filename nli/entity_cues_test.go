package nli

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestEntityCuesFile(t *testing.T) {
	c, err := readEntityCues(entityCues)
	if err != nil {
		t.Fatal(err)
	}
	classes := EntityClasses()
	seen := map[string]bool{}
	for phrase, cues := range c.cues {
		of := map[string]bool{}
		for _, cue := range cues {
			if !slices.Contains(classes, cue.class) {
				t.Errorf("%q is of no class of EntityClasses", cue.class)
			}
			if of[cue.class] {
				t.Errorf("%s: %q stands twice", cue.class, phrase)
			}
			of[cue.class] = true
			seen[cue.class] = seen[cue.class] || cue.names
		}
	}
	for _, class := range classes {
		if !seen[class] {
			t.Errorf("class %q has no name", class)
		}
	}
}

func TestReadEntityCuesError(t *testing.T) {
	_, err := readEntityCues("# head\nfilm: film\nsong song\n")
	if err == nil || !strings.Contains(err.Error(), `"song song"`) {
		t.Errorf("error %v, expected one of the last line", err)
	}
}

// TestEntityByCues has a model that knows nothing.
func TestEntityByCues(t *testing.T) {
	e := &EntityPredictor{Classifier: &fake{score: func(Pair) Scores { return Scores{Neutral: 1} }}, Cues: DefaultEntityCues()}
	for _, c := range []struct{ columns, caption, want string }{
		{"rank, player, team, goals", "", "athlete"},
		{"year, film, role, director", "", "film"},
		{"date, home team, away team, score, attendance", "", "sports event"},
		{"rank, nation, gold, silver, bronze, total", "", "country"},
		{"name, took office, left office, party", "", "politician"},
		{"name, floors, year", "", "building"},
		{"name, year", "List of hospitals in Cairo", "hospital"},
		{"year, notes", "", "television program"}, // nothing speaks for any class: the first
	} {
		table := dataset.Table{Caption: c.caption}
		for name := range strings.SplitSeq(c.columns, ", ") {
			table.Columns = append(table.Columns, dataset.Column{Name: name})
		}
		if got, _, err := e.Entity(context.Background(), "", &table, nil); err != nil || got != c.want {
			t.Errorf("%s (%s): %q, %v, expected %q", c.columns, c.caption, got, err, c.want)
		}
	}
}
