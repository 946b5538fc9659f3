package benchmark_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/sqlast"
)

// turnRecord is a turn as a data directory has it.
type turnRecord struct {
	DB          string     `json:"db_id"`
	Question    string     `json:"question"`
	Query       string     `json:"query"`
	Evidence    string     `json:"evidence,omitempty"`
	Answer      []string   `json:"answer,omitempty"`
	Interaction int        `json:"interaction,omitempty"`
	Turn        int        `json:"turn,omitempty"`
	Final       *finalPart `json:"final,omitempty"`
}

type finalPart struct {
	Question string `json:"question"`
	Query    string `json:"query"`
}

// talks are two interactions over the sample's library, and a question that stands
// alone between them.
func talks() []turnRecord {
	return []turnRecord{
		{Question: "Show the titles of all books.", Query: "SELECT title FROM books", Interaction: 1, Turn: 1},
		{Question: "Which of them have more than 600 pages?", Query: "SELECT title FROM books WHERE pages > 600", Interaction: 1, Turn: 2},
		{
			Question: "Who are the authors of the books with more than 600 pages?", Query: "SELECT author FROM books WHERE pages > 600", Interaction: 1, Turn: 3,
			Final: &finalPart{"Show the authors and genres of the books with more than 600 pages.", "SELECT author, genre FROM books WHERE pages > 600"},
		},
		{Question: "How many books does the library hold?", Query: "SELECT count(*) FROM books"},
		{Question: "How many members are there?", Query: "SELECT count(*) FROM members", Interaction: 2, Turn: 1},
		{Question: "What are the different home towns of the members who are students?", Query: "SELECT DISTINCT home_town FROM members WHERE is_student = 1", Interaction: 2, Turn: 2},
	}
}

// writeTalks writes the sample with other questions about its library.
func writeTalks(t *testing.T, turns []turnRecord) string {
	t.Helper()
	for i := range turns {
		turns[i].DB = "town_library"
	}
	raw, err := json.Marshal(turns)
	if err != nil {
		t.Fatal(err)
	}
	dir := perturbtest.WriteSample(t)
	if err := os.WriteFile(filepath.Join(dir, "dev.json"), raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// catalogConfig builds with all perturbations and the embedded lexicon.
func catalogConfig(t *testing.T, buckets dataset.Buckets) benchmark.Config {
	t.Helper()
	return benchmark.Config{
		Perturbations: benchmark.Catalog(), Resources: perturbtest.Resources(), Buckets: buckets, Samples: 2, Seed: 1, Workers: 2, Split: "dev",
		Report: func(err error) { t.Error(err) },
	}
}

func TestInteractions(t *testing.T) {
	data := writeTalks(t, talks())
	c := catalogConfig(t, sampleConfig(t).Buckets)
	out, m := mustBuild(t, data, c)
	checkInteractions(t, data, out, m)
	total := map[string]int{}
	for _, r := range m.Perturbations {
		family, _, _ := strings.Cut(r.Name, "/")
		total[family] += r.Verified
		total["unchanged"] += r.Unchanged
	}
	for _, family := range []string{"adveta", "drspider", "mtteql", "spidersyn", "baseline", "unchanged"} {
		if total[family] == 0 {
			t.Errorf("%s: no records", family)
		}
	}
	c.Workers = 1
	again, _ := mustBuild(t, data, c)
	if diff := cmp.Diff(tree(t, out), tree(t, again)); diff != "" {
		t.Errorf("one worker makes other bytes (-two +one):\n%s", diff)
	}
}

// TestInteractionsSParC builds over some interactions of SParC dev.
func TestInteractionsSParC(t *testing.T) {
	shared.Quality(t)
	dir := t.TempDir()
	for name, path := range map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	} {
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var some []json.RawMessage
	taken := map[string]int{"concert_singer": 0, "pets_1": 0}
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, shared.File(t, "data", "sparc", "dev.json.gz")) {
		var of struct {
			DB string `json:"database_id"`
		}
		if err != nil || json.Unmarshal(raw.JSON, &of) != nil {
			t.Fatal(err)
		}
		if n, ok := taken[of.DB]; ok && n < 3 {
			taken[of.DB]++
			some = append(some, slices.Clone(raw.JSON))
		}
	}
	raw, err := json.Marshal(some)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dev.json"), raw, 0o666); err != nil {
		t.Fatal(err)
	}
	out, m := mustBuild(t, dir, catalogConfig(t, nil))
	checkInteractions(t, dir, out, m)
}

