package nli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// film is a table without a name.
func film(original string) *dataset.Table {
	return &dataset.Table{Name: "table", Original: original, Columns: []dataset.Column{{Name: "title", Samples: []string{"Jaws"}}, {Name: "film director"}}}
}

// known asks for tables' entities and returns names and entries.
func known(t *testing.T, e *EntityPredictor, k *Entities, tables ...*dataset.Table) (names []string, entries []TableEntity) {
	t.Helper()
	for _, table := range tables {
		name, entry, err := e.Entity(context.Background(), "d", table, k)
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, name); entry != nil {
			entries = append(entries, *entry)
		}
	}
	return names, entries
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEntitiesRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), EntitiesFile)
	model := &fake{score: about}
	e := &EntityPredictor{Classifier: model}
	unexpected := func(err error) { t.Error(err) }
	k := ReadEntities(path, unexpected)
	names, entries := known(t, e, k, film("w2"), film("W1"), &dataset.Table{Name: "dog kennels", Original: "kennels"})
	if got := strings.Join(names, ","); got != "film,film,dog kennels" || len(entries) != 2 {
		t.Fatalf("entities %s, %d entries", got, len(entries))
	}
	if err := k.Write(entries); err != nil {
		t.Fatal(err)
	}
	first := read(t, path)
	if at := strings.Index(first, `"W1"`); at < 0 || at > strings.Index(first, `"w2"`) || strings.Count(first, "\n") != 4 {
		t.Errorf("file is not one entry a line in order:\n%s", first)
	}

	k = ReadEntities(path, unexpected)
	asked := len(model.asked)
	names, again := known(t, e, k, film("w1"), film("W2"))
	if strings.Join(names, ",") != "film,film" || len(model.asked) != asked {
		t.Errorf("read back: %q, %d batches asked", names, len(model.asked)-asked)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Write(again); err != nil || read(t, path) != first {
		t.Errorf("written again: %v\n%s", err, read(t, path))
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("a file with nothing new was replaced")
	}

	other := film("w1")
	other.Columns[0].Samples[0] = "Alien"
	if _, _, err := e.Entity(context.Background(), "d", other, k); err != nil || len(model.asked) == asked {
		t.Error("another premise was not asked anew")
	}
	asked = len(model.asked)
	known(t, &EntityPredictor{Classifier: model, Cues: DefaultEntityCues()}, k, film("w1"))
	if len(model.asked) == asked {
		t.Error("another predictor was not asked anew")
	}
}

func TestEntitiesOfPeople(t *testing.T) {
	path := filepath.Join(t.TempDir(), EntitiesFile)
	written := `[{"db_id":"d","table":"W1","entity":" thriller ","by":"person"},{"db_id":"d","table":"kennels","entity":"pet hotel","by":"person"}]`
	if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
	unexpected := func(err error) { t.Error(err) }
	k := ReadEntities(path, unexpected)
	e := &EntityPredictor{Classifier: &fake{score: about}}
	names, entries := known(t, e, k, film("w1"), film("w2"), &dataset.Table{Name: "dog kennels", Original: "kennels"})
	if got := strings.Join(names, ","); got != "thriller,film,pet hotel" {
		t.Error(got)
	}
	entries = append(entries, TableEntity{DB: "d", Table: "w1", Entity: "film", Model: "m", Premise: "p"})
	if err := k.Write(entries); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); strings.Count(got, `"by":"person"`) != 2 || strings.Count(got, "\n") != 5 {
		t.Errorf("a person's entry is not as it was:\n%s", got)
	}

	none := ReadEntities(filepath.Join(t.TempDir(), EntitiesFile), unexpected)
	if none.Fingerprint() != "" || k.Fingerprint() == "" {
		t.Error("fingerprint is not of what people wrote")
	}
	_, predicted := known(t, e, none, film("w2"))
	if err := none.Write(predicted); err != nil {
		t.Fatal(err)
	}
	if again := ReadEntities(none.path, unexpected); again.Fingerprint() != "" {
		t.Error("what a model wrote changes the fingerprint")
	}
}

func TestEntitiesDamaged(t *testing.T) {
	good := `{"db_id":"d","table":"w1","entity":"thriller","by":"person"}`
	for name, c := range map[string]struct{ file, want, entity string }{
		"not JSON":       {"entities\n", "expected", "film"},
		"another object": {`{"a":1}`, "expected", "film"},
		"breaks off":     {"[" + good + ",\n{\"db", "", "thriller"},
		"no entity":      {"[" + good + `,{"db_id":"d","table":"w2"}]`, ":2: ", "thriller"},
		"no database":    {`[{"table":"w2","entity":"x","by":"y"}]`, `"db_id"`, "film"},
		"no table":       {`[{"db_id":"d","entity":"x","by":"y"}]`, `"table"`, "film"},
		"of nobody":      {`[{"db_id":"d","table":"w1","entity":"x"}]`, `"by": "person"`, "film"},
		"twice":          {"[" + good + "," + good + "]", "already", "thriller"},
		"wrong type":     {`[{"db_id":7}]`, ":1: ", "film"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), EntitiesFile)
			if err := os.WriteFile(path, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			var warnings []error
			k := ReadEntities(path, func(err error) {
				if !dataset.IsNote(err) {
					t.Errorf("%v is no note", err)
				}
				warnings = append(warnings, err)
			})
			if len(warnings) != 2 || !strings.Contains(warnings[0].Error(), c.want) || !strings.Contains(warnings[0].Error(), EntitiesFile) {
				t.Errorf("warnings %q, expected one with %q and one that the file stays", warnings, c.want)
			}
			names, entries := known(t, &EntityPredictor{Classifier: &fake{score: about}}, k, film("w1"))
			if names[0] != c.entity {
				t.Errorf("entity %q, expected %q", names[0], c.entity)
			}
			if err := k.Write(entries); err != nil || read(t, path) != c.file {
				t.Errorf("the file was written over: %v", err)
			}
		})
	}
}

func TestEntitiesThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file", EntitiesFile)
	if err := os.WriteFile(filepath.Dir(path), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	k := &Entities{path: path, entries: map[[2]string]TableEntity{}}
	err := k.Write([]TableEntity{{DB: "d", Table: "w", Entity: "film", Model: "m", Premise: "p"}})
	if err == nil || !strings.Contains(err.Error(), "are not kept") {
		t.Errorf("error %v", err)
	}
}

func FuzzEntities(f *testing.F) {
	f.Add([]byte(`[{"db_id":"d","table":"w1","entity":"thriller","by":"person"},{"db_id":"d","table":"W1","entity":"film","model":"m","premise":"p"}]`))
	f.Add([]byte(`{"db_id":"d"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), EntitiesFile)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		k := ReadEntities(path, func(error) {})
		if k.damaged {
			return
		}
		var text strings.Builder
		if err := writeEntities(&text, k.sorted()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if again := ReadEntities(path, func(err error) { t.Error(err) }); !maps.Equal(again.entries, k.entries) {
			t.Fatalf("%q: written as %q, which reads back as %v", data, text.String(), again.entries)
		}
	})
}
