package spidersyn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb"
)

// clinic is a database whose names bring out the rules.
func clinic() *dataset.Database {
	column := func(name, original string, t dataset.Type) dataset.Column {
		return dataset.Column{Name: name, Original: original, Type: t}
	}
	return &dataset.Database{ID: "clinic", Tables: []dataset.Table{
		{Name: "patient", Original: "patient", Columns: []dataset.Column{
			column("id", "id", dataset.Number), column("first name", "first_name", dataset.Text), column("name", "name", dataset.Text),
			column("age", "age", dataset.Number), column("kind", "kind", dataset.Text), column("town", "town", dataset.Text),
			column("order", "order_no", dataset.Number), column("is mobile", "is_mobile", dataset.Text), column("seats", "seats", dataset.Number),
			column("price", "price", dataset.Number),
		}},
		{Name: "physician", Original: "physician", Columns: []dataset.Column{
			column("physician name", "physician_name", dataset.Text), column("home town", "home_town", dataset.Text), column("city", "city", dataset.Text),
			column("visit fee", "fee", dataset.Number), column("ward class", "ward", dataset.Text),
		}},
	}}
}

const thesaurus = `
animal: creature
cat: kitten
creature: animal
doctor: medic
fee: charge, price
charge: fee
price: fee
first name: given name, forename
given name: first name
id: identifier
identifier: id
invalid: patient
kind: type, variety
kind deed: nice deed
nice deed: kind deed
type: variety
variety: type
kitten: cat
medic: doctor
mobile: movable
movable: mobile
name: title
order: command
command: order
patient: sick person, invalid, doctor
sick person: patient
physician: doctor
seat: number of chairs
seats: number of chairs
number of chairs: seats
title: name
town: city
city: town
visit fee: cost of a visit
cost of a visit: visit fee
ward class: department level
department level: ward class
`

// The senses of the clinic's names.
const (
	tableSenses  = "thing: patient = invalid = sick person = doctor, physician = doctor"
	columnSenses = `
first name
  sense*: of a person
  replace: given name, forename
kind
  sense*: of a patient
  replace: type, variety
mobile
  sense*: can be moved
  replace: movable
order
  sense*: of a patient
  replace: command
price
  sense*: of a treatment
  replace: cost
seats
  sense*: how many there are
  replace: number of chairs
town
  sense*: of a patient
  replace: city
city
  sense*: of a physician
  replace: place of residence
visit fee
  sense*: of a visit
  replace: consultation fee
ward class
  sense*: of a physician
  replace: department level
`
)