// checkInteractions checks, for each perturbation of a build, that each interaction
// stands whole under each sample: all its turns in order, under one schema, numbered
// on in both data directories, with a final question that the schema after answers.
func checkInteractions(t *testing.T, data, out string, m *benchmark.Manifest) {
	t.Helper()
	b := readBuild(t, out, m)
	origin := map[int]*dataset.Example{}
	turns := map[int]int{} // by interaction
	for _, u := range perturbtest.Units(t, data) {
		for _, ex := range u.Examples {
			origin[ex.Index] = ex
			turns[ex.Interaction]++
		}
	}
	for _, r := range m.Perturbations {
		records := b.records[r.Name]
		pre, post := readTurns(t, out, r.Name, "pre"), readTurns(t, out, r.Name, "post")
		if len(pre) != len(records) || len(post) != len(records) {
			t.Fatalf("%s: %d and %d examples, %d records, of them %d verified and %d unchanged", r.Name, len(pre), len(post), len(records), r.Verified, r.Unchanged)
		}
		interactions := 0
		seen := map[[2]int]bool{}
		for i := 0; i < len(records); {
			first := origin[int(records[i].Example)]
			if first.Interaction == 0 {
				i++
				continue
			}
			interactions++
			n := turns[first.Interaction]
			if n > len(records)-i {
				t.Fatalf("%s: interaction %d is cut short", r.Name, first.Interaction)
			}
			at := [2]int{first.Interaction, int(records[i].Sample)}
			if seen[at] {
				t.Errorf("%s: interaction %d, sample %d is there twice", r.Name, at[0], at[1])
			}
			seen[at] = true
			checkTurns(t, fmt.Sprintf("%s: interaction %d", r.Name, interactions), origin, records[i:i+n], pre[i:i+n], post[i:i+n], interactions)
			checkFinal(t, filepath.Join(out, r.Name), perturb.Relation(r.Relation), pre[i+n-1], post[i+n-1])
			i += n
		}
		if r.Interactions != interactions || r.Records() != len(records) {
			t.Errorf("%s: the manifest has %d interactions and %d records, want %d and %d", r.Name, r.Interactions, r.Records(), interactions, len(records))
		}
		for _, rej := range readRejected(t, filepath.Join(out, r.Name, "rejected.jsonl")) {
			ex := origin[rej.Example]
			unchanged := slices.ContainsFunc(records, func(rec dataset.Record) bool {
				return int(rec.Example) == rej.Example && int(rec.Sample) == rej.Sample && rec.Edits == "[]"
			})
			if seen[[2]int{ex.Interaction, rej.Sample}] && !unchanged {
				t.Errorf("%s: example %d, sample %d is rejected (%s) and written", r.Name, rej.Example, rej.Sample, rej.Reason)
			}
		}
		checkBlankLines(t, filepath.Join(out, r.Name, "post", "dev_gold.sql"), post)
	}
}

func checkTurns(t *testing.T, where string, origin map[int]*dataset.Example, records []dataset.Record, pre, post []turnRecord, number int) {
	t.Helper()
	changed := false
	for i, rec := range records {
		ex := origin[int(rec.Example)]
		if ex.Turn != i+1 || rec.Sample != records[0].Sample || rec.DBPost != records[0].DBPost || post[i].DB != rec.DBPost {
			t.Errorf("%s: turn %d, sample %d, database %s in the place of turn %d, sample %d, database %s",
				where, ex.Turn, rec.Sample, rec.DBPost, i+1, records[0].Sample, records[0].DBPost)
		}
		for _, side := range []turnRecord{pre[i], post[i]} {
			if side.Interaction != number || side.Turn != i+1 || (side.Final == nil) != (ex.Final == nil) {
				t.Errorf("%s: turn %d has the numbers %d and %d, final question %v", where, i+1, side.Interaction, side.Turn, side.Final)
			}
		}
		if rec.Edits == "[]" && (pre[i].Question != post[i].Question || pre[i].Query != post[i].Query) {
			t.Errorf("%s: turn %d has no edits and is changed", where, i+1)
		}
		changed = changed || rec.Edits != "[]"
	}
	if !changed {
		t.Errorf("%s: nothing is perturbed", where)
	}
}

