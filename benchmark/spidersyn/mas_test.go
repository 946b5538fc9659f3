package spidersyn

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb"
)

func idOf(table, column string) dataset.ColumnID {
	return dataset.ColumnID{DB: "clinic", Table: table, Column: column}
}

func TestSelect(t *testing.T) {
	all := perturb.Annotations{
		idOf("patient", ""):           {"client", "sick person", "person"},
		idOf("patient", "first_name"): {"give name", "forename"},
		idOf("patient", "kind"):       {"type", "sort"},
		idOf("physician", ""):         {"doctor", "town", "land"},
		idOf("patient", "seats"):      {"show", "number of patient"},
		idOf("physician", "fee"):      {"name", "account", "addition"},
	}
	s := newSelector(clinic(), all)
	for _, tt := range []struct {
		name, question string
		want           []string
	}{
		{"none stands", "How many are there?", nil},
		{"plural", "How many clients are there?", []string{"patient=client"}},
		{"the longest", "Which sick persons are there?", []string{"patient=sick person"}},
		{"the first of equal ones", "What sort or type?", []string{"patient.kind=type"}},
		{"its own name", "Which kind or type?", nil},
		{"lemmas", "List the given names of clients.", []string{"patient=client", "patient.first_name=give name"}},
		{"no part of a word", "A typewriter", nil},
		{"not across a mark", "Are they sick? Persons are.", []string{"patient=person"}},
		{"not in quotes", "Who is a 'client'?", nil},
		{"no imperative", "Show ids and sort them by age.", nil},
		{"a noun of an imperative's form", "Which show or sort?", []string{"patient.kind=sort", "patient.seats=show"}},
		{"no verb", "Which wards that show a thing were sorted, or landed?", nil},
		{"not another item's own name", "Which name of a town?", nil},
		{"nor within it", "Which home towns?", nil},
		{"not in a set phrase", "Taking all into account, how many are there in addition to these?", nil},
		{"a noun of set phrases", "How many accounts?", []string{"physician.fee=account"}},
		{"no count of a table", "What is the number of patients?", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range s.relabel(tt.question) {
				r := e.(perturb.Relabel)
				got = append(got, strings.TrimSuffix(r.Table+"."+r.Column, ".")+"="+r.Natural)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.question, diff)
			}
		})
	}
}

// TestVariants checks that questions with equal names share a variant.
func TestVariants(t *testing.T) {
	db := clinic()
	var groups [][]string
	var rejected []string
	p := &perturb.Pass{
		Resources: perturb.Resources{Annotations: perturb.Annotations{idOf("patient", ""): {"client", "guest"}}}, Context: t.Context(), DB: db, Samples: 5,
		Report: func(v perturb.Variant) {
			var questions []string
			for _, ex := range v.Examples {
				questions = append(questions, ex.Question)
			}
			groups = append(groups, questions)
		},
		Reject: func(ex *perturb.Example, _ int, reason perturb.Reason, _ ...string) {
			rejected = append(rejected, ex.Question+" "+string(reason))
		},
	}
	for _, q := range []string{"clients?", "guests?", "a client", "patients"} {
		p.Examples = append(p.Examples, exampleOf(t, db, q, "SELECT id FROM patient"))
	}
	if err := MultiAnnotation.Run(p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"clients?", "a client"}, {"guests?"}, {"patients"}}, groups); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	if len(rejected) > 0 {
		t.Errorf("rejected: %q", rejected)
	}
}

const annotatedTables = `[{"db_id": "clinic", "table_names": ["patient | client |  sick   person | patients", "physician"],
 "table_names_original": ["Patient", "physician"], "column_names": [[-1, "*"], [0, "give name | forename"], [1, "town | city | city"]],
 "column_names_original": [[-1, "*"], [0, "FIRST_NAME"], [1, "home_town"]], "column_types": ["text", "text", "odd"],
 "primary_keys": [], "foreign_keys": []}]`

