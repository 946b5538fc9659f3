package retriever

import (
	"bufio"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestAheadBytes reads large tables no further ahead than there is room for.
func TestAheadBytes(t *testing.T) {
	const size, tables = 4 << 20, 60
	one := func() (raw, error) { return raw{id: "t", header: []string{"h"}}, nil }
	var put, handed, most int64
	err := Limits{}.withDefaults().stream(func(a *ahead) error {
		for range tables {
			atomic.AddInt64(&put, 1)
			if err := a.put(pending{parse: one, size: size}); err != nil {
				return err
			}
		}
		return nil
	})(func(err error) { t.Error(err) }, func(*Table) error {
		time.Sleep(time.Millisecond)
		most = max(most, atomic.LoadInt64(&put)-handed)
		handed++
		return nil
	})
	// One more is waiting for room.
	if want := int64(aheadBytes/size + 1); err != nil || handed != tables || most > want {
		t.Errorf("%d tables, %d at once, %v; expected %d, at most %d", handed, most, err, tables, want)
	}
}

// endless is a line after which there are only lines that are too long.
type endless struct{ first *strings.Reader }

func (e endless) Read(p []byte) (int, error) {
	if n, err := e.first.Read(p); err == nil {
		return n, nil
	}
	for i := range p {
		p[i] = "xxxxxxx\n"[i%8]
	}
	return len(p), nil
}

// TestStopAtBad stops a corpus of which nothing but bad records is left.
func TestStopAtBad(t *testing.T) {
	lim := Limits{RecordBytes: 4}.withDefaults()
	boom := errors.New("enough")
	err := lim.stream(func(a *ahead) error {
		in := &input{member: &member{}, lim: lim, out: a}
		return in.lines(bufio.NewReader(endless{strings.NewReader("a\n")}), func(n int, line []byte) error {
			return in.emit(n, raw{id: string(line), header: []string{"h"}})
		})
	})(func(error) {}, func(*Table) error { return boom })
	if !errors.Is(err, boom) {
		t.Errorf("%v, expected %v", err, boom)
	}
}

// TestInterruptBad interrupts a corpus that has nothing but bad records.
func TestInterruptBad(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	lim := Limits{RecordBytes: 4, Context: ctx}.withDefaults()
	bad := 0
	_, err := Build(ctx, filepath.Join(t.TempDir(), "index"), lim.stream(func(a *ahead) error {
		in := &input{member: &member{}, lim: lim, out: a}
		return in.lines(bufio.NewReader(endless{strings.NewReader("")}), func(int, []byte) error { return nil })
	}), BuildOptions{Report: func(error) {
		if bad++; bad == 100 {
			interrupt()
		}
	}})
	if !errors.Is(err, context.Canceled) || bad < 100 {
		t.Errorf("%d bad records, %v; expected %v", bad, err, context.Canceled)
	}
}
