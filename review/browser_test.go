package review

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// verdicts reads a file of decisions without a fault.
func verdicts(t *testing.T, path string) *Verdicts {
	t.Helper()
	var problems []error
	v, err := ReadVerdicts(path, func(err error) { problems = append(problems, err) })
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return v
}

// answerAll decides on n names by keys alone: the i-th with the i-th of the keys, again and
// again; on to the next column when one is done.
func answerAll(s *screen, n int, keys string) {
	s.t.Helper()
	for i := range n {
		if of[bool](s, `!document.querySelector('.card[data-answer=""]')`) {
			column := of[string](s, `document.getElementById("where").textContent`)
			s.keys(" ")
			s.until(fmt.Sprintf(`document.getElementById("where").textContent !== %q`, column))
		}
		s.keys(keys[i%len(keys) : i%len(keys)+1])
		s.says("#counts", fmt.Sprintf(": %d of 28 names", i+1))
	}
}

// TestBrowser is the work of two annotators on the page, in a browser. `make test` looks at
// the columns that are markup alone.
func TestBrowser(t *testing.T) {
	b := browser(t)
	data, buckets := flights(t)
	dir := t.TempDir()
	t.Run("two annotators", func(t *testing.T) {
		shared.Quality(t)
		testAnnotators(t, data, buckets, dir, b)
	})
	t.Run("harmless", func(t *testing.T) { testHarmlessPage(t, visitDesk(t, data, "eve", filepath.Join(dir, "eve.jsonl"), b)) })
	t.Run("two tabs", func(t *testing.T) {
		shared.Quality(t)
		out := filepath.Join(dir, "tabs.jsonl")
		address, _ := desk(t, data, "tabs", out)
		testTabs(t, visit(t, b, address, 1280, 800, "light"), visit(t, b, address, 1280, 800, "light"), out)
	})
	t.Run("lost server", func(t *testing.T) {
		shared.Quality(t)
		out := filepath.Join(dir, "lost.jsonl")
		address, way := desk(t, data, "lost", out)
		testLost(t, visit(t, b, address, 1280, 800, "light"), way, out)
	})
	t.Run("new server", func(t *testing.T) {
		shared.Quality(t)
		testNewServer(t, data, filepath.Join(dir, "anew.jsonl"), b)
	})
	t.Run("list", func(t *testing.T) {
		shared.Quality(t)
		testList(t, visitDesk(t, data, "list", filepath.Join(dir, "list.jsonl"), b))
	})
	t.Run("looks", func(t *testing.T) {
		shared.Quality(t)
		address, _ := desk(t, data, "looks", filepath.Join(dir, "looks.jsonl"))
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{390, 900, 1280, 1920} {
				s := visit(t, b, address, width, 900, scheme)
				testLooks(t, s, width, "arm")
				s.shot(fmt.Sprintf("%d-%s", width, scheme))
			}
		}
	})
}

// testAnnotators is the work of two, each of whom goes on from what the one before left.
func testAnnotators(t *testing.T, data *Data, buckets dataset.Buckets, dir string, b context.Context) {
	anns, bobs := filepath.Join(dir, "ann.jsonl"), filepath.Join(dir, "bob.jsonl")
	t.Run("keyboard", func(t *testing.T) { testKeyboard(t, visitDesk(t, data, "ann", anns, b), anns) })
	t.Run("second", func(t *testing.T) {
		s := visitDesk(t, data, "bob", bobs, b)
		answerAll(s, 20, "arar") // where ann answers with "arma"
		s.keys("K")
		s.until(`document.getElementById("where").textContent.includes("origin")`)
		s.keys("u") // leads back to what it takes back
		s.says("#counts", "19 of 28")
		s.until(`document.getElementById("where").textContent.includes("airline")`)
		s.keys("r")
		s.says("#counts", "20 of 28")
	})
	t.Run("agreement", func(t *testing.T) { testAgreement(t, verdicts(t, anns), verdicts(t, bobs), buckets) })
}

func visitDesk(t *testing.T, data *Data, annotator, out string, b context.Context) *screen {
	t.Helper()
	address, _ := desk(t, data, annotator, out)
	return visit(t, b, address, 1280, 900, "light")
}

