package review

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/nli"
)

// hostile is markup that would tell of itself if it were taken for HTML.
const hostile = `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>`

// airline are the names to decide on: by column of the table flight those to replace it
// and those to add.
var airline = []struct {
	column       string
	replace, add []string
}{
	{"departure date", []string{"date of departure", "leaving date", "takeoff day", "start"}, []string{"arrival date", "booking date", "date"}},
	{"price", []string{"fare", "cost of ticket", "amount to pay", "discount"}, []string{"tax", "seat number"}},
	{"origin", []string{"place of departure", "from airport", "source"}, []string{"destination", "stopover"}},
	{"airline", []string{"carrier", "operator", "company"}, []string{"alliance", "aircraft type"}},
	{"capacity", []string{"seats", "number of places", "volume"}, []string{"cargo weight", hostile}},
}

// flights writes a data directory and buckets, and loads them.
func flights(t *testing.T) (*Data, dataset.Buckets) {
	t.Helper()
	dir := t.TempDir()
	names, types := []string{"flight number"}, []string{"text"}
	buckets := map[string]any{"version": 1, "seed": 1}
	var columns []any
	for i, c := range airline {
		names, types = append(names, c.column), append(types, "text")
		columns = append(columns, map[string]any{
			"db_id": "travel", "table": "flight", "column": strings.ReplaceAll(c.column, " ", "_"),
			"replace": candidatesOf(c.replace, 0.7+0.03*float64(i)), "add": candidatesOf(c.add, 0.1+0.08*float64(i)),
		})
	}
	buckets["columns"] = columns
	schema := map[string]any{
		"db_id": "travel", "table_names": []string{"flight"}, "table_names_original": []string{"flight"},
		"column_names": [][]any{{-1, "*"}}, "column_names_original": [][]any{{-1, "*"}}, "column_types": append([]string{"text"}, types...),
		"primary_keys": []int{1}, "foreign_keys": []int{},
	}
	file := sqldata.Table{Name: "flight"}
	for _, name := range names {
		original := strings.ReplaceAll(name, " ", "_")
		schema["column_names"] = append(schema["column_names"].([][]any), []any{0, name})
		schema["column_names_original"] = append(schema["column_names_original"].([][]any), []any{0, original})
		file.Columns = append(file.Columns, sqldata.Column{Name: original, Type: "TEXT"})
	}
	questions := []map[string]string{
		{"db_id": "travel", "question": "What is the departure date of flight " + hostile + "?", "query": "SELECT departure_date FROM flight"},
		{"db_id": "travel", "question": "Show the price of the flights of each airline.", "query": "SELECT price, airline FROM flight"},
		{"db_id": "travel", "question": "From which origin does the cheapest flight leave?", "query": "SELECT origin FROM flight ORDER BY price LIMIT 1"},
		{"db_id": "travel", "question": "How many people fit in?", "query": "SELECT capacity FROM flight"},
	}
	writeJSON(t, filepath.Join(dir, "tables.json"), []any{schema})
	writeJSON(t, filepath.Join(dir, "dev.json"), questions)
	writeJSON(t, filepath.Join(dir, "buckets.json"), buckets)
	var rows [][]sqldata.Value
	for _, row := range []string{"LH 400|2024-05-01|612|Frankfurt|Lufthansa|364", "BA 12|2024-05-03|88|London|British Airways|180", "XX 0|" + hostile + "|0|?||0"} {
		var cells []sqldata.Value
		for cell := range strings.SplitSeq(row, "|") {
			cells = append(cells, sqldata.NewText(cell))
		}
		rows = append(rows, cells)
	}
	if err := sqlite.Create(context.Background(), filepath.Join(dir, "database", "travel", "travel.sqlite"), []sqldata.Table{file}, [][][]sqldata.Value{rows}); err != nil {
		t.Fatal(err)
	}
	data, err := LoadData(dir, "dev", []string{filepath.Join(dir, "buckets.json")}, nli.Paper(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	dbs := []*dataset.Database{data.databases[0].Database}
	all, err := dataset.ReadAnyBuckets(filepath.Join(dir, "buckets.json"), dbs, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return data, all
}

func candidatesOf(names []string, score float64) (list []map[string]any) {
	for i, name := range names {
		list = append(list, map[string]any{
			"name": name, "source": []string{"retrieval", "dictionary"}[i%2], "evidence": "timetable of " + hostile, "cells": []string{"a", hostile},
			"similarity": score - 0.1, "forward": score + 0.02*float64(i), "backward": score,
		})
	}
	return list
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// line is the way to a server, which can be cut.
type line struct {
	next    atomic.Pointer[http.Handler]
	cut     atomic.Bool // nothing gets through
	swallow atomic.Bool // the next decision gets through and its answer does not
}

// lead sets the server that the way leads to.
func (l *line) lead(s *Server) {
	h := s.Handler()
	l.next.Store(&h)
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	next := *l.next.Load()
	switch {
	case l.cut.Load():
		panic(http.ErrAbortHandler)
	case r.Method == http.MethodPost && l.swallow.CompareAndSwap(true, false):
		next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	next.ServeHTTP(w, r)
}

// desk starts the review of an annotator, and returns the page's address.
func desk(t *testing.T, data *Data, annotator, out string) (address string, way *line) {
	t.Helper()
	s := server(t, data, annotator, out)
	way = &line{}
	way.lead(s)
	web := httptest.NewServer(way)
	t.Cleanup(func() { web.Close(); s.Close() })
	return s.URL(web.Listener), way
}

func server(t *testing.T, data *Data, annotator, out string) *Server {
	t.Helper()
	s, err := NewServer(data, Options{Annotator: annotator, Out: out, Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// browser starts a headless Chromium; the test is skipped where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no chromium, chromium-browser or google-chrome in PATH: the page is not tested in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(patience))
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-component-update", "disable-background-networking", "disable-sync", "no-first-run"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	// What goes wrong in a step is its error; what the browser complains of when it ends is nobody's.
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// patience is how long the browser may take to begin and the page to be as expected, on a
// machine under load.
const patience = 90 * time.Second

// screen is a tab of the browser.
type screen struct {
	t   *testing.T
	ctx context.Context
}

// visit opens an address in a new tab of a size and a colour scheme, and waits for the
// first column.
func visit(t *testing.T, browser context.Context, address string, width, height int64, scheme string) *screen {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // without a limit: the tab would end with it
		t.Fatal(err)
	}
	s := &screen{t, ctx}
	s.watch()
	s.do(chromedp.EmulateViewport(width, height))
	s.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return chromedp.Void{}, err
	})
	s.do(chromedp.Navigate(address))
	s.until(`document.querySelector(".card[aria-current]")`)
	return s
}

// watch lets the test fail for what the page does not catch, and for what its content
// policy forbids.
func (s *screen) watch() {
	var mu sync.Mutex
	var faults []string
	s.t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, fault := range faults {
			s.t.Errorf("the browser says: %s", fault)
		}
	})
	err := chromedp.Listen(s.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			faults = append(faults, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			if e.Entry.Source == log.EntrySourceSecurity || e.Entry.Source == log.EntrySourceJavascript {
				faults = append(faults, e.Entry.Text)
			}
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) do(steps ...chromedp.Action[chromedp.Void]) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		s.t.Fatal(err)
	}
}

// keys presses keys, wherever the focus is. A key down brings its character with it, as
// keyboards do: where the page takes the key for itself nothing is typed.
func (s *screen) keys(keys string) {
	s.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := *events[0], *events[len(events)-1]
		if len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		s.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
			if _, err = cdp.Call(ctx, target, input.DispatchKeyEvent, down); err == nil {
				_, err = cdp.Call(ctx, target, input.DispatchKeyEvent, up)
			}
			return none, err
		})
	}
}

// of evaluates an expression in a tab.
func of[T any](s *screen, expression string) T {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition.
func (s *screen) until(condition string) {
	s.t.Helper()
	for end := time.Now().Add(patience); !of[bool](s, "!!("+condition+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.shot("failed")
			s.t.Fatalf("%s does not come to hold; the page says %q", condition, of[string](s, `document.body.innerText`))
		}
	}
}

// says waits for a text in an element.
func (s *screen) says(selector, text string) {
	s.t.Helper()
	s.until(fmt.Sprintf("document.querySelector(%q).textContent.includes(%q)", selector, text))
}

// shot keeps a picture of the tab.
func (s *screen) shot(name string) {
	s.t.Helper()
	dir := os.Getenv("TABPERTURB_SCREENSHOTS")
	if dir == "" {
		dir = s.t.TempDir()
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "review-"+name+".png"), picture, 0o666)
	}
	if err != nil {
		s.t.Errorf("no picture %s: %v", name, err)
	}
}