// checkFinal runs the final question that stands with a turn, before and after.
func checkFinal(t *testing.T, dir string, relation perturb.Relation, pre, post turnRecord) {
	t.Helper()
	if pre.Final == nil {
		return
	}
	if pre.Final.Question != post.Final.Question {
		t.Errorf("%s: final question %q became %q", dir, pre.Final.Question, post.Final.Question)
	}
	var answers []*sqldata.Result
	for side, turn := range map[string]turnRecord{"pre": pre, "post": post} {
		db, err := sqlite.Open(t.Context(), dataset.SQLitePath(filepath.Join(dir, side), turn.DB))
		if err != nil {
			t.Fatal(err)
		}
		res, err := db.Query(t.Context(), turn.Final.Query, sqldata.Limits{})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Errorf("%s: %s: final question: %s: %v", dir, side, turn.Final.Query, err)
			return
		}
		answers = append(answers, res)
	}
	q, err := sqlast.Parse(pre.Final.Query)
	if err != nil {
		t.Fatal(err)
	}
	if relation != perturb.Recoded && !perturb.Holds(q, answers[0], answers[1]) {
		t.Errorf("%s: the answers to %q and %q differ", dir, pre.Final.Query, post.Final.Query)
	}
}

// checkBlankLines compares the file of gold SQL with the turns: a blank line ends an
// interaction.
func checkBlankLines(t *testing.T, path string, turns []turnRecord) {
	t.Helper()
	var want strings.Builder
	for i, turn := range turns {
		line, err := dataset.GoldLine(turn.Query)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%s\t%s\n", line, turn.DB)
		if turn.Interaction > 0 && (i == len(turns)-1 || turns[i+1].Interaction != turn.Interaction) {
			want.WriteByte('\n')
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func readTurns(t *testing.T, out, perturbation, side string) (turns []turnRecord) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(out, perturbation, side, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &turns); err != nil {
		t.Fatal(err)
	}
	return turns
}

// TestInteractionsReplay builds recorded edits of interactions: turns that stood
// unchanged do so again.
func TestInteractionsReplay(t *testing.T) {
	data := writeTalks(t, talks())
	c := catalogConfig(t, nil)
	var err error
	if c.Perturbations, err = benchmark.Select([]string{"drspider/schema-synonym", "mtteql/prefix-insertion"}); err != nil {
		t.Fatal(err)
	}
	out, m := mustBuild(t, data, c)
	b := readBuild(t, out, m)
	for i, r := range m.Perturbations {
		var lines strings.Builder
		head := perturb.ReplayHead{Name: r.Name, Doc: "For a test.", Paper: "none", Relation: r.Relation}
		err := perturb.WriteReplay(&lines, head, func(_ func(error), each func(dataset.Record) error) error {
			for _, rec := range b.records[r.Name] {
				if err := each(rec); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := perturb.ReadReplay("recorded.jsonl", strings.NewReader(lines.String()), func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		c := c
		c.Perturbations = []*perturb.Perturbation{replayed.Perturbation}
		again, m := mustBuild(t, data, c)
		if diff := cmp.Diff(tree(t, filepath.Join(out, r.Name, "post")), tree(t, filepath.Join(again, r.Name, "post"))); diff != "" {
			t.Errorf("%s (-built +replayed):\n%s", r.Name, diff)
		}
		if m.Perturbations[0].Verified == 0 || i == 1 && m.Perturbations[0].Unchanged == 0 {
			t.Errorf("%s: %d verified, %d unchanged, expected some", r.Name, m.Perturbations[0].Verified, m.Perturbations[0].Unchanged)
		}
	}
}