func testKeyboard(t *testing.T, s *screen, out string) {
	if address := of[string](s, "location.href"); strings.Contains(address, "token") {
		t.Errorf("the token stays in the address: %s", address)
	}
	answerAll(s, 20, "arma")
	s.shot("decided")
	want := of[string](s, states)
	v := verdicts(t, out)
	if len(v.Items) != 20 {
		t.Fatalf("%d names are decided on in the file, expected 20", len(v.Items))
	}
	first := Item{dataset.ColumnID{DB: "travel", Table: "flight", Column: "departure_date"}, dataset.Replace, "takeoff day"}
	if v.Items[first] != Move {
		t.Errorf("%s: %q, expected move: the third key was m", first, v.Items[first])
	}

	s.do(chromedp.Reload())
	s.until(`document.querySelector(".card[aria-current]")`)
	s.says("#counts", "20 of 28 names")
	if got := of[string](s, states); got != want {
		t.Errorf("after a reload %s, expected %s", got, want)
	}

	s.keys("u")
	s.says("#counts", "19 of 28 names")
	s.says("#said", "Undone")
	if v := verdicts(t, out); len(v.Items) != 19 {
		t.Errorf("after undo %d names are decided on in the file, expected 19", len(v.Items))
	}
	s.keys("a")
	s.says("#counts", "20 of 28 names")

	s.keys("n")
	s.keys("Boarding  Places" + kb.Enter)
	s.says("#counts", "1 added")
	s.keys(kb.Escape + "c")
	s.keys("ask again?\r")
	s.says("#said", "Comment saved")
	s.keys("C")
	s.keys("a short table\r")
	s.says("#remarks", "a short table")
	v = verdicts(t, out)
	column := dataset.ColumnID{DB: "travel", Table: "flight", Column: "airline"}
	if len(v.Added) != 1 || len(v.Comments[column]) != 2 || v.Comments[column][""][0].Text != "a short table" {
		t.Errorf("added %v, comments %v; expected a name and two comments on %s", v.Added, v.Comments, column)
	}
	s.shot("comments")
	s.keys(kb.Escape + "?")
	s.until(`document.getElementById("help").open`)
	s.shot("keys")
}

// states are the answers on the column that is shown.
const states = `JSON.stringify([...document.querySelectorAll(".card")].map((card) => [card.querySelector("b").textContent, card.dataset.answer]))`

func testAgreement(t *testing.T, ann, bob *Verdicts, buckets dataset.Buckets) {
	a := Agree([]*Verdicts{ann, bob})
	// "arma" and "arar", five times each: accept and reject are both's, move and accept meet
	// accept and reject.
	if a.Complete != 20 || len(a.Disputed) != 10 {
		t.Errorf("%d names by both, %d in dispute; expected 20 and 10", a.Complete, len(a.Disputed))
	}
	m := Merge(buckets, []*Verdicts{ann, bob}, nil)
	if m.Accepted != 5 || m.Rejected != 5 || m.Added != 1 || m.Undecided != 8 || len(m.Disputed) != 10 {
		t.Errorf("merged %+v, expected 5 accepted and rejected, 1 added, 8 undecided and 10 in dispute", m)
	}
	if m := Merge(buckets, []*Verdicts{ann, bob}, ann); m.Accepted != 10 || m.Moved != 5 || len(m.Disputed) != 0 {
		t.Errorf("with ann's word %+v, expected 10 accepted, 5 moved and none in dispute", m)
	}
}

// testHarmlessPage looks at the columns whose names, cells, questions and evidence are
// markup.
func testHarmlessPage(t *testing.T, s *screen) {
	for range airline {
		s.keys("c")
		s.keys(hostile + kb.Enter)
		s.says(".card .notes", hostile)
		if got := of[string](s, `JSON.stringify([document.images.length, document.scripts.length, typeof window.harmed])`); got != `[0,1,"undefined"]` {
			t.Errorf("images, scripts and harm are %s, expected none but the page's script", got)
		}
		if !of[bool](s, fmt.Sprintf(`["#rows", ".card .facts", ".card .notes"].every((place) => document.querySelector(place).textContent.includes(%q))`, hostile)) {
			t.Error("the markup is not shown as it is written")
		}
		if of[bool](s, `document.querySelector("#list li:last-child button").getAttribute("aria-current") === null`) {
			column := of[string](s, `document.getElementById("where").textContent`)
			s.keys("J")
			s.until(fmt.Sprintf(`document.getElementById("where").textContent !== %q`, column))
		}
	}
	if !of[bool](s, fmt.Sprintf(`[...document.querySelectorAll(".card b")].some((name) => name.textContent === %q)`, hostile)) {
		t.Error("the name that is markup is not shown as it is written")
	}
	s.shot("hostile")
}

