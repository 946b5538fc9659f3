package nli

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// about entails the hypotheses that hold one of the premise's words.
func about(p Pair) Scores {
	for w := range strings.FieldsSeq(strings.Trim(strings.ToLower(p.Hypothesis), ".")) {
		if len(w) > 3 && w != "this" && w != "table" && w != "about" && strings.Contains(strings.ToLower(p.Premise), w) {
			return Scores{Entailment: 0.9, Neutral: 0.1}
		}
	}
	return Scores{Entailment: 0.1, Neutral: 0.9}
}

func TestEntity(t *testing.T) {
	columns := []dataset.Column{{Name: "title", Samples: []string{"Jaws"}}, {Name: "film director"}}
	for _, c := range []struct {
		table   dataset.Table
		caption string
		want    string
	}{
		{dataset.Table{Name: "dog kennels", Columns: columns}, "", "dog kennels"},
		{dataset.Table{Original: "Dogs", Columns: columns}, "", "Dogs"},
		{dataset.Table{Name: "table 1-10015132-11", Columns: columns}, "", "film"},
		{dataset.Table{Name: "t_204_123", Columns: columns}, "", "film"},
		{dataset.Table{Columns: columns[:1]}, "List of hospitals", "hospital"},
		{dataset.Table{}, "", "television program"}, // nothing speaks for any class: the first
	} {
		e := &EntityPredictor{Classifier: &fake{score: about}}
		c.table.Caption = c.caption
		if got, _, err := e.Entity(context.Background(), "", &c.table, nil); err != nil || got != c.want {
			t.Errorf("Known(%+v) = %q, %v, want %q", c.table, got, err, c.want)
		}
	}
}

func TestPredict(t *testing.T) {
	e := &EntityPredictor{Classifier: &fake{score: about}, Classes: []string{"war", "film", "song"}}
	got, err := e.Predict(context.Background(), &dataset.Table{Columns: []dataset.Column{{Name: "film"}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	high, low := math.Exp(0.9), math.Exp(0.1)
	sum := high + 2*low
	want := []EntityClass{{"film", high / sum}, {"war", low / sum}, {"song", low / sum}}
	for i := range want {
		if got[i].Name != want[i].Name || math.Abs(got[i].Probability-want[i].Probability) > 1e-12 {
			t.Errorf("class %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestEntityPremise(t *testing.T) {
	long := strings.Repeat("é", 5000)
	var wide dataset.Table
	for range 500 {
		wide.Columns = append(wide.Columns, dataset.Column{Name: long, Samples: []string{long}})
	}
	if n := len(entityPremise(&wide, long)); n > 20000 {
		t.Errorf("premise of %d bytes, want it bounded", n)
	}
	table := dataset.Table{Columns: []dataset.Column{
		{Name: "title", Samples: []string{" Jaws\n2 ", "Alien"}}, {Original: "Year"}, {Name: "gross", Samples: []string{" "}},
	}}
	for caption, want := range map[string]string{
		"":          "title (Jaws 2), Year, gross.",
		" Films.\t": "Films. title (Jaws 2), Year, gross.",
	} {
		if got := entityPremise(&table, caption); got != want {
			t.Errorf("premise %q, want %q", got, want)
		}
	}
}

func TestEntityWithoutModel(t *testing.T) {
	e := &EntityPredictor{}
	if name, _, err := e.Entity(context.Background(), "", &dataset.Table{Name: "dog"}, nil); name != "dog" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if _, _, err := e.Entity(context.Background(), "", &dataset.Table{Caption: "dogs"}, nil); err == nil || !strings.Contains(err.Error(), "no NLI model") {
		t.Errorf("error %v", err)
	}
}

func TestEntityClasses(t *testing.T) {
	classes := EntityClasses()
	seen := map[string]bool{}
	for _, c := range classes {
		if seen[c] || c != strings.ToLower(strings.TrimSpace(c)) || c == "" {
			t.Errorf("class %q", c)
		}
		seen[c] = true
	}
	if len(classes) != 48 {
		t.Errorf("%d classes, want the paper's 48", len(classes))
	}
}
