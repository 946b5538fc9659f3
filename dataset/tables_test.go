package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// petsTables is a schema with what schemas have: two tables, keys, the types.
const petsTables = `{
	"db_id": "pets",
	"table_names": ["owner", "pet"],
	"table_names_original": ["Owner", "Pet"],
	"column_names": [[-1, "*"], [0, "owner id"], [0, "home town"], [1, "pet id"], [1, "owner id"], [1, "born"], [1, "tame"]],
	"column_names_original": [[-1, "*"], [0, "Owner_ID"], [0, "Home Town"], [1, "Pet_ID"], [1, "Owner_ID"], [1, "Born"], [1, "Tame"]],
	"column_types": ["text", "number", "text", "number", "number", "time", "boolean"],
	"primary_keys": [1, 3],
	"foreign_keys": [[4, 1]]
}`

func petsDB() *Database {
	return &Database{
		ID: "pets",
		Tables: []Table{
			{Name: "owner", Original: "Owner", Columns: []Column{
				{Name: "owner id", Original: "Owner_ID", Type: Number}, {Name: "home town", Original: "Home Town", Type: Text},
			}},
			{Name: "pet", Original: "Pet", Columns: []Column{
				{Name: "pet id", Original: "Pet_ID", Type: Number}, {Name: "owner id", Original: "Owner_ID", Type: Number},
				{Name: "born", Original: "Born", Type: Time}, {Name: "tame", Original: "Tame", Type: Boolean},
			}},
		},
		PrimaryKeys: []ColumnRef{{0, 0}, {1, 0}},
		ForeignKeys: []ForeignKey{{Column: ColumnRef{1, 1}, Target: ColumnRef{0, 0}}},
	}
}

// with replaces a part of the schema, which must be there.
func with(t testing.TB, old, new string) string {
	t.Helper()
	if !strings.Contains(petsTables, old) {
		t.Fatalf("schema has no %q", old)
	}
	return strings.Replace(petsTables, old, new, 1)
}

// readAll collects what a sequence yields: values, and errors as text.
func readAll[T any](stream Stream[T]) (values []T, errs []string) {
	tell := func(err error) { errs = append(errs, err.Error()) }
	err := stream(tell, func(v T) error {
		values = append(values, v)
		return nil
	})
	if err != nil {
		tell(err)
	}
	return values, errs
}

// all ranges over a stream: its values, what it reports, and the error at its end.
func all[T any](stream Stream[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		err := stream(func(err error) { yield(none, err) }, func(v T) error {
			yield(v, nil)
			return nil
		})
		if err != nil {
			yield(none, err)
		}
	}
}

// of is the stream of a file.
func of[T any](read func(string, func(error), func(T) error) error, path string) Stream[T] {
	return func(report func(error), each func(T) error) error { return read(path, report, each) }
}

// in is the stream of what decode reads.
func in[T any](decode func(io.Reader, string, func(error), func(T) error) error, r io.Reader, name string) Stream[T] {
	return func(report func(error), each func(T) error) error { return decode(r, name, report, each) }
}

func TestDecodeTables(t *testing.T) {
	got, errs := readAll(in(DecodeTables, strings.NewReader("\ufeff ["+petsTables+"]\n"), "tables.json"))
	if diff := cmp.Diff([]*Database{petsDB()}, got); diff != "" || errs != nil {
		t.Errorf("errors %q, databases (-want +got):\n%s", errs, diff)
	}
}

