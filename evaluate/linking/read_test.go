package linking

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// pets is a split of two questions; the second index is left out.
func pets() *Split {
	db := &dataset.Database{ID: "pets", Tables: []dataset.Table{
		{Name: "student", Original: "Student", Columns: []dataset.Column{{Original: "StuID"}, {Original: "Age"}}},
		{Name: "pets", Original: "Pets", Columns: []dataset.Column{{Original: "PetID"}, {Original: "weight"}}},
	}}
	return NewSplit([]*dataset.Unit{{DB: db, Examples: []*dataset.Example{
		{Index: 0, DB: "pets", Question: "How heavy is the pet?"},
		{Index: 2, DB: "pets", Tokens: []string{"the", "age", "of", "'Hey", "'", "?"}},
	}}})
}

// outcome writes what a reader yields, an example or error a line.
func outcome(stream dataset.Stream[*Example]) string {
	var b strings.Builder
	w := NewWriter(&b)
	for ex, err := range streamtest.All(stream) {
		if err != nil {
			b.WriteString(err.Error() + "\n")
		} else if err := w.Write(ex); err != nil {
			b.WriteString(err.Error() + "\n")
		}
	}
	return b.String()
}

// gold returns the stream of gold links that a file f with the text holds. The working directory is one for the test.
func gold(t *testing.T, text string, split *Split, o Options) dataset.Stream[*Example] {
	t.Helper()
	if err := os.WriteFile("f", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return ReadGold("f", split, o)
}

func TestReadGold(t *testing.T) {
	t.Chdir(t.TempDir())
	const age = `{"index":2,"db_id":"pets","links":[{"token":1,"table":"Student","column":"Age"}]}` + "\n"
	for _, test := range []struct {
		name, in string
		want     string // lines; an error by its part
		values   bool
	}{
		{name: "our own", in: age, want: age},
		{name: "byte order mark, blank lines, no end of line", in: "\xef\xbb\xbf\n" + strings.TrimSpace(age), want: age},
		{name: "names without case", in: strings.ToLower(age), want: strings.ToLower(age)},
		{name: "links in order", in: `{"index":0,"db_id":"pets","links":[{"token":4,"table":"Pets"},{"token":1,"table":"Pets","column":"weight"}]}`,
			want: `{"index":0,"db_id":"pets","links":[{"token":1,"table":"Pets","column":"weight"},{"token":4,"table":"Pets"}]}` + "\n"},
		{name: "no links", in: `{"index":0,"db_id":"pets","links":[]}`, want: `{"index":0,"db_id":"pets","links":[]}` + "\n"},
		{name: "bad ones between", in: "{\n" + age + "null\n" + age,
			want: "f:1: unexpected end of JSON input, expected an object\n" + age + "f:3: lacks a key\nf:4: index 2 is there already\n"},
		{name: "other type", in: `{"index":"a","db_id":"pets","links":[]}`, want: "f:1: json: cannot unmarshal string\n"},
		{name: "no such index", in: `{"index":1,"db_id":"pets","links":[]}`, want: "f:1: index 1 is not an example that can be used\n"},
		{name: "other database", in: `{"index":0,"db_id":"cars","links":[]}`, want: `f:1: db_id "cars", expected "pets"` + "\n"},
		{name: "token behind", in: `{"index":0,"db_id":"pets","links":[{"token":6,"table":"Pets"}]}`, want: "f:1: token 6, expected 0 to 5\n"},
		{name: "token before", in: `{"index":0,"db_id":"pets","links":[{"token":-1,"table":"Pets"}]}`, want: "f:1: token -1, expected\n"},
		{name: "no token", in: `{"index":0,"db_id":"pets","links":[{"table":"Pets"}]}`, want: "f:1: link 1 lacks a key\n"},
		{name: "no table", in: `{"index":0,"db_id":"pets","links":[{"token":1,"column":"weight"}]}`, want: "f:1: link 1 lacks a key\n"},
		{name: "other column", in: `{"index":0,"db_id":"pets","links":[{"token":1,"table":"Pets","column":"Age"}]}`, want: "f:1: link to Pets.Age, expected a table or column of pets\n"},
		{name: "broken text", in: "{\"index\":0,\"db_id\":\"pets\xff\",\"links\":[]}", want: "f:1: text is not UTF-8\n"},
		{name: "long line", in: strings.Repeat("x", 17<<20) + "\n" + age, want: "f:1: record is larger than\n" + age},
		{name: "empty", in: "", want: ""},

		{name: "SLSQL", in: `[[null,{"type":"col","id":4,"agg":[]},null,null,{"type":"tbl","id":1},null]]`,
			want: `{"index":0,"db_id":"pets","links":[{"token":1,"table":"Pets","column":"weight"},{"token":4,"table":"Pets"}]}` + "\n"},
		{name: "SLSQL splits quotes off", in: `[[], [], [null,{"type":"col","id":2},null,null,{"type":"val","id":2},null,{"type":"tbl","id":0}]]`,
			want: "f:1: 0 marks, expected 6\nf:2: no example that can be used\n" +
				`{"index":2,"db_id":"pets","links":[{"token":1,"table":"Student","column":"Age"},{"token":5,"table":"Student"}]}` + "\n"},
		{name: "SLSQL values", values: true, in: `[[{"type":"val","id":2},{"type":"val","id":0},null,null,null,null]]`,
			want: `{"index":0,"db_id":"pets","links":[{"token":0,"table":"Student","column":"Age"}]}` + "\n"},
		{name: "SLSQL positions", in: `[[{"type":"col","id":5},null,null,null,null,null]]`, want: "f:1: mark 1: column 5, expected one of pets\n"},
		{name: "SLSQL star", in: `[[{"type":"col","id":0},null,null,null,null,null]]`, want: "f:1: mark 1: column 0, expected\n"},
		{name: "SLSQL table", in: `[[{"type":"tbl","id":2},null,null,null,null,null]]`, want: "f:1: mark 1: table 2, expected 0 to 1\n"},
		{name: "SLSQL type", in: `[[{"type":"row","id":2},null,null,null,null,null]]`, want: `f:1: mark 1: type is "row"` + "\n"},
		{name: "SLSQL no id", in: `[[{"type":"tbl"},null,null,null,null,null]]`, want: `f:1: mark 1: lacks "id"` + "\n"},
		{name: "SLSQL no array", in: `[{"a":1}]`, want: "f:1: json: cannot unmarshal object\n"},
		{name: "SLSQL cut off", in: `[[null,null,null,null,null,null],[nu`, want: `{"index":0,"db_id":"pets","links":[]}` + "\nf:2: file ends within the record\n"},
		{name: "SLSQL unclosed", in: `[[null,null,null,null,null,null]`, want: `{"index":0,"db_id":"pets","links":[]}` + "\nf:1: file ends here\n"},
		{name: "SLSQL and more", in: `[[null,null,null,null,null,null]] x`, want: `{"index":0,"db_id":"pets","links":[]}` + "\nf:1: found 'x' after the end\n"},
		{name: "SLSQL too large", in: `["` + strings.Repeat("x", 17<<20) + `"]`, want: "f:1: record is larger than\n"},
	} {
		got := outcome(gold(t, test.in, pets(), Options{Values: test.values}))
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(test.want, "\n")
		same := slices.EqualFunc(gotLines, wantLines, func(got, want string) bool {
			return got == want || strings.HasPrefix(want, "f:") && strings.HasPrefix(got, want)
		})
		if !same {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// A prediction may name a column that is not there.
	const line = `{"index":0,"db_id":"pets","links":[{"token":1,"table":"Pets","column":"mass"}]}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(line))
	z.Close()
	for name, data := range map[string][]byte{"plain": []byte(line), "gzip": packed.Bytes()} {
		if got := outcome(ReadPredictions(dataset.File(write(name, data)), pets())); got != line {
			t.Errorf("%s: got %s, want %s", name, got, line)
		}
	}
	cut := write("cut", packed.Bytes()[:packed.Len()-4])
	for name, want := range map[string]string{cut: cut + ":2: compressed data is damaged or cut off", write("head", []byte("\x1f\x8bx")): "compressed data is damaged", "missing": "no such file"} {
		if got := outcome(ReadPredictions(dataset.File(name), pets())); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestAlignMarks(t *testing.T) {
	for _, test := range []struct {
		tokens string
		marks  int
		want   []int
	}{
		{"with 'Hey ' in", 4, []int{0, 1, 2, 3}},
		{"with 'Hey ' in", 5, []int{0, 1, 1, 2, 3}},
		{"is ‘Smith’ .", 5, []int{0, 1, 1, 1, 2}},
		{"the substring 'Al' .", 6, []int{0, 1, 2, 2, 2, 3}},
		{"the section_name in", 5, []int{0, 1, 1, 1, 2}},
		{"Brazil’s `` a '' 's 'I '", 9, []int{0, 0, 1, 2, 3, 4, 5, 5, 6}},
		{"a b", 3, nil},
		{"", 0, []int{}},
	} {
		got, err := alignMarks(strings.Fields(test.tokens), test.marks)
		if (err != nil) != (test.want == nil) || !slices.Equal(got, test.want) {
			t.Errorf("%q, %d marks: %v, %v, want %v", test.tokens, test.marks, got, err, test.want)
		}
	}
}

// TestSLSQL reads the whole release: 2099 marks of columns, two of them on parts of
// one token, and 1483 of tables; none out of range, and a number for each question
// that can be aligned.
func TestSLSQL(t *testing.T) {
	split := spider(t)
	path := shared.File(t, "data", "slsql", "spider_ant_dev.json.gz")
	for _, test := range []struct {
		options                   Options
		examples, columns, tables int
	}{
		{Options{}, 1034, 2098, 1483},
		{Options{Values: true}, 1034, 2098 + 702, 1483},
	} {
		examples, columns, tables := 0, 0, 0
		for ex, err := range streamtest.All(ReadGold(path, split, test.options)) {
			if err != nil {
				t.Error(err)
				continue
			}
			examples++
			for _, l := range ex.Links {
				if l.Column == "" {
					tables++
				} else {
					columns++
				}
			}
			if err := split.check(ex, true); err != nil {
				t.Errorf("example %d: %v", ex.Index, err)
			}
		}
		if examples != test.examples || columns != test.columns || tables != test.tables {
			t.Errorf("%+v: %d examples, %d columns, %d tables, want %+v", test.options, examples, columns, tables, test)
		}
	}
}

func spider(t *testing.T) *Split {
	t.Helper()
	dir := filepath.Dir(shared.File(t, "data", "spider", "dev.json"))
	units, err := dataset.Units(dir, "dev", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return NewSplit(units)
}

// FuzzReadGold checks that what is read fits the split and reads again as it
// is written.
func FuzzReadGold(f *testing.F) {
	for _, s := range []string{
		`{"index":2,"db_id":"pets","links":[{"token":1,"table":"student","column":"AGE"},{"token":0,"table":"Pets"}]}`,
		`[[null,{"type":"col","id":4},null,null,{"type":"tbl","id":1},null],[],[null,{"type":"val","id":2},null,null,null,null,null]]`,
		"\xef\xbb\xbf[[", "{\n{}\nnull\n", `[[{"type":"col","id":-1},null,null,null,null,null]] 1`, `["`,
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, values bool) {
		t.Chdir(t.TempDir())
		split := pets()
		var out bytes.Buffer
		w := NewWriter(&out)
		var first []*Example
		for ex, err := range streamtest.All(gold(t, string(data), split, Options{Values: values})) {
			if err != nil {
				continue
			}
			if err := split.check(ex, true); err != nil {
				t.Fatalf("yields what does not fit: %v", err)
			}
			sortLinks(ex.Links)
			first = append(first, ex)
			if err := w.Write(ex); err != nil {
				t.Fatal(err)
			}
		}
		var again []*Example
		for ex, err := range streamtest.All(gold(t, out.String(), split, Options{})) {
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, ex)
		}
		if !reflect.DeepEqual(first, again) {
			t.Fatalf("%v is read again as %v", first, again)
		}
	})
}
