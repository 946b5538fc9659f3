package dataset

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestInferType(t *testing.T) {
	for _, tc := range []struct {
		cells string // parted by |
		want  Type
	}{
		{"", Text},
		{"-|n/a|", Text},
		{"1|2|-3.5|+4|$1,200.50|45 %|12*", Number},
		{"1990|1991", Number},
		{"1|2|3|4|draw", Number},
		{"1|2|3|draw|draw", Text},
		{"1.2.3|4.5.6", Text},
		{"6-4|7-5", Text},
		{"1-2-3x|x", Text},
		{"yes|No|Y", Boolean},
		{"yes|no|maybe", Text},
		{"2001-02-03|2001/02/03|3.2.2001|2/13/2001", Time},
		{"May 3, 2014|9 June 2014|Sep 1999|12 March", Time},
		{"08:15|9:05 PM|10:15:20", Time},
		{"2001-02-03T04:05:06Z", Time},
		{"2001-99-03|x2001-02-03", Text},
		{"March of 1999|May", Text},
		{"Oslo|Bergen", Text},
		{"٣|४", Text},
	} {
		if got := InferType(strings.Split(tc.cells, "|")); got != tc.want {
			t.Errorf("InferType(%s) = %s, want %s", tc.cells, got, tc.want)
		}
	}
}

// anyLayout tells whether any layout reads a text: what isTime has to tell, slowly.
func anyLayout(s string) bool {
	return slices.ContainsFunc(slices.Concat(digitLayouts[:], wordLayouts[:]), func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	})
}

// TestIsTime compares isTime with all layouts, on times, on times with a character changed,
// and on other text.
func TestIsTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20000 {
		layout := slices.Concat(digitLayouts[:], wordLayouts[:])[rng.IntN(len(digitLayouts)+len(wordLayouts))]
		s := []byte(time.Unix(rng.Int64N(4e9), 0).UTC().Format(layout))
		if rng.IntN(2) == 0 {
			s[rng.IntN(len(s))] = "0123456789-/.:, ,TZaAm"[rng.IntN(22)]
		}
		text := string(s)
		want := len(text) >= 4 && anyLayout(text)
		if want {
			found++
		}
		if got := isTime(text); got != want {
			t.Fatalf("isTime(%q) = %t, but a layout reads it: %t", text, got, want)
		}
	}
	if found < 1000 {
		t.Fatalf("only %d texts were times", found)
	}
}

// BenchmarkInferType infers the types of columns that look like times and reports how many
// times as long trying every layout takes.
func BenchmarkInferType(b *testing.B) {
	columns := [][]string{
		strings.Fields("6-4 7-5 6-2 3-6 6-1"), strings.Fields("1,200.50-1,300 2.4.6.8 1:2:3:4 10/12 4x100"),
		{"2001-02-03", "2001-02-04"}, {"May 3, 2014", "June 9, 2014"},
	}
	var fast, all time.Duration
	for b.Loop() {
		start := time.Now()
		for _, cells := range columns {
			InferType(cells)
		}
		fast += time.Since(start)
		start = time.Now()
		for _, cells := range columns {
			for _, cell := range cells {
				anyLayout(cell)
			}
		}
		all += time.Since(start)
	}
	b.ReportMetric(all.Seconds()/fast.Seconds(), "x-every-layout")
}
