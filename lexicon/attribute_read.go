package lexicon

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The types of attributes, as package dataset names column types.
const (
	typeNumber  = "number"
	typeTime    = "time"
	typeBoolean = "boolean"
)

// attributeTypes returns all types of attributes.
func attributeTypes() []string { return []string{"text", typeNumber, typeTime, typeBoolean, "others"} }

// attributeFile is a parsed file of attributes.
type attributeFile struct {
	entities []*attributeEntity
	lists    []attributeList
	byName   map[string]*attributeEntity // by Normal of every name
	values   map[string][]template       // lists by name
}

// attributeEntity is an entity of the file with the attributes below it.
type attributeEntity struct {
	line           int      // of the file, from 1
	names, parents []string // parents are names of entities whose attributes it inherits
	attributes     []attributeLine
}

// attributeLine is an attribute with its line in the file.
type attributeLine struct {
	Attribute
	line   int
	values string // as written
}

// attributeList is a named list of values, to which listed values may refer.
type attributeList struct {
	line         int
	name, values string
}

// parseAttributes reads a file in the format of [Attributes]; name is the file's name in messages. It skips and reports
// ill-formed lines, in the order of the file.
func parseAttributes(name string, r io.Reader, report func(error)) (*attributeFile, error) {
	f := &attributeFile{byName: make(map[string]*attributeEntity), values: make(map[string][]template)}
	var entity *attributeEntity
	l := newLinter(name)
	err := ReadLines(name, r, l.add, func(line int, text string) error {
		switch text[0] {
		case '<':
			return f.addList(line, text)
		case '-', '*': // a star marks an attribute as special, see [Attribute.Special]
			if entity == nil {
				return errors.New("attribute of no entity, expected an entity before")
			}
			return entity.addAttribute(line, text[1:], text[0] == '*')
		}
		entity = &attributeEntity{line: line} // if addEntity rejects it, its attributes are dropped with it
		return f.addEntity(entity, text)
	})
	if err == nil {
		f.resolve(l) // values may refer to lists on later lines
	}
	l.flush(report)
	return f, err
}

// resolve parses the values of the attributes, now that all lists are known. It reports and drops an attribute with
// bad values, and reports unknown parents.
func (f *attributeFile) resolve(l *linter) {
	for _, e := range f.entities {
		valid := e.attributes[:0]
		for _, a := range e.attributes {
			if err := a.setValues(f.values); err != nil {
				l.report(a.line, "%q: %w", clip(a.Name), err)
				continue
			}
			valid = append(valid, a)
		}
		e.attributes = valid
		for _, p := range e.parents {
			if f.byName[Normal(p)] == nil {
				l.report(e.line, "%q is %q, which is unknown, expected an entity of this file", clip(e.names[0]), clip(p))
			}
		}
	}
}

// addList parses "<name>: value, value" and adds the list to the file.
func (f *attributeFile) addList(line int, text string) error {
	head, values, ok := strings.Cut(text[1:], ">:")
	name := foldTerm(head)
	switch {
	case !ok, name == "":
		return errors.New(`ill-formed list, expected "<name>: value, value"`)
	case f.values[name] != nil:
		return fmt.Errorf("<%s> again, expected one list of a name", clip(name))
	}
	choices, err := parseChoices(values, nil)
	if err != nil {
		return fmt.Errorf("<%s>: %w", clip(name), err)
	}
	f.values[name] = choices
	f.lists = append(f.lists, attributeList{line, name, values})
	return nil
}

// addEntity parses "name = name is parent, parent" into e and adds e to the file, unless another
// entity has one of the names.
func (f *attributeFile) addEntity(e *attributeEntity, text string) error {
	names, parents, inherits := strings.Cut(text, " is ")
	for n := range strings.SplitSeq(names, "=") {
		e.names = append(e.names, foldTerm(n))
	}
	if inherits {
		for p := range strings.SplitSeq(parents, ",") {
			e.parents = append(e.parents, foldTerm(p))
		}
	}
	for _, n := range slices.Concat(e.names, e.parents) {
		if Normal(n) == "" || strings.ContainsAny(n, ":,<>#") {
			return fmt.Errorf(`ill-formed entity %q, expected "name = name is entity, entity"`, clip(text))
		}
	}
	for _, n := range e.names {
		if other := f.byName[Normal(n)]; other != nil {
			return fmt.Errorf("entity %q again, first on line %d", clip(n), other.line)
		}
	}
	for _, n := range e.names {
		f.byName[Normal(n)] = e
	}
	f.entities = append(f.entities, e)
	return nil
}

