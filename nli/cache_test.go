package nli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testPairs(n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{Premise: fmt.Sprint("premise ", i), Hypothesis: "hypothesis"}
	}
	return pairs
}

func openCache(t *testing.T, path string) *Cache {
	t.Helper()
	c, err := OpenCache(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func classifyAll(t *testing.T, c Classifier, pairs []Pair) []Scores {
	t.Helper()
	scores, err := c.Classify(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

func TestCachedEqualsComputed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores")
	pairs := testPairs(100)
	want := classifyAll(t, &fake{score: hashed}, pairs)

	f := &fake{key: "a", score: hashed}
	cache := openCache(t, path)
	classifyAll(t, Cached(f, cache), pairs[:60])
	if got := classifyAll(t, Cached(f, cache), pairs); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if f.pairs() != 100 {
		t.Errorf("%d pairs computed, want 100", f.pairs())
	}
	if err := cache.Close(); err != nil {
		t.Fatal(err)
	}

	again := openCache(t, path)
	f = &fake{key: "a", score: func(Pair) Scores { panic("computed again") }}
	if got := classifyAll(t, Cached(f, again), pairs); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if len(again.scores) != 100 || again.Warnings() != nil {
		t.Errorf("%d pairs, warnings %v", len(again.scores), again.Warnings())
	}
	other := &fake{key: "b", score: hashed}
	classifyAll(t, Cached(other, again), pairs)
	if other.pairs() != 100 {
		t.Errorf("another model computed %d pairs, want 100", other.pairs())
	}
}

func TestKeySeparatesParts(t *testing.T) {
	seen := map[cacheKey]string{}
	for _, c := range [][3]string{{"m", "ab", "c"}, {"m", "a", "bc"}, {"ma", "b", "c"}, {"m", "abc", ""}, {"", "mab", "c"}, {"m", "c", "ab"}} {
		k := keyOf(c[0], Pair{Premise: c[1], Hypothesis: c[2]})
		if first, ok := seen[k]; ok {
			t.Errorf("%v and %s have one key", c, first)
		}
		seen[k] = fmt.Sprint(c)
	}
}

// A damaged file gives up the damaged records and no others.
func TestCacheDamage(t *testing.T) {
	pairs := testPairs(5)
	var whole []byte
	for _, p := range pairs {
		whole = appendRecord(whole, keyOf("m", p), hashed(p))
	}
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		return b
	}
	for _, c := range []struct {
		name    string
		file    []byte
		lost    []int // indices of pairs
		warning string
	}{
		{"empty", nil, []int{0, 1, 2, 3, 4}, ""},
		{"whole", whole, nil, ""},
		{"torn tail", whole[:4*recordSize+17], []int{4}, ":byte 192: 17 bytes dropped"},
		{"torn magic only", whole[:2], []int{0, 1, 2, 3, 4}, ":byte 0: 2 bytes dropped"},
		{"flipped score", flip(2*recordSize + scoresAt + 3), []int{2}, ":byte 96: 48 bytes dropped"},
		{"flipped key", flip(3*recordSize + keyAt), []int{3}, ":byte 144: 48 bytes dropped"},
		{"flipped magic", flip(recordSize), []int{1}, ":byte 48: 48 bytes dropped"},
		{"torn in the middle", append(bytes.Clone(whole[:recordSize+20]), whole[2*recordSize:]...), []int{1}, ":byte 48: 20 bytes dropped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores")
			if err := os.WriteFile(path, c.file, 0o644); err != nil {
				t.Fatal(err)
			}
			cache := openCache(t, path)
			lost := map[int]bool{}
			for _, i := range c.lost {
				lost[i] = true
			}
			for i, p := range pairs {
				s, ok := cache.Get("m", p)
				if ok == lost[i] || ok && s != hashed(p) {
					t.Errorf("pair %d: %v, %v", i, s, ok)
				}
			}
			if got := strings.Join(cache.Warnings(), "\n"); !strings.Contains(got, c.warning) || (c.warning == "") != (got == "") {
				t.Errorf("warnings %q, want %q", got, c.warning)
			}
			classifyAll(t, Cached(&fake{key: "m", score: hashed}, cache), pairs)
			cache.Close()
			for i, p := range pairs {
				if s, ok := openCache(t, path).Get("m", p); !ok || s != hashed(p) {
					t.Errorf("pair %d after repair: %v, %v", i, s, ok)
				}
			}
		})
	}
}

func TestCacheRefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(path); err == nil || !strings.Contains(err.Error(), `notes.txt: starts with "note", expected a score cache`) {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "notes" {
		t.Errorf("the file now holds %q", b)
	}
	if _, err := OpenCache(t.TempDir()); err == nil {
		t.Error("a folder opened")
	}
}

func TestCachePut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores")
	cache := openCache(t, path)
	p := testPairs(2)
	first := hashed(p[0])
	if err := cache.Put("m", p[:1], []Scores{first}); err != nil {
		t.Fatal(err)
	}
	if err := cache.Put("m", p[:1], []Scores{hashed(p[1])}); err != nil {
		t.Fatal(err)
	}
	if s, _ := cache.Get("m", p[0]); s != first {
		t.Errorf("scores %v, want the first, %v", s, first)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != recordSize {
		t.Errorf("file %v, %v, want one record", info.Size(), err)
	}
	for name, err := range map[string]error{
		"lengths": cache.Put("m", p, []Scores{first}),
		"invalid": cache.Put("m", p[1:], []Scores{{Entailment: 2}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	cache.Close()
	if err := cache.Put("m", p[1:], []Scores{first}); err == nil {
		t.Error("a closed cache took scores")
	}
}

// Goroutines and a second opener append to one file.
func TestCacheShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores")
	caches := []*Cache{openCache(t, path), openCache(t, path)}
	pairs := testPairs(200)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			c := Cached(&fake{key: "m", score: hashed}, caches[g%2])
			for i := 0; i < len(pairs); i += 10 {
				at := (i + 30*g) % len(pairs)
				if _, err := c.Classify(context.Background(), pairs[at:at+10]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	c := openCache(t, path)
	if len(c.scores) != len(pairs) || c.Warnings() != nil {
		t.Errorf("%d pairs, want %d; warnings %v", len(c.scores), len(pairs), c.Warnings())
	}
	for _, p := range pairs {
		if s, _ := c.Get("m", p); s != hashed(p) {
			t.Fatalf("%v: %v, want %v", p, s, hashed(p))
		}
	}
}

// FuzzReadRecords checks that any bytes are divided into records that encode to
// themselves and damage that covers the rest.
func FuzzReadRecords(f *testing.F) {
	var whole []byte
	for _, p := range testPairs(3) {
		whole = appendRecord(whole, keyOf("m", p), hashed(p))
	}
	f.Add(whole)
	f.Add(whole[:recordSize+7])
	f.Add(append([]byte("nli\x01nli"), whole...))
	f.Add(append(bytes.Clone(whole[:60]), whole...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		rebuilt := []byte{}
		gaps := 0
		err := readRecords(bufio.NewReader(bytes.NewReader(data)),
			func(k cacheKey, s Scores) {
				if !s.valid() {
					t.Errorf("scores %v", s)
				}
				rebuilt = appendRecord(rebuilt, k, s)
			},
			func(at, n int64) {
				if at != int64(len(rebuilt)) || n <= 0 {
					t.Errorf("%d damaged bytes at %d, want them at %d", n, at, len(rebuilt))
				}
				rebuilt = append(rebuilt, data[at:at+n]...)
				gaps++
			})
		if err != nil || !bytes.Equal(rebuilt, data) {
			t.Errorf("error %v, rebuilt %q of %q with %d gaps", err, rebuilt, data, gaps)
		}
	})
}

func BenchmarkCacheHit(b *testing.B) {
	path := filepath.Join(b.TempDir(), "scores")
	cache, err := OpenCache(path)
	if err != nil {
		b.Fatal(err)
	}
	defer cache.Close()
	pairs := testPairs(10000)
	c := Cached(instant{}, cache)
	if _, err := c.Classify(context.Background(), pairs); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Classify(context.Background(), pairs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "pairs/s")
}
