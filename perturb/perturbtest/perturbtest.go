// Package perturbtest tests perturbations on the embedded sample.
//
// [GoldenAll] runs perturbations as the driver of benchmarks does and compares
// all that comes of each, a verdict from execution for each example included,
// with a golden file of the caller's package:
//
//	func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, adveta.All) }
//
// The names that it may use are those of testdata/buckets.json. The flag
// -update writes the golden files.
package perturbtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

var update = flag.Bool("update", false, "write the golden files")

// The run that golden files hold.
const (
	goldenSamples = 2
	goldenSeed    = 1
)

// WriteSample writes the embedded sample as a data directory that lives as long
// as the test, and returns its path. Its split is "dev".
func WriteSample(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := sample.WriteData(tb.Context(), dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Units returns the units of a data directory's split "dev", which must read
// without any error.
func Units(tb testing.TB, dir string) []*dataset.Unit {
	tb.Helper()
	units, err := dataset.Units(dir, "dev", func(err error) { tb.Error(err) })
	if err != nil {
		tb.Fatal(err)
	}
	return units
}

// HumanNames returns the names that ADVETA's people chose for Spider, or skips the test
// if there is no public data.
func HumanNames(tb testing.TB, units []*dataset.Unit) dataset.Buckets {
	tb.Helper()
	var all []dataset.Buckets
	for _, name := range []string{"spider-rpl-candidates.json", "spider-add-candidates.json"} {
		b, err := dataset.ReadAnyBuckets(shared.File(tb, "data", "adveta", name), dataset.Databases(units), func(error) {})
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, b)
	}
	return dataset.MergeBuckets(all...)
}

// Examples returns the examples of a unit, parsed and resolved.
func Examples(tb testing.TB, u *dataset.Unit) []*perturb.Example {
	tb.Helper()
	examples := make([]*perturb.Example, len(u.Examples))
	for i, ex := range u.Examples {
		var err error
		if examples[i], err = perturb.NewExample(u.DB, ex); err != nil {
			tb.Fatalf("%s:%d: %v", u.DB.ID, ex.Index, err)
		}
	}
	return examples
}

// Buckets reads a file of buckets for the units, which must read without any
// warning.
func Buckets(tb testing.TB, path string, units []*dataset.Unit) dataset.Buckets {
	tb.Helper()
	buckets, err := dataset.ReadAnyBuckets(path, dataset.Databases(units), func(err error) { tb.Error(err) })
	if err != nil {
		tb.Fatal(err)
	}
	return buckets
}

// Rejection is an example that a perturbation makes no variant of.
type Rejection struct {
	Example, Sample int
	Reason          perturb.Reason
	Detail          string
}

// String returns the reason in words.
func (r Rejection) String() string {
	return (&perturb.Refusal{Reason: r.Reason, Detail: r.Detail}).Error()
}

// Resources returns the embedded lexicon.
func Resources() perturb.Resources {
	return perturb.Resources{
		Dictionary: lexicon.DefaultDictionary(), Headings: heading.Default, Abbreviations: lexicon.DefaultAbbreviations(), Domains: lexicon.DefaultDomainWords(),
		Contrasts: lexicon.DefaultContrasts(), Vectors: lexicon.Default(), Attributes: lexicon.DefaultAttributes,
	}
}

// NewPass returns a pass over examples of db with the embedded lexicon, and with the content of db if it has a
// file. It ignores reported variants and rejections.
func NewPass(tb testing.TB, p *perturb.Perturbation, db *dataset.Database, examples []*perturb.Example, samples int, seed uint64) *perturb.Pass {
	tb.Helper()
	pass := &perturb.Pass{
		Resources: Resources(), Context: tb.Context(), DB: db, Examples: examples, Samples: samples,
		Report: func(perturb.Variant) {}, Reject: func(*perturb.Example, int, perturb.Reason, ...string) {},
	}
	if db.SQLite != "" {
		var err error
		if pass.Content, err = perturb.OpenContent(tb.Context(), db, db.SQLite); err != nil {
			tb.Fatal(err)
		}
		content := pass.Content
		tb.Cleanup(func() { content.Close() })
	}
	pass.Seed(seed, p)
	return pass
}

// Run runs a perturbation over examples of db and returns its variants and rejections.
func Run(tb testing.TB, p *perturb.Perturbation, db *dataset.Database, examples []*perturb.Example, buckets dataset.Buckets, samples int, seed uint64) (variants []perturb.Variant, rejected []Rejection) {
	tb.Helper()
	pass := NewPass(tb, p, db, examples, samples, seed)
	pass.Buckets = buckets
	return RunPass(tb, p, pass)
}

// RunPass runs a perturbation over a pass and returns its variants and rejections. A reason that is not in
// perturb/reasons.txt fails the test.
func RunPass(tb testing.TB, p *perturb.Perturbation, pass *perturb.Pass) (variants []perturb.Variant, rejected []Rejection) {
	tb.Helper()
	pass.Report = func(v perturb.Variant) { variants = append(variants, v) }
	pass.Reject = func(ex *perturb.Example, sample int, reason perturb.Reason, detail ...string) {
		if !reason.Known() {
			tb.Errorf("%s: rejects for %q, which is no line of perturb/reasons.txt", p.Name, reason)
		}
		rejected = append(rejected, Rejection{ex.Index, sample, reason, strings.Join(detail, "")})
	}
	if err := p.Run(pass); err != nil {
		tb.Fatalf("%s: %s: %v", p.Name, pass.DB.ID, err)
	}
	return variants, rejected
}

// GoldenAll runs each perturbation of a family over the sample with the embedded
// lexicon and the names of testdata/buckets.json, if there is such a file; each
// function of adjust may change the pass first. It compares the variants with
// testdata/NAME.golden, NAME without its family. For each variant that file has
// the edits as JSON, and for each example the question, if it changes, the gold SQL
// before and after, and the verdict. The perturbations share their examples, as
// those of a build do.
func GoldenAll(t *testing.T, all []*perturb.Perturbation, adjust ...func(*perturb.Pass)) {
	t.Helper()
	s := loadSample(t)
	for _, p := range all {
		t.Run(path.Base(p.Name), func(t *testing.T) { s.golden(t, p, adjust) })
	}
}

// goldenInput is the sample with the names of testdata/buckets.json.
type goldenInput struct {
	units    []*dataset.Unit
	examples [][]*perturb.Example // by unit
	memos    []perturb.Memo       // by unit
	buckets  dataset.Buckets
}

// loadSample reads the embedded sample, and testdata/buckets.json if it exists.
func loadSample(t *testing.T) *goldenInput {
	t.Helper()
	s := &goldenInput{units: Units(t, WriteSample(t))}
	s.memos = make([]perturb.Memo, len(s.units))
	for _, u := range s.units {
		s.examples = append(s.examples, Examples(t, u))
	}
	file := filepath.Join("testdata", "buckets.json")
	if _, err := os.Stat(file); err == nil {
		s.buckets = Buckets(t, file, s.units)
	}
	return s
}

// golden runs a perturbation on the sample and compares its variants and rejections with testdata/NAME.golden. It calls the
// functions adjust with each pass before it runs.
func (s *goldenInput) golden(t *testing.T, p *perturb.Perturbation, adjust []func(*perturb.Pass)) {
	t.Helper()
	var got bytes.Buffer
	fmt.Fprintf(&got, "# %s version %d, relation %s: %d samples of seed %d\n", p.Name, p.Version, p.Relation, goldenSamples, goldenSeed)
	for i, u := range s.units {
		pass := NewPass(t, p, u.DB, s.examples[i], goldenSamples, goldenSeed)
		pass.Buckets, pass.Memo = s.buckets, &s.memos[i]
		for _, f := range adjust {
			f(pass)
		}
		variants, rejected := RunPass(t, p, pass)
		c := newChecker(t, p.Relation, u.DB, pass.Examples)
		for _, v := range variants {
			c.writeVariant(t, &got, v)
		}
		for _, r := range rejected {
			fmt.Fprintf(&got, "\n%s, sample %d, example %d: %s\n", u.DB.ID, r.Sample, r.Example, r)
		}
	}
	Compare(t, filepath.Join("testdata", path.Base(p.Name)+".golden"), got.Bytes())
}

// Applied is a unit after a variant's edits.
type Applied struct {
	DB       *dataset.Database
	Examples []*dataset.Example       // after the edits; those refused are left out
	Refused  map[int]*perturb.Refusal // by the Index of the example
}

// Apply makes a variant's edits, which must fit the schema, and executes nothing.
func Apply(tb testing.TB, db *dataset.Database, v perturb.Variant) *Applied {
	tb.Helper()
	after, err := verify.Schema(db, v.Edits)
	if err != nil {
		tb.Fatal(err)
	}
	a := &Applied{DB: after, Refused: map[int]*perturb.Refusal{}}
	for _, ex := range v.Examples {
		post, err := verify.Apply(ex, v.Edits, db, after)
		refusal, refused := errors.AsType[*perturb.Refusal](err)
		switch {
		case refused:
			a.Refused[ex.Index] = refusal
		case err != nil:
			tb.Fatalf("%s:%d: %v", db.ID, ex.Index, err)
		default:
			a.Examples = append(a.Examples, post)
		}
	}
	return a
}

// checker verifies the variants of one unit as a build does.
type checker struct {
	verify.Verifier
	contents []*verify.Content
}

// newChecker returns a checker with the answers of the examples' gold SQL on the database's own
// content and, for examples whose answer there could not show a change, on generated content.
func newChecker(t *testing.T, relation perturb.Relation, db *dataset.Database, examples []*perturb.Example) *checker {
	t.Helper()
	c := &checker{Verifier: verify.Verifier{DB: db, Relation: relation, Seed: goldenSeed}}
	t.Cleanup(func() { c.Close() })
	original := verify.Original(db.SQLite)
	c.answer(t, original, examples)
	if weak := original.Weak(examples); len(weak) > 0 {
		second, err := verify.Generate(t.Context(), filepath.Join(t.TempDir(), "generated.sqlite"), db, weak, goldenSeed)
		if err != nil {
			t.Fatal(err)
		}
		c.answer(t, second, weak)
	}
	return c
}

// answer adds a content after it runs the gold SQL of examples on it, which must not fail.
func (c *checker) answer(t *testing.T, content *verify.Content, examples []*perturb.Example) {
	t.Helper()
	failed, err := content.Answer(t.Context(), examples, c.Limits, 1)
	if err != nil || len(failed) > 0 {
		t.Fatalf("%s: gold SQL fails: %v, %v", c.DB.ID, failed, err)
	}
	c.contents = append(c.contents, content)
}

// target applies a variant's edits to the schema and to a copy of every content.
func (c *checker) target(t *testing.T, edits []perturb.Edit) *verify.Target {
	t.Helper()
	schema, err := verify.Schema(c.DB, edits)
	if err != nil {
		t.Fatal(err)
	}
	target := &verify.Target{Schema: schema}
	for _, content := range c.contents {
		path := filepath.Join(t.TempDir(), "after.sqlite")
		if err := perturb.ApplyContent(t.Context(), content.Path, path, edits); err != nil {
			t.Fatal(err)
		}
		db, err := engine.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		target.Runs = append(target.Runs, verify.Run{Content: content, After: db})
	}
	return target
}

// writeVariant checks a variant and writes its edits and the verdict on each of its examples.
func (c *checker) writeVariant(t *testing.T, w *bytes.Buffer, v perturb.Variant) {
	t.Helper()
	if err := c.Relation.Allows(v.Edits); err != nil {
		t.Error(err)
	}
	target := c.target(t, v.Edits)
	fmt.Fprintf(w, "\n%s, sample %d\n", target.Schema.ID, v.Sample)
	for _, e := range v.Edits {
		data, err := perturb.MarshalEdits([]perturb.Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "  %s\n", data[1:len(data)-1]) // without the array's brackets
	}
	for _, ex := range v.Examples {
		after, err := c.Check(t.Context(), ex, v.Edits, target)
		if refusal, ok := errors.AsType[*perturb.Refusal](err); ok {
			fmt.Fprintf(w, "  %d before: %s\n  %d refused: %v\n", ex.Index, ex.Query, ex.Index, refusal)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if after.Question != ex.Question {
			fmt.Fprintf(w, "  %d asked: %s\n  %d now: %s\n", ex.Index, ex.Question, ex.Index, after.Question)
		}
		if after.Question == ex.Question || after.Query != ex.Query {
			fmt.Fprintf(w, "  %d before: %s\n  %d %s: %s\n", ex.Index, ex.Query, ex.Index, c.verdict(after), after.Query)
		}
	}
}

// verdict describes an example that passed the check: "verified" or, for retargeted gold SQL, whether its answer on the
// sample's own content is the original's.
func (c *checker) verdict(after *verify.Verified) string {
	switch {
	case c.Relation == perturb.Retargeted && after.SameAnswer:
		return "runs, same answer here"
	case c.Relation == perturb.Retargeted:
		return "runs, other answer"
	}
	return "verified"
}

// Query runs SQL on the SQLite file at path.
func Query(tb testing.TB, path, sql string) *sqldata.Result {
	tb.Helper()
	db, err := engine.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(tb.Context(), sql, sqldata.Limits{})
	if err != nil {
		tb.Fatalf("%s: %s: %v", path, sql, err)
	}
	return res
}

// Compare compares got with a golden file, which -update writes.
func Compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update where the change is meant):\n%s", file, diff)
	}
}
