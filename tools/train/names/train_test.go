package names

import (
	"bytes"
	"context"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
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

const testDictionary = `
name: title
date: day
birth city: birthplace
number: code [transport]
`

const testContrasts = `
order: first | last
outcome: win, victory | loss, defeat
party: member | team
`

func testLexicon(t testing.TB) compact.Lexicon {
	t.Helper()
	dictionary, err := lexicon.ReadThesaurus("dictionary", strings.NewReader(testDictionary), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	contrasts, err := lexicon.ReadContrasts("contrasts", strings.NewReader(testContrasts), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return compact.Lexicon{Vectors: hashed{}, Dictionary: dictionary, Contrasts: contrasts, Domains: lexicon.DefaultDomainWords()}
}

func testFile(name string) string { return filepath.Join("testdata", name) }

func tinySources() Sources {
	return Sources{
		Synsets: testFile("synsets.tsv"), Senses: testFile("senses.tsv"),
		Paraphrases: []string{testFile("paraphrases.txt")}, Antonyms: []string{testFile("antonyms.txt")},
		Spider:  []string{testFile("tables.json")},
		Columns: []string{testFile("columns.txt")}, Words: []string{testFile("words.txt")},
		Replace: testFile("replace.json"), Add: testFile("add.json"),
		HeldOut: map[string]bool{"held": true},
	}
}

func tinyOptions(seed uint64) Options {
	return Options{Seed: seed, Networks: 2, Steps: 12, LastSteps: 4, Batch: 32}
}

func tinyTrain(t *testing.T, seed uint64) ([]byte, *Report) {
	t.Helper()
	out, report, err := Train(context.Background(), testLexicon(t), tinySources(), tinyOptions(seed))
	if err != nil {
		t.Fatal(err)
	}
	return out, report
}

// tinyMaker makes all pairs of the sources.
func tinyMaker(t *testing.T, src Sources) *maker {
	t.Helper()
	m, _, err := made(context.Background(), testLexicon(t), &src, 3, &Report{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDeterministic trains twice, with one processor and with several.
func TestDeterministic(t *testing.T) {
	first, report := tinyTrain(t, 7)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, again := tinyTrain(t, 7)
	if !bytes.Equal(first, second) {
		t.Error("the same seed gave other bytes")
	}
	if diff := cmp.Diff(report, again, cmpopts.IgnoreUnexported(Prediction{})); diff != "" {
		t.Errorf("the same seed gave another report:\n%s", diff)
	}
	if other, _ := tinyTrain(t, 8); bytes.Equal(first, other) {
		t.Error("another seed gave the same bytes")
	}
}

func TestTrain(t *testing.T) {
	out, report := tinyTrain(t, 1)
	for _, j := range judgements {
		if report.Pairs[j.name] == 0 {
			t.Errorf("no %s pairs: %v", j.name, report.Pairs)
		}
		if line := j.name + " "; !strings.Contains(report.String(), line) {
			t.Errorf("report without %q:\n%s", line, report)
		}
	}
	m, err := compact.Load(out, testLexicon(t))
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
	w, err := compact.DecodeWeights(out)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(w.Knowledge.Append(nil), []byte("secret")) {
		t.Error("the weights hold a word of a held-out database")
	}
	if w.Scale != report.Scale || w.Bias != report.Bias || len(w.Networks) != 2 || len(report.Losses) != 2 {
		t.Errorf("%d networks, calibration %v, %v; report %+v, %+v of %d networks",
			len(w.Networks), w.Scale, w.Bias, report.Scale, report.Bias, len(report.Losses))
	}
}

// TestPairs checks that Pairs lists what Train makes.
func TestPairs(t *testing.T) {
	pairs, err := Pairs(context.Background(), testLexicon(t), tinySources(), 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, p := range pairs {
		counts[p.Kind]++
	}
	if _, report := tinyTrain(t, 1); !cmp.Equal(report.Pairs, counts) {
		t.Errorf("%v, but trained from %v", counts, report.Pairs)
	}
	for _, want := range []Pair{
		{"airport list", "airport name", "airport title", "adveta replacement"},
		{"teacher", "name", "nickname", "distractor"},
	} {
		if !slices.Contains(pairs, want) {
			t.Errorf("%v is not among the pairs", want)
		}
	}
}

func TestTrainErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*Sources)
		want  string
	}{
		"no WordNet":   {func(s *Sources) { s.Synsets = "testdata/absent" }, "absent"},
		"bad WordNet":  {func(s *Sources) { s.Synsets = testFile("antonyms.txt") }, "antonyms.txt:1: 1 fields, expected 6"},
		"bad senses":   {func(s *Sources) { s.Senses = s.Synsets }, "unknown synset"},
		"no tables":    {func(s *Sources) { s.Spider = nil }, "no tables"},
		"bad tables":   {func(s *Sources) { s.Spider = []string{testFile("senses.tsv")} }, "senses.tsv"},
		"not gzip":     {func(s *Sources) { s.TabFact = []string{writeFile(t, "x.gz", "plain")} }, "x.gz"},
		"bad columns":  {func(s *Sources) { s.Columns = []string{testFile("words.txt")} }, "words.txt:2: no colon"},
		"bad words":    {func(s *Sources) { s.Words = []string{testFile("columns.txt")} }, "columns.txt:3: "},
		"bad ADVETA":   {func(s *Sources) { s.Replace = testFile("words.txt") }, "words.txt: "},
		"no ADVETA":    {func(s *Sources) { s.Add = "testdata/absent" }, "absent"},
		"no exclusion": {func(s *Sources) { s.Exclude = []string{"testdata/absent"} }, "absent"},
	} {
		src := tinySources()
		tt.spoil(&src)
		_, _, err := Train(context.Background(), testLexicon(t), src, Options{Steps: 1, LastSteps: 1, Batch: 8})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Train(ctx, testLexicon(t), tinySources(), Options{}); err == nil {
		t.Error("cancelled: expected an error")
	}
}

func TestReadHeldOut(t *testing.T) {
	got, err := ReadHeldOut(strings.NewReader("[\n  \"203_447\",\n \"1\"]\nflight_2 pets_1\n"))
	want := map[string]bool{"203_447": true, "1": true, "flight_2": true, "pets_1": true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
