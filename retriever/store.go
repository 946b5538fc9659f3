package retriever

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/tabperturb/tabperturb/dataset"
)

// A store is a file of tables, which are read by their position in it:
//
//	magic     8 bytes
//	records   one a table, see appendTable
//	entries   16 bytes a table: offset uint64, length uint32, CRC-32C uint32
//	footer    24 bytes: offset of the entries uint64, their number uint64,
//	          their CRC-32C uint32, and "end\n"
//
// Integers are little-endian.
const (
	storeMagic = "tptab\x00\x00\x02"
	storeEnd   = "end\n"
	entrySize  = 16
	footerSize = 24
)

// checksum returns the CRC-32C of data.
func checksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// storeWriter writes a store from front to back.
type storeWriter struct {
	f       *os.File
	w       *bufio.Writer
	offset  uint64
	entries []byte
}

// createStore begins a store at path.
func createStore(path string) (*storeWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	s := &storeWriter{f: f, w: bufio.NewWriterSize(f, 1<<20), offset: uint64(len(storeMagic))}
	_, err = s.w.WriteString(storeMagic)
	return s, err
}

// append adds the record of the next table.
func (s *storeWriter) append(record []byte) error {
	if len(record) > math.MaxUint32 {
		return fmt.Errorf("table of %d bytes, expected at most %d", len(record), math.MaxUint32)
	}
	s.entries = binary.LittleEndian.AppendUint64(s.entries, s.offset)
	s.entries = binary.LittleEndian.AppendUint32(s.entries, uint32(len(record)))
	s.entries = binary.LittleEndian.AppendUint32(s.entries, checksum(record))
	s.offset += uint64(len(record))
	_, err := s.w.Write(record)
	return err
}

// close writes the entries and the footer, and closes the file.
func (s *storeWriter) close() error {
	footer := binary.LittleEndian.AppendUint64(nil, s.offset)
	footer = binary.LittleEndian.AppendUint64(footer, uint64(len(s.entries)/entrySize))
	footer = binary.LittleEndian.AppendUint32(footer, checksum(s.entries))
	footer = append(footer, storeEnd...)
	s.w.Write(s.entries)
	s.w.Write(footer)
	return errors.Join(s.w.Flush(), s.f.Close())
}

// store is an open store. It is safe for concurrent use.
type store struct {
	f       *os.File
	n       int    // tables
	offset  int64  // of the entries
	sum     uint32 // checksum of the entries
	entries []byte // nil if they are many; then record reads its entry from the file
}