func resourcesOf(t testing.TB) perturb.Resources {
	fail := func(err error) { t.Error(err) }
	classes, err := heading.ReadClasses("test", strings.NewReader(tableSenses), fail)
	if err != nil {
		t.Fatal(err)
	}
	headings, err := heading.Read(classes, "test", strings.NewReader(columnSenses), fail)
	if err != nil {
		t.Fatal(err)
	}
	dict, err := lexicon.ReadThesaurus("test", strings.NewReader(thesaurus), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	contrasts, err := lexicon.ReadContrasts("test", strings.NewReader("role: patient | doctor\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return perturb.Resources{Dictionary: lexicon.Forms{Dictionary: dict}, Headings: func() *heading.Thesaurus { return headings }, Contrasts: contrasts}
}

func exampleOf(t testing.TB, db *dataset.Database, question, query string) *perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: question, Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return ex
}

// questionsOf runs Substitution over one example.
func questionsOf(t testing.TB, res perturb.Resources, ex *perturb.Example, db *dataset.Database, samples int) (now []string, reason perturb.Reason) {
	p := &perturb.Pass{
		Resources: res, Context: t.Context(), DB: db, Examples: []*perturb.Example{ex}, Samples: samples,
		Report: func(v perturb.Variant) {
			if v.Sample != len(now) {
				t.Errorf("sample %d, expected %d", v.Sample, len(now))
			}
			q, err := perturb.ApplyQuestion(ex.Question, v.Edits)
			if err != nil {
				t.Fatal(err)
			}
			now = append(now, q)
		},
		Reject: func(_ *perturb.Example, _ int, r perturb.Reason, _ ...string) { reason = r },
	}
	p.Seed(1, Substitution)
	if err := Substitution.Run(p); err != nil {
		t.Fatal(err)
	}
	return now, reason
}

func TestSubstitutionRules(t *testing.T) {
	const (
		patients = "SELECT id, age FROM patient"
		kinds    = "SELECT kind FROM patient"
		fees     = "SELECT fee FROM physician"
		wards    = "SELECT ward FROM physician"
		prices   = "SELECT price FROM patient"
	)
	for _, tt := range []struct {
		name, question, query, want string
		reason                      perturb.Reason
	}{
		{"plural", "How many patients are there?", patients, "How many invalids are there?", ""},
		{"possessive", "Which patient's id is largest?", patients, "Which invalid's id is largest?", ""},
		{"capital", "Patients with a kind?", patients, "Invalids with a kind?", ""},
		{"one word, one synonym", "Is a patient a patient?", patients, "Is an invalid an invalid?", ""},
		{"reserved", "List every id, age and name.", patients, "", noSynonym},
		{"reserved in a phrase stays", "List the first name.", "SELECT first_name FROM patient", "List the given name.", ""},
		{"names another item", "Which town?", "SELECT town FROM patient", "", noSynonym},
		{"not of the SQL", "Show each kind.", patients, "", noLink},
		{"no link", "How many are there?", patients, "", noLink},
		{"quoted", "Which kind is 'kind'?", kinds, "Which type is 'kind'?", ""},
		{"imperative", "Order the lot by kind.", "SELECT order_no, kind FROM patient", "Order the lot by type.", ""},
		{"a boolean's adjective", "How many are mobile?", "SELECT is_mobile FROM patient", "", noLink},
		{"no value", "Is the kind a cat?", "SELECT id FROM patient WHERE kind = 'cat'", "Is the type a cat?", ""},
		{"no word of a value", "Who is of the mixed kind?", "SELECT id FROM patient WHERE kind = 'mixed kind'", "", noSynonym},
		{"not beside an instance", "Who is of kind Oslo?", "SELECT id FROM patient WHERE kind = 'O'", "", noSynonym},
		{"nor of one", "Who is of the kind of Oslo?", "SELECT id FROM patient WHERE kind = 'O'", "", noSynonym},
		{"nor of one in quotes", "Who is of the kind 'x'?", "SELECT id FROM patient WHERE kind = 'O'", "", noSynonym},
		{"neither here nor there", "Is the kind the kind of Oslo?", "SELECT id FROM patient WHERE kind = 'O'", "", noSynonym},
		{"a phrase", "Which visit fees?", fees, "Which consultation fees?", ""},
		{"a phrase whose noun comes once", "Which ward classes are there?", wards, "Which department levels are there?", ""},
		{"a phrase whose noun comes again", "Which ward classes are there? Give the class.", wards, "", noSynonym},
		{"a noun", "What is the price?", prices, "What is the cost?", ""},
		{"a verb behind a plural", "How many visits price less than 100?", prices, "", noSynonym},
		{"a verb behind a noun", "What does a visit price?", prices, "", noSynonym},
		{"a verb behind that", "Which visits that price more?", prices, "", noSynonym},
		{"no preposition before a possessive", "Which city's digits?", "SELECT city FROM physician", "", noSynonym},
		{"no measure of a number", "Who has 3 seats?", "SELECT id FROM patient WHERE seats = 3", "", noSynonym},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := clinic()
			now, reason := questionsOf(t, resourcesOf(t), exampleOf(t, db, tt.question, tt.query), db, 1)
			if got := strings.Join(now, ""); got != tt.want || reason != tt.reason {
				t.Errorf("%q became %q (%q), expected %q (%q)", tt.question, got, reason, tt.want, tt.reason)
			}
		})
	}
}

// doubtful is a factuality model that denies questions with a word.
type doubtful string

func (d doubtful) Key() string { return string(d) }

func (d doubtful) Classify(_ context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	scores := make([]nli.Scores, len(pairs))
	for i, p := range pairs {
		if scores[i].Entailment = 0.95; strings.Contains(p.Hypothesis, string(d)) {
			scores[i].Entailment = 0.01
		}
	}
	return scores, nil
}

