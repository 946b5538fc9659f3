package report_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/report"
)

// elements are all that a page may have; those that are true are void.
var elements = map[string]bool{
	"html": false, "head": false, "meta": true, "title": false, "style": false, "body": false, "a": false, "header": false, "h1": false, "h2": false, "h3": false, "h4": false, "h5": false,
	"nav": false, "ol": false, "li": false, "span": false, "main": false, "section": false, "p": false, "pre": false, "code": false, "figure": false, "figcaption": false, "div": false,
	"table": false, "caption": false, "thead": false, "tbody": false, "tr": false, "th": false, "td": false, "wbr": true, "article": false, "ins": false, "del": false, "footer": false,
	"svg": false, "desc": false, "g": false, "path": false, "text": false, "rect": false,
}

// attributes are all that elements may have.
var attributes = []string{"lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "scope", "tabindex", "role", "aria-label", "aria-labelledby", "aria-hidden",
	"viewbox", "style", "d", "transform", "x", "y", "width", "height", "rx", "textlength", "lengthadjust"}

// references are the ids of a page and what refers to them.
type references struct {
	ids  map[string]bool
	refs []string
}

// checkPage checks that a page is well-formed, has nothing but what it may have, and
// refers to nothing outside itself.
func checkPage(t *testing.T, page string) {
	t.Helper()
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") {
		t.Errorf("the page begins %.60q, expected the type and the language", page)
	}
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	seen := references{ids: map[string]bool{}}
	for z.Next() != html.ErrorToken {
		switch token := z.Token(); token.Type {
		case html.StartTagToken, html.SelfClosingTagToken:
			void, known := elements[token.Data]
			if !known {
				t.Fatalf("element %q, expected none", token)
			}
			seen.check(t, token.Attr)
			if !void && token.Type == html.StartTagToken {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %v", token.Data, open)
			}
			open = open[:len(open)-1]
		case html.CommentToken:
			t.Fatalf("comment %q", token.Data)
		}
	}
	if z.Err() != io.EOF || len(open) > 0 {
		t.Errorf("the page ends with %v, open are %v", z.Err(), open)
	}
	for _, r := range seen.refs {
		if !seen.ids[r] {
			t.Errorf("reference to #%s, which is nowhere", r)
		}
	}
	style := page[strings.Index(page, "<style>"):strings.Index(page, "</style>")]
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") || strings.Contains(style, "http") {
		t.Error("the style refers to something")
	}
}

// check checks the attributes of an element.
func (r *references) check(t *testing.T, list []html.Attribute) {
	t.Helper()
	for _, a := range list {
		if !slices.Contains(attributes, a.Key) {
			t.Fatalf("attribute %q, expected none", a.Key)
		}
		switch a.Key {
		case "href":
			if !strings.HasPrefix(a.Val, "#") {
				t.Errorf("reference to %q", a.Val)
			}
			r.refs = append(r.refs, strings.TrimPrefix(a.Val, "#"))
		case "aria-labelledby":
			r.refs = append(r.refs, strings.Fields(a.Val)...)
		case "id":
			if r.ids[a.Val] {
				t.Errorf("id %q stands twice", a.Val)
			}
			r.ids[a.Val] = true
		case "style":
			if strings.ContainsAny(a.Val, "@\\") || strings.Contains(a.Val, "url(") {
				t.Errorf("style %q", a.Val)
			}
		}
	}
}

