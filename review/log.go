package review

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// decisionPrefix begins every line of a decision.
const decisionPrefix = `{"n":`

// eachDecision passes each decision of a file to take. A line that is no decision is reported and skipped. A line that is cut off is
// only noted: a machine that stops while it writes leaves one, and its decision was never acknowledged.
func eachDecision(path string, report func(error), take func(*Decision)) error {
	shared, last := interned{}, 0
	return dataset.TextLines(path, report, func(l dataset.TextLine) error {
		if l.Text == "" {
			return nil
		}
		var d Decision
		err := dataset.Decode([]byte(l.Text), &d)
		if err == nil {
			err = d.Check()
		}
		if err == nil && d.N <= last {
			err = fmt.Errorf("decision has the number %d, expected more than %d", d.N, last)
		}
		if err != nil {
			err = &dataset.RecordError{File: path, Record: l.Number, Err: err}
			if torn := strings.HasPrefix(l.Text, decisionPrefix) && !strings.HasSuffix(l.Text, "}"); torn {
				err = dataset.Note(err)
			}
			report(err)
			return nil
		}
		d.intern(shared)
		take(&d)
		last = d.N
		return nil
	})
}

// intern makes a decision share equal texts with the decisions before, to save memory: files hold hundreds of thousands.
func (d *Decision) intern(shared interned) {
	d.Annotator, d.Action, d.Side = shared.text(d.Annotator), Action(shared.text(string(d.Action))), dataset.Side(shared.text(string(d.Side)))
	if d.Record != nil {
		d.Record.Perturbation = shared.text(d.Record.Perturbation)
	}
	d.DB, d.Table, d.Column, d.Name = shared.text(d.DB), shared.text(d.Table), shared.text(d.Column), shared.text(d.Name)
}

// ReadVerdicts reads the verdicts in a file of decisions. The annotator's name is that of the last decision, or the name of the file
// if it holds no decision.
func ReadVerdicts(path string, report func(error)) (*Verdicts, error) {
	h, annotator := newHistory(), ""
	err := eachDecision(path, report, func(d *Decision) {
		h.apply(d)
		annotator = d.Annotator
	})
	if err != nil {
		return nil, err
	}
	return h.verdicts(cmp.Or(annotator, filepath.Base(path))), nil
}

// Log is an open file of decisions, to which one process appends.
type Log struct {
	f      *os.File
	lock   *outdir.Lock
	n      int   // of the last decision
	size   int64 // of what was written whole
	broken error // why nothing can be appended any more
}

// OpenLog opens an annotator's file of decisions for appending, creates it if necessary, and passes each decision in it to
// take. It locks the file: it is an error if another process has it open. The caller must close the log.
func OpenLog(path string, report func(error), take func(*Decision)) (log *Log, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no ordinary file, expected one that keeps what is written", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	lock, err := outdir.TryLock(path)
	if errors.Is(err, outdir.ErrInUse) {
		return nil, fmt.Errorf("%s: is open in another review, expected one at a time for each annotator", path)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	l := &Log{f: f, lock: lock}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	err = eachDecision(path, report, func(d *Decision) {
		take(d)
		l.n = d.N
	})
	if err != nil {
		return nil, err
	}
	if err := l.endLastLine(); err != nil {
		return nil, err
	}
	syncDir(filepath.Dir(path)) // so that a new file is not lost if the machine stops
	return l, nil
}

// syncDir writes the names of new files in a folder to disk, on systems that can.
func syncDir(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
}

// endLastLine sets the size, and ends a last line that was cut off, so that the next decision begins a line.
func (l *Log) endLastLine() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	l.size = info.Size()
	if l.size == 0 {
		return nil
	}
	var last [1]byte
	if _, err := l.f.ReadAt(last[:], l.size-1); err != nil && err != io.EOF {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	n, err := l.f.WriteString("\n")
	l.size += int64(n)
	return err
}

// Append numbers a decision and writes it; it is on disk when Append returns. If it cannot be written, for example because the disk
// is full, Append cuts off what was written of it. If that fails too, nothing can be appended until the file is opened again.
func (l *Log) Append(d *Decision) error {
	if l.broken != nil {
		return l.broken
	}
	if err := l.checkUnchanged(); err != nil {
		return err
	}
	d.N = l.n + 1
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return err
	}
	if _, err := l.f.Write(line.Bytes()); err != nil {
		if undone := l.f.Truncate(l.size); undone != nil {
			l.broken = fmt.Errorf("%w; start the review again", errors.Join(err, undone))
		}
		return err
	}
	if err := l.f.Sync(); err != nil {
		l.broken = fmt.Errorf("%s: may lack the last decision, start the review again: %w", l.f.Name(), err)
		return l.broken
	}
	l.n, l.size = d.N, l.size+int64(line.Len())
	return nil
}

// checkUnchanged returns an error if the file was deleted, replaced or changed by another program: decisions that are appended to it
// would be lost.
func (l *Log) checkUnchanged() error {
	open, err := l.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(l.f.Name())
	switch {
	case err != nil:
		return fmt.Errorf("the file of decisions is gone, expected it where it was when the review began: %w", err)
	case !os.SameFile(open, named), open.Size() != l.size:
		return fmt.Errorf("%s: was changed by another program, start the review again", l.f.Name())
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return errors.Join(l.f.Close(), l.lock.Close()) }
