package review

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestBrowserRecords is the work on the records of a build, by keys.
func TestBrowserRecords(t *testing.T) {
	b := browser(t)
	build, _ := buildShop(t, nil, drafted("Tell me: "), renamed)
	data, err := LoadRecords(build, all, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	address, _ := desk(t, data, "ann", out)
	s := visit(t, b, address, 1280, 900, "light")
	s.says("#definition", "Puts words before the question.")
	s.says("#changes ins", "Tell me:")
	s.says("#found", "4 records")
	if n := of[int](s, `document.querySelectorAll("#tables table").length`); n != 1 {
		t.Errorf("%d tables, expected the one that both sides have", n)
	}
	s.keys("mnar") // a criterion is neither moved nor are there others to add
	s.says("#counts", "2 of 12 criteria")
	s.keys("a")
	s.says("#said", "All criteria of this record are decided")
	s.says(`.card[data-answer="reject"] .state`, "fails")
	s.keys(" ")
	s.says("#where", "example 1, sample 0")
	s.keys("J")
	s.says("#changes", "SELECT City FROM Store")
	s.says("#tables th.this", "Home_Town")
	if of[bool](s, `document.querySelector("#rows").checkVisibility() || document.body.innerText.includes("Show SQL")`) {
		t.Error("the page of a record shows what is of columns")
	}
	s.keys("u")
	s.says("#where", "example 0, sample 0")
	s.says("#counts", "2 of 12 criteria")
	s.keys("a")
	s.says("#counts", "3 of 12 criteria")
	if v := verdicts(t, out); v.OnRecords() != 1 || Refuses([]*Verdicts{v}, &data.columns[0].record.Record) != "not-accepted" {
		t.Errorf("%+v", v.Items)
	}
	for _, width := range []int64{1280, 390} {
		s := visit(t, b, address, width, 900, "light")
		testLooks(t, s, width, "ara")
		s.shot(fmt.Sprintf("records-%d", width))
	}
}
