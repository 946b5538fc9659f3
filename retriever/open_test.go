package retriever

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// show renders a stream: one line a table, "ID (caption) repository: name:type*[cells]…"
// with * for a key, or the error.
func show(tb testing.TB, stream dataset.Stream[*Table], err error) []string {
	tb.Helper()
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for t, err := range streamtest.All(stream) {
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		line := fmt.Sprintf("%s (%s)", t.ID, t.Caption)
		if t.Repository != "" {
			line += " " + t.Repository + ":"
		}
		for _, c := range t.Columns {
			key := map[bool]string{true: "*"}[c.Key]
			line += fmt.Sprintf(" %s:%s%s%q", c.Name, c.Type, key, c.Cells)
		}
		lines = append(lines, line)
	}
	return lines
}

// file makes a file system of one file named f with the kind's extension.
func file(kind, content string) (fstest.MapFS, string) {
	ext := map[string]string{"csv": ".csv", "tabfact": ".csv", "wdc": ".json", "jsonl": ".jsonl", "parquet": ".parquet", "spider": ".json"}
	name := "f" + ext[kind]
	return fstest.MapFS{name: {Data: []byte(content)}}, name
}

func TestReaders(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	for _, tc := range []struct {
		name, kind, content string
		want                []string
	}{
		{"plain", "csv", "Year,Title\n1981,\"Mork, \"\"M\"\"\"\r\n1982,b\n", []string{`f.csv () Year:number["1981" "1982"] Title:text["Mork, \"M\"" "b"]`}},
		{"escaped quotes", "csv", `"A","B"` + "\n" + `"Episode: \"Met\"","a\\b\n"` + "\n", []string{`f.csv () A:text["Episode: \"Met\""] B:text["a\\b\\n"]`}},
		{"line break in field", "csv", "\"Chart\nUK\",b\n1,2\n", []string{`f.csv () Chart UK:number["1"] b:number["2"]`}},
		{"byte order mark and blank lines", "csv", "\ufeff\n\na,b\n\n1,2", []string{`f.csv () a:number["1"] b:number["2"]`}},
		{"repeated headers", "csv", "year,position,year\n1,2,3\n", []string{`f.csv () year:number["1"] position:number["2"] year:number["3"]`}},
		{"keys in the sample", "csv", "a,b,c\n1,2,\n3,2,x\n5,4,y\n", []string{`f.csv () a:number*["1" "3" "5"] b:number["2" "2" "4"] c:text["" "x" "y"]`}},
		{"ragged", "csv", "a,b,c\n1\n1,2,3,4\n", []string{`f.csv () a:number["1" "1"] b:number["" "2"] c:number["" "3"]`}},
		{"column without name", "csv", "a,,c\n1,2,3\n", []string{`f.csv () a:number["1"] c:number["3"]`}},
		{"header only", "csv", "a,b\n", []string{`f.csv () a:text[] b:text[]`}},
		{"empty", "csv", "", []string{"f.csv: file is empty: table has no header"}},
		{"no header", "csv", "1,2\n3,4\n", []string{"f.csv: table has no header"}},
		{"unclosed quote", "csv", "a,b\n1,\"2\n3,4\n", []string{`f.csv:2: quoted field is never closed, expected a closing "`}},
		{"stray quotes", "csv", "a b\"c,\"d\"e\n1,2\n", []string{`f.csv () a b"c:number["1"] de:number["2"]`}},
		{"NUL and controls", "csv", "a\x00\x1b[0m,\u200bb\n\x00,x\ty  z\n", []string{`f.csv () a[0m:text[""] b:text["x y z"]`}},
		{"invalid UTF-8", "csv", "caf\xe9,b\n\xff\xfe,2\n", []string{"f.csv () caf\ufffd:text[\"\ufffd\ufffd\"] b:number[\"2\"]"}},
		{"picture", "csv", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", []string{"f.csv: is not text, expected a table as UTF-8 text"}},
		{"UTF-16", "csv", "a\x00,\x00b\x00\n\x00", []string{"f.csv: is not text, expected a table as UTF-8 text"}},
		{"JSON", "csv", "\ufeff{\"header\": [\"a\"]}\n", []string{"f.csv: looks like JSON, expected a table of fields"}},
		{"JSON", "tabfact", "[\n{}]\n", []string{"f.csv: looks like JSON, expected a table of fields"}},
		{"cell of 10 MB", "csv", "a,b\n" + long + ",2\n", []string{`f.csv () a:text["` + long[:200] + `"] b:number["2"]`}},
		{"header of 10 MB", "csv", long + "\n1\n", []string{`f.csv () ` + long[:100] + `:number["1"]`}},

		{"plain", "tabfact", "year#team\n1990#a\n1991#b\n", []string{`f.csv () year:number["1990" "1991"] team:text["a" "b"]`}},
		{"quotes stand for themselves", "tabfact", "a#b\n\"x#y\"\n", []string{`f.csv () a:text["\"x"] b:text["y\""]`}},
		{"empty", "tabfact", "\n\n", []string{"f.csv: file is empty: table has no header"}},
		{"ragged", "tabfact", "a#b\n1\n1#2#3\n", []string{`f.csv () a:number["1" "1"] b:number["" "2"]`}},

		{"first row", "wdc", `{"relation":[["A","1"],["B","2"]],"hasHeader":true,"headerPosition":"FIRST_ROW","headerRowIndex":0,"pageTitle":"P","title":"T"}`, []string{`f.json (P T) A:number["1"] B:number["2"]`}},
		{"first column", "wdc", `{"relation":[["A","B"],["1","2"],["3","4"]],"hasHeader":true,"headerPosition":"FIRST_COLUMN"}`, []string{`f.json () A:number["1" "3"] B:number["2" "4"]`}},
		{"header in second row", "wdc", `{"relation":[["x","A","1"],["","B","2"]],"hasHeader":true,"headerPosition":"FIRST_ROW","headerRowIndex":1}`, []string{`f.json () A:number["1"] B:number["2"]`}},
		{"no header", "wdc", `{"relation":[["A"]],"hasHeader":false,"headerPosition":"NONE"}`, []string{"f.json:1: table has no header"}},
		{"no relation", "wdc", `{}`, []string{"f.json:1: relation is empty: table has no header"}},
		{"row index beyond", "wdc", `{"relation":[["A"]],"headerRowIndex":99}`, []string{"f.json:1: table has no header"}},
		{"lines, one bad", "wdc", "{\"relation\":[[\"A\",\"1\"]]}\n{\"relation\":7}\n\n{\"relation\":[[\"B\",\"1\"]]}\n", []string{`f.json () A:number["1"]`,
			`f.json:2: "relation" is a JSON number, expected a Web Data Commons table`, `f.json#4 () B:number["1"]`}},
		{"over several lines", "wdc", "{\n\"relation\":\n[[\"A\",\"1\"]]}\n", []string{`f.json () A:number["1"]`}},
		{"cut short", "wdc", `{"relation":[["A"`, []string{"f.json:1: not JSON, expected a Web Data Commons table: unexpected end of JSON input"}},
		{"ragged columns, invalid UTF-8", "wdc", "{\"relation\":[[\"A\",\"1\",null],[\"B\\u0000\xff\"]]}", []string{"f.json () A:number[\"1\" \"\"] B\ufffd:text[\"\" \"\"]"}},

		{"own form", "jsonl", `{"id":"t1","caption":"C","header":["a","b"],"rows":[[1,"x"],[2.5,null]]}`, []string{`t1 (C) a:number["1" "2.5"] b:text["x" ""]`}},
		{"WikiSQL", "jsonl", `{"id":["1-1","2-2"],"page_title":"Draft","section_title":"Round","caption":"Round","header":["Pick #"],"types":["real"],"rows":[[25]]}`, []string{`1-1 (Draft Round) Pick #:number["25"]`}},
		{"FeTaQA", "jsonl", `{"feta_id":7,"table_page_title":"Karl","table_section_title":"Awards","table_array":[["Year"],["2013"]]}`, []string{`feta-7 (Karl Awards) Year:number["2013"]`}},
		{"bad lines", "jsonl", "{\"header\":[\"a\"]}\nnonsense\n[]\n{\"header\":[]}\n{\"header\":[\"b\"]}", []string{`f.jsonl#1 () a:text[]`,
			"f.jsonl:2: not JSON, expected a JSON table on each line: invalid character 'o' in literal null (expecting 'u')",
			"f.jsonl:3: found a JSON array, expected a JSON table on each line",
			"f.jsonl:4: table has no header", `f.jsonl#5 () b:text[]`}},

		{"schema", "spider", `[{"db_id":"d_1","table_names":["big dog"],"table_names_original":["Big_Dog"],"column_names":[[-1,"*"],[0,"age"],[0,"born"]],"column_types":["text","number","time"],"primary_keys":[2]}]`, []string{`d_1/Big_Dog (big dog d 1) d_1: age:number[] born:time*[]`}},
		{"key of two columns", "spider", `[{"db_id":"d","table_names":["t","u"],"table_names_original":["t","u"],"column_names":[[0,"a"],[0,"b"],[1,"c"],[1,"e"]],"column_types":["text","text","text","text"],"primary_keys":[0,1,[2,3],9]}]`,
			[]string{`d/t (t d) d: a:text[] b:text[]`, `d/u (u d) d: c:text[] e:text[]`}},
		{"bad schemas", "spider", `[{"db_id":"d","table_names":["t"],"table_names_original":["t"],"column_names":[[5,"a"]],"column_types":["text"]},{"db_id":7},{"db_id":"e","table_names":["t"],"table_names_original":[]}]`, []string{
			"f.json:1: column 0: expected [table index, name]", `f.json:2: "db_id" is a JSON number, expected a Spider schema`,
			"f.json:3: 1 table names with 0 originals and 0 columns with 0 types, expected equal numbers"}},
		{"not an array", "spider", `{}`, []string{"f.json: found a JSON object, expected an array of Spider schemas"}},
	} {
		t.Run(tc.kind+"/"+tc.name, func(t *testing.T) {
			fsys, name := file(tc.kind, tc.content)
			seq, err := OpenFS(fsys, tc.kind, name, Limits{})
			if diff := cmp.Diff(tc.want, show(t, seq, err)); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for _, tc := range []struct {
		name, kind, content string
		lim                 Limits
		want                []string
	}{
		{"columns and rows", "csv", "a,b,c\n1,2,3\n4,5,6\n7,8,9\n", Limits{Columns: 2, Rows: 2}, []string{`f.csv () a:number["1" "4"] b:number["2" "5"]`}},
		{"characters", "csv", "äöüß,b\näöüß x,2\n", Limits{CellRunes: 5, HeaderRunes: 2}, []string{`f.csv () äö:text["äöüß"] b:number["2"]`}},
		{"long line", "jsonl", "{\"header\":[\"a\"]}\n" + strings.Repeat("x", 200) + "\n{\"header\":[\"b\"]}\n", Limits{RecordBytes: 100}, []string{
			"f.jsonl#1 () a:text[]", "f.jsonl:2: too large: line of 201 bytes, expected at most 100", "f.jsonl#3 () b:text[]"}},
		{"large array", "spider", "[" + strings.Repeat(" ", 200), Limits{MemberBytes: 100}, []string{"f.json: too large: expected at most 100 bytes"}},
		{"total size", "jsonl", strings.Repeat("{\"header\":[\"a\"]}\n", 1000), Limits{TotalBytes: 1}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fsys, name := file(tc.kind, tc.content)
			seq, err := OpenFS(fsys, tc.kind, name, tc.lim)
			got := show(t, seq, err)
			if tc.want == nil {
				if last := got[len(got)-1]; last != errTotalSize.Error() || len(got) >= 1000 {
					t.Errorf("%d lines, last %q, want it to stop with %q", len(got), last, errTotalSize)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func tarball(files ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o600, Typeflag: tar.TypeReg})
		w.Write([]byte(files[i+1]))
	}
	w.Close()
	return b.Bytes()
}

func zipFile(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, _ := w.Create(files[i])
		f.Write([]byte(files[i+1]))
	}
	w.Close()
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	files := []string{"c/2.csv", "a\n1\n", "c/notes.txt", "x", "c/10.csv.gz", string(zipped([]byte("b\n1\n")))}
	want := []string{`c/2.csv () a:number["1"]`, `c/10.csv () b:number["1"]`}
	tarred := tarball(files...)
	for _, tc := range []struct {
		name string
		data []byte
		want []string
	}{
		{"x.tar", tarred, want},
		{"x.tar.gz", zipped(tarred), want},
		{"x.tgz", zipped(tarred), want},
		{"x.zip", zipFile(files...), want},
		{"x.tar.gz", zipped(tarball("in/x.zip", string(zipFile(files...)))), want},
		{"x.csv.gz", zipped([]byte("a\n1\n")), []string{`x.csv () a:number["1"]`}},
		{"x.csv.gz", zipped([]byte("a\n" + strings.Repeat("1\n", 10)))[:25], []string{"x.csv.gz: damaged or cut off, expected whole data: unexpected EOF"}},
		{"x.gz", []byte("no gzip"), []string{"x.gz: damaged or cut off, expected whole data: unexpected EOF"}},
		{"x.zip", []byte("no zip"), []string{"x.zip: damaged or cut off, expected whole data: zip: not a valid zip file"}},
		{"x.csv.bz2", []byte("no bzip"), []string{"x.csv.bz2: damaged or cut off, expected whole data: bzip2 data invalid: bad magic value"}},
		{"x.tar", tarred[:1100], []string{`c/2.csv () a:number["1"]`, "x.tar: damaged or cut off, expected whole data: unexpected EOF"}},
		{"x.tar", tarball("a.csv.gz", "bad", "b.csv", "b\n1\n"), []string{"x.tar!a.csv.gz: damaged or cut off, expected whole data: unexpected EOF", `b.csv () b:number["1"]`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seq, err := OpenFS(fstest.MapFS{tc.name: {Data: tc.data}}, "csv", tc.name, Limits{})
			if diff := cmp.Diff(tc.want, show(t, seq, err)); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
	nested := []byte("a\n1\n")
	name := "x.csv"
	for range maxNesting + 1 {
		nested, name = tarball(name, string(nested)), "x.tar"
	}
	seq, err := OpenFS(fstest.MapFS{name: {Data: nested}}, "csv", name, Limits{})
	if got := show(t, seq, err); len(got) != 1 || !strings.Contains(got[0], "more than 4 archives") {
		t.Errorf("archives nested too deeply: %q", got)
	}
}

// TestOpenFolder reads a folder on disk with captions beside it, twice, and
// stops in its middle.
func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"all/b.csv": "x#y\n1#2\n", "all/a.csv": "z\n3\n", "all/.hidden.csv": "h\n", "all/c.txt": "",
		"table_to_page.json": `{"b.csv": ["a caption", "http://page.example"], "a.csv": []}`,
	} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seq, err := Open("tabfact", filepath.Join(dir, "all"), Limits{})
	want := []string{`a.csv () z:number["3"]`, `b.csv (a caption) x:number["1"] y:number["2"]`}
	for range 2 {
		if diff := cmp.Diff(want, show(t, seq, err)); diff != "" {
			t.Errorf("tables (-want +got):\n%s", diff)
		}
	}
	for table := range streamtest.All(seq) {
		if table.ID != "a.csv" || table.Source != "all" {
			t.Errorf("first table %s of source %q", table.ID, table.Source)
		}
		break
	}
	os.WriteFile(filepath.Join(dir, "table_to_page.json"), []byte("["), 0o644)
	if _, err := Open("tabfact", filepath.Join(dir, "all"), Limits{}); err == nil || !strings.Contains(err.Error(), "table_to_page.json: expected an object") {
		t.Errorf("bad captions: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open("xls", ".", Limits{}); err == nil || !strings.Contains(err.Error(), `"xls", expected one of csv, tabfact`) {
		t.Errorf("unknown kind: %v", err)
	}
	if _, err := Open("csv", filepath.Join(t.TempDir(), "absent"), Limits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent corpus: %v", err)
	}
}

// writeParquet writes tables as a Parquet corpus, compressed with zstd.
func writeParquet(w io.Writer, tables dataset.Stream[*Table], report func(error)) error {
	pw := parquet.NewGenericWriter[ParquetTable](w, parquet.Compression(&parquet.Zstd))
	err := tables(report, func(t *Table) error {
		row := ParquetTable{ID: t.ID, Caption: t.Caption, Source: t.Source}
		for _, c := range t.Columns {
			row.Columns = append(row.Columns, ParquetColumn{c.Name, string(c.Type), c.Cells})
		}
		_, err := pw.Write([]ParquetTable{row})
		return err
	})
	if err != nil {
		return err
	}
	return pw.Close()
}

func TestParquet(t *testing.T) {
	tables := []*Table{
		{ID: "1", Caption: "c", Source: "s", Columns: []Column{{Name: "a", Type: dataset.Time, Cells: []string{"x", ""}}, {Name: "b", Type: dataset.Number, Cells: []string{"1", "2"}}}},
		{ID: "2", Source: "s", Columns: []Column{{Name: "h", Type: dataset.Text, Cells: []string{}}}},
	}
	var b bytes.Buffer
	err := writeParquet(&b, sequence(tables), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	fsys, name := file("parquet", b.String())
	seq, err := OpenFS(fsys, "parquet", name, Limits{})
	if diff := cmp.Diff(tables, read(t, seq, err)); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	// A damaged file gives tables or errors, never a panic, wherever the damage is.
	for i := range b.Len() {
		damaged := bytes.Clone(b.Bytes())
		damaged[i] ^= 0xff
		fsys, name := file("parquet", string(damaged))
		seq, err := OpenFS(fsys, "parquet", name, Limits{})
		show(t, seq, err)
	}
	fsys, name = file("parquet", "PAR1")
	seq, err = OpenFS(fsys, "parquet", name, Limits{})
	if got := show(t, seq, err); len(got) != 1 || !strings.HasPrefix(got[0], "f.parquet:1: expected the columns") {
		t.Errorf("no Parquet file: %q", got)
	}
}

func sequence(tables []*Table) dataset.Stream[*Table] {
	return func(_ func(error), each func(*Table) error) error {
		for _, t := range tables {
			if err := each(t); err != nil {
				return err
			}
		}
		return nil
	}
}
