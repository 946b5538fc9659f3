package vecbuild

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/shared"
)

var rebuild = flag.String("rebuild", "", "build the embedded table from the public data and write it to `FILE`")

// TestRebuild makes the embedded table.
func TestRebuild(t *testing.T) {
	if *rebuild == "" {
		t.Skip("skipped: only with -rebuild FILE")
	}
	headers := filepath.Join(t.TempDir(), "headers.tsv")
	writeHeaders(t, shared.File(t, "data", "tabfact", "all_csv.tar.gz"), headers)
	f, err := os.Create(*rebuild)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Build(context.Background(), f, Sources{
		Synsets:     shared.File(t, "lexicon", "wordnet", "oewn-synsets.tsv.gz"),
		Senses:      shared.File(t, "lexicon", "wordnet", "oewn-senses.tsv.gz"),
		Paraphrases: shared.File(t, "lexicon", "synonyms", "ppdb-xl.txt.gz"),
		Synonyms:    shared.File(t, "data", "lexical-counter-fitting", "ppdb_synonyms.txt.gz"),
		Antonyms: []string{
			shared.File(t, "data", "lexical-counter-fitting", "ppdb_antonyms.txt.gz"),
			shared.File(t, "data", "lexical-counter-fitting", "wordnet_antonyms.txt.gz"),
		},
		Headers: headers,
		Aliases: filepath.Join("..", "embedded", "aliases.tsv"),
	}, Options{Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
}

// writeHeaders writes the distinct headers of TabFact's tables as a header file.
func writeHeaders(t *testing.T, archive, path string) {
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
	var lines []string
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".csv") {
			continue
		}
		r := csv.NewReader(tr)
		r.Comma, r.LazyQuotes = '#', true
		row, err := r.Read()
		if err != nil {
			t.Logf("%s: %v", h.Name, err)
			continue
		}
		lines = append(lines, strings.Join(row, "\t")+"\n")
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
