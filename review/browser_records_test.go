package review

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestBrowserAllHold decides on records by one key each, and on those of the same texts by one key together.
func TestBrowserAllHold(t *testing.T) {
	shared.Quality(t)
	b := browser(t)
	build, _ := buildShop(t, nil, drafted("Tell me: "), added)
	data, err := LoadRecords(build, all, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	address, _ := desk(t, data, "ann", out)
	s := visit(t, b, address, 1280, 900, "light")
	records := len(data.columns)
	keys := 0
	for done := 0; done < records; keys++ {
		s.says("#counts", fmt.Sprintf("%d of %d records", done, records))
		alike := of[int](s, `document.getElementById("all-alike").hidden ? 0 : 1`)
		where := of[string](s, `document.getElementById("where").textContent + document.getElementById("column-name").textContent`)
		s.keys([]string{"A", "B"}[alike])
		if done += 1 + alike; done < records {
			s.until(fmt.Sprintf(`document.getElementById("where").textContent + document.getElementById("column-name").textContent !== %q`, where))
		}
	}
	s.says("#said", "Every criterion of these records is decided.")
	s.says("#counts", fmt.Sprintf("%d of %d criteria", 3*records, 3*records))
	if v := verdicts(t, out); v.OnRecords() != records || keys >= records {
		t.Errorf("%d keys for %d records, %d of them decided on", keys, records, v.OnRecords())
	}
}

// TestBrowserRecords is the work on the records of a build, by keys.
func TestBrowserRecords(t *testing.T) {
	shared.Quality(t)
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
