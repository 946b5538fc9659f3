package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Puller downloads models into a store. Only Store must be set.
type Puller struct {
	Store Store
	// Mirror, if not empty, is an address that replaces the origins: the files of
	// a model are at MIRROR/MODEL/FILE.
	Mirror string
	// Client is what requests go through; nil means [http.DefaultClient]. Its
	// policy on redirects is replaced: they may lead to https, or stay on a
	// host that was asked without it.
	Client *http.Client
	// Tries is how often a file is asked for where the server or the line
	// fails; 0 means [DefaultTries].
	Tries int
	// Backoff is the wait before the second try, doubled for each further one;
	// 0 means [DefaultBackoff].
	Backoff time.Duration
	// Idle is how long the server may send nothing before a try counts as
	// failed; 0 means [DefaultIdle].
	Idle time.Duration
	// Progress, if not nil, is told how many bytes of a file there are; total
	// is -1 if it is not known.
	Progress func(file string, done, total int64)
}

// The defaults of a Puller.
const (
	DefaultTries   = 4
	DefaultBackoff = time.Second
	DefaultIdle    = time.Minute
)

// Pull is the result for one file.
type Pull struct {
	File    File // with its size and checksum
	Fetched bool // false if it was there already
	// FirstUse marks a file whose checksum neither the catalogue nor the lock
	// knew: the one seen is from now on the one it must have.
	FirstUse bool
}

// Pull completes a model in the store: it checks the files that are there and downloads those that are
// missing or have another checksum. Files that
// were put into the folder by hand count. What was downloaded of a file stays,
// as FILE.part, when ctx is cancelled or the server fails, and the next Pull
// goes on from there; a file with a wrong checksum is deleted. Another process
// that pulls the model is waited for.
func (p *Puller) Pull(ctx context.Context, m Model) (pulls []Pull, err error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if p.Mirror != "" {
		if err := checkWebAddress(p.Mirror); err != nil {
			return nil, fmt.Errorf("mirror %w", err)
		}
	}
	unlock, err := p.Store.exclude(ctx, m)
	if err != nil {
		return nil, err
	}
	defer unlock()
	lock, err := p.Store.Pinned(m)
	if err != nil {
		return nil, err
	}
	for i, f := range lock.Files {
		if err := ctx.Err(); err != nil {
			return pulls, err
		}
		pull, err := p.file(ctx, m, f)
		if err != nil {
			return pulls, err
		}
		pulls = append(pulls, pull)
		lock.Files[i] = pull.File
		if err := p.Store.writeLock(lock); err != nil {
			return pulls, err
		}
	}
	return pulls, nil
}

// file downloads a file of a model, unless the store has it with its checksum. f has the pinned checksum.
func (p *Puller) file(ctx context.Context, m Model, f File) (Pull, error) {
	path := p.Store.file(m, f.Name)
	known := f.SHA256 != ""
	sum, size, err := hashFile(ctx, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Pull{}, err
	}
	fetched := err != nil || known && sum != f.SHA256 // it is missing, or another version
	if fetched {
		if sum, size, err = p.fetch(ctx, m, f, path); err != nil {
			return Pull{}, fmt.Errorf("%s/%s: %w", m.Name, f.Name, err)
		}
	}
	f.SHA256, f.Size, f.Approximate = sum, size, false
	return Pull{File: f, Fetched: fetched, FirstUse: !known}, nil
}

// exclude keeps other processes from pulling a model until unlock is called.
func (s Store) exclude(ctx context.Context, m Model) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(s.Dir, m.Name), 0o777); err != nil {
		return nil, err
	}
	type result struct {
		unlock func()
		err    error
	}
	locked := make(chan result)
	go func() { // Lock cannot be cancelled
		unlock, err := lockedfile.MutexAt(s.file(m, mutexName)).Lock()
		select {
		case locked <- result{unlock, err}:
		case <-ctx.Done(): // nobody waits for the lock any more
			if err == nil {
				unlock()
			}
		}
	}()
	select {
	case r := <-locked:
		return r.unlock, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
