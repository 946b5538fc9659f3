//go:build quality && scale

package quality

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/memtest"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// measured is what a run took.
type measured struct {
	size    int
	seconds float64 // of processors
	memory  float64 // MB at most
	disk    float64 // MB of what it wrote
}

// run runs the program and adds up what its processes took.
func (m *measured) run(t *testing.T, bin string, args ...string) {
	t.Helper()
	// Linux counts the peak of the process that starts another as the other's.
	debug.FreeOSMemory()
	memtest.ForgetPeak()
	cmd := exec.Command(bin, args...)
	printed, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 2 { // 2: some records were reported and skipped
		t.Fatalf("%v: %v\n%s", args, err, printed)
	}
	m.seconds += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	m.memory = max(m.memory, float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024)
}

// weigh adds the size of what was written. Files with several names count once.
func (m *measured) weigh(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.Command("du", "-sk", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	kb, err := strconv.ParseFloat(strings.Fields(string(out))[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	m.disk += kb / 1024
}

// exponent fits time = a·size^b and returns b.
func exponent(list []measured) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, m := range list {
		x, y := math.Log(float64(m.size)), math.Log(m.seconds)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func printScale(command, of string, list []measured) {
	for _, m := range list {
		fmt.Printf("| %s | %d %s | %.1f s | %.0f MB | %.1f MB |\n", command, m.size, of, m.seconds, m.memory, m.disk)
	}
	if len(list) < 2 {
		return // no line through one point
	}
	fmt.Printf("| %s | exponent of time over size | %.2f | | |\n", command, exponent(list))
}

// TestScale grows data sets, predictions, corpora and shards and prints the rows of
// docs/scale.md. The exponents are fitted; a command whose time grows faster than its input
// fails. A part of it is chosen by its name: -run TestScale/corpora.
func TestScale(t *testing.T) {
	bin, data := program(t), spiderData(t)
	fmt.Println("| command | size | processor time | memory | disk |\n|---|---:|---:|---:|---:|")
	bounded := func(t *testing.T, command, of string, list []measured) {
		printScale(command, of, list)
		if e := exponent(list); e > 1.05 {
			t.Errorf("%s: time grows with exponent %.2f, expected at most 1.05", command, e)
		}
	}
	t.Run("examples", func(t *testing.T) { bounded(t, "build", "examples", growBuild(t, bin, data)) })
	t.Run("sets", func(t *testing.T) { bounded(t, "build of two perturbations", "examples", growSets(t, bin, data)) })
	t.Run("predictions", func(t *testing.T) { bounded(t, "eval", "predictions", growEval(t, bin, data)) })
	t.Run("corpora", func(t *testing.T) {
		builds, candidates := growCorpus(t, bin, data)
		bounded(t, "corpus build", "tables", builds)
		bounded(t, "candidates of Spider dev", "tables", candidates)
	})
	t.Run("shards", func(t *testing.T) {
		for _, m := range growShards(t, bin, data) {
			fmt.Printf("| build and merge | %d shares | %.1f s | %.0f MB | %.1f MB |\n", m.size, m.seconds, m.memory, m.disk)
		}
	})
}

var builds = []string{"--perturb", "mtteql,drspider/value-synonym", "--samples", "2", "--quiet"}

// growBuild builds each eighth, each half and all of Spider dev's examples, over all of its
// databases.
func growBuild(t *testing.T, bin, data string) (list []measured) {
	raw, err := os.ReadFile(filepath.Join(data, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, every := range []int{8, 4, 2, 1} {
		var some []json.RawMessage
		for i := 0; i < len(all); i += every {
			some = append(some, all[i])
		}
		text, err := json.Marshal(some)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, fmt.Sprintf("some%d.json", every)), text, 0o666); err != nil {
			t.Fatal(err)
		}
		out, m := filepath.Join(t.TempDir(), "out"), measured{size: len(some)}
		m.run(t, bin, append([]string{"build", "--data", data, "--split", fmt.Sprintf("some%d", every), "--out", out}, builds...)...)
		m.weigh(t, out)
		list = append(list, m)
	}
	return list
}

// growSets builds two perturbations of Spider dev, of ten copies of it, and of Spider train.
func growSets(t *testing.T, bin, data string) (list []measured) {
	dev, err := os.ReadFile(filepath.Join(data, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	one := strings.TrimSpace(strings.Trim(strings.TrimSpace(string(dev)), "[]"))
	train := t.TempDir()
	links := map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_train.tar.gz"), "database"),
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(train, name)); err != nil {
			t.Fatal(err)
		}
	}
	questions := strings.Split(strings.TrimSpace(unzipped(t, "data", "spider", "train_spider_min.jsonl.gz")), "\n")
	for _, set := range []struct{ dir, split, text string }{
		{data, "copies1", "[" + one + "]"},
		{train, "train", "[" + strings.Join(questions, ",") + "]"},
		{data, "copies10", "[" + strings.Repeat(one+",", 9) + one + "]"},
	} {
		if err := os.WriteFile(filepath.Join(set.dir, set.split+".json"), []byte(set.text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, m := filepath.Join(t.TempDir(), "out"), measured{size: strings.Count(set.text, `"db_id"`)}
		m.run(t, bin, "build", "--data", set.dir, "--split", set.split, "--perturb", "drspider/value-synonym,drspider/comparison", "--samples", "2", "--databases", "none", "--out", out, "--quiet")
		m.weigh(t, out)
		list = append(list, m)
	}
	return list
}

// unzipped reads a file of the shared data.
func unzipped(t *testing.T, elem ...string) string {
	t.Helper()
	f, err := os.Open(shared.File(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// growEval judges 1,034 predictions, ten times and a hundred times as many.
func growEval(t *testing.T, bin, data string) (list []measured) {
	var gold, pred strings.Builder
	for _, u := range readUnits(t, data, "dev") {
		for _, ex := range u.Examples {
			line, err := dataset.GoldLine(ex.Query)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&gold, "%s\t%s\n", line, ex.DB)
			fmt.Fprintf(&pred, "%s\n", line)
		}
	}
	for _, copies := range []int{1, 10, 100} { // 1,034 predictions each
		dir := t.TempDir()
		m := measured{size: copies * strings.Count(pred.String(), "\n")}
		for name, text := range map[string]string{"gold.sql": gold.String(), "pred.sql": pred.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(text, copies)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		verdicts := filepath.Join(dir, "verdicts.tsv")
		m.run(t, bin, "eval", "--gold", filepath.Join(dir, "gold.sql"), "--pred", filepath.Join(dir, "pred.sql"), "--tables", filepath.Join(data, "tables.json"),
			"--db", filepath.Join(data, "database"), "--metric", "exact,exec", "--verdicts", verdicts, "--quiet")
		m.weigh(t, verdicts)
		list = append(list, m)
	}
	return list
}

// growShards builds Spider dev in 1, 4 and 16 shares and merges them.
func growShards(t *testing.T, bin, data string) (list []measured) {
	for _, n := range []int{1, 4, 16} {
		out, m := filepath.Join(t.TempDir(), "out"), measured{size: n}
		for i := 1; i <= n; i++ {
			m.run(t, bin, append([]string{"build", "--data", data, "--out", out, "--shard", fmt.Sprintf("%d/%d", i, n)}, builds...)...)
		}
		m.run(t, bin, "merge", out)
		m.weigh(t, filepath.Dir(out))
		list = append(list, m)
	}
	return list
}