// testTabs decides in a tab on a column that another tab has decided on.
func testTabs(t *testing.T, one, two *screen, out string) {
	one.keys("ar") // as fast as can be
	one.says("#counts", "2 of 28")
	two.keys("m")
	two.says("#said", "another tab changed this column")
	two.says("#said", "“date of departure” is accepted")
	two.says("#counts", "2 of 28")
	two.shot("conflict")
	two.keys("a")  // what stands already
	two.keys("km") // the second name, on purpose
	two.says("#said", "moved to Add")
	v := verdicts(t, out)
	column := dataset.ColumnID{DB: "travel", Table: "flight", Column: "departure_date"}
	if v.Items[Item{column, dataset.Replace, "date of departure"}] != Accept || v.Items[Item{column, dataset.Replace, "leaving date"}] != Move || len(v.Items) != 2 {
		t.Errorf("the file has %v, expected the first tab's accept and the second's move", v.Items)
	}
	one.keys("u") // of what it has not seen
	one.says("#said", "Nothing is undone")
}

// testLost decides and types while the server cannot be reached.
func testLost(t *testing.T, s *screen, way *line, out string) {
	way.cut.Store(true)
	s.keys("ar")
	s.until(`!document.getElementById("lost").hidden`)
	s.keys("c")
	s.keys("typed without a server")
	s.shot("lost")
	way.cut.Store(false)
	s.says("#counts", "2 of 28")
	s.until(`document.getElementById("lost").hidden`)
	s.do(chromedp.Reload())
	s.until(`document.querySelector(".card[aria-current]")`)
	if !of[bool](s, `[...document.querySelectorAll(".card textarea")].some((field) => field.value === "typed without a server")`) {
		t.Error("what was typed is lost with a reload")
	}
	way.swallow.Store(true) // written, and not answered
	s.keys("a")
	s.says("#counts", "3 of 28")
	s.says("#said", "accepted")
	way.swallow.Store(true)
	s.keys("u")
	s.says("#counts", "2 of 28")
	s.says("#said", "Undone")
	var problems []error
	decisions, err := ReadDecisions(out, func(err error) { problems = append(problems, err) })
	if err != nil || len(problems) > 0 || len(decisions) != 4 {
		t.Errorf("%d decisions in the file, %v %v; expected 4: a repeated request is not another decision", len(decisions), problems, err)
	}
}

// testNewServer decides in a page whose server was started anew at the same port, with
// another token: what waits is named, kept, and offered by the new page.
func testNewServer(t *testing.T, data *Data, out string, b context.Context) {
	old, way := server(t, data, "anew", out), &line{}
	way.lead(old)
	web := httptest.NewServer(way)
	t.Cleanup(web.Close)
	s := visit(t, b, old.URL(web.Listener), 1280, 800, "light")
	s.keys("a")
	s.says("#counts", "1 of 28")
	way.cut.Store(true)
	s.keys("r")
	s.says("#lost-text", "This is not saved")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	anew := server(t, data, "anew", out)
	t.Cleanup(func() { anew.Close() })
	way.lead(anew)
	way.cut.Store(false)
	s.says("#lost-text", "started anew")
	s.keys("J")
	s.says("#said", "token")
	s.keys("ararau") // all names of the column, and one of them taken back
	s.says("#lost-text", "These 5 are not saved")
	s.says("#unsaved", "travel · flight.departure_date: “leaving date”, Replace: rejected")
	s.keys("m ") // the last name, and on to the next column
	s.says("#lost-text", "These 6 are not saved")
	s.keys("J")
	s.says("#said", "token")
	if said := of[string](s, `document.getElementById("said").textContent`); strings.Contains(said, "is decided") || strings.Contains(said, "last column") {
		t.Errorf("without a server the page says %q", said)
	}
	s.shot("anew")

	next := visit(t, b, anew.URL(web.Listener), 1280, 800, "light")
	next.says("#offer-text", "6 decisions")
	next.says("#offered", "“leaving date”, Replace: rejected")
	next.shot("offered")
	of[bool](next, `(document.getElementById("offer-save").click(), true)`)
	next.says("#counts", "7 of 28")
	next.until(`document.getElementById("offer").hidden`)
	of[bool](s, `(document.getElementById("retry").click(), true)`) // its cookie is that of the new page by now
	s.says("#counts", "7 of 28")
	s.until(`document.getElementById("lost").hidden && !document.querySelector('.card[data-answer=""]')`)
	column := dataset.ColumnID{DB: "travel", Table: "flight", Column: "departure_date"}
	v := verdicts(t, out)
	if v.Items[Item{column, dataset.Replace, "leaving date"}] != Reject || v.Items[Item{column, dataset.Add, "date"}] != Move || len(v.Items) != 7 {
		t.Errorf("the file has %v, expected all that was decided", v.Items)
	}
	if decisions, err := ReadDecisions(out, func(error) {}); err != nil || len(decisions) != 7 {
		t.Errorf("%d decisions in the file, %v; expected 7: none is written twice", len(decisions), err)
	}
	s.do(chromedp.Reload())
	s.until(`document.querySelector(".card[aria-current]") && document.getElementById("offer").hidden`)
}

