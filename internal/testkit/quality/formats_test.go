//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/interaction"
	"github.com/tabperturb/tabperturb/dataset/squall"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestFormatsRoundTrip reads every file of every format that is here and writes it
// back: each record byte by byte but for the blanks of JSON.
func TestFormatsRoundTrip(t *testing.T) {
	var report bytes.Buffer
	w := tabwriter.NewWriter(&report, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "format\tfiles\trecords\tleft out\tmoved\tof other bytes\tof other values\tmembers that differ")
	for _, trip := range []func(*testing.T, io.Writer){wikisqlTrips, wtqTrips, squallTrips, interactionTrips, birdTrips, spiderTrips, folderTrips} {
		trip(t, w)
	}
	w.Flush()
	golden(t, "formats", report.String())
}

// comparison counts the records of files that were written back: those that are not there or
// not in their order, those that differ, and of objects by member what does, with a
// plus where it came new.
type comparison struct {
	records, left, moved, bytes, values int
	members                             map[string]int
}

// added are members that Spider's writer adds to records without them.
const added = "+query_toks +query_toks_no_value +question_toks +sql"

// line reports a comparison. Only members that are known to differ may do so.
func (c *comparison) line(t *testing.T, w io.Writer, format, files string, known string) {
	t.Helper()
	var members []string
	for _, name := range slices.Sorted(maps.Keys(c.members)) {
		members = append(members, fmt.Sprintf("%s %d", name, c.members[name]))
		if !slices.Contains(strings.Fields(known), name) {
			t.Errorf("%s, %s: %d records have another %s", format, files, c.members[name], name)
		}
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", format, files, c.records, c.left, c.moved, c.bytes, c.values, strings.Join(members, ", "))
	if c.values > 0 && c.members == nil || c.bytes > c.values && known == "" {
		t.Errorf("%s, %s: %d records have other bytes and %d other values, want none", format, files, c.bytes, c.values)
	}
}

// add compares the records of two JSON files. Those of examples and schemas are known by
// what they ask and about which database, others by where they stand.
func (c *comparison) add(t *testing.T, was, now string) {
	t.Helper()
	a, b := records(t, was), records(t, now)
	places := map[string][]int{}
	for i, raw := range b {
		places[identity(raw)] = append(places[identity(raw)], i)
	}
	c.records += len(a)
	last, found := -1, 0
	for _, raw := range a {
		id := identity(raw)
		if len(places[id]) == 0 {
			c.left++
			continue
		}
		at := places[id][0]
		places[id] = places[id][1:]
		found++
		if at < last {
			c.moved++
		}
		last = at
		if bytes.Equal(raw, b[at]) {
			continue
		}
		if c.bytes++; !dataset.SameJSON(raw, b[at]) {
			c.values++
			c.addMembers(t, raw, b[at])
		}
	}
	if found < len(b) {
		t.Errorf("%s: %d records more than %s", now, len(b)-found, was)
	}
}

func identity(raw []byte) string {
	var rec struct {
		DB       string `json:"db_id"`
		Question string `json:"question"`
	}
	_ = json.Unmarshal(raw, &rec) // what is no object has none
	return rec.DB + "\x00" + rec.Question
}

func (c *comparison) addMembers(t *testing.T, was, now []byte) {
	t.Helper()
	if c.members == nil {
		c.members = map[string]int{}
	}
	values := map[string][]byte{}
	old, err := dataset.Members(was)
	for _, m := range old {
		values[m.Key] = m.Value
	}
	later, err2 := dataset.Members(now)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, m := range later {
		value, there := values[m.Key]
		delete(values, m.Key)
		switch {
		case !there:
			c.members["+"+m.Key]++
		case !dataset.SameJSON(value, m.Value):
			c.members[m.Key]++
		}
	}
	for key := range values {
		c.members["-"+key]++
	}
}

func records(t *testing.T, path string) (all [][]byte) {
	t.Helper()
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, path) {
		var b bytes.Buffer
		if err := errors.Join(err, json.Compact(&b, raw.JSON)); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes())
	}
	return all
}

