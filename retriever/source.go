package retriever

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxNesting bounds archives within archives. A corpus has at most two layers (gzip members
// of a tar.gz), an archive bomb has many.
const maxNesting = 4

var (
	errStop      = errors.New("consumer stopped")
	errTooLarge  = errors.New("too large")
	errTotalSize = errors.New("corpus is larger than Limits.TotalBytes")
)

// walker visits the files of a corpus, those in archives too: a folder in the order of
// names, an archive in the order of its members. It writes nothing to disk.
type walker struct {
	fsys    fs.FS
	display string // path of the root in messages
	lim     Limits
	left    int64                  // unread bytes of Limits.TotalBytes
	match   func(name string) bool // reports whether a file is of the kind to read
	visit   func(m *member) error  // gets each such file; returns no *TableError
	report  func(error) error      // gets each *TableError
}

// member is one file of a corpus, decompressed.
type member struct {
	name string // path below the root or in the archive
	file string // path in messages
	top  string // path of the folder's file that the member is in; if the root is an archive, of the root's member; else ""
	r    io.Reader
	at   io.ReaderAt // of size bytes; nil if the file can only be streamed
	size int64
}

// walk visits the files of the file or folder root.
func (w *walker) walk(root string) error {
	info, err := fs.Stat(w.fsys, root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return w.open(root, path.Base(root), true)
	}
	return fs.WalkDir(w.fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
		return w.open(name, rel, false)
	})
}

// open visits a file of the file system; rel is its path below the root. named is whether the file is the root
// itself: the user named it, so its extension does not matter. open skips other files that are not wanted.
func (w *walker) open(name, rel string, named bool) error {
	m := &member{name: rel, file: w.display}
	if !named {
		if !w.isWanted(rel) {
			return nil
		}
		m.file, m.top = path.Join(w.display, rel), rel
	}
	f, err := w.fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m.r, m.size = f, info.Size()
	m.at, _ = f.(io.ReaderAt)
	return w.reportDamage(m, w.visitMember(m, named, 0))
}

// isWanted reports whether a file is an archive or of the kind to read. Hidden files are not wanted.
func (w *walker) isWanted(name string) bool {
	if strings.HasPrefix(path.Base(name), ".") {
		return false
	}
	inner, archive := decompressed(name)
	return archive || w.match(inner)
}

// decompressed returns a file's name without the suffix of its compression, and reports
// whether it is an archive of many files: "a.csv.gz" → "a.csv", false; "a.tar.gz" → "a.tar", true.
func decompressed(name string) (inner string, archive bool) {
	lower := strings.ToLower(name)
	for _, suffix := range []string{".gz", ".bz2"} {
		if strings.HasSuffix(lower, suffix) {
			name = name[:len(name)-len(suffix)]
			lower = strings.ToLower(name)
			break
		}
	}
	switch path.Ext(lower) {
	case ".tar", ".tgz", ".zip":
		return name, true
	}
	return name, false
}

// visitMember visits a member after removing its compression, or visits the members of an archive. depth is the number of
// compressions and archives around the member. If named is set, the user named the file, so that its name need not
// match.
func (w *walker) visitMember(m *member, named bool, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("more than %d archives within each other", maxNesting)
	}
	// next visits the decompressed content, under the name of m with another suffix.
	next := func(suffix string, r io.Reader) error {
		inner := &member{name: m.name[:len(m.name)-len(path.Ext(m.name))] + suffix, file: m.file, top: m.top, r: r}
		return w.visitMember(inner, named, depth+1)
	}
	switch ext := strings.ToLower(path.Ext(m.name)); ext {
	case ".gz", ".tgz":
		zr, err := gzip.NewReader(m.r)
		if err != nil {
			return err
		}
		if ext == ".tgz" {
			return next(".tar", zr)
		}
		return next("", zr)
	case ".bz2":
		return next("", bzip2.NewReader(m.r))
	case ".tar":
		return w.openTar(m, depth)
	case ".zip":
		return w.openZip(m, depth)
	}
	if !named && !w.match(m.name) {
		return nil
	}
	m.r = &meter{r: m.r, left: &w.left} // counts decompressed bytes
	return w.visit(m)
}