// addAttribute parses "name type: values" and appends the attribute to e. special is [Attribute.Special]: a star precedes the
// line in place of a dash. It keeps the values as text, which [attributeFile.resolve] parses.
func (e *attributeEntity) addAttribute(line int, text string, special bool) error {
	head, values, _ := strings.Cut(text, ":")
	words := strings.Fields(strings.ToLower(head))
	if len(words) < 2 || !slices.Contains(attributeTypes(), words[len(words)-1]) {
		return fmt.Errorf(`%q: expected "- name type: values", the type one of %s`, clip(strings.TrimSpace(head)), strings.Join(attributeTypes(), ", "))
	}
	a := attributeLine{line: line, values: strings.TrimSpace(values)}
	a.Special = special
	a.Name, a.Type = strings.Join(words[:len(words)-1], " "), words[len(words)-1]
	if Normal(a.Name) == "" {
		return fmt.Errorf("%q: expected a name", clip(a.Name))
	}
	e.attributes = append(e.attributes, a)
	return nil
}

// setValues parses a.values into a.span, if they are a range of numbers or times, else into a.choices. lists are the lists by
// name, to which listed values may refer. A boolean without values is T or F.
func (a *attributeLine) setValues(lists map[string][]template) (err error) {
	switch {
	case a.values == "" && a.Type == typeBoolean:
		a.choices = []template{{{text: "T"}}, {{text: "F"}}}
		return nil
	case a.values == "":
		return errors.New("no values, expected a list or a range")
	case strings.Contains(a.values, "..") && (a.Type == typeNumber || a.Type == typeTime):
		a.span, err = parseSpan(a.values, a.Type)
		return err
	}
	if a.choices, err = parseChoices(a.values, lists); err != nil {
		return err
	}
	for s := range strings.SplitSeq(a.values, ",") {
		if s = strings.TrimSpace(s); !isValueOf(s, a.Type) {
			return fmt.Errorf("%q is no value of type %s", clip(s), a.Type)
		}
	}
	return nil
}

// isValueOf reports whether a listed value is valid for an attribute type: a number, a point in time, or any text for the
// other types.
func isValueOf(value, typ string) bool {
	_, err := parseScaled(value, decimalsOf(value))
	isNumeric := err == nil
	switch {
	case typ == typeNumber:
		return isNumeric
	case typ != typeTime, isNumeric && decimalsOf(value) == 0: // a whole number is a year
		return true
	}
	return slices.ContainsFunc(layouts, func(l timeLayout) bool {
		_, err := time.Parse(l.layout, value)
		return err == nil
	})
}

// allAttributes returns the attributes of an entity, then those of its parents and of theirs, nearest first. Of several with one
// name it returns the nearest.
func (f *attributeFile) allAttributes(e *attributeEntity) []Attribute {
	var out []Attribute
	names := make(map[string]bool)
	for _, ancestor := range f.lineage(e) {
		for _, a := range ancestor.attributes {
			if !names[a.Name] {
				names[a.Name] = true
				attribute := a.Attribute
				attribute.Inherited = ancestor != e
				out = append(out, attribute)
			}
		}
	}
	return out
}

// maxLineage bounds the entities that one inherits from, itself included.
const maxLineage = 32

// lineage returns e and the entities that it inherits from, nearest first, each once and at most maxLineage.
func (f *attributeFile) lineage(e *attributeEntity) []*attributeEntity {
	all, known := []*attributeEntity{e}, map[*attributeEntity]bool{e: true}
	for i := 0; i < min(len(all), maxLineage); i++ {
		for _, p := range f.parents(all[i]) {
			if !known[p] {
				known[p] = true
				all = append(all, p)
			}
		}
	}
	return all[:min(len(all), maxLineage)]
}

// parents returns the entities that e names as parents; unknown ones are left out.
func (f *attributeFile) parents(e *attributeEntity) []*attributeEntity {
	var out []*attributeEntity
	for _, name := range e.parents {
		if p := f.byName[Normal(name)]; p != nil {
			out = append(out, p)
		}
	}
	return out
}
