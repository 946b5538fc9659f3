package review

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/nli"
)

const evil = `<script>alert("x")</script>`

// shop writes a data directory of one table, and its buckets; it returns both paths.
func shop(t *testing.T) (dir, buckets string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]string{
		"tables.json": `[{"db_id": "shop", "table_names": ["store"], "table_names_original": ["Store"],
			"column_names": [[-1, "*"], [0, "store id"], [0, "home town"], [0, "lost"]],
			"column_names_original": [[-1, "*"], [0, "Store_ID"], [0, "Home_Town"], [0, "Lost"]],
			"column_types": ["text", "number", "text", "text"], "primary_keys": [1], "foreign_keys": []}]`,
		"dev.json": `[{"db_id": "shop", "question": "What of a \"store\" is the home town?", "query": "SELECT Home_Town FROM Store"},
			{"db_id": "shop", "question": "How many stores are there?", "query": "SELECT count(*) FROM Store"},
			{"db_id": "shop", "question": "What?", "query": "SELECT Nothing FROM Nowhere"}]`,
		"entities.json": `[{"db_id": "shop", "table": "Store", "entity": "company"}]`,
		"buckets.json": `{"version": 1, "seed": 7, "columns": [
			{"db_id": "shop", "table": "store", "column": "home_town",
			 "replace": [{"name": "city", "source": "dictionary", "similarity": 0.7, "forward": 0.9, "backward": 0.7}, {"name": "place", "source": "adveta"}],
			 "add": [{"name": "<img src=x onerror=alert(1)>", "source": "retrieval", "evidence": "</script>", "cells": ["a"], "similarity": 0.1, "forward": 0.05, "backward": 0.44}]},
			{"db_id": "shop", "table": "store", "column": "store_id", "replace": [{"name": "shop id", "source": "dictionary", "similarity": 0.7, "forward": 0.9, "backward": 0.9}], "add": []}]}`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := sqldata.NewText
	err := sqlite.Create(context.Background(), filepath.Join(dir, "database", "shop", "shop.sqlite"),
		[]sqldata.Table{{Name: "Store", Columns: []sqldata.Column{{Name: "store_id", Type: "INTEGER"}, {Name: "Home_Town", Type: "TEXT"}}, PrimaryKey: []string{"store_id"}}},
		[][][]sqldata.Value{{{sqldata.NewInt(1), text(evil)}, {sqldata.NewInt(2), {}}, {sqldata.NewInt(3), text(strings.Repeat("ü", 500))}}})
	if err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, "buckets.json")
}

// tab is a tab of a browser that has opened the page.
type tab struct {
	t       *testing.T
	address string
	cookie  *http.Cookie
}

// open starts a review of the shop whose decisions go to out.
func open(t *testing.T, out string) (*tab, *Server) {
	t.Helper()
	dir, buckets := shop(t)
	data, err := LoadData(dir, "dev", []string{buckets}, nli.Paper(), func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, data, out)
}

func serve(t *testing.T, data *Data, out string) (*tab, *Server) {
	t.Helper()
	s, err := NewServer(data, Options{Annotator: "ann", Out: out, Report: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() { web.Close(); s.Close() })
	res, err := http.Get(s.URL(web.Listener))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("status %d, cookies %v; expected the page and one", res.StatusCode, res.Cookies())
	}
	return &tab{t, web.URL, res.Cookies()[0]}, s
}

