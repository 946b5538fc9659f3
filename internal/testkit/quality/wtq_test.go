//go:build quality

package quality

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/squall"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// maxFold is the bound on finding candidates for the tables of a fold.
const maxFold = time.Minute

// TestWTQ reads the tables of WikiTableQuestions, as CSV and as Squall has them, and finds
// candidates for fold 0 of Squall, of whose 336 tables ADVETA has 327. There is no
// gold SQL of these here, so that nothing is built.
func TestWTQ(t *testing.T) {
	var report bytes.Buffer
	headers(t, &report)
	data := converted(t, squall.Format, squallData(t), "dev-0", formats.Spider)
	tabperturb := command(t)
	start := processor(t)
	line := candidates(t, tabperturb, data, "dev-0", filepath.Join(t.TempDir(), "buckets.json"))
	worked(t, "candidates of fold 0", start, maxFold)
	fmt.Fprintf(&report, "fold 0 of Squall, %s\n", line)
	golden(t, "wtq", report.String())
}

// headers compares the headers of Squall's tables with those of the CSV files, both
// normalised, for Squall tidies them.
func headers(t *testing.T, report io.Writer) {
	t.Helper()
	csv := shared.Untar(t, "data", "wtq", "csv.tar.gz")
	read, uneven := 0, 0
	theirs := map[string][]string{}
	for _, id := range allTables(t, csv) {
		var warnings []error
		db, err := wtq.ReadTable(csv, id, func(err error) { warnings = append(warnings, err) })
		if err != nil {
			t.Error(err)
			continue
		}
		if read++; len(warnings) > 0 {
			uneven++
		}
		theirs[id] = plainHeaders(db, false)
	}
	fmt.Fprintf(report, "CSV: %d tables read, %d with rows that are shorter or longer than the header\n", read, uneven)
	set, err := squall.Format.Read(t.Context(), squallData(t), "all")
	if err != nil {
		t.Fatal(err)
	}
	all, same, reshaped, warnings := 0, 0, 0, 0
	for db, err := range streamtest.All(set.Databases) {
		if _, ok := errors.AsType[*dataset.RecordError](err); ok {
			warnings++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		all++
		switch ours := plainHeaders(db, true); {
		case len(ours) != len(theirs[db.ID]):
			reshaped++
		case slices.Equal(ours, theirs[db.ID]):
			same++
		}
	}
	percent := func(of int) float64 { return 100 * float64(same) / float64(of) }
	fmt.Fprintf(report, "Squall: %d tables read with %d warnings; equal headers in %d, %.1f%% of all and %.1f%% of the %d with as many columns, for Squall cut the others otherwise\n",
		all, warnings, same, percent(all), percent(all-reshaped), all-reshaped)
	if read != 2108 || all != 2108 || percent(all-reshaped) < 99 {
		t.Errorf("%d and %d tables read, want 2108; %.1f%% have equal headers, want 99%%", read, all, percent(all-reshaped))
	}
}

// plainHeaders returns the headers of a table; of Squall's without the columns that it adds.
func plainHeaders(db *dataset.Database, ofSquall bool) (list []string) {
	for i := range db.Tables[0].Columns {
		c := &db.Tables[0].Columns[i]
		if ofSquall && (c.Base != "" || c.Original == "id" || c.Original == "agg") {
			continue
		}
		list = append(list, plainHeader(wtq.Header(c)))
	}
	return list
}

var (
	plainQuotes = strings.NewReplacer("‘", "'", "’", "'", "´", "'", "`", "'", "“", `"`, "”", `"`)
	anyDash     = regexp.MustCompile(`[‐‑‒–—−]`)
	footnotes   = regexp.MustCompile(`(\[[^\]]*\]|[•♦†‡*#+:])+$`)
)

// plainHeader is a header as WikiTableQuestions normalises text: without accents and marks
// of footnotes, in lower case, with plain quotes and dashes.
func plainHeader(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	s = anyDash.ReplaceAllString(plainQuotes.Replace(strings.ToLower(s)), "-")
	if cut := strings.TrimSpace(footnotes.ReplaceAllString(strings.TrimSpace(s), "")); cut != "" {
		s = cut
	}
	return strings.Join(strings.Fields(s), " ")
}