func TestFactuality(t *testing.T) {
	const query = "SELECT kind FROM patient"
	for _, tt := range []struct {
		name, question, doubted, want string
		reason                        perturb.Reason
	}{
		{"another synonym", "Which kind?", "type", "Which variety?", ""},
		{"no synonym", "Which kind?", "Which", "", notFactual},
		{"of another term", "Which kind of patient?", "invalid", "Which type of patient?", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, db := resourcesOf(t), clinic()
			res.Factuality = doubtful(tt.doubted)
			now, reason := questionsOf(t, res, exampleOf(t, db, tt.question, query), db, 1)
			if got := strings.Join(now, ""); got != tt.want || reason != tt.reason {
				t.Errorf("%q became %q (%q), expected %q (%q)", tt.question, got, reason, tt.want, tt.reason)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	one := func(term string, cost int) slot {
		return slot{term: term, options: []option{{"x" + term, "x" + term, cost}}}
	}
	for _, tt := range []struct {
		name  string
		slots []slot
		want  map[string]string
	}{
		{"the best", []slot{one("a", 2), one("b", 1)}, map[string]string{"b": "xb"}},
		{"none", nil, map[string]string{}},
	} {
		if diff := cmp.Diff(tt.want, chooseSynonym(tt.slots, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCase(t *testing.T) {
	for _, tt := range []struct{ was, text, want string }{
		{"singer", "vocalist", "vocalist"}, {"Singer", "recording artist", "Recording artist"}, {"First Name", "given name", "Given Name"},
		{"SINGERS", "vocalists", "VOCALISTS"}, {"TV", "television", "television"}, {"", "x", "x"},
	} {
		if got := inCaseOf(tt.was, tt.text); got != tt.want {
			t.Errorf("%q in the case of %q is %q, expected %q", tt.text, tt.was, got, tt.want)
		}
	}
}

func TestQuotations(t *testing.T) {
	for _, tt := range []struct{ question, want string }{
		{`the 'Summer Show' and "x" of men's`, "the # # # # and # # # of men"},
		{"not `` Little Lever '' but 5' tall", "not # # # # # # but 5 # tall"},
		{"singers' names 'AKO'?", "singers # names # # # #"},
	} {
		_, words := questionWords(tt.question)
		var got []string
		for _, w := range words {
			if w.text == "" {
				w.text = "#"
			}
			got = append(got, w.text)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q has the words %q, expected %q", tt.question, s, tt.want)
		}
	}
}

// TestDevProperties checks of the first databases of Spider dev that variants differ,
// keep reserved words, and are the same whatever other examples there are.
func TestDevProperties(t *testing.T) {
	units := devUnits(t)[:4]
	res := perturb.Resources{Dictionary: lexicon.DefaultDictionary(), Headings: heading.Default, Domains: lexicon.DefaultDomainWords(), Contrasts: lexicon.DefaultContrasts()}
	variants := 0
	for _, u := range units {
		for _, e := range u.Examples[:20] {
			ex := exampleOf(t, u.DB, e.Question, e.Query)
			now, _ := questionsOf(t, res, ex, u.DB, 5)
			for i, q := range now {
				variants++
				if q == e.Question || slices.Contains(now[:i], q) {
					t.Errorf("%q became %q again", e.Question, q)
				}
				for _, w := range lexicon.Reserved() {
					if strings.Count(lexicon.Normal(q), w) < strings.Count(lexicon.Normal(e.Question), " "+w+" ") {
						t.Errorf("%q became %q, expected every %q to stay", e.Question, q, w)
					}
				}
			}
			if again, _ := questionsOf(t, res, ex, u.DB, 5); !slices.Equal(now, again) {
				t.Errorf("%q became %q, then %q", e.Question, now, again)
			}
		}
	}
	if variants < 20 {
		t.Errorf("%d variants of 80 questions, expected 20 or more", variants)
	}
}

func devUnits(t testing.TB) []*dataset.Unit {
	dir := t.TempDir()
	for _, name := range []string{"tables.json", "dev.json"} {
		if err := os.Symlink(shared.File(t, "data", "spider", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	units, err := dataset.Units(dir, "dev", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func FuzzSubstitution(f *testing.F) {
	for _, q := range []string{"How many patients are there?", "a 'patient' `` x '' patient's A patients", "\xff kind’s", "an kind-town_order"} {
		f.Add(q)
	}
	res := resourcesOf(f)
	db := clinic()
	s := newSchema(res, db)
	senses, err := (&perturb.Pass{Resources: res, Context: f.Context(), DB: db}).Senses()
	if err != nil {
		f.Fatal(err)
	}
	s.addSenses(senses)
	f.Fuzz(func(t *testing.T, question string) {
		ex := exampleOf(t, db, question, "SELECT kind, order_no FROM patient WHERE town = 'cat'")
		slots, _, _ := s.slots(ex, nil)
		if _, err := perturb.ApplyQuestion(question, replaceSlots(question, slots, chooseSynonym(slots, nil))); err != nil {
			t.Error(err)
		}
	})
}
