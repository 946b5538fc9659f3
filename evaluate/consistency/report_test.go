package consistency

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// models returns the tallies of two models: the first errs on every tenth pair of
// prefix-removal, the second on every fourth of both relations.
func models() []*Tally {
	careful, careless := NewTally("careful"), NewTally("careless & <bold>")
	for i := range 120 {
		db := string(rune('a' + i%6))
		for _, relation := range []string{"mtteql/prefix-removal", "mtteql/opaque-key"} {
			right, wrong := Outcome{Verdict: verdict.Right}, Outcome{Verdict: verdict.Wrong, Difference: Difference{TableJoining, []Clause{From}}}
			if i%3 == 0 {
				wrong.Difference = Difference{ComplexQuery, []Clause{Select, Where}}
			}
			if relation == "mtteql/prefix-removal" && i%10 == 0 {
				careful.Add(relation, db, wrong)
			} else {
				careful.Add(relation, db, right)
			}
			switch {
			case i%4 == 0:
				careless.Add(relation, db, wrong)
			case i%60 == 1:
				careless.Add(relation, db, *unjudged(NoSQLs))
			default:
				careless.Add(relation, db, right)
			}
		}
	}
	return []*Tally{careful, careless}
}

func TestReport(t *testing.T) {
	r := NewReport("exact", models(), stats.Bootstrap{Draws: 200, Seed: 1})
	r.How = "official exact set match"
	if all := r.Models[0].All; all.Pairs != 240 || all.Errors != 12 || float64(all.Rate) != 0.05 || all.Assessment != Good || r.Models[0].Score != 1 {
		t.Errorf("careful: %+v, score %v", all, r.Models[0].Score)
	}
	if all := r.Models[1].All; all.Pairs != 236 || all.Errors != 60 || all.Unjudged[NoSQLs] != 4 || all.Types[ComplexQuery]+all.Types[TableJoining] != 60 || all.Clauses[Where] != all.Types[ComplexQuery] {
		t.Errorf("careless: %+v", all)
	}
	for _, name := range append(table.Formats(), "svg") {
		var b bytes.Buffer
		write := func(w io.Writer) error { return r.Write(w, name) }
		if name == "svg" {
			write = r.WriteHeatMap
		}
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "report."+name)
		if *update {
			if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(golden, b.Bytes(), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs from the golden file, %v:\n%s", name, err, b.Bytes())
		}
	}
	if err := r.Write(io.Discard, "xml"); err == nil {
		t.Error("format xml: no error")
	}
}

// What mix --strategy adaptive reads.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := NewReport("exact", models()[:1], stats.Bootstrap{Draws: 50}).Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Models []struct {
			Name      string
			Relations []struct {
				Name            string
				Pairs, Errors   int
				Rate, Low, High *float64
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r := got.Models[0].Relations[0]
	if r.Name != "mtteql/prefix-removal" || r.Pairs != 120 || r.Errors != 12 || *r.Rate != 0.1 || *r.Low > *r.Rate || *r.High < *r.Rate {
		t.Errorf("%+v", r)
	}
	if a := got.Models[0].Name; a != "careful" || strings.Contains(b.String(), "assessment") {
		t.Errorf("a single model is assessed: %s", b.String())
	}
}

// A heat map is well-formed XML whatever models are called, and has a cell for each
// model and relation.
func TestHeatMap(t *testing.T) {
	tallies := append(models(), NewTally("without\x00pairs\xff"))
	tallies[2].Add("mtteql/opaque-key", "a", *unjudged(NoSchema))
	var b bytes.Buffer
	if err := NewReport("exec", tallies, stats.Bootstrap{Draws: 50}).WriteHeatMap(&b); err != nil {
		t.Fatal(err)
	}
	rects := 0
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			rects++
		}
	}
	if rects != 1+3*3 {
		t.Errorf("%d rectangles, expected the ground and 9 cells", rects)
	}
}

// The paper's own figures: the rates of SyntaxSQLNet and IRNet (table 7) on the
// numbers of inputs of table 6.
func TestAllIsPooled(t *testing.T) {
	pairs := []int{6370, 199, 8266, 639, 8707, 2018, 3697, 2575, 6675, 8707, 11775, 2802}
	for _, model := range []struct {
		rates []float64
		all   string
	}{
		{[]float64{8.2, 8.0, 6.7, 13.3, 2.4, 2.7, 1.3, 2.1, 1.1, 1.5, 1.7, 0.8}, "3.2"},
		{[]float64{7.5, 11.2, 7.0, 37.8, 2.4, 6.6, 5.2, 2.8, 2.1, 2.1, 1.6, 2.1}, "4.0"},
	} {
		tally := NewTally("m")
		for i, n := range pairs {
			errors := int(math.Round(model.rates[i] / 100 * float64(n)))
			for j := range n {
				tally.Add(string(rune('a'+i)), "db", Outcome{Verdict: verdict.Of(j >= errors)})
			}
		}
		all := tally.Model(stats.Bootstrap{}).All
		if all.Pairs != 62430 || all.Rate.Percent() != model.all {
			t.Errorf("%d pairs, %s%%; the paper has %s%%", all.Pairs, all.Rate.Percent(), model.all)
		}
		if all.Low.Defined() {
			t.Error("one database has an interval")
		}
	}
}

func TestAssess(t *testing.T) {
	none := stats.Undefined()
	for _, test := range []struct {
		name  string
		rates []stats.Number
		marks string
	}{
		// The means are 3; half a deviation is 1, and below that 0.65.
		{"two", []stats.Number{1, 5}, "+-"},
		{"six", []stats.Number{1, 2, 4, 5, 3, 3}, "++--=="},
		{"equal", []stats.Number{0.1, 0.1, 0.1}, "==="},
		{"one", []stats.Number{0.1}, ""},
		{"one of two", []stats.Number{0.1, none}, ""},
		{"with one that has none", []stats.Number{1, none, 5}, "+-"},
		{"none", nil, ""},
		// Table 7, synonym substitution: mean 21.1, deviation 8.1.
		{"paper", []stats.Number{13.3, 16.7, 37.8, 25.4, 18.3, 21.8, 29.9, 14.1, 12.4}, "++--==-++"},
	} {
		var marks string
		for _, a := range Assess(test.rates) {
			marks += a.Mark()
		}
		if marks != test.marks {
			t.Errorf("%s: %q, want %q", test.name, marks, test.marks)
		}
	}
}
