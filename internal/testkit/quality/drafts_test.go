//go:build quality

package quality

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/question"
	"github.com/tabperturb/tabperturb/nli"
	factual "github.com/tabperturb/tabperturb/nli/question"
)

// TestDrafts filters judged paraphrases that others made: people and models of Dr.Spider
// and Spider-Syn. Nothing was trained on them.
func TestDrafts(t *testing.T) {
	var pairs []nli.Pair
	var good []bool
	lines := bufio.NewScanner(text(t, "judged/questions.tsv"))
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) < 8 || f[1] != "drspider" && f[1] != "spidersyn" {
			continue
		}
		whole, lost := f[2] == "1" && f[3] == "1" && f[4] == "1", f[2] == "0"
		if whole || lost {
			pairs, good = append(pairs, nli.Pair{Premise: f[5], Hypothesis: f[6]}), append(good, whole)
		}
	}
	scores, err := nli.Score(context.Background(), factual.Default(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	n, kept := map[bool]int{}, map[bool]int{}
	for i, s := range scores {
		n[good[i]]++
		if s.Entailments().Forward >= question.MinFactuality {
			kept[good[i]]++
		}
	}
	golden(t, "drafts", fmt.Sprintf("drafts by others, judged: of %d wholly good ones %d pass the filter, of %d that ask something else %d\n", n[true], kept[true], n[false], kept[false]))
}
