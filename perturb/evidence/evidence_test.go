package evidence

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
)

// clubs is a schema with names that prose uses too.
func clubs() *dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: strings.ToLower(name), Original: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Name: strings.ToLower(c), Original: c, Type: dataset.Text})
		}
		return t
	}
	return &dataset.Database{ID: "clubs", Tables: []dataset.Table{
		table("Member", "ID", "name", "Date", "height", "t_shirt_size", "Free Meal Count (K-12)", "T-CHO", "SM", "link_to_event"),
		table("Event", "ID", "name", "type", "label", "eventName", "A2", "q3"),
		table("order_items", "ID", "price", "Price Paid"),
		table("race", "race", "speed"),
	}}
}

const clubQuery = "SELECT T1.height, T2.type FROM Member AS T1 JOIN Event AS T2 ON T1.link_to_event = T2.ID WHERE T1.name = 'x'"

// marked returns the text with its links in brackets, each with what it stands for.
func marked(text string, links []Link) string {
	var b strings.Builder
	at := 0
	for _, l := range links {
		fmt.Fprintf(&b, "%s⟦%s:%s⟧", text[at:l.Start], text[l.Start:l.End], strings.TrimSuffix(l.Table+"."+l.Column, "."))
		at = l.End
	}
	return b.String() + text[at:]
}

func TestLinks(t *testing.T) {
	db := clubs()
	for _, test := range []struct{ query, evidence, want string }{
		{clubQuery, "tall refers to height > 180", "tall refers to ⟦height:Member.height⟧ > 180"},
		{clubQuery, "height is above 180", "height is above 180"},
		{clubQuery, "the height of a member refers to height", "the height of a member refers to ⟦height:Member.height⟧"},
		{clubQuery, "name refers to name; full name means name = 'name'", "name refers to ⟦name:Member.name⟧; full name means ⟦name:Member.name⟧ = 'name'"},
		{clubQuery, "average height = SUM(height) / COUNT(Member.ID)", "average height = SUM(⟦height:Member.height⟧) / COUNT(⟦Member:Member⟧.⟦ID:Member.ID⟧)"},
		{clubQuery, "height = AVG(height)", "height = AVG(⟦height:Member.height⟧)"},
		{clubQuery, "type = 'Women''s type = Soccer' and type is not null", "⟦type:Event.type⟧ = 'Women''s type = Soccer' and ⟦type:Event.type⟧ is not null"},
		{clubQuery, "'Women's type' is the type; type IN ('a')", "'Women's type' is the type; ⟦type:Event.type⟧ IN ('a')"},
		{clubQuery, `"type" is a value; "label of type = 'x'"`, `"⟦type:Event.type⟧" is a value; "label of type = 'x'"`},
		{clubQuery, "T-shirt in size refers to t_shirt_size = 'M'", "T-shirt in size refers to ⟦t_shirt_size:Member.t_shirt_size⟧ = 'M'"},
		{clubQuery, "rate = `Free Meal Count (K-12)` / 2; Free Meal Count (K-12) > 1; free meal count", "rate = `⟦Free Meal Count (K-12):Member.Free Meal Count (K-12)⟧` / 2; ⟦Free Meal Count (K-12):Member.Free Meal Count (K-12)⟧ > 1; free meal count"},
		{clubQuery, "cholesterol (T-CHO) refers to T-CHO > 250; XT-CHO", "cholesterol (⟦T-CHO:Member.T-CHO⟧) refers to ⟦T-CHO:Member.T-CHO⟧ > 250; XT-CHO"},
		{clubQuery, "normal anti-SM refers to SM IN('-')", "normal anti-SM refers to ⟦SM:Member.SM⟧ IN('-')"},
		{clubQuery, "The first 4 strings of the Date values; the date of it; Date of birth", "The first 4 strings of the ⟦Date:Member.Date⟧ values; the date of it; Date of birth"},
		{clubQuery, "in the Q3 refers to q3 LIKE '1%'", "in the Q3 refers to ⟦q3:Event.q3⟧ LIKE '1%'"},
		{clubQuery, "A2 refers to label; EventName and label; eventname = 'x' of the eventname; 1 = label", "⟦A2:Event.A2⟧ refers to ⟦label:Event.label⟧; ⟦EventName:Event.eventName⟧ and ⟦label:Event.label⟧; ⟦eventname:Event.eventName⟧ = 'x' of the eventname; 1 = label"},
		{clubQuery, "count(ID) > 10", "count(ID) > 10"}, // of Member or of Event
		{clubQuery, "ID in the Event table; T2.name = 'a'", "⟦ID:Event.ID⟧ in the ⟦Event:Event⟧ table; T2.⟦name:Event.name⟧ = 'a'"},
		{clubQuery, "events.name and member.height; other.name", "events.⟦name:Event.name⟧ and ⟦member:Member⟧.⟦height:Member.height⟧; other.name"},
		{clubQuery, "paid refers to Price Paid; price > 3; order_items", "paid refers to ⟦Price Paid:order_items.Price Paid⟧; price > 3; ⟦order_items:order_items⟧"},
		{"SELECT race FROM race", "race = 'human'; race.race; the race; FROM race", "⟦race:race.race⟧ = 'human'; ⟦race:race⟧.⟦race:race.race⟧; the race; FROM ⟦race:race⟧"},
		{"SELECT speed FROM race", "fast refers to (speed, race); 10 < speed < 17; speed.", "fast refers to (⟦speed:race.speed⟧, ⟦race:race.race⟧); 10 < ⟦speed:race.speed⟧ < 17; speed."},
	} {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: test.query, Evidence: test.evidence})
		if err != nil {
			t.Fatal(err)
		}
		if got := marked(test.evidence, Links(ex, db)); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.evidence, got, test.want)
		}
	}
}

