package lexicon

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeTemp(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if strings.HasSuffix(name, ".gz") {
		var buf bytes.Buffer
		zw := gzip.NewWriter(&buf)
		if _, err := zw.Write([]byte(content)); err != nil {
			tb.Fatal(err)
		}
		if err := zw.Close(); err != nil {
			tb.Fatal(err)
		}
		content = buf.String()
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	for _, tt := range []struct {
		name, content  string
		terms          string // of the table, joined by |
		skipped, again int
		problems       []string // LINE: part of the text
		dim            int
	}{
		{name: "word2vec.txt", content: "3 2\nsalary 1 2\nHome_Town 3 4\nage -1 0.5\n", terms: "age|home town|salary", dim: 2},
		{name: "glove.txt", content: "salary 1 2\nage 3 4\n", terms: "age|salary", dim: 2},
		{name: "numberbatch.txt.gz", content: "4 2\n/c/de/haus 1 2\n/c/en/home_town 1 2\n/c/en/salary/n 3 4\n/c/en/a_b_c_d_e 1 1\n", terms: "home town|salary", skipped: 2, dim: 2},
		{name: "repeats.txt", content: "apple 1 2\nApple 9 9\n, 1 1\n", terms: "apple", again: 1, skipped: 1, dim: 2},
		{name: "tabs.txt", content: "a\t1  2 \r\n\nc 1 2", terms: "a|c", dim: 2, problems: []string{"2: a term and 0 numbers"}},
		{name: "bad.txt", content: "5 2\na 1\nb 1 x\nc 1 2\nd 0 0\ne NaN 1\nf 1e999 1\n" + strings.Repeat("g", maxVectorLine+9) + "\nh 1 2\n", terms: "c|h", dim: 2,
			problems: []string{"2: a term and 1 numbers, expected 2", "3: \"x\" for component 2", "5: vector of \"d\" is zero", "6: vector of", "7: \"1e999\"", "8: longer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := writeTemp(t, tt.name, tt.content)
			dst := filepath.Join(t.TempDir(), "out.tpv")
			var problems faults
			report, err := Import(context.Background(), src, dst, problems.add)
			if err != nil {
				t.Fatal(err)
			}
			table, err := Open(dst)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			var terms []string
			for i := range table.Len() {
				terms = append(terms, table.Term(i))
			}
			if got := strings.Join(terms, "|"); got != tt.terms {
				t.Errorf("terms %q, want %q", got, tt.terms)
			}
			if report.Dim != tt.dim || report.Terms != table.Len() || report.Skipped != tt.skipped || report.Repeated != tt.again || report.Bad != len(tt.problems) {
				t.Errorf("report %+v", report)
			}
			for i, p := range problems {
				if want := src + ":" + tt.problems[i]; !strings.HasPrefix(p.Error(), want) {
					t.Errorf("problem %q, want %q…", p, want)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dst), ".tpv*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestImportKeepsDirections(t *testing.T) {
	src := writeTemp(t, "v.txt", "a 0.11 -0.52 0.37\n")
	dst := filepath.Join(t.TempDir(), "v.tpv")
	if _, err := Import(context.Background(), src, dst, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	table, err := Open(dst)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	vec, _ := table.Lookup(nil, "a")
	if c := Cosine(vec, []float32{0.11, -0.52, 0.37}); c < 0.9999 {
		t.Errorf("cosine to the source %.6f, want 0.9999", c)
	}
}

func TestImportFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	dst := filepath.Join(t.TempDir(), "out.tpv")
	if _, err := Import(context.Background(), writeTemp(t, "none.txt", "only words\n"), dst, func(error) {}); err == nil {
		t.Error("a file without vectors: no error")
	}
	if _, err := Import(context.Background(), writeTemp(t, "cut.txt", "\x1f\x8b\x08"), dst, func(error) {}); err == nil {
		t.Error("cut gzip: no error")
	}
	long := writeTemp(t, "long.txt", strings.Repeat("a 1 2\n", 3000))
	if _, err := Import(cancelled, long, dst, func(error) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, err := os.Stat(dst); err == nil {
		t.Error("a failed import left its file")
	}
}

func TestOpenVectors(t *testing.T) {
	ctx := context.Background()
	src := writeTemp(t, "v.txt", "salary 1 2\nage 3 4\nbad\n")
	cache := filepath.Join(t.TempDir(), "deep", "cache")
	open := func(path string, imports int) {
		t.Helper()
		var problems faults
		table, err := OpenVectors(ctx, path, cache, problems.add)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if _, ok := table.Lookup(nil, "age"); !ok || len(problems) != imports {
			t.Errorf("age known %v, %d bad lines read, want true, %d", ok, len(problems), imports)
		}
	}
	open(src, 1)
	open(src, 0) // from the cache
	cached, err := filepath.Glob(filepath.Join(cache, "*.tpv"))
	if err != nil || len(cached) != 1 {
		t.Fatalf("cache holds %v, %v, want one file", cached, err)
	}
	open(cached[0], 0) // as it is
	if err := os.WriteFile(cached[0], []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	open(src, 1) // again
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(src, later, later); err != nil {
		t.Fatal(err)
	}
	open(src, 1) // changed
}

func FuzzImport(f *testing.F) {
	f.Add("3 2\nsalary 1 2\nHome_Town 3 4\n")
	f.Add("/c/en/home_town 1 2\n/c/de/haus 1 2\n")
	f.Add("a NaN Inf\n\n x\n")
	f.Fuzz(func(t *testing.T, content string) {
		dir := t.TempDir()
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		if err := os.WriteFile(src, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		report, err := Import(context.Background(), src, dst, func(error) {})
		if err != nil {
			return
		}
		table, err := Open(dst)
		if err != nil {
			t.Fatalf("the file written does not open: %v", err)
		}
		defer table.Close()
		if table.Len() != report.Terms {
			t.Fatalf("%d terms, report has %d", table.Len(), report.Terms)
		}
	})
}
