package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twoTurns = `{"final": {"utterance": "all?", "query": "SELECT 3"}, "database_id": "db", "interaction": [
 {"utterance": "one?", "utterance_toks": ["one", "?"], "query": "SELECT  1 > 0", "sql": {"select": []}},
 {"utterance": "caf\u00e9 & bar?", "query": "SELECT 2"}], "interaction_id": 24}`

func TestDecodeInteraction(t *testing.T) {
	got, err := DecodeInteraction([]byte(twoTurns))
	if err != nil {
		t.Fatal(err)
	}
	final := &Example{DB: "db", Question: "all?", Query: "SELECT 3"}
	want := []*Example{
		{
			DB: "db", Question: "one?", Query: "SELECT  1 > 0", Tokens: []string{"one", "?"}, Turn: 1,
			Source: json.RawMessage(`{"frame":{"final":{"utterance":"all?","query":"SELECT 3"},"database_id":"db","interaction":null,"interaction_id":24},` +
				`"turn":{"utterance":"one?","utterance_toks":["one","?"],"query":"SELECT  1 > 0","sql":{"select":[]}}}`),
		},
		{DB: "db", Question: "café & bar?", Query: "SELECT 2", Turn: 2, Final: final, Source: json.RawMessage(`{"turn":{"utterance":"caf\u00e9 & bar?","query":"SELECT 2"}}`)},
	}
	if diff := cmp.Diff(want, got, cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })); diff != "" {
		t.Error(diff)
	}
	if plain, err := decodeInteraction([]byte(twoTurns)); err != nil || len(plain) != 2 || plain[0].Source != nil {
		t.Errorf("without sources: %v, %v", plain, err)
	}
}

func TestBadInteractions(t *testing.T) {
	const turn = `{"utterance": "q", "query": "SELECT 1"}`
	for _, tt := range []struct {
		raw, want string
		lost      int
	}{
		{`{"database_id": "db", "interaction": []}`, `"interaction" has no turns, expected at least one`, 0},
		{`{"database_id": "db", "interaction": null}`, `lacks "interaction", expected it`, 1},
		{`{"database_id": "db", "interaction": {}}`, `"interaction" is an object, expected an array`, 1},
		{`{"interaction": [` + turn + `,` + turn + `]}`, `lacks "database_id", expected it`, 2},
		{`{"database_id": "db", "interaction": [` + turn + `,{"utterance": "q"}]}`, `turn 2: lacks "query", expected it`, 2},
		{`{"database_id": "db", "interaction": [{"utterance": " ", "query": "SELECT 1"}]}`, `turn 1: "utterance" is empty, expected text`, 1},
		{`{"database_id": "db", "interaction": [{"utterance": "q", "query": 5}]}`, `turn 1: "query" is a number, expected a string`, 1},
		{`{"database_id": "db", "interaction": [{"utterance": "q", "query": "a", "query": "b"}]}`, `turn 1: "query" stands twice, expected it once`, 1},
		{`{"database_id": "db", "interaction": [` + turn + `], "interaction": []}`, `"interaction" stands twice, expected it once`, 0},
		{`{"database_id": "db", "interaction": [` + turn + `], "final": {"utterance": "q"}}`, `final: lacks "query", expected it`, 1},
		{`{"database_id": "db", "interaction": ["a"]}`, `turn 1: found '"', expected {`, 1},
	} {
		_, err := DecodeInteraction([]byte(tt.raw))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", tt.raw, err, tt.want)
		}
		if _, err := decodeInSplit([]byte(tt.raw), nil); err == nil || predictionsOf(err) != tt.lost || questionsOf([]byte(tt.raw)) != tt.lost {
			t.Errorf("%s: %v, %d predictions lost and %d counted; want %d", tt.raw, err, predictionsOf(err), questionsOf([]byte(tt.raw)), tt.lost)
		}
	}
}

// What cannot be read keeps its places, in a split as in lines of gold SQL.
func TestLostTurnsKeepTheirPlaces(t *testing.T) {
	const cut = `{"database_id": "db", "interaction": [{"utterance": "q"}, {"utterance": "q", "query": "SELECT 1"}], "final": 5}`
	line := strings.ReplaceAll(twoTurns, "\n", " ")
	dir := write(t, map[string]string{
		"dev.json":  "[" + twoTurns + "," + cut + "," + twoTurns + "]",
		"gold.txt":  "SELECT 1\tdb\nSELECT 2\tdb\n\nSELECT\nSELECT\n\nSELECT 1\tdb\nSELECT 2\tdb\n",
		"dev.jsonl": "\n" + line + "\n\n" + cut + "\n7\n" + line + "\n",
	})
	for _, tt := range []struct{ file, want string }{
		{"dev.json", "0:1.1 1:1.2 4:3.1 5:3.2"}, {"gold.txt", "0:1.1 1:1.2 4:3.1 5:3.2"}, {"dev.jsonl", "0:1.1 1:1.2 5:3.1 6:3.2"},
	} {
		var got []string
		examples, _ := readAll(of(ReadGold, filepath.Join(dir, tt.file)))
		for _, ex := range examples {
			got = append(got, fmt.Sprintf("%d:%d.%d", ex.Index, ex.Interaction, ex.Turn))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s; want %s", tt.file, got, tt.want)
		}
	}
}

