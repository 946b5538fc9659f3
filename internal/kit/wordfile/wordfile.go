// Package wordfile reads the words that a package embeds as a text file: rows of
// cells separated by "|". Blank lines, and lines that begin with "#", are left out.
package wordfile

import (
	"fmt"
	"iter"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Lines yields the lines of a file without the blanks around them; blank lines, and
// lines that begin with "#", are left out.
func Lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch {
			case line == "", line[0] == '#':
				continue
			case !yield(line):
				return
			}
		}
	}
}

// Rows returns the rows of a file, each a number of cells without the blanks around them. It panics on a row
// with another number of cells: the file is part of the program.
func Rows(text string, cells int) [][]string {
	var rows [][]string
	for line := range Lines(text) {
		row := lists.Map(strings.Split(line, "|"), strings.TrimSpace)
		if len(row) != cells {
			panic(fmt.Sprintf("%q has %d cells, expected %d", line, len(row), cells))
		}
		rows = append(rows, row)
	}
	return rows
}

// Set returns words as a set.
func Set(words []string) map[string]bool {
	return lists.Set(words, func(w string) string { return w })
}

// ReadSet returns the words of a file, which are separated by blanks, as a set.
func ReadSet(text string) map[string]bool {
	var words []string
	for line := range Lines(text) {
		words = append(words, strings.Fields(line)...)
	}
	return Set(words)
}

// Lists are lists of words by name.
type Lists map[string][]string

// ReadLists reads rows of a name and words separated by blanks. Rows of one name make one list.
func ReadLists(text string) Lists {
	lists := Lists{}
	for _, row := range Rows(text, 2) {
		lists[row[0]] = append(lists[row[0]], strings.Fields(row[1])...)
	}
	return lists
}

// Words returns the words of a list. It panics if there is no such list.
func (l Lists) Words(name string) []string {
	words, ok := l[name]
	if !ok {
		panic("no list of words is called " + name)
	}
	return words
}

// Phrases returns the phrases of a cell, which are separated by semicolons; empty ones are dropped.
func Phrases(cell string) []string {
	phrases := lists.Map(strings.Split(cell, ";"), strings.TrimSpace)
	return lists.Filter(phrases, func(phrase string) bool { return phrase != "" })
}