func TestDecodeTablesCompositeKeys(t *testing.T) {
	text := with(t, `"primary_keys": [1, 3]`, `"primary_keys": [1, [3, 4]]`)
	got, errs := readAll(in(DecodeTables, strings.NewReader("["+text+"]"), "tables.json"))
	if errs != nil {
		t.Fatal(errs)
	}
	if diff := cmp.Diff([]ColumnRef{{0, 0}, {1, 0}, {1, 1}}, got[0].PrimaryKeys); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeTablesInterleavedColumns(t *testing.T) {
	text := strings.NewReplacer(`[0, "home town"], [1, "pet id"]`, `[1, "pet id"], [0, "home town"]`,
		`[0, "Home Town"], [1, "Pet_ID"]`, `[1, "Pet_ID"], [0, "Home Town"]`, `"number", "text", "number"`, `"number", "number", "text"`,
		`[1, 3]`, `[1, 2]`).Replace(petsTables)
	got, errs := readAll(in(DecodeTables, strings.NewReader("["+text+"]"), "tables.json"))
	if diff := cmp.Diff([]*Database{petsDB()}, got); diff != "" || errs != nil {
		t.Errorf("errors %q, databases (-want +got):\n%s", errs, diff)
	}
}

func TestDecodeTablesBadRecords(t *testing.T) {
	for _, c := range []struct{ name, record, want string }{
		{"no db_id", with(t, `"db_id": "pets",`, ""), `lacks "db_id"`},
		{"null", "null", `lacks "db_id"`},
		{"no types", with(t, `"column_types"`, `"types"`), `lacks "column_types"`},
		{"no keys", with(t, `"foreign_keys"`, `"keys"`), `lacks "foreign_keys"`},
		{"db_id is a number", with(t, `"pets"`, `7`), `"db_id" is a number, expected a string`},
		{"record is a string", `"pets"`, "record is a string, expected an object"},
		{"record is not JSON", `{"db_id" "pets"}`, "not JSON"},
		{"db_id leaves the folder", with(t, `"pets"`, `"../../pets"`), `db_id is "../../pets", expected a name of at most 200 bytes that can be a folder's`},
		{"db_id is empty", with(t, `"pets"`, `""`), `db_id is ""`},
		{"column is no pair", with(t, `[0, "Owner_ID"]`, `[0]`), "column name is [0], expected [table index, name]"},
		{"column is of no table", with(t, `[0, "Owner_ID"]`, `[2, "Owner_ID"]`), "column 1 is of table 2, expected 0 to 1"},
		{"second star", with(t, `[0, "Owner_ID"]`, `[-1, "*"]`), "column 1 is of table -1"},
		{"no star", with(t, `[-1, "*"], [0, "Owner_ID"]`, `[0, "*"], [0, "Owner_ID"]`), `begins with no [-1, "*"]`},
		{"column without a name", with(t, `[0, "Owner_ID"]`, `[0, ""]`), "column 1 has an empty name"},
		{"table without a name", with(t, `"Owner",`, `"",`), "table 0 has an empty name"},
		{"a type is lacking", with(t, `"text", "number", "text"`, `"text", "text"`), "column_types has 6 types for 7 columns"},
		{"a name is lacking", with(t, `["owner", "pet"]`, `["owner"]`), "table_names has 1 names and table_names_original 2"},
		{"primary key out of range", with(t, `[1, 3]`, `[1, 7]`), "primary_keys holds column 7, expected 1 to 6"},
		{"primary key is the star", with(t, `[1, 3]`, `[0]`), "primary_keys holds column 0"},
		{"primary key is text", with(t, `[1, 3]`, `["Owner_ID"]`), "expected a column index or a list of them"},
		{"foreign key out of range", with(t, `[4, 1]`, `[4, 99]`), "foreign_keys holds [4 99], expected columns 1 to 6"},
		{"foreign key is one number", with(t, `[[4, 1]]`, `[4]`), `"foreign_keys" is a number, expected an array`},
		{"not UTF-8", with(t, `"Home Town"`, "\"Hom\xe9 Town\""), "text is not UTF-8"},
		{"repeated", petsTables, `db_id "pets" is there already`},
		{"too large", `"` + strings.Repeat("x", maxRecord) + `"`, "record is larger than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := strings.Replace(petsTables, `"pets"`, `"last"`, 1)
			text := "[" + petsTables + ", " + c.record + ", " + last + "]"
			var ids []string
			var errs []error
			for db, err := range all(in(DecodeTables, strings.NewReader(text), "tables.json")) {
				if err != nil {
					errs = append(errs, err)
				} else {
					ids = append(ids, db.ID)
				}
			}
			if diff := cmp.Diff([]string{"pets", "last"}, ids); diff != "" {
				t.Errorf("databases (-want +got):\n%s", diff)
			}
			var record *RecordError
			if len(errs) != 1 || !errors.As(errs[0], &record) || record.Record != 2 || IsNote(errs[0]) {
				t.Fatalf("errors are %v, expected one for record 2", errs)
			}
			if msg := errs[0].Error(); !strings.HasPrefix(msg, "tables.json:2: ") || !strings.Contains(msg, c.want) || strings.Contains(msg, "\n") {
				t.Errorf("error is %q, expected one line with %q", msg, c.want)
			}
		})
	}
}