// do sends a request with the change that edit makes of it, and returns status and body.
func (b *tab) do(method, path string, body any, edit func(*http.Request)) (int, http.Header, []byte) {
	b.t.Helper()
	text, ok := body.(string)
	if !ok {
		raw, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		text = string(raw)
	}
	r, err := http.NewRequest(method, b.address+path, strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	r.AddCookie(b.cookie)
	if method != http.MethodGet {
		r.Header.Set("Origin", b.address)
		r.Header.Set("Content-Type", "application/json")
	}
	if edit != nil {
		edit(r)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, res.Header, answer
}

// get asks for JSON.
func get[T any](b *tab, path string) (v T) {
	b.t.Helper()
	status, _, body := b.do("GET", path, "", nil)
	if err := json.Unmarshal(body, &v); err != nil || status != http.StatusOK {
		b.t.Fatalf("%s: status %d, %s", path, status, body)
	}
	return v
}

// post sends a request and wants the status.
func post[T any](b *tab, path string, r Request, want int) (v T) {
	b.t.Helper()
	status, _, body := b.do("POST", path, r, nil)
	if err := json.Unmarshal(body, &v); err != nil || status != want {
		b.t.Fatalf("%s %+v: status %d, %s; expected %d", path, r, status, body, want)
	}
	return v
}

func TestColumn(t *testing.T) {
	b, _ := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	v := get[ColumnView](b, "/api/column?id=1")
	if v.Column != "Home_Town" || v.Name != "home town" || v.Entity != "company" || v.TableName != "store" || v.Version != 0 || v.Undo != 0 || v.Open != 3 {
		t.Errorf("%+v", v)
	}
	one, two, three, shown, long := "1", "2", "3", evil, strings.Repeat("ü", maxCell)+"…"
	if diff := cmp.Diff([][]*string{{&one, &shown, nil}, {&two, nil, nil}, {&three, &long, nil}}, v.Rows); diff != "" {
		t.Error(diff)
	}
	want := []Question{{[]Part{{"What of a \"store\" is the ", false}, {"home town", true}, {"?", false}}, "SELECT Home_Town FROM Store"}}
	if diff := cmp.Diff(want, v.Questions); diff != "" || v.QuestionTotal != 1 {
		t.Error(diff, v.QuestionTotal)
	}
	if len(v.Columns) != 3 || !v.Columns[0].Key || !v.Columns[1].This {
		t.Errorf("columns %+v", v.Columns)
	}
	city, place, img := v.Replace[0], v.Replace[1], v.Add[0]
	if city.Doubt == nil || *city.Doubt > 0.0501 || *city.Doubt < 0.0499 || !city.Scored || city.Answer != "" || place.Scored || place.Doubt != nil {
		t.Errorf("%+v, %+v", city, place)
	}
	if img.Name != "<img src=x onerror=alert(1)>" || *img.Doubt > 0.0101 || img.Side != dataset.Add {
		t.Errorf("%+v", img)
	}
}

// The answers that a person gives, and what is left of them when the review is opened
// again.
func TestDecide(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	b, s := open(t, out)
	version := 0
	decide := func(action Action, side dataset.Side, name, comment string) Saved {
		t.Helper()
		saved := post[Saved](b, "/api/decide", Request{ID: 1, Version: version, Action: action, Side: side, Name: name, Comment: comment}, http.StatusOK)
		version = saved.Column.Version
		return saved
	}
	decide(Accept, dataset.Replace, "city", "")
	if same := decide(Accept, dataset.Replace, "city", ""); same.N != 0 || same.Column.Version != 1 {
		t.Errorf("the same answer again: %+v, expected nothing new", same)
	}
	decide(Reject, dataset.Replace, "place", "too vague")
	decide(Add, dataset.Add, "  Street\tName ", "")
	decide(Comment, "", "", "a note")
	saved := decide(Move, dataset.Add, "<img src=x onerror=alert(1)>", "")
	v := saved.Column
	if v.Replace[0].Answer != Accept || v.Replace[1].Answer != Reject || v.Add[0].Answer != Move || v.Add[1].Name != "street name" || !v.Add[1].Own || v.Add[1].Answer != Accept {
		t.Errorf("%+v", v)
	}
	if v.Replace[1].Comments[0].Text != "too vague" || v.Comments[0].Text != "a note" || v.Open != 0 || v.Undo != 5 {
		t.Errorf("%+v", v)
	}
	want := Progress{Annotator: "ann", Things: "columns", Items: "names", Columns: 2, Done: 1, Names: 4, Decided: 3, Accepted: 1, Rejected: 1, Moved: 1, Added: 1, Undo: 5}
	if diff := cmp.Diff(want, saved.Progress); diff != "" {
		t.Error(diff)
	}
	undone := post[Saved](b, "/api/undo", Request{Undo: 5}, http.StatusOK)
	if undone.Column.Add[0].Answer != "" || undone.Column.Undo != 4 || undone.Progress.Done != 0 || undone.N != 6 {
		t.Errorf("%+v", undone)
	}
	s.Close()
	again, _ := open(t, out)
	if diff := cmp.Diff(undone.Column, get[ColumnView](again, "/api/column?id=1")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(undone.Progress, get[Progress](again, "/api/progress")); diff != "" {
		t.Error(diff)
	}
	for n := 4; n > 0; n-- {
		undone = post[Saved](again, "/api/undo", Request{Undo: n}, http.StatusOK)
	}
	if p := undone.Progress; p.Decided+p.Added+p.Undo != 0 {
		t.Errorf("%+v, expected nothing left", p)
	}
	post[Failure](again, "/api/undo", Request{}, http.StatusNotFound)
}

func TestBadRequests(t *testing.T) {
	b, _ := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	tests := []struct {
		body   any
		status int
	}{
		{Request{ID: 9, Action: Accept, Side: dataset.Replace, Name: "city"}, 404},
		{Request{ID: -1, Action: Accept, Side: dataset.Replace, Name: "city"}, 404},
		{Request{ID: 1, Action: Accept, Side: dataset.Add, Name: "city"}, 404},
		{Request{ID: 1, Action: "eat", Side: dataset.Replace, Name: "city"}, 400},
		{Request{ID: 1, Action: Undo}, 400},
		{Request{ID: 1, Action: Comment}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: " "}, 400},
		{Request{ID: 1, Action: Add, Side: "both", Name: "town"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Add, Name: "City"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: strings.Repeat("x", 300)}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: "a\x00b"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Add, Name: "Home-Town"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: "store id"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: "?!"}, 400},
		{Request{ID: 1, Action: Add, Side: dataset.Replace, Name: strings.Repeat("x", MaxOwnName+1)}, 400},
		{`null`, 400},
		{Request{ID: 1, Action: Accept, Side: dataset.Replace, Name: "city", Comment: strings.Repeat("x", maxComment+1)}, 400},
		{Request{ID: 1, Action: Accept, Side: dataset.Replace, Name: "city", Comment: strings.Repeat("x", maxBody)}, 413},
		{`{"id": 1, "action": "accept", "side": "replace", "name": "city"} {}`, 400},
		{`{"id": 1, "action": "accept", "side": "replace", "name": "city", "other": 1}`, 400},
		{`[1`, 400},
		{``, 400},
	}
	for _, test := range tests {
		status, _, body := b.do("POST", "/api/decide", test.body, nil)
		var f Failure
		if err := json.Unmarshal(body, &f); err != nil || status != test.status || f.Error == "" {
			t.Errorf("%.120v: status %d, %s; expected %d", test.body, status, body, test.status)
		}
	}
	form := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	if status, _, _ := b.do("POST", "/api/decide", Request{}, form); status != 415 {
		t.Errorf("text: status %d, expected 415", status)
	}
	for _, path := range []string{"/api/list?page=-1", "/api/list?page=x", "/api/list?order=size", "/api/list?at=1e9", "/api/list?text=" + strings.Repeat("x+", maxWords+1)} {
		if status, _, _ := b.do("GET", path, "", nil); status != 400 {
			t.Errorf("%s: status %d, expected 400", path, status)
		}
	}
	if p := get[Progress](b, "/api/progress"); p.Decided+p.Added != 0 {
		t.Errorf("%+v, expected nothing decided", p)
	}
}

// A tab that has not seen what another decided changes nothing, and is shown it.
func TestTwoTabs(t *testing.T) {
	b, s := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	accept := Request{ID: 1, Action: Accept, Side: dataset.Replace, Name: "city"}
	post[Saved](b, "/api/decide", accept, http.StatusOK)
	stale := accept
	stale.Action = Reject
	f := post[Failure](b, "/api/decide", stale, http.StatusConflict)
	if f.Column == nil || f.Column.Replace[0].Answer != Accept || f.Column.Version != 1 {
		t.Errorf("%+v, expected the column as the other tab left it", f)
	}
	post[Saved](b, "/api/decide", Request{ID: 0, Action: Reject, Side: dataset.Replace, Name: "shop id"}, http.StatusOK) // another column
	if f := post[Failure](b, "/api/undo", Request{Undo: 1}, http.StatusConflict); f.Column == nil || f.Column.ID != 0 || f.Column.Undo != 2 {
		t.Errorf("%+v, expected the column of the last decision", f)
	}
	// At once, one of many wins.
	var wg sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		wg.Go(func() {
			statuses[i], _, _ = b.do("POST", "/api/decide", Request{ID: 1, Version: 1, Action: Add, Side: dataset.Replace, Name: string(rune('a' + i))}, nil)
		})
	}
	wg.Wait()
	won := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			won++
		} else if status != http.StatusConflict {
			t.Errorf("status %d, expected 200 or 409", status)
		}
	}
	if p := s.Progress(); won != 1 || p.Added != 1 {
		t.Errorf("%d won, %+v; expected one", won, p)
	}
}

