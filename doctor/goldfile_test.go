package doctor

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadGoldGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("SELECT 1\tshows\n"))
	w.Close()
	for _, c := range []struct {
		name    string
		content []byte
		want    string // db_ids and errors
	}{
		{"whole", packed.Bytes(), "shows"},
		{"cut off", packed.Bytes()[:packed.Len()-4], "shows gold.sql.gz:2: unexpected EOF"},
		{"long line", []byte("SELECT 1\tshows\n" + strings.Repeat("x", maxLine+1)), "shows gold.sql.gz:2: bufio.Scanner: token too long"},
	} {
		path := filepath.Join(t.TempDir(), "gold.sql.gz")
		if err := os.WriteFile(path, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		var got []string
		for ex, err := range readGold(path) {
			if err != nil {
				got = append(got, strings.TrimPrefix(err.Error(), filepath.Dir(path)+string(filepath.Separator)))
			} else {
				got = append(got, ex.DB)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzReadGold(f *testing.F) {
	for _, seed := range []string{"SELECT 1\tshows\n", "\n\nSELECT 'a\tb'\tshows\r\n", "SELECT 1\n", "\tshows\n", "SELECT 1\t\n", "\x1f\x8b\x08"} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "gold.sql")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		last := -1
		for ex, err := range readGold(path) {
			if err != nil {
				continue
			}
			if ex.Index <= last || ex.Query == "" || ex.DB == "" || ex.Question != "" {
				t.Errorf("example %+v after index %d", ex, last)
			}
			last = ex.Index
			if line, err := goldLine(ex.Query+"\t"+ex.DB, ex.Index); err != nil || line.Query != ex.Query || line.DB != ex.DB {
				t.Errorf("%+v reads back as %+v, %v", ex, line, err)
			}
		}
	})
}
