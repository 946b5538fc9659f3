package dataset

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// Input is a file that can be read several times, with its name in messages.
type Input struct {
	Name string
	Path string
	copy bool
}

// File is the input of a file, or of a folder.
func File(path string) Input { return Input{Name: path, Path: path} }

// Standard is the path of standard input.
const Standard = "-"

// OpenInput returns the input of a path. What can be read only once, standard input
// under the path "-" or a pipe, is copied to a temporary file first.
func OpenInput(path string, stdin io.Reader) (Input, error) {
	if path != Standard {
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() || info.IsDir() { // it can be read again
			return File(path), err
		}
		f, err := os.Open(path)
		if err != nil {
			return Input{}, err
		}
		defer f.Close()
		return copyInput(path, f)
	}
	return copyInput("standard input", stdin)
}

// copyInput copies the text of a reader to a temporary file, which [Input.Close] removes.
func copyInput(name string, r io.Reader) (in Input, err error) {
	f, err := os.CreateTemp("", "tabperturb-input-")
	if err != nil {
		return Input{}, err
	}
	in = Input{Name: name, Path: f.Name(), copy: true}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		err = &FileError{File: name, Err: errors.Join(err, in.Close())}
	}
	return in, err
}

// Close removes the copy, if there is one.
func (in Input) Close() error {
	if !in.copy {
		return nil
	}
	return os.Remove(in.Path)
}

// errUTF16 is the error of a file in UTF-16.
var errUTF16 = errors.New("is UTF-16 without a byte order mark, expected one, or UTF-8: convert it, such as by iconv -f UTF-16 -t UTF-8")

// hasUTF16Mark reports whether text begins with the byte order mark of UTF-16.
func hasUTF16Mark(r *bufio.Reader) bool {
	head, _ := r.Peek(2)
	return string(head) == "\xff\xfe" || string(head) == "\xfe\xff"
}

// isUTF16 reports whether text without a byte order mark looks like UTF-16: the high bytes of its first two characters are
// zero, as those of ASCII are, and the low byte of the first is not.
func isUTF16(r *bufio.Reader) bool {
	head, _ := r.Peek(4)
	if len(head) < 4 {
		return false
	}
	bigEndian := head[0] == 0 && head[1] != 0 && head[2] == 0
	littleEndian := head[0] != 0 && head[1] == 0 && head[3] == 0
	return bigEndian || littleEndian
}

// ReadLine returns the next line with its line break. If the line has more than limit bytes, long
// is true and the line is empty. The last line comes with [io.EOF].
func ReadLine(r *bufio.Reader, limit int) (line []byte, long bool, err error) {
	return appendLine(nil, r, limit)
}

// appendLine reads a line as [ReadLine] does, but into line, an empty slice whose memory it uses again.
func appendLine(line []byte, r *bufio.Reader, limit int) (_ []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > limit; long {
			line = line[:0] // the rest of the line is read and dropped
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}
