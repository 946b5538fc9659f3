package review

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// What a build would leave out is refused with the reason.
func TestOwnNames(t *testing.T) {
	dir, buckets := shop(t)
	data, err := LoadData(dir, "dev", []string{buckets}, nli.Paper(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	c := &data.columns[1] // home_town
	for name, want := range map[string]string{
		"town of birth": "", strings.Repeat("ü", MaxOwnName): "",
		"home town": "the name that the column has", "home-town": "the name that the column has",
		"store_id": "the name of the column Store_ID", "lost": "the name of the column Lost",
		"...": "no name", "a\x00b": "control character", strings.Repeat("ü", MaxOwnName+1): "has 101 characters",
	} {
		err := data.usable(c, name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, expected %q", name, err, want)
		}
	}
}

// Several files are one review, as they are one benchmark.
func TestSeveralFiles(t *testing.T) {
	dir, buckets := shop(t)
	second := filepath.Join(dir, "second.json")
	text := `{"version": 1, "columns": [{"db_id": "shop", "table": "Store", "column": "Home_Town",
		"replace": [{"name": "city", "source": "person"}], "add": [{"name": "street", "source": "retrieval"}]},
		{"db_id": "shop", "table": "Store", "column": "Lost", "replace": [{"name": "missing", "source": "dictionary"}], "add": []}]}`
	if err := os.WriteFile(second, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	data, err := LoadData(dir, "dev", []string{buckets, second}, nli.Paper(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	b := data.columns[1].bucket
	if len(data.columns) != 3 || len(b.Replace) != 2 || b.Replace[0].Source != "dictionary" || len(b.Add) != 2 {
		t.Errorf("%d columns, %+v; expected 3, and the names of both with the first file's city", len(data.columns), b)
	}
}

// A page of another review at the same port has numbers of other columns.
func TestOtherReview(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	b, s := open(t, out)
	status, h, _ := b.do("GET", "/api/progress", "", nil)
	key := h.Get(keyHeader)
	if status != http.StatusOK || key == "" || key == s.state.data.key("bob") {
		t.Fatalf("status %d, key %q; expected one of the annotator's own", status, key)
	}
	for _, test := range []struct {
		key    string
		status int
	}{{key, http.StatusOK}, {s.state.data.key("bob"), http.StatusForbidden}} {
		status, _, body := b.do("POST", "/api/decide", Request{ID: 1, Action: Accept, Side: dataset.Replace, Name: "city"}, func(r *http.Request) { r.Header.Set(keyHeader, test.key) })
		if status != test.status || status != http.StatusOK && !bytes.Contains(body, []byte("another review")) {
			t.Errorf("key %s: status %d, %s; expected %d", test.key, status, body, test.status)
		}
	}
}