// Gold SQL of interactions, in lines or in JSON, numbers its turns, and what cannot be
// read takes its predictions along.
func TestInteractionPairs(t *testing.T) {
	const cut = `{"database_id": "db", "interaction": [{"utterance": "q", "query": "SELECT 1"}, {"utterance": "q"}, {"utterance": "q", "query": "SELECT 1"}]}`
	last := strings.ReplaceAll(twoTurns, "SELECT 2", "SELECT 4")
	for _, tt := range []struct {
		name, gold, goldText, predText string
		want                           []string // "INTERACTION.TURN PREDICTION" or "! ERROR"
	}{
		{"lines", "gold.txt", "SELECT 1\tdb\nSELECT 2\tdb\n\n\nSELECT 3\tdb\n\n", "a\nb\n\nc\n\n", []string{"1.1 a", "1.2 b", "2.1 c"}},
		{"lines without blank ones in the predictions", "gold.txt", "\nSELECT 1\tdb\nSELECT 2\tdb\n\nSELECT 3\tdb\n", "a\nb\nc\n", []string{"1.1 a", "1.2 b", "2.1 c"}},
		{"no interactions", "gold.txt", "SELECT 1\tdb\nSELECT 2\tdb\n\n", "a\nb\n", []string{"0.0 a", "0.0 b"}},
		{"a bad line", "gold.txt", "SELECT 1\tdb\nSELECT 2\nSELECT 3\tdb\n\nSELECT 4\tdb\n", "a\nb\nc\n\nd\n",
			[]string{"1.1 a", "! gold.txt:2: holds no tab between two texts, expected SQL, a tab and a db_id", "1.3 c", "2.1 d"}},
		{"JSON", "dev.json", "[" + twoTurns + "," + last + "]", "a\nb\n\nc\nd\n", []string{"1.1 a", "1.2 b", "2.1 c", "2.2 d"}},
		{"JSON, one cut short", "dev.json", "[" + twoTurns + "," + cut + "," + last + "]", "a\nb\nx\ny\nz\nc\nd\n",
			[]string{"1.1 a", "1.2 b", `! dev.json:2: turn 2: lacks "query", expected it`, "3.1 c", "3.2 d"}},
		{"JSON, too few", "dev.json", "[" + twoTurns + "," + last + "]", "a\nb\nc\n",
			[]string{"1.1 a", "1.2 b", "2.1 c", "! pred.txt: has 3 lines (0 of them blank), expected the 4 of dev.json"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			gold, pred := filepath.Join(dir, tt.gold), filepath.Join(dir, "pred.txt")
			for path, text := range map[string]string{gold: tt.goldText, pred: tt.predText} {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for p, err := range all(Pairs(gold, pred)) {
				if err != nil {
					got = append(got, "! "+strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
					continue
				}
				got = append(got, fmt.Sprintf("%d.%d %s", p.Interaction, p.Turn, p.Prediction))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzDecodeInteraction checks that a source, once read, reads the same again.
func FuzzDecodeInteraction(f *testing.F) {
	f.Add([]byte(twoTurns))
	f.Add([]byte(`{"database_id": "db", "interaction": [{"utterance": "q", "query": "a", "query": "b"}]}`))
	f.Add([]byte(`{"interaction": [null], "final": null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		examples, err := DecodeInteraction(raw)
		if err != nil {
			return
		}
		var turns []json.RawMessage
		var frame json.RawMessage
		for _, ex := range examples {
			var s InteractionSource
			if err := json.Unmarshal(ex.Source, &s); err != nil {
				t.Fatal(err)
			}
			if turns = append(turns, s.Turn); ex.Turn == 1 {
				frame = s.Frame
			}
		}
		whole, err := Patch(frame, Change{"interaction", turns})
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeInteraction(whole)
		if err != nil || len(again) != len(examples) {
			t.Fatalf("%s: %d turns again, %v; want %d", whole, len(again), err, len(examples))
		}
		for i := range again {
			if !bytes.Equal(again[i].Source, examples[i].Source) || again[i].Query != examples[i].Query {
				t.Fatalf("turn %d: %s, want %s", i+1, again[i].Source, examples[i].Source)
			}
		}
	})
}
