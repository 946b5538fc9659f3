package lexicon

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// LintAttributes reads a file in the format of [Attributes] and reports ill-formed lines; lists,
// entities and attributes out of order; names that are not the lower-case words of a column or
// table name; names and values given twice; lists of one value; lists that nothing refers to;
// entities without attributes; and entities that inherit from themselves.
func LintAttributes(name string, r io.Reader, report func(error)) error {
	var text strings.Builder
	l := attributeLinter{linter: newLinter(name)}
	f, err := parseAttributes(name, io.TeeReader(r, &text), l.add)
	if err != nil {
		return err
	}
	l.file = f
	l.lintLists(text.String())
	previous := ""
	for _, e := range f.entities {
		l.lintSorted(e.line, &previous, e.names[0], fmt.Sprintf("entity %q is out of order, expected entities sorted by their first name", e.names[0]))
		l.lintEntity(e)
	}
	l.flush(report)
	return nil
}

// attributeLinter checks a file of attributes that was parsed.
type attributeLinter struct {
	*linter
	file *attributeFile
}

// lintLists reports lists out of order and those that no value in the text of the file refers to.
func (l *attributeLinter) lintLists(text string) {
	previous := ""
	for _, list := range l.file.lists {
		l.lintSorted(list.line, &previous, list.name, fmt.Sprintf("<%s> is out of order, expected lists sorted by name", list.name))
		if strings.Count(text, "<"+list.name+">") < 2 { // once in its definition
			l.report(list.line, "<%s> is used nowhere", list.name)
		}
		l.lintValues(list.line, list.values)
	}
}

// lintEntity reports faults of an entity: its names, its parents, and the order and names of its attributes.
func (l *attributeLinter) lintEntity(e *attributeEntity) {
	for _, n := range e.names {
		l.lintTerm(e.line, n, maxHeadWords)
	}
	if len(l.file.allAttributes(e)) == 0 {
		l.report(e.line, "entity %q has no attributes", e.names[0])
	}
	if slices.ContainsFunc(l.file.lineage(e), func(a *attributeEntity) bool { return slices.Contains(l.file.parents(a), e) }) {
		l.report(e.line, "entity %q inherits from itself", e.names[0])
	}
	previous := ""
	for _, a := range e.attributes {
		l.lintUnique(a.line, e.names[0]+"."+a.Name, fmt.Sprintf("attribute %q", a.Name))
		l.lintSorted(a.line, &previous, a.Name, fmt.Sprintf("attribute %q is out of order, expected attributes sorted by name", a.Name))
		l.lintTerm(a.line, a.Name, maxHeadWords)
		if a.span == nil && a.values != "" {
			l.lintValues(a.line, a.values)
		}
	}
}

// lintValues reports values that a list has twice, and a list of one value without "<list>", "#" (a digit) or "^" (a letter), which
// always draws the same.
func (l *attributeLinter) lintValues(line int, list string) {
	seen := make(map[string]bool)
	for v := range strings.SplitSeq(list, ",") {
		v = strings.TrimSpace(v)
		if seen[v] {
			l.report(line, "value %q again", v)
		}
		seen[v] = true
	}
	if len(seen) == 1 && !strings.ContainsAny(list, "<#^") {
		l.report(line, "a single value, expected several")
	}
}