// each calls f for the elements below n.
func each(n *html.Node, name string, f func(*html.Node)) {
	if n.Type == html.ElementNode && n.Data == name {
		f(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		each(c, name, f)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// pageTable is a table as the page has it.
type pageTable struct {
	Caption string
	Head    []string
	Rows    [][]string
}

func readTable(t *testing.T, n *html.Node) (p pageTable) {
	t.Helper()
	each(n, "caption", func(c *html.Node) { p.Caption = textOf(c) })
	each(n, "th", func(h *html.Node) {
		if s := attribute(h, "scope"); s != "col" && s != "row" {
			t.Errorf("heading %q has no scope", textOf(h))
		}
	})
	each(n, "tr", func(r *html.Node) {
		var cells []string
		for c := r.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode {
				cells = append(cells, textOf(c))
			}
		}
		if r.Parent.Data == "thead" {
			p.Head = cells
		} else {
			p.Rows = append(p.Rows, cells)
		}
	})
	return p
}

// TestPage reads the page back and compares it with the JSON: all tables, cell by cell,
// and all records, word by word.
func TestPage(t *testing.T) {
	d := makeDocument(t, everything(t)...)
	page := written(t, d, "html")
	checkPage(t, page)
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	var read report.Document
	if err := json.Unmarshal([]byte(written(t, d, "json")), &read); err != nil {
		t.Fatal(err)
	}
	want, wantTexts := contentOf(&read)
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var got []pageTable
	each(root, "table", func(n *html.Node) { got = append(got, readTable(t, n)) })
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 15 {
		t.Errorf("%d tables (-JSON +page):\n%s", len(got), diff)
	}
	var texts []string
	for _, mark := range []string{"del", "ins"} {
		each(root, mark, func(n *html.Node) { texts = append(texts, mark+" "+textOf(n)) })
	}
	slices.Sort(texts)
	slices.Sort(wantTexts)
	if diff := cmp.Diff(wantTexts, texts); diff != "" || len(texts) < 10 {
		t.Errorf("changed spans (-JSON +page):\n%s", diff)
	}
	plots := 0
	each(root, "svg", func(n *html.Node) {
		if attribute(n, "role") == "img" {
			plots++
		}
	})
	if plots < 9 {
		t.Errorf("%d plots on the page, expected more", plots)
	}
}

// contentOf returns the tables of a document and the changed spans of its records.
func contentOf(d *report.Document) (tables []pageTable, texts []string) {
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Table != nil {
				pt := pageTable{Caption: p.Table.Caption}
				for _, c := range p.Table.Columns {
					pt.Head = append(pt.Head, c.Name)
				}
				for _, r := range p.Table.Rows {
					var cells []string
					for _, c := range r.Cells {
						cells = append(cells, c.Text)
					}
					pt.Rows = append(pt.Rows, cells)
				}
				tables = append(tables, pt)
			}
			for _, r := range p.Records {
				for _, c := range r.Changes {
					texts = append(texts, changeTexts(c)...)
				}
			}
		}
	}
	return tables, texts
}

// changeTexts returns the changed spans of a change, as marks and texts.
func changeTexts(c report.Change) (list []string) {
	for _, s := range c.Before {
		if s.Changed {
			list = append(list, "del "+s.Text)
		}
	}
	for _, s := range c.After {
		if s.Changed {
			list = append(list, "ins "+s.Text)
		}
	}
	return list
}

// TestHostile puts texts that would break a page everywhere that a text can stand.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=https://x.example/ onerror=alert(1)>`, `</style></title></svg><iframe>`, `{{.Title}}{{template "page"}}`,
		"a\x00b\x1b[31m\u202egnp.exe", "\xff\xfe", `javascript:alert(1)`, `]]><!--`, `'; --`, "| a | b |\n\n# head\n```", strings.Repeat("long ", 1<<16), "",
	} {
		span := []report.Span{{Text: text, Changed: true}}
		cells := []table.Cell{{Text: text}, {Text: text}}
		d := &report.Document{Title: text, Version: text, Command: text, Sections: []report.Section{{ID: "s1", Kind: text, Title: text, Source: text, Parts: []report.Part{{
			ID: "s1-1", Title: text, Text: []string{text}, Code: text,
			Table:   &table.Table{Caption: text, Columns: []table.Column{{Name: text, Long: true}, {Name: text, Code: true}}, Rows: []table.Row{{Cells: cells}}},
			Plot:    &report.Plot{Kind: report.Bars, Title: text, Desc: text, Axis: text, Labels: []string{text}, Series: []report.Series{{Name: text, Points: []report.Point{{Value: 1}}}}},
			Records: []report.Record{{Perturbation: text, DB: text, Content: text, Changes: []report.Change{{What: text, Before: span, After: span}}}},
		}}}}}
		page := written(t, d, "html")
		checkPage(t, page)
		if strings.Contains(text, "<script>") && !strings.Contains(page, "<td class=\"code\">&lt;script&gt;alert(1)&lt;/script&gt;</td>") {
			t.Errorf("%s does not stand on the page as text", text)
		}
		d.Command, d.Sections[0].Parts[0].Code = "", "" // these stand in blocks of code, as they are
		if md := written(t, d, "md"); strings.Contains(md, "<script") || strings.Contains(md, "<img") || strings.Contains(md, "<iframe") {
			t.Errorf("%s stands in the Markdown as HTML", text)
		}
	}
}