// addFiles compares the files of two folders, each of which is a record; in the second
// there may be more.
func (c *comparison) addFiles(t *testing.T, was, now string) {
	t.Helper()
	err := filepath.WalkDir(was, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(was, path)
		if err != nil {
			return err
		}
		c.addText(t, path, filepath.Join(now, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (c *comparison) addText(t *testing.T, was, now string) {
	t.Helper()
	if c.records++; whole(t, was) != whole(t, now) {
		c.bytes, c.values = c.bytes+1, c.values+1
	}
}

func wikisqlTrips(t *testing.T, w io.Writer) {
	for _, split := range []string{"dev", "test"} {
		file := shared.File(t, "data", "wikisql", split+".jsonl.gz")
		dir := linked(t, map[string]string{split + ".jsonl.gz": file})
		var c comparison
		c.add(t, file, filepath.Join(converted(t, wikisql.Format, dir, split, wikisql.Format), split+".jsonl"))
		c.line(t, w, "wikisql", split+".jsonl", "")
	}
	file := shared.File(t, "data", "wikisql", "followup_tables.jsonl.gz")
	dir := linked(t, map[string]string{"dev.tables.jsonl.gz": file})
	for raw := range streamtest.AllOfFile(dataset.RawRecords, file) {
		var rec struct{ ID any }
		if dataset.Decode(raw.JSON, &rec) != nil {
			continue
		}
		if id, ok := rec.ID.(string); ok { // a data set has a question, so it gets one
			writeText(t, filepath.Join(dir, "dev.jsonl"), fmt.Sprintf(`{"table_id":%q,"question":"?","sql":{"sel":0,"agg":0,"conds":[]}}`, id))
			break
		}
	}
	var c comparison
	c.add(t, file, filepath.Join(converted(t, wikisql.Format, dir, "dev", wikisql.Format), "dev.tables.jsonl"))
	c.line(t, w, "wikisql", "tables.jsonl of FollowUp, with rows", "")
}

// wtqTrips writes all tables once, under a question for each, for some are asked about by no
// split, and then the questions of each split.
func wtqTrips(t *testing.T, w io.Writer) {
	csv := shared.Untar(t, "data", "wtq", "csv.tar.gz")
	dir := linked(t, map[string]string{"csv": filepath.Join(csv, "csv")})
	tsv := "id\tutterance\tcontext\ttargetValue\n"
	for i, id := range allTables(t, csv) {
		batch, number, _ := strings.Cut(id, "_")
		tsv += fmt.Sprintf("all-%d\t?\tcsv/%s-csv/%s.csv\t1\n", i, batch, number)
	}
	writeText(t, filepath.Join(dir, "all.tsv"), tsv)
	var tables comparison
	tables.addFiles(t, filepath.Join(csv, "csv"), filepath.Join(converted(t, wtq.Format, dir, "all", wtq.Format), "csv"))
	tables.line(t, w, "wtq", "csv", "")
	var questions comparison
	for _, split := range []string{"training", "pristine-unseen-tables", "pristine-seen-tables", "random-split-1-train", "random-split-1-dev"} {
		file := shared.File(t, "data", "wtq", split+".tsv.gz")
		dir := linked(t, map[string]string{"csv": filepath.Join(csv, "csv"), split + ".tsv.gz": file})
		set, err := wtq.Format.Read(t.Context(), dir, split)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), split+".tsv")
		writeQuestions(t, path, set)
		questions.addLines(t, file, path)
	}
	questions.line(t, w, "wtq", "five TSV files", "")
}

// writeQuestions writes the questions of a set without its tables.
func writeQuestions(t *testing.T, path string, set *dataset.Set) {
	t.Helper()
	only := *set
	only.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(set.Databases) {
			if err != nil {
				t.Log(err)
				continue
			}
			if !yield(db, nil) {
				return
			}
		}
	})
	only.Rows = nil
	out := t.TempDir()
	if err := wtq.Format.Write(t.Context(), &only, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(out, "data", filepath.Base(path)), path); err != nil {
		t.Fatal(err)
	}
}

// addLines compares two texts by their lines.
func (c *comparison) addLines(t *testing.T, was, now string) {
	t.Helper()
	a, b := strings.Split(whole(t, was), "\n"), strings.Split(whole(t, now), "\n")
	c.records += len(a) - 1 // the last line ends
	for i, line := range a {
		if i >= len(b) || line != b[i] {
			c.bytes, c.values = c.bytes+1, c.values+1
		}
	}
}

func squallData(t *testing.T) string {
	return linked(t, map[string]string{
		"tables":          filepath.Join(shared.Untar(t, "data", "squall", "tables_json.tar.gz"), "tables"),
		"data":            filepath.Join(shared.Untar(t, "data", "squall", "dev_fold_ids.tar.gz"), "data"),
		"training.tsv.gz": shared.File(t, "data", "wtq", "training.tsv.gz"),
	})
}

func squallTrips(t *testing.T, w io.Writer) {
	dir := squallData(t)
	out := converted(t, squall.Format, dir, "all", squall.Format)
	var c comparison
	c.addFiles(t, filepath.Join(shared.Untar(t, "data", "squall", "tables_json.tar.gz"), "tables", "json"), filepath.Join(out, "tables", "json"))
	c.line(t, w, "squall", "tables/json", "")
	original := filepath.Join(shared.Untar(t, "data", "squall", "tables_db.tar.gz"), "tables", "db")
	entries, err := os.ReadDir(original)
	if err != nil {
		t.Fatal(err)
	}
	var dbs comparison
	for _, e := range entries {
		if dbs.records++; !sameContent(t, filepath.Join(original, e.Name()), filepath.Join(out, "tables", "db", e.Name())) {
			dbs.values++
		}
	}
	dbs.line(t, w, "squall", "tables/db: tables and rows", "")
}

