package lexicon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// OpenVectors opens a .tpv file, or a file of text vectors that [Import] reads.
// It imports text vectors once: the import stays in cacheDir, or in the user's cache folder
// if that is empty, under a name made from the size, modification time and both ends of
// the file. It reports bad lines of the import.
func OpenVectors(ctx context.Context, path, cacheDir string, report func(error)) (*Table, error) {
	key, native, err := fingerprint(path)
	if err != nil {
		return nil, err
	}
	if native {
		return Open(path)
	}
	if cacheDir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cacheDir = filepath.Join(user, "tabperturb", "vectors")
	}
	if err := os.MkdirAll(cacheDir, 0o755); err != nil {
		return nil, err
	}
	cached := filepath.Join(cacheDir, key+".tpv")
	for {
		if t, err := Open(cached); err == nil || errors.Is(err, fs.ErrPermission) {
			return t, err // another error is taken for a missing or damaged import
		}
		_, err := Import(ctx, path, cached, report)
		switch {
		case errors.Is(err, outdir.ErrInUse): // another process imports it: wait
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		case err != nil:
			return nil, err
		default:
			return Open(cached)
		}
	}
}

// fingerprint returns a hash of a file's size, modification time and both ends, and reports whether it is a .tpv file.
func fingerprint(path string) (key string, native bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	const part = 1 << 20 // bytes that are hashed at each end: whole files would take long
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d\n", tpvVersion, info.Size(), info.ModTime().UnixNano())
	for _, offset := range []int64{0, max(0, info.Size()-part)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, offset, part)); err != nil {
			return "", false, err
		}
	}
	magic := make([]byte, len(tpvMagic))
	if _, err := f.ReadAt(magic, 0); err != nil && err != io.EOF {
		return "", false, err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), string(magic) == tpvMagic, nil
}
