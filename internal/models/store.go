package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/internal/outdir"
)

// EnvDir is the environment variable that names the folder of pulled models.
const EnvDir = "TABPERTURB_MODELS"

// The files of a model's folder that are the store's own.
const (
	lockName        = "lock.json"
	mutexName       = ".pull"           // held by the process that pulls
	partSuffix      = ".part"           // a download under way
	validatorSuffix = ".part.validator" // and what identifies the version of it
)

// Store is the folder of pulled models: each has a folder of its name, with its
// files and lock.json, which is the model's entry with the size and checksum of
// each file that is in place.
type Store struct{ Dir string }

// DefaultDir returns $TABPERTURB_MODELS, or a folder in the user's cache.
func DefaultDir() (string, error) {
	if dir := os.Getenv(EnvDir); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for models: %w; set $%s", err, EnvDir)
	}
	return filepath.Join(cache, "tabperturb", "models"), nil
}

// Path returns what the model's flag takes: the file of vectors, or the folder
// of an NLI model.
func (s Store) Path(m Model) string {
	if m.Kind == Vectors {
		return s.file(m, m.Files[0].Name)
	}
	return filepath.Join(s.Dir, m.Name)
}

func (s Store) file(m Model, name string) string { return filepath.Join(s.Dir, m.Name, name) }

// State says how much of a model is in the store.
type State string

// The states of a model.
const (
	Absent  State = "absent"
	Partial State = "partial" // some files, or part of one, or another version of one
	Pulled  State = "pulled"
)

// State looks at the sizes of a model's files; it reads none.
func (s Store) State(m Model) (State, error) {
	lock, err := s.lock(m.Name)
	if err != nil {
		return Absent, err
	}
	any, all := false, true
	for _, f := range m.Files {
		info, err := os.Stat(s.file(m, f.Name))
		switch {
		case err == nil:
			pinned := lock.file(f.Name)
			any = true
			all = all && pinned.SHA256 != "" && pinned.Size == info.Size() && (f.SHA256 == "" || f.SHA256 == pinned.SHA256)
		case !errors.Is(err, fs.ErrNotExist):
			return Absent, err
		default:
			all = false
			if _, err := os.Stat(s.file(m, f.Name) + partSuffix); err == nil {
				any = true
			}
		}
	}
	switch {
	case all:
		return Pulled, nil
	case any:
		return Partial, nil
	}
	return Absent, nil
}

// Models lists the models that the store has something of, as their locks
// describe them, by name. A folder without a lock is none; one with a broken
// lock is an error among errs and left out.
func (s Store) Models() (found []Model, errs []error, err error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() || !Name(e.Name()) {
			continue
		}
		m, err := s.lock(e.Name())
		if err != nil {
			errs = append(errs, err)
		} else if m.Name != "" {
			found = append(found, m)
		}
	}
	return found, errs, nil
}

// Find returns a model of which all is in the store, whichever catalogue it
// came from.
func (s Store) Find(name string) (Model, bool, error) {
	if !Name(name) {
		return Model{}, false, nil
	}
	m, err := s.lock(name)
	if err != nil || m.Name == "" {
		return Model{}, false, err
	}
	state, err := s.State(m)
	return m, state == Pulled, err
}

// Pinned returns the model with the sizes and checksums that its lock holds
// where the catalogue has none.
func (s Store) Pinned(m Model) (Model, error) {
	lock, err := s.lock(m.Name)
	if err != nil {
		return m, err
	}
	files := make([]File, len(m.Files))
	for i, f := range m.Files {
		pin := lock.file(f.Name)
		if pin.SHA256 != "" && (f.SHA256 == "" || f.SHA256 == pin.SHA256) {
			f.SHA256, f.Size, f.Approximate = pin.SHA256, pin.Size, pin.Approximate
		}
		files[i] = f
	}
	m.Files = files
	return m, nil
}

// Problem is a file that is not as it should be.
type Problem struct {
	Model, File string
	Text        string // what is wrong, and what was expected
}

func (p Problem) String() string { return p.Model + "/" + p.File + ": " + p.Text }

// Verify reads all files of a model and compares them with the catalogue, and
// with the lock where that knows no checksum. The error is for input and output
// or a cancelled context.
func (s Store) Verify(ctx context.Context, m Model) ([]Problem, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	pinned, err := s.Pinned(m)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for _, f := range pinned.Files {
		sum, _, err := hashFile(ctx, s.file(m, f.Name))
		text := ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			text = "is missing; `tabperturb models pull " + m.Name + "` fetches it"
		case err != nil:
			return problems, err
		case f.SHA256 == "":
			text = "has no checksum yet; `tabperturb models pull " + m.Name + "` pins it"
		case sum != f.SHA256:
			text = fmt.Sprintf("sha256 is %s, expected %s; `tabperturb models pull %s` fetches it anew", sum, f.SHA256, m.Name)
		}
		if text != "" {
			problems = append(problems, Problem{m.Name, f.Name, text})
		}
	}
	return problems, nil
}

// lock reads a model's lock; the zero Model where there is none.
func (s Store) lock(name string) (Model, error) {
	path := filepath.Join(s.Dir, name, lockName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Model{}, nil
	}
	if err != nil {
		return Model{}, err
	}
	defer f.Close()
	var m Model
	if err := json.NewDecoder(io.LimitReader(f, maxCatalogue)).Decode(&m); err != nil {
		return Model{}, fmt.Errorf("%s: %w; remove its folder and pull anew", path, err)
	}
	if err := m.check(); err != nil {
		return Model{}, fmt.Errorf("%s: %w; remove its folder and pull anew", path, err)
	}
	if m.Name != name {
		return Model{}, fmt.Errorf("%s: is of %s, expected %s; remove its folder and pull anew", path, m.Name, name)
	}
	return m, nil
}

func (s Store) writeLock(m Model) error {
	return outdir.WriteFile(s.file(m, lockName), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(m)
	})
}

// hashFile returns the SHA-256 and the size of a file.
func hashFile(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, reader(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(p)
	}))
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// reader is an io.Reader of one function.
type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }
