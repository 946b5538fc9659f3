package knowledge

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func small() Data {
	return Data{
		Headers: 10,
		Counts:  []Count{{"name", 9}, {"names", 1}},
		Kinds:   Space{Dim: 2, Terms: []string{"animal", "dog", "dog house", "of"}, Rows: []int8{0, -100, 3, 4, -127, 127, 0, 0}},
		Lemmas:  []Lemma{{2, 255}, {7, 51}, {1, 0}, {255, 0}},
		Metric:  Metric{In: 3, Out: 2, Rows: []float32{1, 0, 0, 0, 0, 2}},
		Columns: Space{Dim: 1, Terms: []string{"name", "name of dog"}, Rows: []int8{5, -6}},
	}
}

func newBase(t *testing.T, d Data) *Base {
	t.Helper()
	b, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSpaces(t *testing.T) {
	b := newBase(t, small())
	half := float32(math.Sqrt(.5))
	for _, tt := range []struct {
		of   func(string) []float32
		term string
		want []float32
	}{
		{b.Kind, "animal", []float32{0, -1}},
		{b.Kind, "dog", []float32{.6, .8}},
		{b.Kind, "dog house", []float32{-half, half}},
		{b.Kind, "of", nil}, // without a direction
		{b.Kind, "name", nil},
		{b.Kind, "", nil},
		{b.Column, "name", []float32{1}},
		{b.Column, "name of dog", []float32{-1}},
		{b.Column, "dog", nil},
	} {
		if diff := cmp.Diff(tt.want, tt.of(tt.term), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%q:\n%s", tt.term, diff)
		}
	}
}

func TestLemmas(t *testing.T) {
	b := newBase(t, small())
	for term, want := range map[string]struct {
		senses  int
		general float32
	}{"animal": {2, 1}, "dog": {7, .2}, "of": {255, 0}, "unknown": {0, 0}} {
		if senses, general := b.Senses(term), b.General(term); senses != want.senses || math.Abs(float64(general-want.general)) > 1e-6 {
			t.Errorf("%q: %d senses, general %v; expected %v", term, senses, general, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	b := newBase(t, small())
	if got := b.Frequency(b.Word("name")); got != .9 {
		t.Errorf("frequency %v, expected 0.9", got)
	}
	common, rare, unseen := b.IDF(b.Word("name")), b.IDF(b.Word("names")), b.IDF(b.Word("other"))
	if !(0 <= common && common < rare && rare < unseen && unseen == 1) {
		t.Errorf("idf %v, %v, %v, expected ascending to 1", common, rare, unseen)
	}
	none := newBase(t, Data{})
	if idf, frequency := none.IDF(none.Word("name")), none.Frequency(0); idf != 1 || frequency != 0 {
		t.Errorf("without headers: idf %v, frequency %v; expected 1, 0", idf, frequency)
	}
}

func TestProject(t *testing.T) {
	b := newBase(t, small())
	for _, tt := range []struct{ vector, want []float32 }{
		{[]float32{3, 9, 2}, []float32{.6, .8}},
		{[]float32{-1, 5, 0}, []float32{-1, 0}},
		{[]float32{0, 1, 0}, nil}, // differs in no direction
		{[]float32{1, 2}, nil},
		{nil, nil},
	} {
		if diff := cmp.Diff(tt.want, b.Project(tt.vector), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%v:\n%s", tt.vector, diff)
		}
	}
	if got := newBase(t, Data{}).Project([]float32{1}); got != nil {
		t.Errorf("%v without a metric, expected none", got)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*Data)
		want  string
	}{
		"kinds too short":   {func(d *Data) { d.Kinds.Rows = d.Kinds.Rows[1:] }, "kinds: 7 values, expected 4 rows of 2"},
		"kinds unsorted":    {func(d *Data) { slices.Reverse(d.Kinds.Terms) }, "kinds: terms are out of order"},
		"columns too long":  {func(d *Data) { d.Columns.Rows = append(d.Columns.Rows, 1) }, "columns: 3 values, expected 2 rows of 1"},
		"columns unsorted":  {func(d *Data) { slices.Reverse(d.Columns.Terms) }, "columns: terms are out of order"},
		"a lemma missing":   {func(d *Data) { d.Lemmas = d.Lemmas[1:] }, "3 lemmas, expected one for each of 4 kinds"},
		"metric too short":  {func(d *Data) { d.Metric.Rows = d.Metric.Rows[1:] }, "metric: 5 values, expected 2 rows of 3"},
		"metric of no size": {func(d *Data) { d.Metric.In = 0 }, "metric: 6 values, expected 2 rows of 0"},
	} {
		d := small()
		tt.spoil(&d)
		if _, err := New(d); err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, expected %s", name, err, tt.want)
		}
	}
}

func TestCodec(t *testing.T) {
	for name, d := range map[string]Data{"small": small(), "empty": {}} {
		data := d.Append(nil)
		got, rest, err := Decode(append(slices.Clone(data), 1, 2))
		if err != nil || len(rest) != 2 {
			t.Fatalf("%s: %v, %d bytes left, expected 2", name, err, len(rest))
		}
		if diff := cmp.Diff(d, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		for n := range data {
			if _, _, err := Decode(data[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes: expected an error", name, n, len(data))
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	metric := func(x float32) []byte {
		data := []byte{0, 0, 0, 0, 0, 0, 1, 1} // one value, and nothing else
		return binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	long := func(n uint64, before ...byte) []byte { return binary.AppendUvarint(before, n) }
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"many words":       {long(1<<21, 10), "2097152 elements in 0 bytes"},
		"more than holds":  {[]byte{10, 2, 0, 0, 0, 0}, "2 elements in 4 bytes"},
		"headers too many": {long(1<<32, []byte{}...), "unexpected end"},
		"shares nothing":   {[]byte{10, 1, 3, 1, 'a', 1}, "text shares 3 bytes of 0"},
		"long text":        {[]byte{10, 1, 0, 9, 'a', 1}, "9 elements in 2 bytes"},
		"kinds too wide":   {long(1025, 10, 0), "1025 components, expected at most 1024"},
		"metric too wide":  {[]byte{10, 0, 0, 0, 0, 0, 0xff, 0x7f, 1}, "metric of 16383 × 1 values"},
		"metric too long":  {[]byte{10, 0, 0, 0, 0, 0, 2, 2, 1}, "metric of 2 × 2 values in 1 bytes"},
		"metric is NaN":    {metric(float32(math.NaN())), "holds NaN"},
		"metric is huge":   {metric(2e6), "holds 2e+06"},
	} {
		if _, _, err := Decode(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, tt.want)
		}
	}
	if _, rest, err := Decode(metric(.5)); err != nil || len(rest) > 0 {
		t.Errorf("a metric of one value: %v, %d bytes left", err, len(rest))
	}
}

func FuzzDecode(f *testing.F) {
	d := small()
	f.Add(d.Append(nil))
	f.Add([]byte{1, 255, 255, 255, 255, 15})
	f.Add([]byte{10, 0, 0, 0, 0, 0, 2, 2, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, _, err := Decode(data)
		if err != nil {
			return
		}
		again, rest, err := Decode(d.Append(nil))
		if diff := cmp.Diff(d, again); err != nil || len(rest) > 0 || diff != "" {
			t.Errorf("encoded and decoded: %v, %d bytes left\n%s", err, len(rest), diff)
		}
		b, err := New(d)
		if err != nil {
			return
		}
		b.Project(make([]float32, d.Metric.In))
		for _, term := range slices.Concat(d.Kinds.Terms, d.Columns.Terms) {
			b.Kind(term)
			b.Column(term)
			b.General(term)
		}
	})
}
