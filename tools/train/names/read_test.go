package names

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func writeTar(t *testing.T, files ...string) string {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for i := 0; i < len(files); i += 2 {
		if err := tw.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "a.tar.gz", buf.String())
}

func TestTables(t *testing.T) {
	src := Sources{
		TabFact:  []string{writeTar(t, "all/1.csv", "Home Town#% won#Home Town\na#b#c\n", "all/2.csv", "")},
		WTQ:      []string{writeTar(t, "csv/204-csv/590.csv", `"held","out"`, "csv/200-csv/1.csv", "\"Year\",\"the \\\"big\\\" one\"\n1,2")},
		FeTaQA:   []string{writeFile(t, "f.jsonl", `{"table_array":[["A b","C"],["1","2"]]}`+"\nnot json\n")},
		InfoTabs: []string{writeTar(t, "json/T0.json", `{"title":["x"],"Directed by":["y"],"Born":["z"]}`, "json/T1.json", "[")},
		Spider:   []string{testFile("tables.json")},
		HeldOut:  map[string]bool{"204_590": true, "held": true},
	}
	tables, skipped, err := src.tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tb := range tables[:4] {
		got = append(got, strings.Join(tb.names, ", "))
	}
	want := []string{"home town, percent won", "a b, c", "born, directed by", "year, the big one"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if skipped != 3 {
		t.Errorf("%d skipped, expected 3", skipped)
	}
	if n := len(tables) - 4; n != 10 {
		t.Errorf("%d database tables, expected 10", n)
	}
}

// unexported lets cmp look into the structs of readers.
var unexported = cmp.AllowUnexported(handwritten{}, graded{})

// failsWith checks the message of an error, with FILE in place of the file. No
// message stands for no error.
func failsWith(t *testing.T, err error, file, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = strings.ReplaceAll(err.Error(), file, "FILE")
	}
	if want == "" && err != nil || !strings.HasPrefix(got, want) {
		t.Errorf("error %q, expected %q", got, want)
	}
}

func TestReadColumns(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []handwritten
		err        string
	}{
		{"all lists", "# names\n\nDog Owner: Home_Town = birthPlace, city of birth ! zip,, country > place < village\n", []handwritten{{
			"dog owner:home town", "dog owner", "home town", map[kind][]string{
				kindReplacement: {"birth place", "city of birth"}, kindDistractor: {"zip", "country"},
				kindBroader: {"place"}, kindNarrower: {"village"},
			},
		}}, ""},
		{"no entity, list twice", ":year = date = season", []handwritten{{
			":year", "", "year", map[kind][]string{kindReplacement: {"date", "season"}},
		}}, ""},
		{"empty lists", "a: b = ! ", []handwritten{{"a:b", "a", "b", map[kind][]string{}}}, ""},
		{"no colon", "\nname = title\n", nil, `FILE:2: no colon, expected "entity: column = name, … ! name, …"`},
		{"no names", "dog: name", nil, `FILE:1: no names, expected a list after "=", "!", ">" or "<"`},
		{"no column", "# x\n# y\ndog: = name", nil, "FILE:3: no column, expected its name before the lists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := writeFile(t, "c.txt", tt.text)
			got, err := readColumns(context.Background(), file)
			failsWith(t, err, file, tt.err)
			if diff := cmp.Diff(tt.want, got, unexported); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseColumn(f *testing.F) {
	for _, s := range []string{"a: b = c, d ! e > f < g", ":x=y", "a: = b", "a b", "ä: Éé = \xff", "a:b!=<>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseColumn(text)
		if err != nil {
			return
		}
		if h.column == "" || h.group != h.entity+":"+h.column {
			t.Errorf("%q: column %q of group %q", text, h.column, h.group)
		}
		for k, names := range h.names {
			if !k.handmade() || k.adveta() {
				t.Errorf("%q: names of kind %d", text, k)
			}
			for _, n := range names {
				if n == "" || n != normal(n) {
					t.Errorf("%q: name %q is not in normal spelling", text, n)
				}
			}
		}
	})
}

func TestReadWords(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []graded
		err        string
	}{
		{"relations", "# words\n\nbig\tlarge\t9\ts\nhotDogs\tfood\t6.5\th\nday\tnight\t0\tc\n", []graded{
			{"big", "large", .9, 's'}, {"hot dogs", "food", .65, 'h'}, {"day", "night", 0, 'c'},
		}, ""},
		{"fields", "big\tlarge\t9\n", nil, `FILE:1: "big\tlarge\t9", expected word, word, similarity and one of s h g c r`},
		{"relation", "big\tlarge\t9\tx\n", nil, `FILE:1: "big\tlarge\t9\tx", expected`},
		{"similarity above", "\nbig\tlarge\t11\ts\n", nil, `FILE:2: similarity "11", expected a number from 0 to 10`},
		{"similarity below", "big\tlarge\t-1\ts\n", nil, `FILE:1: similarity "-1"`},
		{"no number", "big\tlarge\tNaN\ts\n", nil, `FILE:1: similarity "NaN"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := writeFile(t, "w.txt", tt.text)
			got, err := readWords(context.Background(), file)
			failsWith(t, err, file, tt.err)
			if diff := cmp.Diff(tt.want, got, unexported); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadADVETA(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []handwritten
		err        string
	}{
		{"sorted", `{"b":{"db_id":"d","table_name_original":"Dog_Kennels","dict":{"Name":["dogName"," "],"":["x"]}},"a":{"db_id":"c","dict":{"age":["years"]}}}`, []handwritten{
			{"c", "", "age", map[kind][]string{kindADVETADistractor: {"years"}}},
			{"d", "dog kennels", "", map[kind][]string{}},
			{"d", "dog kennels", "name", map[kind][]string{kindADVETADistractor: {"dog name"}}},
		}, ""},
		{"none", "{}", nil, ""},
		{"no JSON", "dogs", nil, "FILE: invalid character"},
		{"other JSON", `{"a":{"dict":["x"]}}`, nil, "FILE: json: cannot unmarshal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := writeFile(t, "a.json", tt.text)
			got, err := readADVETA(file, kindADVETADistractor)
			failsWith(t, err, file, tt.err)
			if diff := cmp.Diff(tt.want, got, unexported); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadExcluded(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [][2]string
	}{
		{"blanks", "old  New A 1.58\nsmart intelligent\nalone\n\n", [][2]string{{"old", "new"}, {"smart", "intelligent"}}},
		{"tabs", "home town\tbirthPlace\t3\n", [][2]string{{"home town", "birth place"}}},
		{"sentences", "premise\thypothesis\tlabel\nA man eats rice here\tA man eats old bread here\tno\n", [][2]string{{"rice", "old bread"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [][2]string
			err := readExcluded(context.Background(), writeFile(t, "x.txt", tt.text), func(a, b string) { got = append(got, [2]string{a, b}) })
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestDifference(t *testing.T) {
	for _, tt := range [][4]string{
		{"a man eats", "a man drinks", "eats", "drinks"},
		{"the red car stops", "the blue car stops", "red", "blue"},
		{"a b", "a b", "b", "b"},
		{"a b c", "a c", "b c", "c"},
		{"a", "a b", "a", "a b"},
		{"x a", "y a", "x", "y"},
		{"", "a", "", "a"},
		{"", "", "", ""},
	} {
		if a, b := difference(tt[0], tt[1]); a != tt[2] || b != tt[3] {
			t.Errorf("difference(%q, %q) = %q, %q; expected %q, %q", tt[0], tt[1], a, b, tt[2], tt[3])
		}
	}
}
