// Package junit writes JUnit's XML, which continuous integration reads.
package junit

import (
	"encoding/xml"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Suite is a named list of test cases.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`    // set by Write
	Failures int    `xml:"failures,attr"` // the same
	Cases    []Case `xml:"testcase"`
}

// Case is a test case, which fails if it has a failure.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *Failure `xml:"failure"`
	Skipped *Skipped `xml:"skipped"`
	Out     string   `xml:"system-out,omitempty"`
}

// Failure is why a case fails: a line, and further text.
type Failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Skipped is why a case was not judged.
type Skipped struct {
	Message string `xml:"message,attr"`
}

// Suites is the root element of a file.
type Suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Suite    Suite    `xml:"testsuite"`
}

// Write writes a suite with the counts of its cases.
func Write(w io.Writer, s Suite) error {
	s.Tests = len(s.Cases)
	s.Failures = lists.Count(s.Cases, func(c Case) bool { return c.Failure != nil })
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(Suites{Tests: s.Tests, Failures: s.Failures, Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