// testList filters, orders and steps through the list.
func testList(t *testing.T, s *screen) {
	s.keys("u")
	s.says("#said", "nothing to undo")
	s.keys("JJJ") // faster than the columns come
	s.until(`document.getElementById("where").textContent.includes("airline")`)
	s.keys("/")
	s.keys("fare\r")
	s.says("#found", "1 column")
	s.until(`document.getElementById("where").textContent.includes("price")`)
	s.until(`document.activeElement.matches(".card")`)
	s.keys("/" + kb.Backspace) // "/" selects what is there
	s.says("#found", "5 columns")
	s.keys(kb.Tab + "trave")
	s.until(`document.getElementById("db").getAttribute("aria-invalid") === "true"`)
	s.keys("l")
	s.until(`location.hash.includes("db=travel")`)
	s.keys(kb.Escape)
	answerAll(s, 6, "r") // all of the price
	s.keys("o")
	s.says("#found", "4 columns")
	s.keys(kb.PageDown)
	s.until(`!document.getElementById("where").textContent.includes("price")`)
	of[bool](s, `(document.getElementById("order").value = "doubt", document.getElementById("order").dispatchEvent(new Event("change")))`)
	s.until(`document.querySelector("#list b").textContent === "capacity"`)
}

// faults lists what is wrong with how the page looks and what it is called: text whose
// contrast is below 4.5, what can be pressed or typed in and has no name, ids that are there
// twice, headings that skip a level.
const faults = `(() => {
	const faults = [];
	const channels = (color) => color.match(/[\d.]+/g).map(Number);
	const light = (color) => {
		const [r, g, b] = channels(color).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ground = (node) => {
		for (; node; node = node.parentElement) {
			const color = getComputedStyle(node).backgroundColor;
			if ((channels(color)[3] ?? 1) === 1) return color;
		}
		return "rgb(255, 255, 255)";
	};
	const seen = (node) => node.checkVisibility() && node.getClientRects().length > 0;
	for (const node of document.body.querySelectorAll("*")) {
		const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
		if (!seen(node) || !text && !node.matches("input, textarea")) continue;
		const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) faults.push("contrast " + contrast.toFixed(2) + ": " + node.outerHTML.slice(0, 80));
	}
	for (const node of document.querySelectorAll("button, input, select, textarea, [role=group], [role=region]")) {
		if (!node.textContent.trim() && !node.labels?.length && !node.ariaLabel && !node.hasAttribute("aria-labelledby") || node.matches("select") && !node.labels.length) faults.push("no name: " + node.outerHTML.slice(0, 80));
	}
	const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push("twice: " + id);
	let level = 0;
	for (const node of document.querySelectorAll("h1, h2, h3, h4")) {
		const next = Number(node.tagName[1]);
		if (next > level + 1) faults.push("skips a level: " + node.outerHTML);
		level = next;
	}
	return faults;
})()`

// testLooks reviews a page with answers of each kind on it.
func testLooks(t *testing.T, s *screen, width int64, answers string) {
	for i, key := range strings.Split(answers, "") {
		if of[bool](s, fmt.Sprintf(`document.querySelectorAll(".card")[%d].dataset.answer === ""`, i)) {
			s.keys(key)
		}
		s.until(fmt.Sprintf(`document.querySelectorAll(".card")[%d].dataset.answer !== ""`, i))
	}
	for _, fault := range of[[]string](s, faults) {
		t.Errorf("%d px: %s", width, fault)
	}
	if of[bool](s, `document.documentElement.scrollWidth > innerWidth`) {
		t.Errorf("%d px: the page is wider than the window", width)
	}
	if !of[bool](s, `(() => { const r = document.activeElement.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })()`) {
		t.Errorf("%d px: the current name is not in sight", width)
	}
	if small := of[[]string](s, `[...document.querySelectorAll("button")].filter((b) => b.checkVisibility() && b.getBoundingClientRect().height < (innerWidth < 700 ? 44 : 24)).map((b) => b.textContent)`); len(small) > 0 {
		t.Errorf("%d px: buttons %q are too low to hit", width, small)
	}
}
