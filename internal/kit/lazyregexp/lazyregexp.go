// Package lazyregexp holds regular expressions that are part of the program. They are compiled
// when they are first used: most commands use few, and every start of the program would pay for all.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression, compiled when it is first used. Its methods are the
// usual ones of regexp.Regexp; Compiled has the others.
type Regexp struct {
	pattern  string
	once     sync.Once
	compiled *regexp.Regexp
}

// tested is whether this is a test's program, in which all are compiled at once so that a
// wrong one is found.
var tested = strings.HasSuffix(os.Args[0], ".test")

// New returns an expression. It panics where it is first used if the pattern is wrong, in tests at once.
func New(pattern string) *Regexp {
	r := &Regexp{pattern: pattern}
	if tested {
		r.Compiled()
	}
	return r
}

// Compiled returns the compiled expression.
func (r *Regexp) Compiled() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.pattern) })
	return r.compiled
}

// MatchString is the method of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.Compiled().MatchString(s) }

// FindString is the method of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.Compiled().FindString(s) }

// FindStringIndex is the method of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.Compiled().FindStringIndex(s) }

// FindStringSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.Compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.Compiled().FindStringSubmatchIndex(s)
}

// FindAllString is the method of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.Compiled().FindAllString(s, n) }

// FindAllStringIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.Compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.Compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.Compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.Compiled().ReplaceAllStringFunc(s, with)
}
