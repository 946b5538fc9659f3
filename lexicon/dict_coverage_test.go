package lexicon

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestHeaderCoverage holds the share of the column names of a web-table corpus
// in which the embedded dictionary can replace something. The dictionary was
// written with an eye on such headers, so this guards against loss; it says
// nothing about other corpora.
func TestHeaderCoverage(t *testing.T) {
	headers := tabFactHeaders(t, shared.File(t, "data", "tabfact", "all_csv.tar.gz"))
	d := DefaultDictionary()
	total, covered := 0, 0
	for name, n := range headers {
		total += n
		for _, s := range segments(Words(name), d.Synonyms) {
			if len(s.options) > 0 {
				covered += n
				break
			}
		}
	}
	share := float64(covered) / float64(total)
	t.Logf("%d header cells, %d distinct; %.1f%% have a word or phrase with synonyms", total, len(headers), 100*share)
	if share < 0.90 {
		t.Errorf("coverage %.3f, want at least 0.90", share)
	}
}

// tabFactHeaders counts the header cells of a tar.gz of CSV files separated by '#'.
func tabFactHeaders(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	headers := make(map[string]int)
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return headers
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".csv") {
			continue
		}
		line, _ := bufio.NewReader(files).ReadString('\n')
		for name := range strings.SplitSeq(line, "#") {
			if name = strings.TrimSpace(name); name != "" {
				headers[name]++
			}
		}
	}
}
