package train

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
)

type lexvec struct {
	rows map[string]int
	data []byte
}

func (l *lexvec) Dim() int { return 128 }
func (l *lexvec) Lookup(dst []float32, term string) ([]float32, bool) {
	i, ok := l.rows[term]
	if !ok {
		return dst, false
	}
	for _, b := range l.data[i*128 : (i+1)*128] {
		dst = append(dst, float32(int8(b)))
	}
	return dst, true
}

func gz(t testing.TB, name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type none struct{}

func (none) Synonyms(string) []string { return nil }

func DevSources(tb testing.TB) Sources {
	f := func(e ...string) string { return shared.File(tb, e...) }
	s := Sources{
		Synsets: f("lexicon", "wordnet", "oewn-synsets.tsv.gz"), Senses: f("lexicon", "wordnet", "oewn-senses.tsv.gz"),
		Paraphrases: []string{f("lexicon", "synonyms", "ppdb-xl.txt.gz"), f("data", "lexical-counter-fitting", "ppdb_synonyms.txt.gz")},
		Antonyms:    []string{f("data", "lexical-counter-fitting", "ppdb_antonyms.txt.gz"), f("data", "lexical-counter-fitting", "wordnet_antonyms.txt.gz")},
		TabFact:     []string{f("data", "tabfact", "all_csv.tar.gz")},
		WTQ:         []string{f("data", "wtq", "csv.tar.gz")},
		InfoTabs:    []string{f("data", "webtables", "infotabs_json.tar.gz")},
		Spider:      []string{f("data", "spider", "tables.json")},
		HeldOut:     map[string]bool{},
	}
	s.FeTaQA, _ = filepath.Glob(filepath.Join(shared.Dir(tb), "data", "fetaqa", "*.jsonl.gz"))
	archive(context.Background(), f("data", "squall", "dev_fold_ids.tar.gz"), func(n string, data []byte) {
		if strings.HasSuffix(n, "dev-0.ids") {
			m, _ := ReadHeldOut(strings.NewReader(string(data)))
			for k := range m {
				s.HeldOut[k] = true
			}
		}
	})
	var dev []struct {
		DB string `json:"db_id"`
	}
	b, _ := os.ReadFile(f("data", "spider", "dev.json"))
	json.Unmarshal(b, &dev)
	for _, d := range dev {
		s.HeldOut[d.DB] = true
	}
	return s
}

func TestDev(t *testing.T) {
	var v lexicon.Vectors
	var d lexicon.Dictionary = none{}
	if os.Getenv("LEXVEC") != "" {
		l := &lexvec{map[string]int{}, gz(t, shared.File(t, "models", "lexvec-128.i8.gz"))}
		for i, w := range strings.Fields(strings.ReplaceAll(string(gz(t, shared.File(t, "models", "lexvec-128.vocab.txt.gz"))), " ", "_")) {
			l.rows[strings.ReplaceAll(w, "_", " ")] = i
		}
		v = l
	} else {
		v = devVectors()
	}
	if os.Getenv("NODICT") == "" {
		d = lexicon.DefaultDictionary()
	}
	src := DevSources(t)
	opt := Options{Seed: 1, Networks: 1}
	if n, _ := strconv.Atoi(os.Getenv("NETS")); n > 0 {
		opt.Networks = n
	}
	if n, _ := strconv.Atoi(os.Getenv("STEPS")); n > 0 {
		opt.Steps = n
	}
	if n, _ := strconv.Atoi(os.Getenv("SEED")); n > 0 {
		opt.Seed = uint64(n)
	}
	start := time.Now()
	w, r, err := Train(context.Background(), v, d, src, opt)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(r, len(w), time.Since(start))
	if out := os.Getenv("OUT"); out != "" {
		os.WriteFile(out, w, 0o644)
	}
	m, err := compact.Load(w, v, d)
	if err != nil {
		t.Fatal(err)
	}
	adveta(t, m)
	if out := os.Getenv("DUMP"); out != "" {
		ww, _ := compact.DecodeWeights(w)
		_ = ww
	}
}

func adveta(t *testing.T, m nli.Classifier) {
	type tab struct {
		Dict map[string][]string
		Name string `json:"table_name_original"`
	}
	read := func(n string) map[string]tab {
		b, _ := os.ReadFile(shared.File(t, "data", "adveta", n))
		out := map[string]tab{}
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, set := range []string{"spider-%s-candidates.json", "wtq-%s-excerpt.json", "wikisql-%s-excerpt.json"} {
		var ps []nli.Pair
		var pos []bool
		for k, n := range []string{"rpl", "add"} {
			for _, tb := range read(fmt.Sprintf(set, n)) {
				for h, cs := range tb.Dict {
					for _, c := range cs {
						if strings.TrimSpace(c) == "" {
							continue
						}
						ps = append(ps, nli.Pair{Premise: ent(tb.Name) + h, Hypothesis: ent(tb.Name) + c}, nli.Pair{Premise: ent(tb.Name) + c, Hypothesis: ent(tb.Name) + h})
						pos = append(pos, k == 0)
					}
				}
			}
		}
		s, err := m.Classify(context.Background(), ps)
		if err != nil {
			t.Fatal(err)
		}
		var sc []scored
		var hi, hiR, lo, loA, nr, na int
		for i, p := range pos {
			e1, e2 := s[2*i].Entailment, s[2*i+1].Entailment
			sc = append(sc, scored{e1 * e2, p})
			if p {
				nr++
			} else {
				na++
			}
			if min(e1, e2) >= .65 {
				hi++
				if p {
					hiR++
				}
			}
			if max(e1, e2) <= .45 {
				lo++
				if !p {
					loA++
				}
			}
		}
		if os.Getenv("DUMP") != "" && !strings.HasPrefix(set, "spider") {
			for i, p := range pos {
				e := s[2*i]
				f := s[2*i+1]
				if p && e.Entailment*f.Entailment < .1 || !p && e.Entailment*f.Entailment > .2 {
					fmt.Printf("   %v %s | %s  %.2f %.2f\n", p, ps[2*i].Premise, ps[2*i].Hypothesis, e.Entailment, f.Entailment)
				}
			}
		}
		fmt.Printf("%s: %d pairs AUC %.4f | min>=.65: RPL recall %.3f precision %.3f | max<=.45: ADD recall %.3f precision %.3f\n", set, len(pos), area(sc),
			float64(hiR)/float64(nr), float64(hiR)/float64(hi), float64(loA)/float64(na), float64(loA)/float64(lo))
	}
}

func ent(name string) string {
	if os.Getenv("ENT") == "" {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(name), "_", " ") + " "
}

func BenchmarkDev(b *testing.B) {
	l := &lexvec{map[string]int{}, gz(b, shared.File(b, "models", "lexvec-128.i8.gz"))}
	for i, w := range strings.Split(strings.TrimSpace(string(gz(b, shared.File(b, "models", "lexvec-128.vocab.txt.gz")))), "\n") {
		l.rows[w] = i
	}
	start := time.Now()
	m, err := compact.New(l, lexicon.DefaultDictionary())
	if err != nil {
		b.Fatal(err)
	}
	fmt.Println("load", time.Since(start))
	src := DevSources(b)
	src.TabFact, src.WTQ = nil, nil
	tables, _, _ := src.tables(context.Background())
	var ps []nli.Pair
	for _, t := range tables {
		for _, c := range t.names[1:] {
			if len(ps) < 20000 {
				ps = append(ps, nli.Pair{Premise: "x " + t.names[0] + " (text)", Hypothesis: "x " + c + " (text)"})
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Classify(context.Background(), ps)
	}
	b.ReportMetric(float64(b.N*len(ps))/b.Elapsed().Seconds(), "pairs/s")
}