func TestDecodeTablesWarnings(t *testing.T) {
	for _, c := range []struct{ name, record, want string }{
		{"unknown type", with(t, `"time", "boolean"`, `"time", "varchar"`), `column "Tame" has the type "varchar"`},
		{"column is of two tables", with(t, `[0, "owner id"]`, `[1, "owner id"]`), "pets: column 1 is of table 1 in column_names and of 0 in column_names_original"},
		{"two tables of a name", with(t, `["Owner", "Pet"]`, `["Pet", "PET"]`), `table "PET" is there twice`},
		{"two columns of a name", with(t, `"Tame"`, `"BORN"`), `table "Pet" has column "BORN" twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dbs, errs := readAll(in(DecodeTables, strings.NewReader("["+c.record+"]"), "tables.json"))
			if len(dbs) != 1 || len(errs) != 1 || !strings.Contains(errs[0], c.want) {
				t.Errorf("%d databases, errors %q, expected one and %q", len(dbs), errs, c.want)
			}
		})
	}
	dbs, _ := readAll(in(DecodeTables, strings.NewReader("["+with(t, `"boolean"`, `"Varchar"`)+"]"), ""))
	if got := dbs[0].Tables[1].Columns[3].Type; got != Others {
		t.Errorf("unknown type is taken as %q, expected others", got)
	}
	dbs, _ = readAll(in(DecodeTables, strings.NewReader("["+with(t, `[0, "owner id"]`, `[1, "owner id"]`)+"]"), ""))
	if got := dbs[0].Tables[0]; got.Name != "owner" || got.Columns[0].Original != "Owner_ID" || got.Columns[0].Name != "owner id" || len(got.Columns) != 2 {
		t.Errorf("table 0 is %+v, expected the columns that column_names_original has there, named after themselves", got)
	}
}

func TestSeparated(t *testing.T) {
	for name, want := range map[string]string{"raceId": "race id", "Home_Town": "home town", "_a__B ": "a b", "lat2Lng": "lat2 lng", "ID": "id", "GrößeÄnderung": "größe änderung"} {
		if got := splitWords(name); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
}

func TestDecodeTablesBrokenFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "tables.json:1: file ends here, expected ["},
		{"no array", `{"db_id": "pets"}`, `tables.json:1: found '{', expected [`},
		{"ends in a record", "[" + petsTables + "," + petsTables[:90], "tables.json:2: file ends within the record"},
		{"ends behind a comma", "[" + petsTables + ",", "tables.json:2: file ends within the record"},
		{"ends behind a record", "[" + petsTables, "tables.json:1: file ends here, expected , or ]"},
		{"no comma", "[" + petsTables + petsTables + "]", "tables.json:1: found '{', expected , or ]"},
		{"two commas", "[" + petsTables + ",,]", "tables.json:2: found ',', expected a value"},
		{"text behind", "[" + petsTables + "] x", "tables.json:1: found 'x' after the end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var last error
			for _, err := range all(in(DecodeTables, strings.NewReader(c.text), "tables.json")) {
				if err != nil {
					last = err
				}
			}
			var file *FileError
			if !errors.As(last, &file) || !strings.HasPrefix(file.Error(), c.want) {
				t.Errorf("last error is %v, expected a FileError %q", last, c.want)
			}
		})
	}
}

func TestReadTablesGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("[" + petsTables + "]"))
	w.Close()
	whole := packed.Bytes()
	for _, c := range []struct {
		name string
		data []byte
		want string // the error, or ""
	}{
		{"whole", whole, ""},
		{"cut off", whole[:len(whole)/2], "compressed data is damaged or cut off"},
		{"header cut off", whole[:6], "compressed data is damaged or cut off"},
		{"wrong checksum", append(bytes.Clone(whole[:len(whole)-8]), make([]byte, 8)...), "compressed data is damaged or cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{"tables.json.gz": string(c.data)}), "tables.json.gz")
			dbs, errs := readAll(of(ReadTables, path))
			switch {
			case c.want == "" && (len(dbs) != 1 || errs != nil):
				t.Errorf("%d databases, errors %q, expected one and none", len(dbs), errs)
			case c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0], c.want)):
				t.Errorf("errors %q, expected %q", errs, c.want)
			}
		})
	}
	err := ReadTables(filepath.Join(t.TempDir(), "tables.json"), func(err error) { t.Error(err) }, func(*Database) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, expected that the file does not exist", err)
	}
}

func TestTablesRoundTrip(t *testing.T) {
	path := shared.File(t, "data", "spider", "tables.json")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dbs, errs := readAll(in(DecodeTables, bytes.NewReader(want), "tables.json"))
	if len(dbs) != 166 || errs != nil {
		t.Fatalf("%d databases, errors %q, expected 166 and none", len(dbs), errs)
	}
	var got bytes.Buffer
	w := NewTablesWriter(&got)
	for _, db := range dbs {
		if err := w.Write(db); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(got.Bytes()), bytes.TrimSpace(want)) {
		t.Error("Spider's tables.json does not come back byte for byte")
	}
}

func FuzzDecodeTables(f *testing.F) {
	f.Add([]byte("[" + petsTables + "]"))
	f.Add([]byte(`[{"db_id": "a", "primary_keys": [[1], 2]}, [], "x", 1e9, {"a": "\u00`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for db, err := range all(in(DecodeTables, bytes.NewReader(data), "tables.json")) {
			if err != nil {
				continue
			}
			var out bytes.Buffer
			w := NewTablesWriter(&out)
			if w.Write(db) != nil || w.Close() != nil || !json.Valid(out.Bytes()) {
				t.Fatalf("written as %s", out.Bytes())
			}
			again, errs := readAll(in(DecodeTables, &out, "tables.json"))
			if len(again) != 1 {
				t.Fatalf("written schema does not read: %q", errs)
			}
			if diff := cmp.Diff(db, again[0]); diff != "" {
				t.Fatalf("round trip (-want +got):\n%s", diff)
			}
		}
	})
}
