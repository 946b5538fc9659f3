package models

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*File)
		damage func(path string) error
		want   string
		state  State
	}{
		{"whole", nil, nil, "", Pulled},
		{"whole, pinned", unknown, nil, "", Pulled},
		{"changed", nil, flip, "m/v.txt: sha256 is " + sum(flipped()) + ", expected " + sum(content) + "; `tabperturb models pull m` fetches it anew", Pulled},
		{"changed, pinned", unknown, flip, "expected " + sum(content), Pulled},
		{"cut", nil, func(path string) error { return os.Truncate(path, 10) }, "expected " + sum(content), Partial},
		{"gone", nil, os.Remove, "m/v.txt: is missing; `tabperturb models pull m` fetches it", Absent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil, tt.change)
			b.pull("")
			if tt.damage != nil {
				if err := tt.damage(b.path); err != nil {
					t.Fatal(err)
				}
			}
			problems, err := b.verify()
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(problems) > 0:
				t.Errorf("problems %v", problems)
			case tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], tt.want)):
				t.Errorf("problems %v, want %q", problems, tt.want)
			}
			b.state(tt.state)
			b.pull("") // mends it
			if problems, err := b.verify(); len(problems) > 0 || err != nil {
				t.Errorf("after another pull: %v %v", problems, err)
			}
		})
	}
}

func flipped() []byte {
	data := []byte(string(content))
	data[100] ^= 1
	return data
}

func flip(path string) error { return os.WriteFile(path, flipped(), 0o666) }

// TestByHand uses a file that a person put in its place.
func TestByHand(t *testing.T) {
	b := newBench(t, nil, unknown)
	if err := os.MkdirAll(filepath.Dir(b.path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	b.state(Partial)
	problems, err := b.verify()
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "has no checksum yet") {
		t.Errorf("problems %v %v", problems, err)
	}
	b.pull("")
	b.asked()
}

// TestNewVersion pulls the file anew when the catalogue names another one.
func TestNewVersion(t *testing.T) {
	b := newBench(t, nil, unknown)
	b.pull("")
	if err := flip(b.path); err != nil {
		t.Fatal(err)
	}
	newer := b.model
	newer.Files = []File{{Name: "v.txt", URL: b.model.Files[0].URL, SHA256: sum(flipped())}}
	if s, err := b.puller.Store.State(newer); s != Partial || err != nil {
		t.Errorf("state %s, %v", s, err)
	}
	if _, err := b.puller.Pull(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	if s, err := b.puller.Store.State(newer); s != Pulled || err != nil {
		t.Errorf("state %s, %v", s, err)
	}
	b.asked("") // what lay there is the newer one
}

func TestLock(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"broken", `{"name": "m"`, "lock.json: unexpected EOF; remove its folder and pull anew"},
		{"of another", `{"name": "n", "kind": "vectors", "files": [{"name": "v", "url": "https://example.org"}]}`, "lock.json: is of n, expected m"},
		{"that leaves the folder", `{"name": "m", "kind": "vectors", "files": [{"name": "../v", "url": "https://example.org"}]}`, `lock.json: m: file name is "../v"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil, nil)
			b.partial(nil, "")
			if err := os.WriteFile(filepath.Join(filepath.Dir(b.path), lockName), []byte(tt.json), 0o666); err != nil {
				t.Fatal(err)
			}
			s := b.puller.Store
			_, pullErr := b.puller.Pull(t.Context(), b.model)
			_, stateErr := s.State(b.model)
			_, verifyErr := b.verify()
			_, _, findErr := s.Find("m")
			var errs []error
			found, err := s.Models(func(err error) { errs = append(errs, err) })
			if len(found) > 0 || err != nil {
				t.Errorf("found %v %v", found, err)
			}
			for _, err := range append(errs, pullErr, stateErr, verifyErr, findErr) {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
			}
		})
	}
}

func TestModels(t *testing.T) {
	b := newBench(t, nil, nil)
	unexpected := func(err error) { t.Error(err) }
	if found, err := b.puller.Store.Models(unexpected); len(found) > 0 || err != nil {
		t.Errorf("in an empty store: %v %v", found, err)
	}
	b.pull("")
	dir := b.puller.Store.Dir
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "other"), 0o777), os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	found, err := b.puller.Store.Models(unexpected)
	if len(found) != 1 || found[0].Name != "m" || err != nil {
		t.Errorf("found %v %v", found, err)
	}
	for _, name := range []string{"other", "nowhere", "../m", ""} {
		if _, ok, err := b.puller.Store.Find(name); ok || err != nil {
			t.Errorf("%q: found %t, %v", name, ok, err)
		}
	}
	if found, err := (Store{Dir: filepath.Join(dir, "nowhere")}).Models(unexpected); len(found) > 0 || err != nil {
		t.Errorf("found %v %v", found, err)
	}
}

func TestVerifyCancelled(t *testing.T) {
	b := newBench(t, nil, nil)
	b.pull("")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.puller.Store.Verify(ctx, b.model, func(err error) { t.Error(err) }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv(EnvDir, "/somewhere")
	if dir, err := DefaultDir(); dir != "/somewhere" || err != nil {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv(EnvDir, "")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home/someone")
	if dir, err := DefaultDir(); err != nil || !strings.HasSuffix(dir, filepath.Join("tabperturb", "models")) {
		t.Errorf("%s, %v", dir, err)
	}
}
