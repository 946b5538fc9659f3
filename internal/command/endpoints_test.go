package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestFingerprint checks that work is not gone on with under other answers, and that a
// record that grows does not keep it from going on.
func TestFingerprint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	line := `{"key":"%032x","model":"toy","purpose":"propose","id":"x","answers":["{}"],"usage":{}}` + "\n"
	print := func(e endpoints, answers int) string {
		t.Helper()
		var text string
		for i := range answers {
			text += fmt.Sprintf(line, i)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		e.record = path
		s, err := e.open(&app{stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		out, err := e.fingerprint(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	asks := endpoints{proposer: "http://127.0.0.1:1", modelFlags: modelFlags{model: "toy"}}
	first := print(asks, 1)
	if print(asks, 2) != first {
		t.Error("an endpoint's record that grew: another fingerprint")
	}
	recorded := print(endpoints{}, 1)
	if print(endpoints{}, 1) != recorded {
		t.Error("the same record: another fingerprint")
	}
	judged, other := asks, asks
	judged.judge, other.model = asks.proposer, "other"
	for name, got := range map[string]string{
		"a judge": print(judged, 1), "another model": print(other, 1), "recorded answers": recorded, "more recorded answers": print(endpoints{}, 2),
	} {
		if got == first || name != "recorded answers" && got == recorded {
			t.Errorf("%s: the same fingerprint", name)
		}
	}
	if none, err := (&endpoints{}).fingerprint(nil); none != "" || err != nil {
		t.Errorf("no model: %q, %v", none, err)
	}
}
