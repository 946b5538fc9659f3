package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/filelock"
)

// ReadDecisions reads a file of decisions. A line that is none, as the last one may be
// where the machine stopped while it was written, is a problem and is passed over.
func ReadDecisions(path string) (decisions []Decision, problems []error, err error) {
	for raw, err := range dataset.TextLines(path) {
		var d Decision
		if err == nil && raw.Text == "" {
			continue
		}
		if err == nil {
			if err = dataset.Decode([]byte(raw.Text), &d); err == nil {
				err = d.Check()
			}
			if err == nil && len(decisions) > 0 && d.N <= decisions[len(decisions)-1].N {
				err = fmt.Errorf("decision has the number %d, expected more than %d", d.N, decisions[len(decisions)-1].N)
			}
			if err != nil {
				err = &dataset.RecordError{File: path, Record: raw.Number, Err: err}
			}
		}
		if _, ok := errors.AsType[*dataset.RecordError](err); ok {
			problems = append(problems, err)
			continue
		}
		if err != nil {
			return nil, problems, err
		}
		decisions = append(decisions, d)
	}
	return decisions, problems, nil
}

// ReadVerdicts reads a file of decisions as what its annotator has decided. The name
// of the annotator is that of the last decision, or else the file's.
func ReadVerdicts(path string) (v *Verdicts, problems []error, err error) {
	decisions, problems, err := ReadDecisions(path)
	if err != nil {
		return nil, problems, err
	}
	name := filepath.Base(path)
	if n := len(decisions); n > 0 && decisions[n-1].Annotator != "" {
		name = decisions[n-1].Annotator
	}
	return NewVerdicts(name, decisions), problems, nil
}

// Log is an open file of decisions, to which one process appends.
type Log struct {
	f *os.File
	n int // of the last decision
}

// OpenLog opens an annotator's file of decisions, which it makes where it is not there,
// and reads what is in it. The error is also for a file that another process has open.
func OpenLog(path string) (log *Log, decisions []Decision, problems []error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := filelock.TryLock(f); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: is open in another review, expected one at a time for each annotator: %w", path, err)
	}
	if decisions, problems, err = ReadDecisions(path); err != nil {
		return nil, nil, nil, err
	}
	log = &Log{f: f}
	if n := len(decisions); n > 0 {
		log.n = decisions[n-1].N
	}
	return log, decisions, problems, log.endLine()
}

// endLine ends a last line that was cut short, so that what comes next is a line of
// its own.
func (l *Log) endLine() error {
	info, err := l.f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	var last [1]byte
	if _, err := l.f.ReadAt(last[:], info.Size()-1); err != nil && err != io.EOF {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = l.f.WriteString("\n")
	return err
}

// Append numbers a decision and writes it; it is on disk when Append returns.
func (l *Log) Append(d *Decision) error {
	d.N = l.n + 1
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return err
	}
	if _, err := l.f.Write(line.Bytes()); err != nil {
		return errors.Join(err, l.endLine())
	}
	if err := l.f.Sync(); err != nil {
		return err
	}
	l.n = d.N
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