func TestReadAnnotations(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       perturb.Annotations
		problems   []string
		err        string
	}{
		{"whole", annotatedTables, perturb.Annotations{
			idOf("patient", ""): {"client", "sick person"}, idOf("patient", "first_name"): {"forename"}, idOf("physician", "home_town"): {"city"},
		}, nil, ""},
		{"of another database", strings.ReplaceAll(annotatedTables, "clinic", "other"), perturb.Annotations{}, nil, ""},
		{"unknown names", strings.NewReplacer("Patient", "Ward", "home_town", "x").Replace(annotatedTables), perturb.Annotations{},
			[]string{"f:1: clinic: table Ward is unknown, expected one of the database", "f:1: clinic: column physician.x is unknown, expected one of the database"}, ""},
		{"an empty name", strings.ReplaceAll(annotatedTables, "| city | city", "| | \\u0007"), perturb.Annotations{
			idOf("patient", ""): {"client", "sick person"}, idOf("patient", "first_name"): {"forename"},
		}, []string{`f:1: physician.home_town: name "", expected`, `f:1: physician.home_town: name "`}, ""},
		{"wrong shape", `[{"db_id": "clinic"}, 7]`, perturb.Annotations{}, []string{`f:1: lacks "table_names_original"`, "f:2: "}, ""},
		{"no JSON", `[{"db_id"`, perturb.Annotations{}, nil, "f:1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var problems []error
			got, err := ReadAnnotations(strings.NewReader(tt.file), "f", []*dataset.Database{clinic()}, func(err error) { problems = append(problems, err) })
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("error %v, expected %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("problems %v, expected %q", problems, tt.problems)
			}
			for i, p := range problems {
				if clean := strings.ReplaceAll(p.Error(), "clinic: physician.", "physician."); !strings.HasPrefix(p.Error(), tt.problems[i]) && !strings.HasPrefix(clean, tt.problems[i]) {
					t.Errorf("problem %q, expected %q", p, tt.problems[i])
				}
			}
		})
	}
}

func TestWriteAnnotations(t *testing.T) {
	db := clinic()
	want := AutoAnnotations(db, resourcesOf(t))
	if got := want[idOf("patient", "")]; !slices.Equal(got, []string{"sick person", "invalid"}) {
		t.Errorf("patient goes by %q, expected its synonyms that name nothing else", got)
	}
	for _, reserved := range []string{"id", "age", "name"} {
		if got := want[idOf("patient", reserved)]; got != nil {
			t.Errorf("%s goes by %q, expected nothing else", reserved, got)
		}
	}
	var file bytes.Buffer
	if err := WriteAnnotations(&file, []*dataset.Database{db}, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAnnotations(&file, "f", []*dataset.Database{db}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

func FuzzReadAnnotations(f *testing.F) {
	f.Add([]byte(annotatedTables))
	f.Add([]byte(`[{"db_id": "clinic"}, 7]`))
	dbs := []*dataset.Database{clinic()}
	f.Fuzz(func(t *testing.T, file []byte) {
		all, _ := ReadAnnotations(bytes.NewReader(file), "f", dbs, func(error) {})
		for id, names := range all {
			for _, n := range names {
				if !isLabel(n) || strings.TrimSpace(n) == "" {
					t.Errorf("%v goes by %q", id, n)
				}
			}
		}
	})
}

func openShared(t *testing.T, elem ...string) io.Reader {
	data, err := os.Open(shared.File(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { data.Close() })
	if !strings.HasSuffix(data.Name(), ".gz") {
		return data
	}
	zr, err := gzip.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	return zr
}

// TestReleased checks that selection from the released Manual file finds every
// annotation that a question of Spider-Syn's dev set holds, on its first databases.
func TestReleased(t *testing.T) {
	units := devUnits(t)[:4]
	dbs := make([]*dataset.Database, len(units))
	for i, u := range units {
		dbs[i] = u.DB
	}
	unexpected := func(err error) { t.Error(err) }
	annotations, err := ReadAnnotations(openShared(t, "data", "spider-syn", "tables_ManualMAS.json.gz"), "manual", dbs, unexpected)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ReadRewordings(openShared(t, "data", "spider-syn", "dev.json"), "dev.json", unexpected)
	if err != nil {
		t.Fatal(err)
	}
	records := Reworded("human/spider-syn", "dev.json", units, all, func(error) {})
	s, err := CheckSelection(t.Context(), units, annotations, records)
	if err != nil {
		t.Fatal(err)
	}
	if s.Missed > 0 || s.Picked < 200 {
		t.Errorf("%v%s\nexpected none missed and over 200 picked", s, strings.Join(s.Misses, "\n"))
	}
}
