package retriever

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/kit/ddl"
)

// schemaTable is a line of a schemas corpus: a table of a database of some repository.
type schemaTable struct {
	Repo    string `json:"repo"`
	DB      string `json:"db"`
	Table   string `json:"table"`
	Columns []struct {
		Name string       `json:"name"`
		Type dataset.Type `json:"type"`
	} `json:"columns"`
	Primary []string `json:"primary"`
}

// readSchemas reads a file of tables of databases, one a line.
func readSchemas(in *input) error {
	return in.eachLine(bufio.NewReader(in.r), func(n int, line []byte) error {
		return in.emitParsed(n, len(line), func() (raw, error) {
			var t schemaTable
			if err := json.Unmarshal(line, &t); err != nil {
				return raw{}, jsonError(err, "a table of a database on each line")
			}
			if t.Repo == "" || t.Table == "" {
				return raw{}, fmt.Errorf("names no repository or no table, expected both as repo and table")
			}
			r := raw{id: t.Repo + "/" + t.DB + "#" + t.Table, caption: t.Table, repository: t.Repo}
			for _, c := range t.Columns[:min(len(t.Columns), in.lim.Columns)] {
				r.addColumn(c.Name, c.Type, len(t.Primary) == 1 && t.Primary[0] == c.Name)
			}
			return r.natural(), nil
		})
	})
}

// readDDL reads the tables that an SQL script declares.
func readDDL(in *input) error {
	script := bufio.NewReader(in.r)
	if err := checkText(script); err != nil {
		return in.reportBad(0, err)
	}
	repository := in.repository()
	r := ddl.Reader{Columns: in.lim.Columns, Report: in.reportBad, Each: func(t *ddl.Table) error {
		size := 0
		r := raw{id: in.name + "#" + t.Name, caption: t.Name, repository: repository}
		for _, c := range t.Columns {
			size += len(c.Name)
			r.addColumn(c.Name, scriptType(c.Type), c.Key)
		}
		return in.emitParsed(t.Line, size, func() (raw, error) { return r.natural(), nil })
	}}
	return r.Read(script)
}

// scriptType returns the type of a column of a script by its declared type, whose tokens blanks separate. MySQL's tinyint(1)
// is its BOOLEAN.
func scriptType(declared string) dataset.Type {
	if strings.HasPrefix(strings.ToLower(declared), "tinyint ( 1 )") {
		return dataset.Boolean
	}
	return folder.ColumnType(declared, nil)
}

// addColumn adds a column of a database.
func (r *raw) addColumn(name string, typ dataset.Type, key bool) {
	r.header, r.types, r.keys = append(r.header, name), append(r.types, typ), append(r.keys, key)
}

// natural returns the table with natural names in place of its SQL names. Its caption is the name of the table.
func (r raw) natural() raw {
	r.caption = folder.NaturalNames([]string{r.caption})[0]
	r.header = folder.NaturalNames(r.header)
	return r
}

// repository returns the project that a member comes from, by its path: the first folder below the corpus ("shop" for
// "shop/db/a.sql"), or the file's name without its endings if it is in no folder ("a" for "a.sql.gz").
func (in *input) repository() string {
	base, _, isFolder := strings.Cut(cmp.Or(in.top, in.name), "/")
	if isFolder {
		return base
	}
	for _, ext := range []string{".gz", ".bz2", ".tgz", ".tar", ".zip", ".sql", ".sqlite", ".sqlite3", ".db"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}
