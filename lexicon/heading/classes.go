package heading

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Classes are classes of the words that stand before a head: the persons, events or
// measures that a name such as "customer id" or "birth date" is made of. It is read
// from plain text, one class a line:
//
//	# a comment
//	person: student, customer = client, employee = staff member
//	event: birth, death, enrolment = registration
//
// What follows an equals sign stands for the term in the name of any schema.
type Classes struct {
	terms        map[string]map[string]bool // by class
	alternatives map[string][]string
}

// ReadClasses reads the format that [Classes] describes; name stands for the file in
// messages. Lines that are ill-formed are skipped and reported; the error is for
// reading alone.
func ReadClasses(name string, r io.Reader, report func(error)) (*Classes, error) {
	c := &Classes{terms: map[string]map[string]bool{}, alternatives: map[string][]string{}}
	err := lexicon.ReadLines(name, r, report, func(_ int, text string) error {
		class, list, ok := strings.Cut(text, ":")
		if !ok || !isName(class) {
			return fmt.Errorf("%q: expected a class, a colon and its terms", text)
		}
		if c.terms[class] == nil {
			c.terms[class] = map[string]bool{}
		}
		for term := range strings.SplitSeq(list, ",") {
			names := strings.Split(term, "=")
			key := lexicon.Normal(names[0])
			if key == "" {
				return fmt.Errorf("%q: expected terms with commas between them", term)
			}
			c.terms[class][key] = true
			if len(c.alternatives[key]) == 0 {
				for _, a := range names[1:] {
					c.alternatives[key] = append(c.alternatives[key], strings.TrimSpace(a))
				}
			}
		}
		return nil
	})
	return c, err
}

// has reports whether a term, in the form of [lexicon.Normal], is of a class.
func (c *Classes) has(class, term string) bool { return c.terms[class][term] }

// Known reports whether a name is a term of any class: what a row of a table is that
// is called so.
func (c *Classes) Known(name string) bool {
	key := lexicon.Normal(name)
	for _, terms := range c.terms {
		if terms[key] {
			return true
		}
	}
	return false
}
