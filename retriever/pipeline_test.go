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
	err := Limits{}.withDefaults().stream(func(a *pipeline) error {
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
	if want := int64(pipelineBytes/size + 1); err != nil || handed != tables || most > want {
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
	err := lim.stream(func(a *pipeline) error {
		in := &input{member: &member{}, lim: lim, out: a}
		return in.eachLine(bufio.NewReader(endless{strings.NewReader("a\n")}), func(n int, line []byte) error {
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
	_, err := Build(ctx, filepath.Join(t.TempDir(), "index"), lim.stream(func(a *pipeline) error {
		in := &input{member: &member{}, lim: lim, out: a}
		return in.eachLine(bufio.NewReader(endless{strings.NewReader("")}), func(int, []byte) error { return nil })
	}), BuildOptions{Report: func(error) {
		if bad++; bad == 100 {
			interrupt()
		}
	}})
	if !errors.Is(err, context.Canceled) || bad < 100 {
		t.Errorf("%d bad records, %v; expected %v", bad, err, context.Canceled)
	}
}

// TestAheadWorkers parses as many batches at once as there are workers.
func TestAheadWorkers(t *testing.T) {
	for _, workers := range []int{1, 2} {
		var now, most atomic.Int64
		one := func() (raw, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(50 * time.Microsecond)
			return raw{id: "t", header: []string{"h"}}, nil
		}
		err := Limits{Workers: workers}.withDefaults().stream(func(a *pipeline) error {
			for range 20 * batchSize {
				if err := a.put(pending{parse: one}); err != nil {
					return err
				}
			}
			return nil
		})(func(err error) { t.Error(err) }, func(*Table) error { return nil })
		if got := most.Load(); err != nil || got != int64(workers) {
			t.Errorf("%d workers parsed %d tables at once, %v", workers, got, err)
		}
	}
}

// TestInterruptGood interrupts a corpus at its first table, which is the last that is handed on.
func TestInterruptGood(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	lim := Limits{Context: ctx}.withDefaults()
	handed := 0
	err := lim.stream(func(a *pipeline) error {
		for range 10 * batchSize {
			if err := a.put(pending{parse: func() (raw, error) { return raw{id: "t", header: []string{"h"}}, nil }}); err != nil {
				return err
			}
		}
		return nil
	})(func(err error) { t.Error(err) }, func(*Table) error {
		handed++
		interrupt()
		return nil
	})
	if !errors.Is(err, context.Canceled) || handed != 1 {
		t.Errorf("%d tables, %v; expected one, %v", handed, err, context.Canceled)
	}
}
