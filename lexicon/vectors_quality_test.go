package lexicon

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestWordSimilarity pins the rank correlation of the embedded table with human
// judgements, with room for the choice of another build.
func TestWordSimilarity(t *testing.T) {
	for _, tt := range []struct {
		file  string
		want  float64 // Spearman's rho
		pairs int     // covered
	}{
		{"EN-SIMLEX-999.txt", 0.73, 990},
		{"EN-SimVerb-3500.txt", 0.69, 3450},
		{"EN-WS-353-SIM.txt", 0.65, 195},
		{"EN-MEN-TR-3k.txt", 0.65, 2880},
		{"EN-RG-65.txt", 0.75, 64},
	} {
		data, err := os.ReadFile(shared.File(t, "lexicon", "wordsim", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		var human, cosine []float64
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			a, _, _ := Phrase(Default(), f[0])
			b, _, _ := Phrase(Default(), f[1])
			score, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if a != nil && b != nil {
				human = append(human, score)
				cosine = append(cosine, Cosine(a, b))
			}
		}
		rho := stat.Correlation(ranks(human), ranks(cosine), nil)
		t.Logf("%s: rho %.3f over %d pairs", tt.file, rho, len(human))
		if math.Abs(rho-tt.want) > 0.02 || len(human) < tt.pairs {
			t.Errorf("%s: rho %.3f over %d pairs, want %.2f ± 0.02 over %d", tt.file, rho, len(human), tt.want, tt.pairs)
		}
	}
}

// TestVectorSize bounds what the table adds to every binary.
func TestVectorSize(t *testing.T) {
	const most = 5_000_000
	if len(vectorsFile) > most {
		t.Errorf("%d bytes, want at most %d", len(vectorsFile), most)
	}
}

// ranks returns the rank of each value, ties sharing their mean.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && x[order[hi]] == x[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return out
}

// TestVectorCoverage counts the words of web-table headers that have a vector.
func TestVectorCoverage(t *testing.T) {
	for _, tt := range []struct {
		path      []string
		separator string
		least     float64
	}{
		{[]string{"data", "tabfact", "all_csv.tar.gz"}, "#", 0.98},
		{[]string{"data", "wtq", "csv.tar.gz"}, ",", 0.98},
	} {
		known, total := 0, 0
		cache := make(map[string][2]int)
		firstLines(t, shared.File(t, tt.path...), func(line string) {
			for _, w := range Words(strings.ReplaceAll(line, tt.separator, " ")) {
				c, ok := cache[w]
				if !ok {
					_, c[0], c[1] = Phrase(Default(), w)
					cache[w] = c
				}
				known += c[0]
				total += c[1]
			}
		})
		share := float64(known) / float64(total)
		t.Logf("%s: %.4f of %d words", tt.path[1], share, total)
		if share < tt.least {
			t.Errorf("%s: %.4f of %d words have a vector, want %.2f", tt.path[1], share, total, tt.least)
		}
	}
}

// firstLines calls do with the first line of each .csv file of an archive.
func firstLines(t *testing.T, archive string, do func(line string)) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, ".csv") {
			line, _ := bufio.NewReader(tr).ReadString('\n')
			do(line)
		}
	}
}
