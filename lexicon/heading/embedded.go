package heading

import (
	"bytes"
	"embed"
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

func open(report func(error)) (*Thesaurus, error) {
	raw, err := data.ReadFile("data/classes.txt")
	if err != nil {
		return nil, err
	}
	classes, err := ReadClasses("data/classes.txt", bytes.NewReader(raw), report)
	if err != nil {
		return nil, err
	}
	t, words := newThesaurus(classes), normal{}
	for _, name := range []string{"data/headings.txt", "data/composed.txt"} {
		raw, err := data.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := t.read(words, name, bytes.NewReader(raw), report); err != nil {
			return nil, err
		}
	}
	t.relate(words)
	return t, nil
}
