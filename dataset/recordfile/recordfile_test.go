package recordfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/tabperturb/tabperturb/dataset"
)

func records(n int) []dataset.Record {
	recs := make([]dataset.Record, n)
	for i := range recs {
		recs[i] = dataset.Record{
			Perturbation: "adveta/replace", Relation: "renamed", Variant: fmt.Sprintf("pets_%x", i/10), Sample: int32(i % 5), Seed: 1<<63 + 1,
			Example: int32(i), DBPre: "pets", DBPost: fmt.Sprintf("pets_%x", i/10), QuestionPre: "Wie heißt es?", QuestionPost: "Wie heißt es?",
			QueryPre: "SELECT a", QueryPost: "SELECT b", Edits: `[{"edit":"rename-column"}]`, Similarity: 0.1 * float64(i), Forward: 0.5, Backward: -0.25,
			Content: dataset.ContentOriginal, Verdict: dataset.VerdictVerified,
		}
	}
	return recs
}

func writeRecords(t testing.TB, recs []dataset.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := w.Write(recs...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll returns the records of a file and the error at its end.
func readAll(path string) (records []dataset.Record, errs []string) {
	err := Read(path, func(r dataset.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		errs = append(errs, err.Error())
	}
	return records, errs
}

// full is a writer to a full disk.
type full struct{}

var errFull = errors.New("disk is full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriterReportsErrors(t *testing.T) {
	if err := NewWriter(full{}).Close(); !errors.Is(err, errFull) {
		t.Errorf("error is %v, expected %v", err, errFull)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 300, group + 1} {
		want := records(n)
		data := writeRecords(t, want)
		if !bytes.Equal(data, writeRecords(t, want)) {
			t.Errorf("%d records: two files of the same records differ", n)
		}
		path := filepath.Join(t.TempDir(), "records.parquet")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, errs := readAll(path)
		if errs != nil || len(got) != n {
			t.Fatalf("%d records read as %d, errors %q", n, len(got), errs)
		}
		for i := range want {
			if want[i] != got[i] {
				t.Fatalf("record %d (-want +got):\n%s", i, cmp.Diff(want[i], got[i]))
			}
		}
	}
}

func TestWriterDoesNotDependOnBatches(t *testing.T) {
	recs := records(100)
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), writeRecords(t, recs)) {
		t.Error("records written one by one and at once give other bytes")
	}
}

func TestReadBadFiles(t *testing.T) {
	var other bytes.Buffer
	if err := parquet.Write(&other, []struct {
		Seed string `parquet:"seed"`
		X    int    `parquet:"x"`
	}{{"a", 1}}); err != nil {
		t.Fatal(err)
	}
	whole := writeRecords(t, records(50))
	damaged := bytes.Clone(whole)
	for i := 4; i < len(damaged)/2; i++ {
		damaged[i] ^= 0x5a
	}
	for name, data := range map[string]string{
		"empty": "", "text": "hello, this is no parquet file", "cut off": string(whole[:len(whole)/2]), "other columns": other.String(), "damaged": string(damaged),
	} {
		path := filepath.Join(t.TempDir(), "r.parquet")
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		_, errs := readAll(path)
		if len(errs) != 1 || !strings.Contains(errs[0], path) {
			t.Errorf("%s: errors are %q, expected one with the path", name, errs)
		}
	}
}

// TestReadDamaged: whatever bytes are changed, reading ends without a
// panic, and where it fails it says so once.
func TestReadDamaged(t *testing.T) {
	whole := writeRecords(t, records(100))
	path := filepath.Join(t.TempDir(), "r.parquet")
	failed := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := bytes.Clone(whole)
		for range 1 + rng.IntN(4) {
			data[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, errs := readAll(path)
		if len(errs) > 1 {
			t.Errorf("seed %d: errors are %q, expected one at most", seed, errs)
		}
		failed += len(errs)
	}
	if failed < 100 {
		t.Errorf("%d of 400 damaged files fail, expected most", failed)
	}
}
