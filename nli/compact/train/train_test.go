package train

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/compact/internal/net"
)

// hashed gives each word a vector by its hash, synonyms of the test data near
// ones.
type hashed struct{}

func (hashed) Dim() int { return 8 }

func (hashed) Lookup(dst []float32, term string) ([]float32, bool) {
	if group, ok := map[string]string{"wage": "salary", "cost": "price", "town": "city", "instructor": "teacher", "tutor": "teacher"}[term]; ok {
		term = group
	}
	h := fnv.New64a()
	h.Write([]byte(term))
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	for range 8 {
		dst = append(dst, float32(rng.NormFloat64()))
	}
	return dst, true
}

type synonyms map[string][]string

func (s synonyms) Synonyms(term string) []string { return slices.Clone(s[term]) }

var words = synonyms{"name": {"title"}, "student id": {"student number"}}

func tinySources() Sources {
	f := func(name string) string { return filepath.Join("testdata", name) }
	return Sources{
		Synsets: f("synsets.tsv"), Senses: f("senses.tsv"),
		Paraphrases: []string{f("paraphrases.txt")}, Antonyms: []string{f("antonyms.txt")},
		Spider:  []string{f("tables.json")},
		HeldOut: map[string]bool{"held": true},
	}
}

func tinyTrain(t *testing.T, seed uint64) ([]byte, *Report) {
	t.Helper()
	out, report, err := Train(context.Background(), hashed{}, words, tinySources(), Options{Seed: seed, Networks: 2, Steps: 12, Batch: 32})
	if err != nil {
		t.Fatal(err)
	}
	return out, report
}

// TestDeterministic trains twice, with one processor and with several.
func TestDeterministic(t *testing.T) {
	first, report := tinyTrain(t, 7)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, again := tinyTrain(t, 7)
	if !bytes.Equal(first, second) {
		t.Error("the same seed gave other bytes")
	}
	if diff := cmp.Diff(report, again); diff != "" {
		t.Errorf("the same seed gave another report:\n%s", diff)
	}
	if other, _ := tinyTrain(t, 8); bytes.Equal(first, other) {
		t.Error("another seed gave the same bytes")
	}
}

func TestTrain(t *testing.T) {
	out, report := tinyTrain(t, 1)
	for _, kind := range []string{"synonym", "dictionary", "sister", "antonym", "hypernym", "table", "random"} {
		if report.Pairs[kind] == 0 {
			t.Errorf("no %s pairs: %v", kind, report.Pairs)
		}
	}
	m, err := compact.Load(out, hashed{}, words)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Classify(context.Background(), []nli.Pair{{Premise: "salary", Hypothesis: "wage"}, {Premise: "salary", Hypothesis: "city"}})
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Entailment <= scores[1].Entailment {
		t.Errorf("salary entails wage by %v, city by %v", scores[0].Entailment, scores[1].Entailment)
	}
	if bytes.Contains(inflate(t, out), []byte("secret")) {
		t.Error("the weights hold a word of a held-out database")
	}
}

func inflate(t *testing.T, weights []byte) []byte {
	t.Helper()
	w, err := compact.DecodeWeights(weights)
	if err != nil {
		t.Fatal(err)
	}
	return w.Knowledge.Append(nil)
}

func TestTrainErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*Sources)
		want  string
	}{
		"no WordNet":  {func(s *Sources) { s.Synsets = "testdata/absent" }, "absent"},
		"bad WordNet": {func(s *Sources) { s.Synsets = "testdata/antonyms.txt" }, "antonyms.txt:1: 1 fields, expected 6"},
		"bad senses":  {func(s *Sources) { s.Senses = s.Synsets }, "unknown synset"},
		"no tables":   {func(s *Sources) { s.Spider = nil }, "no tables"},
		"bad tables":  {func(s *Sources) { s.Spider = []string{"testdata/senses.tsv"} }, "senses.tsv"},
		"not gzip":    {func(s *Sources) { s.TabFact = []string{writeFile(t, "x.gz", "plain")} }, "x.gz"},
	} {
		src := tinySources()
		tt.spoil(&src)
		_, _, err := Train(context.Background(), hashed{}, words, src, Options{Steps: 1, Batch: 8})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Train(ctx, hashed{}, words, tinySources(), Options{}); err == nil {
		t.Error("cancelled: expected an error")
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func writeTar(t *testing.T, files ...string) string {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for i := 0; i < len(files); i += 2 {
		if err := tw.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "a.tar.gz", buf.String())
}

func TestTables(t *testing.T) {
	src := Sources{
		TabFact:  []string{writeTar(t, "all/1.csv", "Home Town#% won#Home Town\na#b#c\n", "all/2.csv", "")},
		WTQ:      []string{writeTar(t, "csv/204-csv/590.csv", `"held","out"`, "csv/200-csv/1.csv", "\"Year\",\"the \\\"big\\\" one\"\n1,2")},
		FeTaQA:   []string{writeFile(t, "f.jsonl", `{"table_array":[["A b","C"],["1","2"]]}`+"\nnot json\n")},
		InfoTabs: []string{writeTar(t, "json/T0.json", `{"title":["x"],"Directed by":["y"],"Born":["z"]}`, "json/T1.json", "[")},
		Spider:   []string{filepath.Join("testdata", "tables.json")},
		HeldOut:  map[string]bool{"204_590": true, "held": true},
	}
	tables, skipped, err := src.tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tb := range tables[:4] {
		got = append(got, strings.Join(tb.names, ", "))
	}
	want := []string{"home town, percent won", "a b, c", "born, directed by", "year, the big one"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if skipped != 3 {
		t.Errorf("%d skipped, expected 3", skipped)
	}
	if n := len(tables) - 4; n != 8 {
		t.Errorf("%d database tables, expected 8", n)
	}
}

func TestPlatt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var logits, targets, weights []float64
	for range 4000 {
		x := rng.NormFloat64() * 3
		logits, weights = append(logits, x), append(weights, 1)
		targets = append(targets, 1/(1+math.Exp(-(.5*x+.7))))
	}
	scale, bias := platt(logits, targets, weights)
	if math.Abs(scale-.5) > .01 || math.Abs(bias-.7) > .01 {
		t.Errorf("scale %v, bias %v, expected 0.5, 0.7", scale, bias)
	}
}

// TestJudge compares the gradient of the loss by the logits with differences.
func TestJudge(t *testing.T) {
	for k := range kinds {
		p := &pair{kind: k, target: .8}
		logits := [2][net.Classes]float32{{.3, -.2, .5}, {-.4, .1, .2}}
		loss := func() (float64, [2][net.Classes]float32) {
			return judge(p, [2][net.Classes]float64{net.Probabilities(logits[0]), net.Probabilities(logits[1])})
		}
		_, grads := loss()
		for d := range logits {
			for c := range logits[d] {
				const h = 1e-2
				old := logits[d][c]
				logits[d][c] = old + h
				up, _ := loss()
				logits[d][c] = old - h
				down, _ := loss()
				logits[d][c] = old
				if want := (up - down) / (2 * h); math.Abs(want-float64(grads[d][c])) > 1e-3 {
					t.Errorf("%s: gradient %v, expected %v", judgements[k].name, grads[d][c], want)
				}
			}
		}
	}
}

func TestReadHeldOut(t *testing.T) {
	got, err := ReadHeldOut(strings.NewReader("[\n  \"203_447\",\n \"1\"]\nflight_2 pets_1\n"))
	want := map[string]bool{"203_447": true, "1": true, "flight_2": true, "pets_1": true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
