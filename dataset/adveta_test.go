package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

func adveta(name, evidence string) Candidate {
	return Candidate{Name: name, Source: ADVETASource, Evidence: evidence}
}

func TestReadADVETA(t *testing.T) {
	const file = `{
		"SPIDER_0": {"header": ["owner id", "home town"], "db_id": "pets", "table_name_original": "OWNER",
			"column_names_original": ["Owner_ID", "Home Town"], "table_id": "SPIDER_0",
			"dict": {"home town": ["City ", "", "birthplace", "city", "owner id", "village"], "owner id": []}},
		"SPIDER_1": {"header": ["id", "id", "born", "tame"], "db_id": "pets", "table_name_original": "Pet",
			"column_names_original": ["Pet_ID", "Owner", "Born", "Tame"], "table_id": "SPIDER_1",
			"dict": {"id": ["number"], "weight": ["mass"]}},
		"WTQ_7": {"header": ["year", "year", "title"], "id": "200_0", "table_id": "WTQ_7", "dict": {"year": ["season"]}},
		"WSQL_8": {"header": ["year"], "id": "1-10", "table_id": "WSQL_8", "dict": {}}
	}`
	var warnings []error
	buckets, err := ReadADVETA(strings.NewReader(file), "spider-rpl.json", Replace, []*Database{petsDB()}, func(err error) { warnings = append(warnings, err) })
	if err != nil {
		t.Fatal(err)
	}
	want := Buckets{
		{"pets", "owner", "owner_id"}:  {},
		{"pets", "owner", "home town"}: {Replace: []Candidate{adveta("city", "SPIDER_0"), adveta("birthplace", "SPIDER_0"), adveta("village", "SPIDER_0")}},
		{"pets", "pet", "pet_id"}:      {Replace: []Candidate{adveta("number", "SPIDER_1")}},
		{"pets", "pet", "owner_id"}:    {Replace: []Candidate{adveta("number", "SPIDER_1")}},
		{"200_0", "200_0", "year"}:     {Replace: []Candidate{adveta("season", "WTQ_7")}},
	}
	if diff := cmp.Diff(want, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.Error())
	}
	if diff := cmp.Diff([]string{
		`spider-rpl.json:1: SPIDER_0: "home town" has the candidate "City ", expected lower case and no blanks around it; taken as "city"`,
		`spider-rpl.json:1: SPIDER_0: "home town" has the candidate "", which is empty, expected a name; it is left out`,
		`spider-rpl.json:1: SPIDER_0: "home town" has the candidate "city" twice; the second is left out`,
		`spider-rpl.json:1: SPIDER_0: "home town" has the candidate "owner id", which is a header of the table; it is left out`,
		`spider-rpl.json:2: SPIDER_1: column 1 is "Owner", expected "Owner_ID" as in tables.json; matched by position`,
		`spider-rpl.json:2: SPIDER_1: dict has "weight", expected a header of the table; it is left out`,
	}, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestReadADVETAByPosition matches tables of WikiSQL and WTQ with databases of the
// data set, of which one is Squall's.
func TestReadADVETAByPosition(t *testing.T) {
	plain := &Database{ID: "1-10", Tables: []Table{{Original: "table_1_10", Columns: []Column{
		{Name: "player", Original: "player"}, {Name: "school club team", Original: "school_club_team"}, {Name: "player", Original: "player_2"},
	}}}}
	squall := &Database{ID: "200_0", Tables: []Table{{Original: "w", Columns: []Column{
		{Name: "id", Original: "id", Fixed: true}, {Name: "agg", Original: "agg", Fixed: true}, {Name: "year", Original: "year"},
		{Name: "year number", Original: "year_number", Base: "year"}, {Name: "area (km2)", Original: "area_km2"},
	}}}}
	const file = `{
		"WSQL_0": {"header": ["player", "school/club team", "player"], "id": "1-10", "dict": {"player": ["athlete"], "school/club team": ["club"]}},
		"WTQ_1": {"header": ["year", "area (km²)"], "id": "200_0", "dict": {"area (km²)": ["surface"]}},
		"WTQ_2": {"header": ["season"], "id": "200_9", "dict": {"season": ["year"]}}
	}`
	var warnings []error
	buckets, err := ReadADVETA(strings.NewReader(file), "f", Replace, []*Database{plain, squall}, func(err error) { warnings = append(warnings, err) })
	if err != nil || len(warnings) != 0 {
		t.Fatal(warnings, err)
	}
	want := Buckets{
		{"1-10", "table_1_10", "player"}:           {Replace: []Candidate{adveta("athlete", "WSQL_0")}},
		{"1-10", "table_1_10", "player_2"}:         {Replace: []Candidate{adveta("athlete", "WSQL_0")}},
		{"1-10", "table_1_10", "school_club_team"}: {Replace: []Candidate{adveta("club", "WSQL_0")}},
		{"200_0", "w", "area_km2"}:                 {Replace: []Candidate{adveta("surface", "WTQ_1")}},
		{"200_9", "200_9", "season"}:               {Replace: []Candidate{adveta("year", "WTQ_2")}},
	}
	if diff := cmp.Diff(want, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	for header, want := range map[string]string{
		`["year"]`:         "f:1: WTQ_1: header has 1 columns, expected 2 as database 200_0 has",
		`["year", "size"]`: `f:1: WTQ_1: column 1 is "size", expected "area (km2)" as in the data set; matched by position`,
	} {
		var warnings []error
		_, err := ReadADVETA(strings.NewReader(`{"WTQ_1": {"header": `+header+`, "id": "200_0", "dict": {}}}`), "f", Add, []*Database{squall}, func(err error) { warnings = append(warnings, err) })
		if err != nil || len(warnings) != 1 || warnings[0].Error() != want {
			t.Errorf("warnings are %v, %v, want %q", warnings, err, want)
		}
	}
}

func TestReadADVETABadTables(t *testing.T) {
	const good = `{"header": ["year"], "id": "1-10", "dict": {"year": ["season"]}}`
	for _, c := range []struct{ name, table, want string }{
		{"no header", `{"dict": {}}`, `lacks "header"`},
		{"no dict", `{"header": []}`, `lacks "dict"`},
		{"no id", `{"header": [], "dict": {}}`, `lacks "db_id" and "id"`},
		{"dict is an array", `{"header": [], "dict": []}`, `"dict" is an array, expected an object`},
		{"candidate is a number", `{"header": ["a"], "dict": {"a": [1]}}`, `is a number, expected a string`},
		{"unknown database", `{"header": [], "dict": {}, "db_id": "none"}`, `db_id "none" is unknown`},
		{"unknown table", `{"header": [], "dict": {}, "db_id": "pets", "table_name_original": "dog"}`, `table "dog" of database pets is unknown`},
		{"other columns", `{"header": ["a"], "dict": {}, "db_id": "pets", "table_name_original": "Pet"}`, `header has 1 columns, expected 4`},
		{"not UTF-8", "{\"header\": [\"\xff\"]}", "text is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := `{"WTQ_1": ` + good + `, "WTQ_2": ` + c.table + `, "WTQ_3": ` + strings.Replace(good, "1-10", "1-11", 1) + `}`
			var warnings []error
			buckets, err := ReadADVETA(strings.NewReader(file), "f", Add, []*Database{petsDB()}, func(err error) { warnings = append(warnings, err) })
			if err != nil || len(buckets) != 2 {
				t.Errorf("%d buckets, %v, expected 2", len(buckets), err)
			}
			if len(warnings) != 1 || !strings.HasPrefix(warnings[0].Error(), "f:2: WTQ_2: ") || !strings.Contains(warnings[0].Error(), c.want) {
				t.Errorf("warnings are %v, expected %q", warnings, c.want)
			}
		})
	}
	for _, c := range []struct{ name, file, want string }{
		{"array", "[]", "f:1: found '[', expected {"},
		{"cut off", `{"WTQ_1": ` + good + `, "WTQ_2": {`, "f:2: file ends within the record"},
		{"no key", `{"WTQ_1": ` + good + `, 7: {}}`, "f:2: found no key, expected a string"},
	} {
		if _, err := ReadADVETA(strings.NewReader(c.file), "f", Add, nil, func(error) {}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, expected %q", c.name, err, c.want)
		}
	}
}

func TestSideOf(t *testing.T) {
	for _, c := range []struct {
		path string
		kind Side
		ok   bool
	}{
		{"data/spider-rpl-candidates.json", Replace, true}, {"WTQ_ADD.json.gz", Add, true}, {"my.replace.json", Replace, true},
		{"add/buckets.json", "", false}, {"address.json", "", false}, {"rpl-add.json", "", false},
	} {
		kind, ok := SideOf(c.path)
		if ok != c.ok || ok && kind != c.kind {
			t.Errorf("%s is %v, %v, expected %v, %v", c.path, kind, ok, c.kind, c.ok)
		}
	}
}

func spiderTables(t testing.TB) []*Database {
	t.Helper()
	path := shared.File(t, "data", "spider", "tables.json")
	dbs, errs := readAll(of(ReadTables, filepath.Join(filepath.Dir(path), "tables.json")))
	if errs != nil {
		t.Fatal(errs)
	}
	return dbs
}

// TestADVETAFiles holds the counts of ADVETA 1.0 as its readers published them.
func TestADVETAFiles(t *testing.T) {
	dbs := spiderTables(t)
	for _, c := range []struct {
		file                string
		kind                Side
		columns, candidates int
		left                map[string]int
	}{
		{"spider-rpl-candidates.json", Replace, 213, 890, nil},
		{"spider-add-candidates.json", Add, 295, 1371, map[string]int{"is empty": 2, "is a header": 2}},
	} {
		f, err := os.Open(shared.File(t, "data", "adveta", c.file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var warnings []error
		buckets, err := ReadADVETA(f, c.file, c.kind, dbs, func(err error) { warnings = append(warnings, err) })
		if err != nil {
			t.Fatal(err)
		}
		kept, left := 0, 0
		for _, b := range buckets {
			kept += len(*c.kind.Of(&b))
		}
		for _, w := range warnings {
			if strings.Contains(w.Error(), "left out") {
				left++
			}
		}
		if len(buckets) != c.columns || kept+left != c.candidates {
			t.Errorf("%s: %d columns, %d candidates kept and %d left out, expected %d and in all %d", c.file, len(buckets), kept, left, c.columns, c.candidates)
		}
		for what, n := range c.left {
			got := 0
			for _, w := range warnings {
				if strings.Contains(w.Error(), what) {
					got++
				}
			}
			if got != n {
				t.Errorf("%s: %d warnings of %q, expected %d", c.file, got, what, n)
			}
		}
	}
}

func TestADVETAExcerpts(t *testing.T) {
	for _, name := range []string{"wtq-rpl", "wtq-add", "wikisql-rpl", "wikisql-add"} {
		path := shared.File(t, "data", "adveta", name+"-excerpt.json")
		var warnings []error
		buckets, err := ReadAnyBuckets(path, nil, func(err error) { warnings = append(warnings, err) })
		if err != nil || len(buckets) == 0 {
			t.Errorf("%s: %d buckets, %v", name, len(buckets), err)
		}
		for _, w := range warnings {
			if !strings.Contains(w.Error(), "left out") && !strings.Contains(w.Error(), "taken as") {
				t.Errorf("%s: %v", name, w)
			}
		}
	}
}

// TestWriteADVETA writes what was read: the tables and lists of ADVETA's own
// file come back, but for the dirt.
func TestWriteADVETA(t *testing.T) {
	dbs := spiderTables(t)
	path := shared.File(t, "data", "adveta", "spider-rpl-candidates.json")
	buckets, err := ReadAnyBuckets(path, dbs, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteADVETA(&out, Replace, dbs, buckets); err != nil {
		t.Fatal(err)
	}
	type member struct {
		advetaTable
		ID string `json:"table_id"`
	}
	var got, want map[string]member
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for id, w := range want {
		for header, names := range *w.Dict {
			var clean []string
			for _, n := range names {
				if n = strings.ToLower(strings.TrimSpace(n)); n != "" && !slices.Contains(clean, n) {
					clean = append(clean, n)
				}
			}
			(*w.Dict)[header] = clean
		}
		if diff := cmp.Diff(w, got[id], cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if out.Reset(); WriteADVETA(&out, Add, nil, nil) != nil || out.String() != "{}\n" {
		t.Errorf("no databases give %q", out.String())
	}
}

func FuzzReadADVETA(f *testing.F) {
	f.Add([]byte(`{"SPIDER_0": {"header": ["a", "a", "b", "c"], "db_id": "pets", "table_name_original": "Pet", "dict": {"a": ["x", " X", ""]}}}`))
	f.Add([]byte(`{"WTQ_0": {"header": ["a"], "id": "1", "dict": {"a": ["x"], "b": []}}, "WTQ_1": 7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dbs := []*Database{petsDB()}
		buckets, err := ReadADVETA(bytes.NewReader(data), "f", Replace, dbs, func(error) {})
		if err != nil {
			return
		}
		for id, b := range buckets {
			for i, c := range b.Replace {
				if c.Name == "" || c.Name != strings.ToLower(c.Name) || c.Name != strings.TrimSpace(c.Name) {
					t.Errorf("%s: candidate %d is %q", id, i, c.Name)
				}
			}
		}
		if err := WriteADVETA(new(bytes.Buffer), Replace, dbs, buckets); err != nil {
			t.Error(err)
		}
	})
}
