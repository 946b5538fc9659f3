package numeral

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes numerals as "text=value style", doubtful ones with "?".
func show(question string, found []Numeral) string {
	var out []string
	for _, n := range found {
		mark := ""
		if n.Doubtful {
			mark = "?"
		}
		out = append(out, fmt.Sprintf("%s=%v %s%s", question[n.Start:n.End], n.Value, [...]string{"digits", "ordinal", "word", "ordinal word"}[n.Style], mark))
	}
	return strings.Join(out, "; ")
}

func TestFind(t *testing.T) {
	for _, test := range []struct{ question, want string }{
		{"cars with more than 4 cylinders?", "4=4 digits"},
		{"The 3 youngest of 1,234 singers, 3.5 on average.", "3=3 digits; 1,234=1234 digits; 3.5=3.5 digits"},
		{"the 3rd, 21st and 11th", "3rd=3 ordinal; 21st=21 ordinal; 11th=11 ordinal"},
		{"3th of 2nd", "2nd=2 ordinal"},
		{"more than three", "three=3 word"},
		{"Twenty-Five or thirty two", "Twenty-Five=25 word; thirty two=32 word"},
		{"the third and the twenty-first", "third=3 ordinal word; twenty-first=21 ordinal word"},
		{"twenty first graders", "twenty=20 word; first=1 ordinal word"},
		{"two hundred and five of a thousand", "two hundred and five=205 word; a thousand=1000 word"},
		{"between one hundred and two hundred", "one hundred=100 word; two hundred=200 word"},
		{"two million five thousand ten", "two million five thousand ten=2.00501e+06 word"},
		{"three thousand four million", "three thousand=3000 word; four million=4e+06 word"},
		{"more than 8 million or 1.5 thousand", "8 million=8e+06 digits; 1.5 thousand=1500 digits"},
		{"below -3.5 degrees", "-3.5=-3.5 digits"},
		{"more than one, at least one", "one=1 word; one=1 word"},
		{"which one is the one", "one=1 word?; one=1 word?"},
		{"the first name of the second", "first=1 ordinal word?; second=2 ordinal word"},
		{"two-thirds of one-way flights", "two=2 word?; one=1 word?"},
		{"4-cylinder cars", "4=4 digits"},
		{"in 1990, 1991, and 1992.", "1990=1990 digits; 1991=1991 digits; 1992=1992 digits"},
		{"$50 or 5%", "50=50 digits; 5=5 digits"},
		{`id "5" (3)`, "5=5 digits; 3=3 digits"},
		{"A340, T1, F-16, 747-400, 2009-01-01, 1/2, 10:30, 1980s, 1990's, 007, 10K, 1.2.3, id_3, 1e5, 12,34, v.3", ""},
		{"someone, anyone, tense, often, attend", ""},
		{"1234567890123456", ""},
		{"one hundredth and a hundredth", "one hundredth=100 ordinal word"},
		{"", ""},
	} {
		if got := show(test.question, Find(test.question)); got != test.want {
			t.Errorf("Find(%q):\n got %s\nwant %s", test.question, got, test.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		text string
		v    float64
		want string // "" where there is no such form
	}{
		{"3", 4, "4"},
		{"3", 4.5, ""},
		{"3.5", 4, "4.0"},
		{"3.50", 4.25, "4.25"},
		{"3.5", 4.25, ""},
		{"1,234", 999, "999"},
		{"1,234", 12345678, "12,345,678"},
		{"1,234.5", 1234567.5, "1,234,567.5"},
		{"1234", 12345, "12345"},
		{"-3", -4, "-4"},
		{"-3", 4, "4"},
		{"8 million", 9e6, "9 million"},
		{"8 million", 8000001, ""},
		{"3rd", 4, "4th"},
		{"3rd", 21, "21st"},
		{"3RD", 12, "12TH"},
		{"three", 4, "four"},
		{"Three", 25, "Twenty-five"},
		{"THREE", 25, "TWENTY-FIVE"},
		{"Twenty-Five", 31, "Thirty-One"},
		{"twenty five", 31, "thirty one"},
		{"three", -1, ""},
		{"three", 3.5, ""},
		{"two hundred and five", 1310, "one thousand three hundred ten"},
		{"third", 4, "fourth"},
		{"Third", 40, "Fortieth"},
		{"third", 112, "one hundred twelfth"},
		{"third", 0, ""},
	} {
		n, ok := Parse(test.text)
		if !ok {
			t.Errorf("%q is no numeral", test.text)
			continue
		}
		got, ok := n.Format(test.v)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%q as %v: %q, %t, want %q", test.text, test.v, got, ok, test.want)
		}
	}
}

// TestWords reads back every number that is written in words.
func TestWords(t *testing.T) {
	for v := 0; v < 2_000_000_000; v += 1 + v/7 {
		n, ok := Parse(Words(v))
		if !ok || n.Value != float64(v) || n.Style != Word {
			t.Errorf("%d: %q reads as %v, %t", v, Words(v), n.Value, ok)
		}
		if v == 0 || v > 999 {
			continue
		}
		if n, ok := Parse(OrdinalWords(v)); !ok || n.Value != float64(v) || n.Style != OrdinalWord {
			t.Errorf("%d: %q reads as %v, %t", v, OrdinalWords(v), n.Value, ok)
		}
	}
	if diff := cmp.Diff([]string{"", "", ""}, []string{Words(-1), OrdinalWords(1000), Words(1_000_000_000_000)}); diff != "" {
		t.Error(diff)
	}
}

// FuzzFind checks that spans lie in order inside the question, and that a number
// in a numeral's format reads back.
func FuzzFind(f *testing.F) {
	f.Add("the 3rd of 1,234.5 in twenty-five", 7.0)
	f.Add("two hundred and five, one million and Third", 1e9)
	f.Add("-3 8 million \xff 9éme ٣ 1_000", -2.5)
	f.Fuzz(func(t *testing.T, question string, v float64) {
		at := 0
		for _, n := range Find(question) {
			if n.Start < at || n.End <= n.Start || n.End > len(question) {
				t.Fatalf("%q: span %d to %d after %d", question, n.Start, n.End, at)
			}
			at = n.End
			for _, v := range []float64{n.Value, v} {
				text, ok := n.Format(v)
				if !ok {
					continue
				}
				if back, ok := Parse(text); !ok || back.Value != v || back.Style != n.Style {
					t.Errorf("%q as %v: %q reads as %v, %t", question[n.Start:n.End], v, text, back.Value, ok)
				}
			}
			if _, ok := n.Format(n.Value); !ok {
				t.Errorf("%q: its own value %v has no form", question[n.Start:n.End], n.Value)
			}
		}
	})
}
