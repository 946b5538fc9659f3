package exact

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// The prediction files with official verdicts.
var predictionFiles = []string{
	"codes-1b", "dail-sql_gpt-4", "graphix_via_dail-sql",
	"leaderboard/leaderboard_01", "leaderboard/leaderboard_02", "leaderboard/leaderboard_03", "leaderboard/leaderboard_04", "leaderboard/leaderboard_05",
	"leaderboard/leaderboard_06", "leaderboard/leaderboard_07", "leaderboard/leaderboard_08", "leaderboard/leaderboard_09", "leaderboard/leaderboard_10",
}

var spider struct {
	sync.Once
	examples []*dataset.Example // of dev, in order
	schemas  map[string]*Schema
}

// spiderDev returns Spider's dev examples and the schemas of its databases.
func spiderDev(tb testing.TB) ([]*dataset.Example, map[string]*Schema) {
	dir := filepath.Dir(shared.File(tb, "data", "spider", "dev.json"))
	spider.Do(func() {
		spider.schemas = map[string]*Schema{}
		units, err := dataset.Units(dir, "dev", func(err error) { tb.Log(err) })
		if err != nil {
			tb.Fatal(err)
		}
		for _, u := range units {
			spider.schemas[u.DB.ID] = NewSchema(u.DB)
			spider.examples = append(spider.examples, u.Examples...)
		}
		slices.SortFunc(spider.examples, func(a, b *dataset.Example) int { return a.Index - b.Index })
	})
	return spider.examples, spider.schemas
}

// lines returns the lines of a text file, which may be gzip.
func lines(tb testing.TB, elem ...string) []string {
	f, err := os.Open(shared.File(tb, elem...))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(f.Name(), ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			tb.Fatal(err)
		}
	}
	var list []string
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		list = append(list, strings.TrimSpace(scan.Text()))
	}
	if scan.Err() != nil {
		tb.Fatal(scan.Err())
	}
	return list
}

// predictions returns the predictions of a file for Spider dev.
func predictions(tb testing.TB, file string) []string {
	return lines(tb, "data", "predictions", "spider-dev", file+".txt")
}

// golds prepares Spider's dev golds.
func golds(tb testing.TB) []*Gold {
	examples, schemas := spiderDev(tb)
	list := make([]*Gold, len(examples))
	for i, e := range examples {
		list[i] = schemas[e.DB].Gold(e.Query)
	}
	return list
}