func interactionData(t *testing.T, name string) string {
	return linked(t, map[string]string{
		"tables.json.gz": shared.File(t, "data", "sparc", "tables.json.gz"), // CoSQL's too
		"dev.json.gz":    shared.File(t, "data", name, "dev.json.gz"),
		"database":       filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	})
}

func interactionTrips(t *testing.T, w io.Writer) {
	for _, f := range []*dataset.Format{interaction.SParC, interaction.CoSQL} {
		dir := interactionData(t, f.Name)
		out := converted(t, f, dir, "dev", f)
		var turns, schemas comparison
		turns.add(t, filepath.Join(dir, "dev.json.gz"), filepath.Join(out, "dev.json"))
		turns.line(t, w, f.Name, "dev.json, interactions", "")
		schemas.add(t, filepath.Join(dir, "tables.json.gz"), filepath.Join(out, "tables.json"))
		schemas.line(t, w, f.Name, "tables.json", "")
	}
}

func birdTrips(t *testing.T, w io.Writer) {
	dir := shared.File(t, "data", "bird")
	descriptions := filepath.Join(shared.Untar(t, "data", "bird", "schema_descriptions.tar.gz"), "data", "description")
	for _, split := range []string{"mini_dev", "dev"} {
		out := converted(t, bird.Format, dir, split, bird.Format)
		var examples, files comparison
		examples.add(t, filepath.Join(dir, split+".json.gz"), filepath.Join(out, split+".json"))
		examples.line(t, w, "bird", split+".json", "")
		files.addFiles(t, descriptions, filepath.Join(out, "description"))
		files.line(t, w, "bird", "description, of "+split, "")
	}
}

// spiderTrips pairs each file of schemas with one of questions about them. A question of
// train has a literal on two lines, which no line of gold SQL can hold.
func spiderTrips(t *testing.T, w io.Writer) {
	file := func(elem ...string) string { return shared.File(t, append([]string{"data"}, elem...)...) }
	train := filepath.Join(trainData(t), "train.json")
	for _, pair := range []struct{ tables, examples, added string }{
		{file("spider", "tables.json"), file("spider", "dev.json"), ""},
		{file("spider-syn", "preprocessed_tables.json.gz"), train, added},
		{file("spider-syn", "tables_ManualMAS.json.gz"), file("spider-syn", "WorstCaseDevSet_Adv_BERT.json.gz"), ""},
		{file("spider-syn", "tables_AutoMAS.json.gz"), file("spider-syn", "WorstCaseDevSet_Adv_GLOVE.json.gz"), ""},
		{file("spider-dk", "tables.json.gz"), file("spider-dk", "Spider-DK.json"), added},
		{file("test-suite-sql-eval", "tables.json.gz"), file("spider", "dev.json"), ""},
	} {
		suffix := func(path string) string { return strings.TrimPrefix(path, strings.TrimSuffix(path, ".gz")) }
		dir := linked(t, map[string]string{"tables.json" + suffix(pair.tables): pair.tables, "dev.json" + suffix(pair.examples): pair.examples})
		out := converted(t, formats.Spider, dir, "dev", formats.Spider)
		var schemas, examples comparison
		schemas.add(t, pair.tables, filepath.Join(out, "tables.json"))
		schemas.line(t, w, "spider", filepath.Base(filepath.Dir(pair.tables))+"/"+filepath.Base(pair.tables), "")
		examples.add(t, pair.examples, filepath.Join(out, "dev.json"))
		name := filepath.Base(filepath.Dir(pair.examples)) + "/" + filepath.Base(pair.examples)
		if pair.examples == train {
			name = "train_spider_min.jsonl, as an array"
		}
		examples.line(t, w, "spider", name, pair.added)
	}
}

// folderTrips makes a folder of Spider dev, for there is none, and writes that back. The
// databases with content come first then.
func folderTrips(t *testing.T, w io.Writer) {
	dir := converted(t, formats.Spider, spiderData(t), "dev", folder.Format)
	out := converted(t, folder.Format, dir, "dev", folder.Format)
	var c comparison
	c.add(t, filepath.Join(dir, "dev.jsonl"), filepath.Join(out, "dev.jsonl"))
	c.line(t, w, "folder", "dev.jsonl, of Spider dev", "")
	var schemas comparison
	schemas.add(t, filepath.Join(dir, "tables.json"), filepath.Join(out, "tables.json"))
	schemas.line(t, w, "folder", "tables.json, of Spider", "")
}
