//go:build quality && scale

package quality

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/retriever"
)

var (
	corpora  = flag.String("corpora", "18000,92000,552000", "tables of the corpora that are grown")
	corpusAt = flag.String("corpus-dir", "", "folder for corpora, which are left there (default: a temporary one)")
)

// growCorpus builds corpora of recombined real tables and finds candidates for Spider dev in
// each. It prints the size of what a build reads and the most that it has on disk beside that.
func growCorpus(t *testing.T, bin, data string) (builds, candidates []measured) {
	parts := webTables(t)
	for _, size := range strings.Split(*corpora, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		dir := *corpusAt
		if dir == "" {
			dir = t.TempDir()
		}
		input, index := filepath.Join(dir, size+".jsonl"), filepath.Join(dir, size+".index")
		if _, err := os.Stat(input); err != nil { // else it was left in -corpus-dir
			recombine(t, input, parts, n)
		}
		build := measured{size: n}
		most := watchDisk(t, index+"*")
		build.run(t, bin, "corpus", "build", "--source", "jsonl:"+input, "--out", index, "--quiet")
		build.weigh(t, index)
		builds = append(builds, build)
		fmt.Printf("| corpus build of %d tables | | | | reads %.1f MB, has %.1f MB at most |\n", n, onDisk(input), most())
		found := measured{size: n}
		out := filepath.Join(t.TempDir(), "buckets.json")
		found.run(t, bin, "candidates", "--data", data, "--corpus", index, "--out", out, "--quiet")
		found.weigh(t, out)
		candidates = append(candidates, found)
		searchAll(t, index, data)
	}
	return builds, candidates
}

// watchDisk looks at the files of a pattern until its result is called, which tells how many
// MB they had at most.
func watchDisk(t *testing.T, pattern string) (most func() float64) {
	stop, result := make(chan struct{}), make(chan float64)
	go func() {
		seen := 0.0
		for {
			seen = max(seen, onDisk(pattern))
			select {
			case <-stop:
				result <- seen
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(stop); return <-result }
}

// onDisk is the MB that the files and folders of a pattern have on disk, as far as they are
// still there.
func onDisk(pattern string) (mb float64) {
	paths, _ := filepath.Glob(pattern)
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				mb += float64(info.Sys().(*syscall.Stat_t).Blocks) * 512 / (1 << 20)
			}
			return nil
		})
	}
	return mb
}

// searchAll prints the processor time of opening an index, of its first search, which checks
// what opening did not, and of a search for each table of Spider dev: the 95th percentile, and
// that of the time that passed.
func searchAll(t *testing.T, index, data string) {
	begun := processorTime(t)
	x, err := retriever.OpenIndex(index)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	opened := processorTime(t)
	var took, passed []time.Duration
	for _, u := range readUnits(t, data, "dev") {
		for _, table := range u.DB.Tables {
			q, err := augment.QueryOf(data, "dev", u.DB.ID+"."+table.Original)
			if err != nil {
				t.Fatal(err)
			}
			before, start := processorTime(t), time.Now()
			if _, err := x.Search(t.Context(), q, 100); err != nil {
				t.Fatal(err)
			}
			took, passed = append(took, processorTime(t)-before), append(passed, time.Since(start))
		}
	}
	first := took[0]
	fmt.Printf("| search in %d tables | opening %v, first %v, 95th percentile of %d %v, on the clock %v | | | |\n", x.Len(),
		(opened - begun).Round(time.Millisecond), first.Round(time.Millisecond), len(took), percentile(took), percentile(passed))
}

// percentile is the 95th.
func percentile(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*95/100].Round(time.Millisecond)
}

// processorTime is what the processors spent on the test so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestSearchAll searches the indexes of -corpus-dir that [growCorpus] left.
func TestSearchAll(t *testing.T) {
	if *corpusAt == "" {
		t.Skip("without -corpus-dir")
	}
	data := spiderData(t)
	for _, size := range strings.Split(*corpora, ",") {
		searchAll(t, filepath.Join(*corpusAt, size+".index"), data)
	}
}

// webTables reads the real tables that are recombined.
func webTables(t *testing.T) (tables []*retriever.Table) {
	for _, s := range [][]string{{"tabfact", "tabfact", "all_csv.tar.gz"}, {"csv", "wtq", "csv.tar.gz"}} {
		read, err := retriever.Open(s[0], shared.File(t, "data", s[1], s[2]), retriever.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		err = read(func(error) {}, func(table *retriever.Table) error {
			tables = append(tables, table)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tables
}

// jsonTable is a table of a jsonl corpus.
type jsonTable struct {
	ID      string     `json:"id"`
	Caption string     `json:"caption"`
	Header  []string   `json:"header"`
	Rows    [][]string `json:"rows"`
}

// recombine writes n tables, each with the caption and half of the columns of one real table
// and one or two columns of two others, so that words are as frequent as in real tables and
// none repeats another.
func recombine(t *testing.T, path string, from []*retriever.Table, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	encoder, rng := json.NewEncoder(w), rand.New(rand.NewPCG(1, 2))
	for i := range n {
		base := from[i%len(from)]
		out := jsonTable{ID: fmt.Sprintf("t%08d", rng.IntN(100_000_000)), Caption: base.Caption, Rows: make([][]string, base.Rows())}
		take := func(table *retriever.Table, columns int) {
			first := rng.IntN(len(table.Columns))
			for j := range min(columns, len(table.Columns)) {
				c := table.Columns[(first+j)%len(table.Columns)]
				out.Header = append(out.Header, c.Name)
				for r := range out.Rows {
					cell := ""
					if len(c.Cells) > 0 {
						cell = c.Cells[(r+i)%len(c.Cells)]
					}
					out.Rows[r] = append(out.Rows[r], cell)
				}
			}
		}
		take(base, (len(base.Columns)+1)/2)
		for range 2 {
			take(from[rng.IntN(len(from))], 1+rng.IntN(2))
		}
		if err := encoder.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRecombine leaves corpora in the folder of -corpus-dir, to be looked at.
func TestRecombine(t *testing.T) {
	if *corpusAt == "" {
		t.Skip("without -corpus-dir")
	}
	parts := webTables(t)
	for _, size := range strings.Split(*corpora, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		recombine(t, filepath.Join(*corpusAt, size+".jsonl"), parts, n)
	}
}
