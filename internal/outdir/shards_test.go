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
	d, err := OpenShards(path, "a", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write("x/y", 3, []byte("three")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenShards(path, "a", true); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Fatalf("opened twice: %v; want it refused", err)
	}
	d.Close()
	d, err = OpenShards(path, "a", true)
	if err != nil || !d.Has("x/y", 3) || d.Has("x/y", 4) {
		t.Fatalf("resumed: %v, has 3: %v, has 4: %v; want only shard 3", err, d.Has("x/y", 3), d.Has("x/y", 4))
	}
	d.Close()
	if _, err = OpenShards(path, "b", true); err == nil || !strings.Contains(err.Error(), "other inputs") {
		t.Fatalf("resume with another fingerprint: %v; want it refused", err)
	}
	if d, err = OpenShards(path, "b", false); err != nil || d.Has("x/y", 3) {
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
		if _, err := OpenShards(path, "a", resume); err == nil {
			t.Errorf("resume %v: took over a folder that is not its own", resume)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// A run that begins anew does not touch what another is making.
func TestShardsOfDir(t *testing.T) {
	out, err := NewDir(filepath.Join(t.TempDir(), "out"), "done")
	if err != nil {
		t.Fatal(err)
	}
	begin := func(fingerprint string, resume bool) (*Shards, error) { return out.Shards("work", fingerprint, resume) }
	d, err := begin("a", false)
	if err != nil {
		t.Fatal(err)
	}
	made := out.Path("made")
	if err := os.WriteFile(made, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := begin("a", false); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("begun twice: %v; want it refused", err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the other run's work: %v", err)
	}
	if err := errors.Join(d.Write("", 0, nil), d.Close()); err != nil {
		t.Fatal(err)
	}
	if d, err = begin("a", true); err != nil || !d.Has("", 0) {
		t.Fatalf("resumed: %v", err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("resumed: %v", err)
	}
	d.Close()
	if d, err = begin("a", false); err != nil || d.Has("", 0) {
		t.Fatalf("begun anew: %v; want no shard", err)
	}
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("begun anew: %v; want the older work gone", err)
	}
	d.Close()
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