// A decision that cannot be written is no decision.
func TestFullDisk(t *testing.T) {
	b, s := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	s.state.log.f.Close()
	f := post[Failure](b, "/api/decide", Request{ID: 1, Action: Accept, Side: dataset.Replace, Name: "city"}, http.StatusInternalServerError)
	if !strings.Contains(f.Error, "not saved") || s.Progress().Decided != 0 {
		t.Errorf("%+v, %+v", f, s.Progress())
	}
	if v := get[ColumnView](b, "/api/column?id=1"); v.Version != 0 || v.Replace[0].Answer != "" {
		t.Errorf("%+v, expected it undecided", v)
	}
}

func TestOpened(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ann.jsonl")
	_, s := open(t, out)
	if _, err := NewServer(s.state.data, Options{Annotator: "ann", Out: out, Report: func(error) {}}); err == nil || !strings.Contains(err.Error(), "another review") {
		t.Errorf("opened twice: %v, expected an error", err)
	}
	s.Close()
	lines := `{"n":1,"annotator":"ann","action":"accept","db_id":"old","table":"t","column":"c","side":"add","name":"x"}` + "\n" + `{"n":2,"ann`
	if err := os.WriteFile(out, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	var reports []string
	again, err := NewServer(s.state.data, Options{Annotator: "ann", Out: out, Report: func(err error) { reports = append(reports, err.Error()) }})
	if err != nil || len(reports) != 2 || !strings.Contains(reports[0], "ann.jsonl:2") || !strings.Contains(reports[1], "1 names") {
		t.Fatalf("reports %q, %v; expected one of the torn line and one of a name that is not there", reports, err)
	}
	if p := again.Progress(); p.Undo != 0 || p.Decided != 0 {
		t.Errorf("%+v, expected nothing to take back on this page", p)
	}
	again.Close()
	if _, err := NewServer(s.state.data, Options{Annotator: "bob", Out: out, Report: func(error) {}}); err == nil || !strings.Contains(err.Error(), `decisions of "ann"`) {
		t.Errorf("another's file: %v, expected an error", err)
	}
}

// Serve ends when it is told to, and only then.
func TestServe(t *testing.T) {
	_, s := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	res, err := http.Get(s.URL(l))
	if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(s.URL(l), "http://127.0.0.1:") {
		t.Fatalf("%s: %v, %v", s.URL(l), res, err)
	}
	res.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A source that the data directory lacks, or an empty bucket file, is no review.
func TestNothingToDecide(t *testing.T) {
	dir, buckets := shop(t)
	if err := os.WriteFile(buckets, []byte(`{"version": 1, "columns": [{"db_id": "x", "table": "t", "column": "c", "replace": [{"name": "a"}], "add": []}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadData(dir, "dev", []string{buckets}, nli.Paper(), func(error) {}); err == nil || !strings.Contains(err.Error(), "no column") {
		t.Errorf("%v, expected an error", err)
	}
	if _, err := LoadData(dir, "dev", []string{filepath.Join(dir, "none.json")}, nli.Paper(), func(error) {}); err == nil {
		t.Error("a file that is not there: expected an error")
	}
	db := &dataset.Database{ID: "x"}
	if _, err := newData([]*dataset.Unit{{DB: db}}, dataset.Buckets{}, nli.Paper(), nil); err == nil {
		t.Error("no columns: expected an error")
	}
}
