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

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
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

// file returns the path of a file of a model.
func (s Store) file(m Model, name string) string { return filepath.Join(s.Dir, m.Name, name) }

// State is how much of a model is in the store.
type State string

// The states of a model.
const (
	Absent  State = "absent"
	Partial State = "partial" // some files, or part of one, or another version of one
	Pulled  State = "pulled"
)

// State returns how much of a model is in the store, by the sizes of its files; it reads none.
func (s Store) State(m Model) (State, error) {
	lock, err := s.lock(m.Name)
	if err != nil {
		return Absent, err
	}
	begun, whole := 0, 0
	for _, f := range m.Files {
		path := s.file(m, f.Name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(path + partSuffix); err == nil { // a download under way
				begun++
			}
			continue
		}
		if err != nil {
			return Absent, err
		}
		begun++
		if pin := lock.file(f.Name); f.pinnedBy(pin) && pin.Size == info.Size() {
			whole++
		}
	}
	switch {
	case whole == len(m.Files):
		return Pulled, nil
	case begun > 0:
		return Partial, nil
	}
	return Absent, nil
}

// pinnedBy reports whether pin, the entry of the file f in a lock, has a checksum, and f the same or none.
func (f File) pinnedBy(pin File) bool {
	return pin.SHA256 != "" && (f.SHA256 == "" || f.SHA256 == pin.SHA256)
}

// Models lists the models that the store has something of, as their locks
// describe them, by name. A folder without a lock is none; one with a broken
// lock is reported and left out.
func (s Store) Models(report func(error)) (found []Model, err error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() || !Name(e.Name()) { // no folder of a model
			continue
		}
		m, err := s.lock(e.Name())
		if err != nil {
			report(err)
		} else if m.Name != "" {
			found = append(found, m)
		}
	}
	return found, nil
}

// Find returns the model of that name in the store, from whichever catalogue it came, and whether all its files are there. It
// returns the zero Model if the store has nothing of it.
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

// Pinned returns the model with the sizes and checksums of its files from its lock,
// except for files whose checksum in the catalogue is another or that the lock lacks.
func (s Store) Pinned(m Model) (Model, error) {
	lock, err := s.lock(m.Name)
	if err != nil {
		return m, err
	}
	files := make([]File, len(m.Files))
	for i, f := range m.Files {
		if pin := lock.file(f.Name); f.pinnedBy(pin) {
			f.SHA256, f.Size, f.Approximate = pin.SHA256, pin.Size, pin.Approximate
		}
		files[i] = f
	}
	m.Files = files
	return m, nil
}

// Verify reads all files of a model and reports those that are missing or do not have the checksum of the catalogue or, if
// it has none, of the lock. The error is for input and output or a cancelled context.
func (s Store) Verify(ctx context.Context, m Model, report func(error)) error {
	if err := m.check(); err != nil {
		return err
	}
	pinned, err := s.Pinned(m)
	if err != nil {
		return err
	}
	for _, f := range pinned.Files {
		sum, _, err := hashFile(ctx, s.file(m, f.Name))
		fault, remedy := "", ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fault, remedy = "is missing", "fetches it"
		case err != nil:
			return err
		case f.SHA256 == "":
			fault, remedy = "has no checksum yet", "pins it"
		case sum != f.SHA256:
			fault, remedy = fmt.Sprintf("sha256 is %s, expected %s", sum, f.SHA256), "fetches it anew"
		default:
			continue
		}
		report(fmt.Errorf("%s/%s: %s; `tabperturb models pull %s` %s", m.Name, f.Name, fault, m.Name, remedy))
	}
	return nil
}

// lock reads the lock of a model by its name; it returns the zero Model if there is none.
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
	err = json.NewDecoder(io.LimitReader(f, maxCatalogue)).Decode(&m)
	if err == nil {
		err = m.check()
	}
	if err == nil && m.Name != name {
		err = fmt.Errorf("is of %s, expected %s", m.Name, name)
	}
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w; remove its folder and pull anew", path, err)
	}
	return m, nil
}

// writeLock writes the checksums of a pulled model to its lock.json.
func (s Store) writeLock(m Model) error {
	return outdir.WriteFile(s.file(m, lockName), func(w io.Writer) error { return table.JSON(w, m) })
}

// hashFile returns the SHA-256, in hexadecimal, and the size of a file. It stops when ctx ends.
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

// Read implements [io.Reader] by calling the function.
func (r reader) Read(p []byte) (int, error) { return r(p) }