func TestCarry(t *testing.T) {
	db := clubs()
	for _, test := range []struct {
		edits          []perturb.Edit
		evidence, want string
	}{
		{[]perturb.Edit{perturb.RenameColumn{Table: "member", Column: "HEIGHT", Name: "stature"}}, "the height refers to Member.height > 1; height > `height`", "the height refers to Member.stature > 1; stature > `stature`"},
		{[]perturb.Edit{perturb.RenameColumn{Table: "Member", Column: "height", Name: "body height"}}, "tall refers to height > 1 and [height] < 2", "tall refers to `body height` > 1 and [body height] < 2"},
		{[]perturb.Edit{perturb.RenameColumn{Table: "Event", Column: "type", Name: "order"}}, "type = 'type'", "`order` = 'type'"},
		{[]perturb.Edit{perturb.RenameColumn{Table: "Event", Column: "name", Name: "title"}}, "name = 'a' and event.name = 'b'", "name = 'a' and event.title = 'b'"},
		{[]perturb.Edit{perturb.RenameTable{Table: "Event", Name: "Meeting"}}, "`Event`.name in the event table", "`Meeting`.name in the Meeting table"},
		{[]perturb.Edit{perturb.RenameTable{Table: "Event", Name: "Meeting"}, perturb.RenameColumn{Table: "Event", Column: "name", Name: "title"}}, "Event.name", "Meeting.title"},
		{[]perturb.Edit{perturb.SplitTable{Table: "Event", Column: "label", NewTable: "event_label", Natural: "event label", Key: "label_id", KeyNatural: "label id"}}, "Event.label and Event.type", "event_label.label and Event.type"},
		{[]perturb.Edit{perturb.MergeTables{Table: "Member", Column: "link_to_event", Reference: "Event", Target: "ID", Columns: []perturb.MergedColumn{
			{Column: "name", Name: "event_name", Natural: "x"}, {Column: "type", Name: "type", Natural: "x"}, {Column: "label", Name: "label", Natural: "x"}, {Column: "eventName", Name: "eventName", Natural: "x"}, {Column: "A2", Name: "A2", Natural: "x"}, {Column: "q3", Name: "q3", Natural: "x"},
		}}}, "Event.name, Event.ID, type = 'x'", "Member.event_name, Member.link_to_event, type = 'x'"},
		{[]perturb.Edit{perturb.Relabel{Table: "Event", Column: "type", Natural: "kind"}}, "type = 'x'", "type = 'x'"},
		{[]perturb.Edit{perturb.RenameTable{Table: "Event", Name: "Meeting"}}, "", ""},
	} {
		before := db.Clone()
		if m, ok := test.edits[0].(perturb.MergeTables); ok {
			from, _ := db.Lookup(m.Table, m.Column)
			to, _ := db.Lookup(m.Reference, m.Target)
			before.ForeignKeys = []dataset.ForeignKey{{Column: from, Target: to}}
		}
		ex, err := perturb.NewExample(before, &dataset.Example{DB: db.ID, Query: clubQuery, Evidence: test.evidence})
		if err != nil {
			t.Fatal(err)
		}
		after, err := perturb.ApplySchema(before, test.edits)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Carry(ex, test.edits, before, after)
		if err != nil || got != test.want {
			t.Errorf("%s\n got %s, %v\nwant %s", test.evidence, got, err, test.want)
		}
		if test.evidence != test.want {
			if got, err := Carry(ex, test.edits, before, before); err == nil {
				t.Errorf("%s: with the wrong schema: %s, expected an error", test.evidence, got)
			}
		}
	}
}

