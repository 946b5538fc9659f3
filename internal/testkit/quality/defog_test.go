//go:build quality

package quality

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// defogDatabases returns defog's databases, with the descriptions of their columns. They declare no keys.
func defogDatabases(t *testing.T) map[string]*dataset.Database {
	files, err := filepath.Glob(filepath.Join(shared.File(t, "data", "postgres", "defog"), "*.json"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%d schemas of defog, %v; want 7", len(files), err)
	}
	all := map[string]*dataset.Database{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Tables map[string][]struct {
				Name        string `json:"column_name"`
				Type        string `json:"data_type"`
				Description string `json:"column_description"`
			} `json:"table_metadata"`
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		db := &dataset.Database{ID: strings.TrimSuffix(filepath.Base(file), ".json")}
		names := slices.Sorted(maps.Keys(schema.Tables))
		for i, natural := range folder.NaturalNames(names) {
			table := dataset.Table{Name: natural, Original: names[i]}
			var originals []string
			for _, c := range schema.Tables[names[i]] {
				originals = append(originals, c.Name)
				table.Columns = append(table.Columns, dataset.Column{Original: c.Name, Type: folder.ColumnType(c.Type, nil), Description: c.Description})
			}
			for j, natural := range folder.NaturalNames(originals) {
				table.Columns[j].Name = natural
			}
			db.Tables = append(db.Tables, table)
		}
		all[db.ID] = db
	}
	return all
}

// defogGolds returns the first alternative of each gold SQL of defog in SQLite's dialect.
func defogGolds(t *testing.T) []gold {
	var all []gold
	lines := bufio.NewScanner(text(t, "postgres/defog/questions_sqlite.jsonl.gz"))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			DB   string `json:"db_id"`
			Gold string
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(r.Gold, ";")
		all = append(all, gold{r.DB, anyOf.ReplaceAllString(first, "$1")})
	}
	return all
}

// anyOf matches columns of which any will do: "{id, name}".
var anyOf = regexp.MustCompile(`\{([^{}]*)\}`)
