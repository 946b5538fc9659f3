package cybertron

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/nli"
)

var folders = flag.String("folders", "", "folder that gets the models and pairs for testdata/reference.py")

// goldenModels are the models of testdata/reference.tsv: two layers of 32.
func goldenModels(t *testing.T) map[string]*tiny {
	return map[string]*tiny{"bert": newTiny(t, 32, 2), "roberta": newTinyRoBERTa(t, 32, 2)}
}

// goldenPairs are the pairs of testdata/reference.tsv.
var goldenPairs = append([]nli.Pair{
	{Premise: "the dog's (name)", Hypothesis: "THE DOG'S title!? 2019½"},
	{Premise: "they'll re-enter in the text_of on", Hypothesis: "título naïve — 日本"},
}, testPairs...)

// TestReference compares tokens and scores from both forms of weights with those of testdata/reference.py,
// which reads the same files in NumPy and computes with float64. The difference is the rounding to four digits.
func TestReference(t *testing.T) {
	if *folders != "" {
		writeFolders(t, *folders)
	}
	for name, model := range goldenModels(t) {
		for _, dir := range []string{model.torch(t), model.folder(t, safetensorsFile, model.safetensors(t, "F32"))} {
			m := open(t, dir, Options{})
			for i, s := range classify(t, m, goldenPairs) {
				want := golden(t)[fmt.Sprint(name, " ", i)]
				got := []float64{float64(len(m.tokens.pairTokens(goldenPairs[i]))), s.Entailment, s.Neutral, s.Contradiction}
				if !floats.EqualApprox(got, want, 5.2e-5) {
					t.Errorf("%s, pair %d: %v, want %v", name, i, got, want)
				}
			}
		}
	}
}

// golden returns the number of tokens and the scores by the names of models and the numbers of pairs.
func golden(t *testing.T) map[string][]float64 {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]float64{}
	for line := range strings.Lines(string(data)) {
		var name, pair string
		row := make([]float64, 4)
		if _, err := fmt.Sscan(line, &name, &pair, &row[0], &row[1], &row[2], &row[3]); err != nil {
			t.Fatal(err)
		}
		rows[name+" "+pair] = row
	}
	return rows
}

// writeFolders writes what testdata/reference.py reads.
func writeFolders(t *testing.T, dir string) {
	t.Helper()
	for name, model := range goldenModels(t) {
		sub := filepath.Join(dir, name)
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		model.writeText(t, sub)
		write(t, filepath.Join(sub, torchFile), model.zip(t, "torch.FloatStorage"))
		write(t, filepath.Join(sub, safetensorsFile), model.safetensors(t, "F32"))
	}
	var pairs [][2]string
	for _, p := range goldenPairs {
		first, second := p.Sentences()
		pairs = append(pairs, [2]string{first, second})
	}
	b, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "pairs.json"), b)
}
