// Package lazyregexp holds regular expressions that are part of the program. They are compiled
// when they are first used: most commands use few, and every start of the program would pay for all.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression, compiled when it is first used. Its methods are those of
// regexp.Regexp.
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
		r.get()
	}
	return r
}

// get returns the compiled expression.
func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.pattern) })
	return r.compiled
}

// MatchString is the method of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// Match is the method of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

// FindString is the method of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringIndex is the method of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }

// FindStringSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.get().FindSubmatchIndex(b) }

// FindAllString is the method of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, with string) string { return r.get().ReplaceAllString(s, with) }

// ReplaceAllStringFunc is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, with)
}

// ReplaceAllFunc is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllFunc(b []byte, with func([]byte) []byte) []byte {
	return r.get().ReplaceAllFunc(b, with)
}

// Split is the method of regexp.Regexp.
func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }

// SubexpIndex is the method of regexp.Regexp.
func (r *Regexp) SubexpIndex(name string) int { return r.get().SubexpIndex(name) }

// ExpandString is the method of regexp.Regexp.
func (r *Regexp) ExpandString(to []byte, template, s string, match []int) []byte {
	return r.get().ExpandString(to, template, s, match)
}