// openStore opens a store. It leaves entries of more than atOnce bytes to [store.check].
func openStore(path string, atOnce int64) (*store, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &store{f: f}
	if err := s.readEntries(atOnce); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readEntries reads and checks the footer, and the entries if they take atOnce bytes or
// less.
func (s *store) readEntries(atOnce int64) error {
	info, err := s.f.Stat()
	if err != nil {
		return err
	}
	var magic [len(storeMagic)]byte
	if _, err := s.f.ReadAt(magic[:], 0); err != nil || string(magic[:]) != storeMagic {
		return fmt.Errorf("not a table store of this version, expected it to begin with %q", storeMagic)
	}
	var footer [footerSize]byte
	end := info.Size() - footerSize
	if end < int64(len(storeMagic)) {
		return fmt.Errorf("truncated: %d bytes, expected a footer", info.Size())
	}
	if _, err := s.f.ReadAt(footer[:], end); err != nil {
		return err
	}
	offset := binary.LittleEndian.Uint64(footer[:])
	n := binary.LittleEndian.Uint64(footer[8:])
	// The n entries must fill the file from offset to the footer.
	filled := offset <= uint64(end) && (uint64(end)-offset)%entrySize == 0 && n == (uint64(end)-offset)/entrySize
	if string(footer[20:]) != storeEnd || !filled {
		return errors.New("truncated or damaged: no footer at its end")
	}
	s.n, s.offset, s.sum = int(n), int64(offset), binary.LittleEndian.Uint32(footer[16:])
	if int64(s.n)*entrySize > atOnce {
		return nil
	}
	entries := make([]byte, s.n*entrySize)
	if _, err := s.f.ReadAt(entries, s.offset); err != nil {
		return err
	}
	if checksum(entries) != s.sum {
		return errEntries
	}
	s.entries = entries
	return nil
}

// errEntries is the error of a store whose entries were changed.
var errEntries = errors.New("damaged: checksum of its table of entries differs")

// check compares the checksum of the entries, unless openStore did: then they are in memory.
func (s *store) check(ctx context.Context) error {
	if s.entries != nil {
		return nil
	}
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(h, untilDone{ctx, io.NewSectionReader(s.f, s.offset, int64(s.n)*entrySize)}); err != nil {
		return fmt.Errorf("%s: %w", s.f.Name(), err)
	}
	if h.Sum32() != s.sum {
		return fmt.Errorf("%s: %w", s.f.Name(), errEntries)
	}
	return nil
}

// len returns the number of tables.
func (s *store) len() int { return s.n }

// entry returns the entry of table i: its offset, length and checksum.
func (s *store) entry(i int) (entry [entrySize]byte, err error) {
	if s.entries != nil { // few enough to be in memory
		copy(entry[:], s.entries[i*entrySize:])
		return entry, nil
	}
	_, err = s.f.ReadAt(entry[:], s.offset+int64(i)*entrySize)
	return entry, err
}

// record returns the record of the table at position i, from 0. It returns an error if the record's checksum differs.
func (s *store) record(i int) ([]byte, error) {
	if i < 0 || i >= s.len() {
		return nil, fmt.Errorf("%s: no table %d, expected less than %d", s.f.Name(), i, s.len())
	}
	entry, err := s.entry(i)
	if err != nil {
		return nil, fmt.Errorf("%s: entry %d: %w", s.f.Name(), i, err)
	}
	// An entry has the offset (8 bytes), the length (4) and the checksum (4) of the record.
	offset, length := binary.LittleEndian.Uint64(entry[:]), int(binary.LittleEndian.Uint32(entry[8:]))
	if end := offset + uint64(length); end < offset || end > uint64(s.offset) { // end < offset: the sum overflows
		return nil, fmt.Errorf("%s: table %d is damaged: its place is outside of the tables", s.f.Name(), i)
	}
	buf := make([]byte, length)
	if _, err := s.f.ReadAt(buf, int64(offset)); err != nil {
		if err == io.EOF { // the file was cut short since it was opened
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%s: table %d: %w", s.f.Name(), i, err)
	}
	if checksum(buf) != binary.LittleEndian.Uint32(entry[12:]) {
		return nil, fmt.Errorf("%s: table %d is damaged: checksum differs", s.f.Name(), i)
	}
	return buf, nil
}

// table reads and decodes the table at position i, from 0.
func (s *store) table(i int) (*Table, error) {
	record, err := s.record(i)
	if err != nil {
		return nil, err
	}
	t, err := decodeTable(record)
	if err != nil {
		return nil, fmt.Errorf("%s: table %d: %w", s.f.Name(), i, err)
	}
	return t, nil
}

// close closes the file.
func (s *store) close() error { return s.f.Close() }

// appendTable appends the record of t to dst: id, caption, source, repository, number of
// columns, number of rows, then the name, type, key and cells of each column. Numbers, the key
// (0 or 1), and the length before each string, are uvarints.
func appendTable(dst []byte, t *Table) []byte {
	dst = appendString(dst, t.ID)
	dst = appendString(dst, t.Caption)
	dst = appendString(dst, t.Source)
	dst = appendString(dst, t.Repository)
	dst = binary.AppendUvarint(dst, uint64(len(t.Columns)))
	dst = binary.AppendUvarint(dst, uint64(t.Rows()))
	for _, c := range t.Columns {
		dst = appendString(dst, c.Name)
		dst = appendString(dst, string(c.Type))
		key := uint64(0)
		if c.Key {
			key = 1
		}
		dst = binary.AppendUvarint(dst, key)
		for _, cell := range c.Cells {
			dst = appendString(dst, cell)
		}
	}
	return dst
}

// appendString appends s after its length.
func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

var errRecord = errors.New("damaged: record is cut short")

// decodeTable is the inverse of appendTable. The strings share one allocation.
func decodeTable(record []byte) (*Table, error) {
	d := decoder{data: record, text: string(record)}
	t := &Table{ID: d.string(), Caption: d.string(), Source: d.string(), Repository: d.string()}
	columns, rows := d.uvarint(), d.uvarint()
	// Every string takes at least a byte, so the record's size bounds what is allocated. A column has a name, a type
	// and a key in addition to its cells. The first comparisons keep the product from overflowing.
	left := uint64(len(d.data))
	fits := columns <= left && rows <= left && columns*(rows+3) <= left
	if d.bad || !fits {
		return nil, errRecord
	}
	t.Columns = make([]Column, columns)
	cells := make([]string, columns*rows)
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Name, c.Type, c.Key = d.string(), dataset.Type(d.string()), d.uvarint() == 1
		c.Cells, cells = cells[:rows:rows], cells[rows:]
		for j := range c.Cells {
			c.Cells[j] = d.string()
		}
	}
	if d.bad || len(d.data) > 0 {
		return nil, errRecord
	}
	return t, nil
}

// decodeNames returns the caption of the table of a record and the names of its columns.
func decodeNames(record []byte) (caption string, names []string, err error) {
	d := decoder{data: record, text: string(record)}
	d.string() // id
	caption = d.string()
	d.string() // source
	d.string() // repository
	columns, rows := d.uvarint(), d.uvarint()
	for i := uint64(0); i < columns && !d.bad; i++ {
		names = append(names, d.string())
		d.string()  // type
		d.uvarint() // key
		for j := uint64(0); j < rows && !d.bad; j++ {
			d.string()
		}
	}
	if d.bad || len(d.data) > 0 {
		return "", nil, errRecord
	}
	return caption, names, nil
}

// decoder reads numbers and strings from a record. After an error it is bad and returns zero
// values.
type decoder struct {
	data []byte // unread
	text string // the whole record
	bad  bool
}

// uvarint reads a number.
func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[size:]
	return n
}

// string reads a length and then a text of that many bytes.
func (d *decoder) string() string {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.bad, d.data = true, nil
		return ""
	}
	start := len(d.text) - len(d.data) // of the string in the record, whose text all strings share
	d.data = d.data[n:]
	return d.text[start : start+int(n)]
}
