package heading

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Classes holds classes of the terms that names are composed of: the persons, events or measures in "customer id" or "birth
// date". It is read from plain text, one class a line:
//
//	# a comment
//	person: student, customer = client, employee = staff member
//	event: birth, death, enrolment = registration
//
// A term after an equals sign may replace the one before it in the name of any schema.
type Classes struct {
	terms        map[string]map[string]bool // by class
	alternatives map[string][]string        // by term: what may replace it
}

// ReadClasses reads the format that [Classes] describes, with lines such as "person: student, employee = staff member";
// name is the file's name in messages. A term after an equals sign is an alternative of the one before it. It skips and reports
// ill-formed lines, and returns an error only if reading fails.
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
			if len(c.alternatives[key]) == 0 { // the first line that has some counts
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

// Known reports whether a name is a term of any class.
func (c *Classes) Known(name string) bool { return c.Of(name) != nil }
