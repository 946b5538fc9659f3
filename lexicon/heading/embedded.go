package heading

import (
	"embed"
	"io"
	"sync"
)

//go:embed data/*.txt
var data embed.FS

// Default returns the embedded thesaurus, written for this project.
var Default = sync.OnceValue(func() *Thesaurus {
	t, err := open(func(err error) { panic(err) }) // a test keeps the files without faults
	if err != nil {
		panic(err)
	}
	return t
})

// open reads the embedded thesaurus.
func open(report func(error)) (*Thesaurus, error) {
	classes, err := ReadClasses("data/classes.txt", file("data/classes.txt"), report)
	if err != nil {
		return nil, err
	}
	t, words := newThesaurus(classes), normal{}
	for _, name := range []string{"data/headings.txt", "data/composed.txt"} {
		if err := t.read(words, name, file(name), report); err != nil {
			return nil, err
		}
	}
	t.relate(words)
	return t, nil
}

// file opens an embedded file, which need not be closed.
func file(name string) io.Reader {
	f, err := data.Open(name)
	if err != nil {
		panic(err)
	}
	return f
}