// TestCleaned checks what becomes of a hostile text on its way from an input.
func TestCleaned(t *testing.T) {
	name := "a\u0000b\u001b[31m\u202egnp.exe\n\tc " + strings.Repeat("x", 1000)
	data, err := json.Marshal(map[string]any{"predictions": name, "gold": "g", "metrics": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	d := makeDocument(t, write(t, "eval.json", data))
	got := cellOf(t, d, "What was evaluated", "predictions", "value").Text
	want := "a\uFFFDb\uFFFD[31m\uFFFDgnp.exe  c "
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "x…") || len([]rune(got)) != 200 {
		t.Errorf("the name is shown as %q, expected %q… of 200 letters", got, want)
	}
}

// FuzzInput checks that no input breaks the report or its page.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		`{"predictions": "p", "metrics": [{"name": "exact", "levels": [{"name": "all", "questions": 2, "judged": 2, "right": 1}], "wrong": [{"what": "a", "count": 1}]}]}`,
		`[{"metric": "exec", "bootstrap": {"draws": 1, "level": 0.9, "seed": 1}, "rows": [{"perturbation": "a/b", "records": 3, "pre": {"value": 1e308, "low": -1e308, "high": 2}, "change": {"value": 1e-300, "low": null}}]}]`,
		`{"metric": "exact", "models": [{"name": "m", "relations": [{"name": "r", "pairs": 1, "rate": 0.5, "low": 0.1, "high": 1, "types": {"operator": 3}}], "all": {"rate": null, "types": {"operator": -3}}}]}`,
		`{"version": 3, "tried": 3, "neighbours": 4, "schemas": [{"db_id": "a", "neighbours": 4, "curve": [{"tried": 0, "left": 9}, {"tried": 2, "left": -1}], "golds": [{"left": ["a"]}]}]}`,
		`{"version": 1, "columns": [{"db_id": "a", "table": "t", "column": "c", "add": [{"name": "x", "source": "s", "similarity": 1e300}]}]}`,
		`{"version": 1, "split": "dev", "perturbations": [{"name": "a/b", "verified": 3, "weak": 9, "rejected": {"r": -4}, "fluency": {"records": 1, "before": -7, "after": 1e300}}]}`,
		`{"a": {"predictions": "p"}, "b": {}, "max_drop": 1e300, "metrics": [{"name": "m", "levels": [{"name": "all", "judged": -1, "change": {"value": 9}, "mcnemar_p": null, "real": true}], "turned": [{"index": -1, "reason": "x"}]}]}`,
		`{"version": 2, "strategy": "all", "builds": [{"name": "b", "inputs": [{}]}], "relations": [{"name": "r", "rate": 1e300, "drawn": -4}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := report.Make([]string{write(t, "manifest.json", data)}, report.Options{})
		if err != nil {
			return
		}
		checkPage(t, written(t, d, "html"))
		written(t, d, "md")
		written(t, d, "json")
	})
}

// TestKinds checks that an input is known by what it holds, wherever it lies.
func TestKinds(t *testing.T) {
	d := makeDocument(t, append(everything(t), filepath.Join(build(t), "manifest.json"))...)
	var kinds []string
	for _, s := range d.Sections {
		kinds = append(kinds, s.Kind)
	}
	if diff := cmp.Diff(append(report.Kinds(), "build"), kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}
