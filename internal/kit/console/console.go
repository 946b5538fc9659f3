// Package console writes to terminals: text without control characters, and progress.
package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Output is a writer that stores its first error. Commands that print line by line do not check each
// write: a full disk would go unnoticed.
type Output struct {
	io.Writer
	err error
}

// Write writes until the first error, and returns that from then on.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.err = err
	return n, err
}

// Err returns the first error, under the name "standard output".
func (o *Output) Err() error {
	err := o.err
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err // without the path, as /dev/stdout
	}
	if err != nil {
		err = fmt.Errorf("standard output: %w", err)
	}
	return err
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(w io.Writer) bool {
	if o, ok := w.(*Output); ok {
		w = o.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Visible is a writer for people. It replaces the control characters that a terminal would obey, ends
// of lines and tabs apart: names, SQL and cells of a data set may hold any.
type Visible struct {
	W    io.Writer
	rest []byte // the first bytes of a character, until the others are written
}

// Write writes all complete characters; an incomplete one at the end waits for the next call.
func (v *Visible) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	whole := len(text) // bytes before a last character that is incomplete
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	v.rest = bytes.Clone(text[whole:])
	if _, err := v.W.Write(bytes.Map(visibleRune, text[:whole])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// visibleRune returns the replacement character for a control character, any other rune as it is.
func visibleRune(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return unicode.ReplacementChar
	}
	return r
}

// Progress shows a progress bar of total steps, -1 if their number is unknown. Each call of step is
// one of them; done removes the bar.
func Progress(w io.Writer, what string, total int) (step, done func()) {
	bar := progressbar.NewOptions(total,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(w),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	stop := everySecond(func() { bar.Add(0) }) // so that the elapsed time advances during a long step
	return func() { bar.Add(1) }, sync.OnceFunc(func() {
		stop()
		bar.Finish()
	})
}

// everySecond calls a function each second until stop returns.
func everySecond(f func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				f()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
