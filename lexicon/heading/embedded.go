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
	t, err := readEmbedded(func(err error) { panic(err) }) // a test keeps the files without faults
	if err != nil {
		panic(err)
	}
	return t
})

// readEmbedded reads the embedded thesaurus.
func readEmbedded(report func(error)) (*Thesaurus, error) {
	classes, err := ReadClasses("data/classes.txt", embeddedFile("data/classes.txt"), report)
	if err != nil {
		return nil, err
	}
	t, words := newThesaurus(classes), normal{}
	for _, name := range []string{"data/headings.txt", "data/composed.txt"} {
		if err := t.read(words, name, embeddedFile(name), report); err != nil {
			return nil, err
		}
	}
	t.relate(words)
	if err := t.readContrasts(words, "data/contrasts.txt", embeddedFile("data/contrasts.txt"), report); err != nil {
		return nil, err
	}
	return t, nil
}

// embeddedFile opens an embedded file, which need not be closed.
func embeddedFile(name string) io.Reader {
	f, err := data.Open(name)
	if err != nil {
		panic(err)
	}
	return f
}