// birdExamples returns the usable examples of a split of BIRD by id, in order.
func birdExamples(tb testing.TB, split string) (list []*perturb.Example, dbs map[string]*dataset.Database) {
	tb.Helper()
	set, err := bird.Read(context.Background(), shared.File(tb, "data", "bird"), split)
	if err != nil {
		tb.Fatal(err)
	}
	dbs = map[string]*dataset.Database{}
	for db := range streamtest.All(set.Databases) {
		if db != nil {
			dbs[db.ID] = db
		}
	}
	for e, err := range streamtest.All(set.Examples) {
		if err != nil {
			tb.Fatal(err)
		}
		ex, err := perturb.NewExample(dbs[e.DB], e)
		if err != nil {
			tb.Fatalf("%s: %v", e.ID, err)
		}
		list = append(list, ex)
	}
	return list, dbs
}

// TestLabels compares links with those that a person marked.
func TestLabels(t *testing.T) {
	examples, dbs := birdExamples(t, "dev")
	byID := map[string]*perturb.Example{}
	for _, ex := range examples {
		byID[ex.ID] = ex
	}
	data, err := os.ReadFile(filepath.Join("testdata", "links.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels, found, right, evidences := 0, 0, 0, 0
	for line := range strings.Lines(string(data)) {
		id, list, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		ex := byID[id]
		var want, got []string
		if list != "" {
			want = strings.Split(list, "; ")
		}
		for _, l := range Links(ex, dbs[ex.DB]) {
			got = append(got, ex.Evidence[l.Start:l.End]+"="+strings.TrimSuffix(l.Table+"."+l.Column, "."))
		}
		if !slices.Equal(got, want) {
			t.Logf("%s: %s\n got %q\nwant %q", id, ex.Evidence, got, want)
		}
		evidences, labels, found = evidences+1, labels+len(want), found+len(got)
		for _, g := range got {
			if i := slices.Index(want, g); i >= 0 {
				right++
				want = slices.Delete(want, i, i+1)
			}
		}
	}
	precision, recall := float64(right)/float64(found), float64(right)/float64(labels)
	t.Logf("%d evidences, %d links labelled, %d found: precision %.3f, recall %.3f", evidences, labels, found, precision, recall)
	if evidences != 60 || precision < 0.97 || recall < 0.95 {
		t.Errorf("precision %.3f and recall %.3f on %d evidences, expected at least 0.97 and 0.95 on 60", precision, recall, evidences)
	}
}

// renameAll returns edits that rename every table and column that links name.
func renameAll(db *dataset.Database, links []Link) (edits []perturb.Edit) {
	seen := map[string]bool{}
	names := perturb.NewFreeNames(db)
	for _, l := range links {
		key := strings.ToLower(l.Table + "\x00" + l.Column)
		if seen[key] {
			continue
		}
		seen[key] = true
		if l.Column == "" {
			if name, ok := names.TakeTable(db.Tables[db.Table(l.Table)].Name + " list"); ok {
				edits = append(edits, perturb.RenameTable{Table: l.Table, Name: name})
			}
			continue
		}
		ref, _ := db.Lookup(l.Table, l.Column)
		if name, ok := names.Take(ref.Table, otherName(db.Column(ref).Name)); ok {
			edits = append(edits, perturb.RenameColumn{Table: l.Table, Column: l.Column, Name: name})
		}
	}
	return edits
}

// otherName puts other words for the words of a name.
func otherName(natural string) string {
	words := map[string]string{
		"name": "title", "date": "day", "type": "kind", "id": "code", "count": "number", "amount": "sum", "price": "cost", "cost": "expense",
		"country": "nation", "element": "component", "label": "tag", "colour": "hue", "score": "points", "time": "moment", "year": "annum",
		"status": "state", "gender": "sex", "sex": "gender", "height": "stature", "language": "tongue", "birthday": "birth date", "spent": "paid",
		"diagnosis": "finding", "first": "given", "last": "family", "power": "might", "text": "wording", "rating": "grade", "goal": "tally",
	}
	out := strings.Fields(natural)
	changed := false
	for i, w := range out {
		if other := words[w]; other != "" {
			out[i], changed = other, true
		}
	}
	if !changed {
		out = append(out, "entry")
	}
	return strings.Join(out, " ")
}

// quotedValue finds values where a formula has them.
var quotedValue = regexp.MustCompile(`(=|>|<|[Ll][Ii][Kk][Ee]|,|\() ?'[^']*'`)

// TestKeeps renames all that evidences of mini-dev name: links are names of the
// schema, none is in a quoted value, and no byte outside of them changes.
func TestKeeps(t *testing.T) {
	examples, dbs := birdExamples(t, "mini_dev")
	total := 0
	for _, ex := range examples {
		db, at := dbs[ex.DB], 0
		links := Links(ex, db)
		total += len(links)
		var outside []string
		for _, l := range links {
			name := l.Column
			if name == "" {
				name = l.Table
			}
			text := ex.Evidence[max(l.Start, at):l.End]
			if l.Start < at || !strings.EqualFold(text, name) {
				t.Fatalf("%s: link %q at %d, expected %q behind %d", ex.Evidence, text, l.Start, name, at)
			}
			for _, v := range quotedValue.FindAllStringIndex(ex.Evidence, -1) {
				if l.Start >= v[0] && l.End <= v[1] {
					t.Fatalf("%s: link %q at %d is in a quoted value", ex.Evidence, text, l.Start)
				}
			}
			outside = append(outside, ex.Evidence[at:l.Start])
			at = l.End
		}
		edits := renameAll(db, links)
		after, err := perturb.ApplySchema(db, edits)
		if err != nil {
			t.Fatal(err)
		}
		carried, err := Carry(ex, edits, db, after)
		if err != nil {
			t.Fatal(err)
		}
		rest := carried
		for i, o := range append(outside, ex.Evidence[at:]) {
			j := strings.Index(rest, o)
			if j < 0 || i == 0 && j != 0 {
				t.Fatalf("%s\nbecame %s\nwithout %q", ex.Evidence, carried, o)
			}
			rest = rest[j+len(o):]
		}
		if rest != "" && at != len(ex.Evidence) || len(edits) == 0 && carried != ex.Evidence {
			t.Fatalf("%s\nbecame %s", ex.Evidence, carried)
		}
	}
	if len(examples) != 500 || total < 1000 {
		t.Errorf("%d examples with %d links, expected 500 with at least 1000", len(examples), total)
	}
}

// TestGolden writes forty perturbed evidences for people to read.
func TestGolden(t *testing.T) {
	examples, dbs := birdExamples(t, "mini_dev")
	r := rand.New(rand.NewPCG(40, 0))
	r.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
	var b bytes.Buffer
	n := 0
	for _, ex := range examples {
		db := dbs[ex.DB]
		links := Links(ex, db)
		edits := renameAll(db, links)
		if len(edits) == 0 || n == 40 {
			continue
		}
		n++
		after, err := perturb.ApplySchema(db, edits)
		if err != nil {
			t.Fatal(err)
		}
		carried, err := Carry(ex, edits, db, after)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n  %s\n  %s\n\n", ex.DB, ex.ID, marked(ex.Evidence, links), carried)
	}
	path := filepath.Join("testdata", "evidence.golden")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" { // the flag of perturbtest

		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("perturbed evidence differs from %s; -update writes it anew", path)
	}
}

func TestCarryDescriptions(t *testing.T) {
	db := clubs()
	height, _ := db.Lookup("Member", "height")
	name, _ := db.Lookup("Event", "name")
	db.Column(height).Description = "height of the member; see t_shirt_size and Event.name"
	db.Column(height).Values = "commonsense evidence: rate = height / `Free Meal Count (K-12)`"
	db.Column(name).Description = "name; height > 1"
	edits := []perturb.Edit{
		perturb.RenameColumn{Table: "Member", Column: "height", Name: "stature"}, perturb.RenameColumn{Table: "Member", Column: "Free Meal Count (K-12)", Name: "meals"},
		perturb.RenameColumn{Table: "Member", Column: "t_shirt_size", Name: "size"}, perturb.RenameColumn{Table: "Event", Column: "name", Name: "title"},
	}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	if err := CarryDescriptions(db, after, edits); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[dataset.ColumnRef][2]string{
		height: {"height of the member; see size and Event.title", "commonsense evidence: rate = stature / `meals`"},
		name:   {"name; height > 1", ""},
	} {
		if c := after.Column(ref); c.Description != want[0] || c.Values != want[1] {
			t.Errorf("%s: %q, %q, expected %q", c.Original, c.Description, c.Values, want)
		}
	}
	if c := db.Column(height); !strings.Contains(c.Description, "t_shirt_size") {
		t.Errorf("the schema before changed: %q", c.Description)
	}
}

func FuzzLinks(f *testing.F) {
	db := clubs()
	for _, s := range []string{"tall refers to height > 1", "'a''b' `x` [ID] T1.name", "'", "`", "[", "Event.", ".name", "T-CHO-T-CHO", "\xff'\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, evidence string) {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: clubQuery, Evidence: evidence})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, l := range Links(ex, db) {
			name := l.Column
			if name == "" {
				name = l.Table
			}
			if l.Start < at || l.End > len(evidence) || !strings.EqualFold(evidence[l.Start:l.End], name) {
				t.Fatalf("link %+v of %q", l, evidence)
			}
			at = l.End
		}
	})
}
