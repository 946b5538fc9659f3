package outdir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestShardsResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.partial")
	d, err := OpenShards(path, "a", false, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write("x/y", 3, []byte("three")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenShards(path, "a", true, quiet); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Fatalf("opened twice: %v; want it refused", err)
	}
	d.Close()
	d, err = OpenShards(path, "a", true, quiet)
	if err != nil || !d.Has("x/y", 3) || d.Has("x/y", 4) {
		t.Fatalf("resumed: %v, has 3: %v, has 4: %v; want only shard 3", err, d.Has("x/y", 3), d.Has("x/y", 4))
	}
	d.Close()
	if _, err = OpenShards(path, "b", true, quiet); err == nil || !strings.Contains(err.Error(), "other inputs") {
		t.Fatalf("resume with another fingerprint: %v; want it refused", err)
	}
	if d, err = OpenShards(path, "b", false, quiet); err != nil || d.Has("x/y", 3) {
		t.Fatalf("started anew: %v, old shard kept: %v", err, d.Has("x/y", 3))
	}
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("after Remove: %v", err)
	}
}

// A folder that holds anything but shards is not touched.
func TestShardsOthersFiles(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "mine.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		if _, err := OpenShards(path, "a", resume, quiet); err == nil {
			t.Errorf("resume %v: took over a folder that is not its own", resume)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// quiet is told of damaged shards where none is expected to be.
func quiet(err error) { panic(err) }

// A run that begins anew does not touch what another is making.
func TestShardsOfDir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	begin := func(fingerprint string, resume bool) (*Dir, *Shards, error) {
		out, err := NewDir(path, "done")
		if err != nil {
			return nil, nil, err
		}
		s, err := out.Shards("work", fingerprint, resume, quiet)
		return out, s, err
	}
	out, d, err := begin("a", false)
	if err != nil {
		t.Fatal(err)
	}
	made := out.Path("made")
	if err := os.WriteFile(made, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := begin("a", false); !errors.Is(err, ErrInUse) {
		t.Errorf("begun twice: %v; want it refused", err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the other run's work: %v", err)
	}
	if err := errors.Join(d.Write("", 0, nil), d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, d, err = begin("a", true); err != nil || !d.Has("", 0) {
		t.Fatalf("resumed: %v", err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("resumed: %v", err)
	}
	d.Close()
	if _, d, err = begin("a", false); err != nil || d.Has("", 0) {
		t.Fatalf("begun anew: %v; want no shard", err)
	}
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("begun anew: %v; want the older work gone", err)
	}
	d.Close()
}

// A shard that is damaged is named, and counts as not made.
func TestShardsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.partial")
	for name, damage := range map[string]func([]byte) []byte{
		"empty":   func([]byte) []byte { return nil },
		"cut":     func(data []byte) []byte { return data[:len(data)-1] },
		"flipped": func(data []byte) []byte { data[1] ^= 1; return data },
		"longer":  func(data []byte) []byte { return append(data, 0) },
	} {
		var notes []string
		d, err := OpenShards(path, "a", false, func(err error) { notes = append(notes, err.Error()) })
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Write("part", 0, []byte("zero")); err != nil {
			t.Fatal(err)
		}
		if data, err := d.Read("part", 0); err != nil || string(data) != "zero" {
			t.Errorf("read %q, %v", data, err)
		}
		file := d.Path("part", 0)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, damage(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		if d.Has("part", 0) {
			t.Errorf("%s: counts as whole", name)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], file) {
			t.Errorf("%s: told %q, expected one note with the file's name", name, notes)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, expected it gone", name, err)
		}
		d.Close()
	}
}

func TestRun(t *testing.T) {
	items := make([]struct{}, 100)
	var n atomic.Int64
	work := func(context.Context, int, struct{}) error { n.Add(1); return nil }
	if err := Run(context.Background(), 4, items, work); err != nil || n.Load() != 100 {
		t.Fatalf("err %v after %d of 100 items", err, n.Load())
	}
	boom := errors.New("boom")
	err := Run(context.Background(), 2, items, func(_ context.Context, i int, _ struct{}) error {
		if i == 5 {
			return boom
		}
		return nil
	})
	if !errors.Is(err, boom) {
		t.Fatalf("err %v, want %v", err, boom)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, 2, items, work); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
}

// TestShare checks that shares have each unit once, and none more than the mean and a unit.
func TestShare(t *testing.T) {
	sizes := []int64{5, 900, 30, 30, 30, 1, 0, 200, 200, 7, 60}
	var sum, largest int64
	for _, size := range sizes {
		sum, largest = sum+max(size, 1), max(largest, size)
	}
	for _, n := range []int{1, 2, 3, 16} {
		seen := map[int]int{}
		for i := 1; i <= n; i++ {
			load := int64(0)
			for _, unit := range (Share{i, n}).Units(sizes) {
				seen[unit]++
				load += sizes[unit]
			}
			if load > sum/int64(n)+largest {
				t.Errorf("share %d/%d has %d of %d", i, n, load, sum)
			}
		}
		for unit := range sizes {
			if seen[unit] != 1 {
				t.Errorf("unit %d is in %d of %d shares", unit, seen[unit], n)
			}
		}
	}
}

// TestParts checks that parts with a unit twice, or not at all, are refused.
func TestParts(t *testing.T) {
	for want, mine := range map[string][2][]int{
		"":                             {{0, 2}, {1}},
		"has unit 2, which is":         {{0, 2}, {1, 2}},
		"has unit 3, which is":         {{0, 2}, {1, 3}},
		"have 2 units, expected all 3": {{0}, {1}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		for i, units := range mine {
			share := Share{i + 1, 2}
			d, err := NewDir(share.Path(out), PartFile)
			if err != nil {
				t.Fatal(err)
			}
			p := Part{Kind: "test", Share: share, Units: 3, Mine: units, Assembly: []byte("{}")}
			if err := p.Commit(d); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Parts(out)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error is %v, expected %q", err, want)
		}
	}
	for _, text := range []string{"0/3", "4/3", "1", "/", "1/x", "-1/3", "1/100001"} {
		if s, err := ParseShare(text); err == nil {
			t.Errorf("%q is share %s, expected an error", text, s)
		}
	}
}

// TestPartResumed: an interrupted part goes on with its shards, unless what merges need differs.
func TestPartResumed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cut := errors.New("cut short")
	part := func(assembly string, work func(shards *Shards) error) error {
		v := Division{Kind: "test", Fingerprint: "inputs", Sizes: []int64{1}, Assembly: assembly, Resume: true, Note: func(error) {}}
		_, err := v.Part(out, Share{1, 1}, func(_ *Dir, shards *Shards, _ []int) error { return work(shards) })
		return err
	}
	if err := part("beam", func(s *Shards) error { return errors.Join(s.Write("unit", 0, []byte("x")), cut) }); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	there := func(s *Shards) error {
		if !s.Has("unit", 0) {
			t.Error("the shard is not there")
		}
		return cut
	}
	if err := part("beam", there); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	if err := part("random", there); err == nil || !strings.Contains(err.Error(), "left by a run with other inputs or flags") {
		t.Errorf("error is %v, expected one of other flags", err)
	}
}

// TestPartInherits: a finished part that lacks answers hands its shards on to the next try, but
// for a damaged one.
func TestPartInherits(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	part := func(failed int, work func(shards *Shards) error) *Part {
		v := Division{Kind: "test", Fingerprint: "inputs", Sizes: []int64{1, 1, 1}, Resume: true, Note: func(error) {}, Failed: func() int { return failed }}
		p, err := v.Part(out, Share{1, 1}, func(_ *Dir, shards *Shards, _ []int) error { return work(shards) })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	part(1, func(s *Shards) error {
		return errors.Join(s.Write("unit", 0, []byte("right")), s.Write("unit", 1, []byte("no answer")), s.Write("unit", 2, []byte("cut")))
	})
	if err := os.Truncate(shardPath(filepath.Join(Share{1, 1}.Path(out), PartShards), "unit", 2), 3); err != nil {
		t.Fatal(err)
	}
	p := part(0, func(s *Shards) error {
		if !s.Has("unit", 0) || !s.Has("unit", 1) || s.Has("unit", 2) {
			t.Errorf("has %v, %v, %v, expected all but the damaged shard", s.Has("unit", 0), s.Has("unit", 1), s.Has("unit", 2))
		}
		return errors.Join(s.Write("unit", 1, []byte("right too")), s.Write("unit", 2, []byte("made again")))
	})
	for i, want := range []string{"right", "right too", "made again"} {
		if data, err := p.Read("unit", i); err != nil || string(data) != want {
			t.Errorf("shard %d is %q, %v, expected %q", i, data, err, want)
		}
	}
	part(0, func(*Shards) error {
		t.Error("a part with an answer to all is made again")
		return nil
	})
}
