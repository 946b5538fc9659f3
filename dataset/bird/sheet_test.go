package bird

import (
	"bytes"
	"testing"
)

func FuzzSheet(f *testing.F) {
	for _, s := range []string{"a,b\r\n1,\"x\"\"y\"\n", "", "\xef\xbb\xbf", "\"", "a,\n,", "\"a\nb\",c", "caf\xe9"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := readSheet(data)
		e := &sheetEdit{sheet: s}
		at := 0
		for _, row := range s.rows {
			for c, cell := range row {
				if cell.start < at || cell.end < cell.start || cell.end > len(data) {
					t.Fatalf("cell %+v behind %d", cell, at)
				}
				at = cell.end
				e.setCell(row, c, cell.text)
			}
		}
		if got := e.finish(); !bytes.Equal(got, data) {
			t.Fatalf("%q became %q", data, got)
		}
	})
}

func TestSheetEdit(t *testing.T) {
	s := readSheet([]byte("a,b\nx,1\ny,2\nz,3"))
	e := &sheetEdit{sheet: s}
	e.setCell(s.rows[1], 1, `say "1", 2`)
	e.dropRow(s.rows[2])
	e.setCell(s.rows[3], 0, "é")
	e.appendRow([]string{"w", ""})
	if got, want := string(e.finish()), "a,b\nx,\"say \"\"1\"\", 2\"\né,3\nw,\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	s = readSheet([]byte("a\ncaf\xe9"))
	e = &sheetEdit{sheet: s}
	e.setCell(s.rows[1], 0, "thé")
	if got, want := string(e.finish()), "a\nth\xe9"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
