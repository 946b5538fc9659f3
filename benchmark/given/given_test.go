package given

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// schemas has one database of two tables, and a table of SQLite's own.
func schemas() map[string]*dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: name, Original: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Name: c, Original: c, Type: dataset.Text})
		}
		return t
	}
	return map[string]*dataset.Database{"music": {ID: "music", Tables: []dataset.Table{
		table("singer", "id", "name", "age"), table("song", "id", "title"), table("sqlite_sequence", "name", "seq"),
	}}}
}

func TestRename(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		edits            []string
		problems         []string
	}{
		{"table, column and column of all tables", "a.csv", "db_id,table,column,name\nmusic,SINGER,,Artist\nmusic,singer,Name,full_name\nmusic,,id,ID\n",
			[]string{"singer: Artist", "singer.name: full_name", "singer.id: ID", "song.id: ID"}, nil},
		{"TSV, other order, other columns, byte order mark", "a.tsv", "\ufeffName\tnote\tcolumn\ttable\tdb_id\r\nheading\tx\ttitle\tsong\tmusic\r\n", []string{"song.title: heading"}, nil},
		{"semicolons and quotes", "a.csv", "db_id;table;column;name\nmusic;song;title;\"a;b \"\"c\"\" 名\"\n", []string{`song.title: a;b "c" 名`}, nil},
		{"swap and chain", "a.csv", "db_id,table,column,name\nmusic,singer,id,name\nmusic,singer,name,id\nmusic,singer,,song\nmusic,song,,tune\n",
			[]string{"singer.id: name", "singer.name: id", "singer: song", "song: tune"}, nil},
		{"the same name", "a.csv", "db_id,table,column,name\nmusic,singer,id,id\nmusic,singer,name,NAME\nmusic,,name,NAME\n", []string{"singer.name: NAME"}, nil},
		{"what is not there", "a.csv", "db_id,table,column,name\nfilms,x,,y\nmusic,album,,x\nmusic,song,age,x\nmusic,,year,x\nmusic,,,x\nmusic,song\nmusic,song,title,t\n", []string{"song.title: t"},
			[]string{`2: no schema of the data set has the db_id "films"`, "3: music has no table album", "4: music has no column song.age", "5: music has no column year", "6: names no table and no column, expected one of them", `7: name "", expected 1 to 255 bytes`}},
		{"of SQLite", "a.csv", "db_id,table,column,name\nmusic,sqlite_sequence,,x\nmusic,sqlite_stat1,a,x\nmusic,,seq,x\nmusic,song,,sqlite_x\nmusic,,name,sqlite_name\n", []string{"singer.name: sqlite_name"},
			[]string{"2: the table sqlite_sequence is SQLite's own", "3: the column sqlite_stat1.a is SQLite's own", "4: the column seq is SQLite's own", `5: name "sqlite_x", expected one that does not begin with sqlite_`}},
		{"names that are no names", "a.csv", "db_id,table,column,name\nmusic,song,title,\"a\nb\"\nmusic,song,title,\xff\nmusic,song,title," + strings.Repeat("x", 256) + "\nmusic,song,id,a\n", []string{"song.id: a"},
			[]string{`2: name "a\nb", expected`, "4: text is not UTF-8", "5: name"}},
		{"two names", "a.csv", "db_id,table,column,name\nmusic,song,id,a\nmusic,SONG,ID,b\n", []string{"song.id: a"}, []string{`3: line 2 names song.id "a", expected one name for each`}},
		{"one name twice", "a.csv", "db_id,table,column,name\nmusic,singer,id,x\nmusic,singer,name,X\nmusic,singer,age,name\nmusic,singer,,song\n", []string{"singer.id: x"},
			[]string{`3: singer.name would have the name "X" of singer.id by line 2`, `5: singer would have the name "song" of song, expected another name`, `4: singer.age would have the name "name" of singer.name, expected`}},
		{"breaks off", "a.csv", "db_id,table,column,name\nmusic,song,id,a\nmusic,song,\"title,b\n", []string{"song.id: a"}, []string{" line 3: quoted field is never closed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			var problems []string
			c := newCrosswalk(path, schemas(), func(err error) { problems = append(problems, strings.TrimPrefix(err.Error(), path+":")) })
			if err := c.read(); err != nil {
				t.Fatal(err)
			}
			edits, err := c.edits()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range edits["music"] {
				switch e := e.(type) {
				case perturb.RenameTable:
					got = append(got, fmt.Sprintf("%s: %s", e.Table, e.Name))
				case perturb.RenameColumn:
					got = append(got, fmt.Sprintf("%s.%s: %s", e.Table, e.Column, e.Name))
				}
			}
			if diff := cmp.Diff(test.edits, got); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
			hasPrefix := cmp.Comparer(func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })
			if diff := cmp.Diff(test.problems, problems, hasPrefix); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if _, err := perturb.ApplySchema(schemas()["music"], edits["music"]); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRenameErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `a.csv:1: the header is "", expected CSV or TSV with the columns db_id, table, column, name`,
		"db_id,table,name\n":        `a.csv:1: the header is "db_id,table,name", expected`,
		"db_id,table,column,name\n": "a.csv: renames nothing of the data set, expected new names",
		"db_id,table,column,name\nmusic,song,,song\n": "a.csv: renames nothing of the data set",
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Rename(path, schemas(), func(error) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := Rename("none.csv", schemas(), nil); err == nil {
		t.Error("a file that is not there: no error")
	}
}

func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{"d/N1.tsv.gz": "given/N1", "names of 2024.csv": "given/names-of-2024", "名.csv": "given/names", ".csv": "given/names", "-a_.csv": "given/a"} {
		if got := nameOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
