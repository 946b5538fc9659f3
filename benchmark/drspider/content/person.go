package content

import (
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// persons are words for people: of tables whose names are those of people, and of
// columns that name one.
var persons = strings.Fields(`person people singer employee teacher conductor visitor player student professor instructor
	lecturer member author writer director producer manager owner customer client contestant candidate professional
	staff driver pilot physician doctor nurse patient artist actor actress coach captain scientist researcher editor user
	guest resident faculty voter worker swimmer climber skater skier wrestler boxer athlete gymnast runner rider cyclist
	poet composer musician host journalist reporter president governor mayor senator politician minister ceo chef engineer
	technician advisor adviser supervisor leader king queen emperor lawyer judge commander officer soldier entrepreneur
	participant wife husband spouse parent child founder architect designer inventor head dancer drummer guitarist
	painter photographer sculptor donor tenant passenger agent investigator inspector chairman principal dean tutor
	trainer trainee volunteer applicant recipient winner loser nominee referee umpire jockey farmer sailor astronaut`)

// byPersons are the verbs of columns such as "written by", whose values are people.
var byPersons = strings.Fields(`written directed produced composed founded designed owned created managed coached hosted edited painted`)

// maxMononyms is the share of names that may be of one word (Timbaland): their
// last name is empty.
const maxMononyms = 0.25

// splitName splits the names of people at their first blank. The paper's example
// is name, which becomes first name and last name.
func splitName(c column) []substitution {
	if !c.namesPeople() || len(c.texts) == 0 || len(c.texts) > maxValues {
		return nil
	}
	single := 0
	for _, v := range c.texts {
		if !personal(v) {
			return nil
		}
		if _, last := nameParts(v); last == "" {
			single++
		}
	}
	if float64(single) > maxMononyms*float64(len(c.texts)) {
		return nil
	}
	owner := c.owner()
	return []substitution{{
		category: perturb.TextToTexts,
		into:     []part{{join(owner, "first name"), dataset.Text}, {join(owner, "last name"), dataset.Text}},
		cells: func(i int) []sqldata.Value {
			first, last := nameParts(c.texts[i])
			return []sqldata.Value{text(first), text(last)}
		},
		why: "names of people, split at the first blank",
	}}
}

// nameParts splits a name at its first blank. The number of a ruler ("Baldwin I") is
// no last name.
func nameParts(name string) (first, last string) {
	first, last, _ = strings.Cut(name, " ")
	if last != "" && strings.Trim(last, "IVX") == "" {
		return name, ""
	}
	return first, last
}

// owner returns the words that go before "first name": those of whom the column
// names, unless it is whom the table is about.
func (c column) owner() []string {
	words := c.without("full", "name")
	if c.last() == "by" && len(c.words) > 1 {
		if who := doers[c.words[len(c.words)-2]]; who != "" {
			words = []string{who}
		}
	}
	if containsAny(c.table, words) {
		return nil
	}
	return words
}

// doers are the people of [byPersons].
var doers = map[string]string{
	"written": "writer", "directed": "director", "produced": "producer", "composed": "composer", "designed": "designer", "owned": "owner",
	"managed": "manager", "coached": "coach", "hosted": "host", "edited": "editor", "painted": "painter", "created": "creator", "founded": "founder",
}

// namesPeople tells whether the name of the column says that its values are the
// names of people: "name" of a table of people, "manager name", "author",
// "written by".
func (c column) namesPeople() bool {
	if c.has("first", "last", "middle", "given", "family", "user", "nick", "company", "team", "country", "id", "code") {
		return false
	}
	about := c.without("full", "name")
	switch {
	case len(about) == 0:
		return c.last() == "name" && containsAny(c.table, persons)
	case c.last() == "by" && len(c.words) > 1:
		return containsAny(c.words, byPersons)
	case c.last() == "name":
		return containsAny(about[len(about)-1:], persons)
	}
	return containsAny([]string{c.last()}, strings.Fields("author writer director producer manager owner composer conductor commander captain coach mayor governor president founder architect ceo editor designer chairman principal"))
}

// personal tells whether a text can be a person's name: letters, and marks within
// words.
func personal(s string) bool {
	s = strings.TrimSpace(s)
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" .'-’", r) {
			return false
		}
	}
	return s != ""
}

func join(words []string, more string) string {
	return strings.Join(append(append([]string(nil), words...), more), " ")
}

// splitMake splits the makes of vehicles, "ford galaxie 500", at their first blank:
// the brand, which several share, and the model.
func splitMake(c column) []substitution {
	if len(c.texts) == 0 || len(c.texts) > maxValues || c.last() != "make" && c.last() != "vehicle" {
		return nil
	}
	brands := map[string]int{}
	single := 0
	for _, v := range c.texts {
		brand, model, _ := strings.Cut(v, " ")
		brands[brand]++
		if model == "" {
			single++
		}
	}
	if 2*len(brands) > len(c.texts) || float64(single) > maxMononyms*float64(len(c.texts)) {
		return nil
	}
	return []substitution{{
		category: perturb.TextToTexts,
		into:     []part{{"brand", dataset.Text}, {"model name", dataset.Text}},
		cells: func(i int) []sqldata.Value {
			brand, model, _ := strings.Cut(c.texts[i], " ")
			return []sqldata.Value{text(brand), text(model)}
		},
		why: "brand and model, split at the first blank",
	}}
}
