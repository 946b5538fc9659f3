package fluency

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

var update = flag.Bool("update", false, "write the embedded model")

// sampleQuestions returns the questions of the embedded sample.
func sampleQuestions(tb testing.TB) []string {
	tb.Helper()
	data, err := fs.ReadFile(sample.Data(), "dev.json")
	if err != nil {
		tb.Fatal(err)
	}
	return decode(tb, data)
}

func decode(tb testing.TB, data []byte) []string {
	tb.Helper()
	var examples []struct{ Question string }
	if err := json.Unmarshal(data, &examples); err != nil {
		tb.Fatal(err)
	}
	out := make([]string, len(examples))
	for i, ex := range examples {
		out[i] = ex.Question
	}
	return out
}

// unpack opens a gzipped file of public data, or skips the test.
func unpack(tb testing.TB, elem ...string) io.Reader {
	tb.Helper()
	f, err := os.Open(shared.File(tb, append([]string{"data"}, elem...)...))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	zip, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	return zip
}

// trainQuestions returns the questions of Spider's training set.
func trainQuestions(tb testing.TB) []string {
	tb.Helper()
	return stream(tb, unpack(tb, "spider", "train_spider_min.jsonl.gz"))
}

// stream reads the questions of a stream of JSON objects.
func stream(tb testing.TB, r io.Reader) []string {
	tb.Helper()
	var out []string
	for d := json.NewDecoder(r); d.More(); {
		var ex struct{ Question string }
		if err := d.Decode(&ex); err != nil {
			tb.Fatal(err)
		}
		out = append(out, ex.Question)
	}
	return out
}

// otherQuestions returns questions of other data sets about tables, which are put
// in more ways than Spider's: WikiSQL, WikiTableQuestions and BIRD.
func otherQuestions(tb testing.TB) []string {
	tb.Helper()
	out := stream(tb, unpack(tb, "wikisql", "test.jsonl.gz"))
	lines, err := io.ReadAll(unpack(tb, "wtq", "training.tsv.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		if f := strings.Split(line, "\t"); len(f) > 1 && f[0] != "id" {
			out = append(out, f[1])
		}
	}
	bird, err := io.ReadAll(unpack(tb, "bird", "dev.json.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	return append(out, decode(tb, bird)...)
}

func pack(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := m.Write(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// TestEmbedded makes the embedded model anew; -update writes it. Packed bytes may
// differ between releases of the packer, so what is compared is the model.
func TestEmbedded(t *testing.T) {
	if !*update {
		shared.Quality(t)
	}
	fresh := pack(t, Train(slices.Values(slices.Concat(trainQuestions(t), otherQuestions(t), sampleQuestions(t)))))
	if *update {
		if err := os.WriteFile("model.txt.gz", fresh, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(pack(t, Default()), fresh) {
		t.Error("model.txt.gz is not what training makes of Spider's training questions and the sample; run with -update")
	}
	if len(embedded) > 300<<10 {
		t.Errorf("model.txt.gz has %d bytes, expected at most 300 kB", len(embedded))
	}
}

// TestThreshold bears out the threshold by questions that the model does not have.
func TestThreshold(t *testing.T) {
	data, err := os.ReadFile(shared.File(t, "data", "spider", "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	below, sum, all := 0, 0.0, decode(t, data)
	for _, q := range all {
		s := Score(q)
		sum += s
		if s < Threshold {
			below++
		}
	}
	n := float64(len(all))
	t.Logf("Spider dev: mean %.4f (the paper's model: 0.155), below the threshold %.4f", sum/n, float64(below)/n)
	if share := float64(below) / n; share < 0.005 || share > 0.02 {
		t.Errorf("%.4f of the questions are below the threshold, expected about 0.01", share)
	}
}

func TestOrders(t *testing.T) {
	tests := []struct{ better, worse string }{
		{"What is the average age of all singers?", "Average the what age is singers all of?"},
		{"Find the names of all students.", "Find the names of of all students."},
		{"Show all countries and the number of singers in each country.", "Show all countries and the numbr of singers in eech country."},
		{"How many students are there?", "How many student is there?"},
	}
	for _, tt := range tests {
		if b, w := Score(tt.better), Score(tt.worse); b <= w {
			t.Errorf("%q has %.4f, %q has %.4f, expected less", tt.better, b, tt.worse, w)
		}
	}
	if s := Score(""); s != 0 {
		t.Errorf("no question has %v, expected 0", s)
	}
}

// TestProbabilities checks that those of all words after some add up to one.
func TestProbabilities(t *testing.T) {
	m := Train(slices.Values(sampleQuestions(t)))
	vocabulary := m.contexts[""].words
	for _, history := range [][]string{{begin, begin}, {begin, "what"}, {"what", "is"}, {"of", "the"}, {"never", "met"}} {
		sum := 0.0
		for w := range vocabulary {
			sum += m.probability(history, w)
		}
		unmet := m.probability(history, "never met")
		if vocabulary[unknown] > 0 {
			unmet = 1 / float64(len(vocabulary)+1) // bounds what the class of words never counted keeps
		}
		if sum > 1+1e-9 || sum+unmet < 1-1e-9 {
			t.Errorf("after %q probabilities add up to %v", history, sum)
		}
	}
}

func TestReadRejects(t *testing.T) {
	tests := map[string]string{
		"no head":       "",
		"other head":    "something\t1\n",
		"fields":        magic + "\t1\n\t3\t1\n",
		"odd words":     magic + "\t1\n\t3\t1\ta\n",
		"count":         magic + "\t1\n\t3\t1\ta x\n",
		"negative":      magic + "\t1\n\t3\t1\ta -1\n",
		"twice":         magic + "\t1\n\t3\t1\ta 1 a 1\n",
		"too many":      magic + "\t1\n\t3\t1\ta 4\n",
		"context twice": magic + "\t1\n\t3\t1\ta 3\n\t3\t1\ta 3\n",
	}
	for name, text := range tests {
		if _, err := Read(zipped(text)); err == nil {
			t.Errorf("%s: it reads, expected an error", name)
		}
	}
	if _, err := Read(strings.NewReader("plain")); err == nil {
		t.Error("what is not gzipped reads, expected an error")
	}
}

func zipped(text string) *bytes.Buffer {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	zip.Write([]byte(text))
	zip.Close()
	return &out
}

func FuzzScore(f *testing.F) {
	f.Add("What is the age of 3 singers?")
	f.Add("\xff\x00 ' ? … é")
	f.Fuzz(func(t *testing.T, q string) {
		if s := Score(q); math.IsNaN(s) || s < 0 || s > 1 {
			t.Errorf("%q has %v", q, s)
		}
	})
}

// FuzzRead checks that what reads is written as it was read, and scores.
func FuzzRead(f *testing.F) {
	f.Add(magic + "\t1\n\t3\t1\ta 3\na\t2\t2\t</s> 1\n")
	f.Add(magic + "\t9\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(zipped(text))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(pack(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := m.Score("a b"), again.Score("a b"); a != b || math.IsNaN(a) || a < 0 || a > 1 {
			t.Errorf("score %v, after writing and reading %v", a, b)
		}
	})
}
