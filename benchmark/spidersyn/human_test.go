package spidersyn

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/nli/question"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestHuman compares substitutions on Spider dev with those that people made,
// and checks which names multi-annotation selection picks.
func TestHuman(t *testing.T) {
	shared.Quality(t)
	ctx := t.Context()
	units := devUnits(t)
	dev, train := rewordings(t, "spider-syn/dev.json"), rewordings(t, "spider-syn/train_spider.json.gz")
	var report bytes.Buffer
	resources := perturbtest.Resources()
	resources.Factuality = question.Default()
	c, err := Compare(ctx, units, resources, dev, append(train, dev...))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&report, c)
	var dbs []*dataset.Database
	for _, u := range units {
		dbs = append(dbs, u.DB)
	}
	problems := 0
	records := Reworded("human/syn", "spider-syn/dev.json", units, dev, func(error) { problems++ })
	fmt.Fprintf(&report, "%d questions of Spider-Syn have their example, %d have none\n", len(records), problems)
	for _, kind := range []string{"Manual", "Auto"} {
		annotations, err := ReadAnnotations(text(t, "spider-syn/tables_"+kind+"MAS.json.gz"), kind, dbs, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		s, err := CheckSelection(ctx, units, annotations, records)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&report, "\n%s annotations\n%s\n", kind, s)
		if s.Missed > 0 {
			t.Errorf("%s: %d annotations that stand in a question are not picked", kind, s.Missed)
		}
	}
	perturbtest.Compare(t, "testdata/human.golden", report.Bytes())
}

func rewordings(t *testing.T, name string) []Rewording {
	t.Helper()
	all, err := ReadRewordings(text(t, name), name, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// text opens a file of the public data, unpacked.
func text(t *testing.T, name string) io.Reader {
	t.Helper()
	r, closer, err := dataset.OpenText(shared.File(t, "data/"+name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return r
}