// openTar visits the members of a tar archive.
func (w *walker) openTar(m *member, depth int) error {
	tr := tar.NewReader(m.r)
	for {
		h, err := tr.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case h.Typeflag != tar.TypeReg, !w.isWanted(h.Name):
			continue
		}
		inner := &member{name: path.Clean(h.Name), file: m.file + "!" + h.Name, top: cmp.Or(m.top, path.Clean(h.Name)), r: tr}
		// If a member is cut short, the archive ends: Next returns the error again.
		// After a member with bad content it goes on.
		if err := w.reportDamage(inner, w.visitMember(inner, false, depth+1)); err != nil {
			return err
		}
	}
}

// openZip visits the members of a zip archive.
func (w *walker) openZip(m *member, depth int) error {
	at, size, err := w.readerAt(m)
	if err != nil {
		return err
	}
	zr, err := zip.NewReader(at, size)
	if err != nil {
		return err
	}
	for _, f := range zr.File {
		if !f.Mode().IsRegular() || !w.isWanted(f.Name) {
			continue
		}
		// A member has the top of its archive, if that has one.
		inner := &member{name: path.Clean(f.Name), file: m.file + "!" + f.Name, top: cmp.Or(m.top, path.Clean(f.Name))}
		r, err := f.Open()
		if err == nil {
			inner.r = r
			err = w.visitMember(inner, false, depth+1)
			r.Close()
		}
		if err := w.reportDamage(inner, err); err != nil {
			return err
		}
	}
	return nil
}

// readerAt returns random access to a member and its size. It reads a member of an archive
// into memory.
func (w *walker) readerAt(m *member) (io.ReaderAt, int64, error) {
	if m.at != nil {
		return m.at, m.size, nil
	}
	data, err := readAll(m.r, w.lim.MemberBytes)
	if err != nil {
		return nil, 0, err
	}
	return bytes.NewReader(data), int64(len(data)), nil
}

// reportDamage reports an error in the data of a member, after which the walk goes on. It returns
// errors that end the walk: of the consumer, of the total size, and of I/O.
func (w *walker) reportDamage(m *member, err error) error {
	var pathErr *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errStop), errors.Is(err, errTotalSize):
		return err
	case errors.As(err, &pathErr) && !errors.Is(err, io.ErrUnexpectedEOF): // I/O; a file that is cut short is damage
		return err
	}
	if isDamage(err) {
		err = fmt.Errorf("damaged or cut off, expected whole data: %w", err)
	}
	return w.report(&TableError{File: m.file, Err: err})
}

// isDamage reports whether an error comes from decompressing or unpacking.
func isDamage(err error) bool {
	known := []error{io.ErrUnexpectedEOF, gzip.ErrHeader, gzip.ErrChecksum, tar.ErrHeader, zip.ErrFormat, zip.ErrChecksum}
	_, isFlate := errors.AsType[flate.CorruptInputError](err)
	_, isBzip2 := errors.AsType[bzip2.StructuralError](err)
	return isFlate || isBzip2 || slices.ContainsFunc(known, func(e error) bool { return errors.Is(err, e) })
}

// readAll reads at most limit bytes, and returns errTooLarge if there are more.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: expected at most %d bytes", errTooLarge, limit)
	}
	return data, err
}

// meter counts what is read off a budget that all members share. It fails with errTotalSize
// once the budget is used up.
type meter struct {
	r    io.Reader
	left *int64
}

// Read implements [io.Reader]. It subtracts what it reads from the bytes that are left for all members of the corpus.
func (m *meter) Read(p []byte) (int, error) {
	if *m.left <= 0 {
		return 0, errTotalSize
	}
	n, err := m.r.Read(p)
	*m.left -= int64(n)
	return n, err
}
