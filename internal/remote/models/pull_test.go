package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPull(t *testing.T) {
	b := newBench(t, nil, nil)
	b.state(Absent)
	pulls := b.pull("")
	if len(pulls) != 1 || !pulls[0].Fetched || pulls[0].FirstUse || pulls[0].File.SHA256 != sum(content) {
		t.Errorf("pulls %+v", pulls)
	}
	// A second pull reads the file and asks nobody.
	if pulls = b.pull(""); pulls[0].Fetched {
		t.Error("downloaded again")
	}
	b.asked("")
	m, ok, err := b.puller.Store.Find("m")
	if !ok || err != nil || m.Files[0].SHA256 != sum(content) {
		t.Errorf("found %v %v %v", m, ok, err)
	}
}

func TestProgress(t *testing.T) {
	b := newBench(t, nil, nil)
	last := int64(0)
	b.puller.Progress = func(file string, done, total int64) {
		if file != "v.txt" || done < last || total != int64(len(content)) {
			t.Errorf("%s: %d of %d after %d", file, done, total, last)
		}
		last = done
	}
	b.pull("")
	if last != int64(len(content)) {
		t.Errorf("ended at %d of %d", last, len(content))
	}
}

func TestResume(t *testing.T) {
	t.Run("after a cut", func(t *testing.T) {
		b := newBench(t, cut(1, serveFile(`"v1"`)), nil)
		b.pull("")
		b.asked("", half)
	})
	t.Run("of an unknown file", func(t *testing.T) {
		b := newBench(t, cut(1, serveFile(`"v1"`)), unknown)
		b.pull("")
		b.asked("", half)
	})
	t.Run("in a later run", func(t *testing.T) {
		b := newBench(t, nil, nil)
		b.partial(content[:len(content)/2], `"v1"`)
		b.state(Partial)
		b.pull("")
		b.asked(half)
	})
	t.Run("by checksum alone", func(t *testing.T) {
		b := newBench(t, nil, nil)
		b.partial(content[:len(content)/2], "")
		b.pull("")
		b.asked(half)
	})
	t.Run("of what cannot be told apart", func(t *testing.T) {
		b := newBench(t, nil, unknown)
		b.partial([]byte("another version"), "")
		b.pull("")
		b.asked("")
	})
	t.Run("of another version", func(t *testing.T) {
		b := newBench(t, nil, unknown)
		b.partial([]byte("another version"), `"v0"`)
		b.pull("")
		b.asked("bytes=15-")
	})
	t.Run("of a part that is wrong", func(t *testing.T) {
		b := newBench(t, nil, nil)
		b.partial([]byte("another version"), `"v1"`)
		b.pull("") // the whole has another checksum, so it is asked for anew
		b.asked("bytes=15-", "")
	})
	t.Run("of a whole part", func(t *testing.T) {
		b := newBench(t, nil, nil)
		b.partial(content, `"v1"`)
		b.pull("")
		b.asked()
	})
	t.Run("of too long a part", func(t *testing.T) {
		b := newBench(t, nil, nil)
		b.partial(append(content[:len(content):len(content)], 'x'), `"v1"`)
		b.pull("")
		b.asked("")
	})
	t.Run("without ranges", func(t *testing.T) {
		b := newBench(t, cut(1, func(w http.ResponseWriter, r *http.Request) { w.Write(content) }), nil)
		b.pull("")
		b.asked("", half)
	})
	t.Run("with a range not asked for", func(t *testing.T) {
		wrong := true
		b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
			if wrong {
				wrong = false
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(content)
		}, nil)
		b.partial(content[:len(content)/2], `"v1"`)
		b.pull("")
		b.asked(half, "")
	})
	t.Run("beyond the end", func(t *testing.T) {
		b := newBench(t, nil, func(f *File) { f.Size = 0 })
		b.partial(content, `"v1"`)
		b.pull("")
		b.asked(fmt.Sprintf("bytes=%d-", len(content)), "")
	})
}

func TestRefused(t *testing.T) {
	longer := append(content[:len(content):len(content)], "more"...)
	send := func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			w.Write(data)
		}
	}
	// In pieces the length is not announced.
	pieces := func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			w.Write(data)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", code) }
	}
	to := func(url string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url, http.StatusFound) }
	}
	other := strings.Repeat("other", len(content)/5)
	for _, tt := range []struct {
		name   string
		serve  http.HandlerFunc
		change func(*File)
		want   string
		tries  int32
	}{
		{"wrong checksum", send([]byte(other)), nil, "sha256 is " + sum([]byte(other)) + ", expected " + sum(content) + "; deleted", 1},
		{"too long", send(longer), nil, fmt.Sprintf("%d bytes, expected %d", len(longer), len(content)), 1},
		{"too long, in pieces", pieces(longer), nil, fmt.Sprintf("more than %d bytes", len(content)), 1},
		{"too long for about", pieces(longer), func(f *File) { f.Size, f.Approximate = 100000, true }, "more than 110000 bytes, expected at most 110000", 1},
		{"too short", send(content[1:]), nil, fmt.Sprintf("%d bytes, expected %d", len(content)-1, len(content)), 1},
		{"too short, in pieces", pieces(content[1:]), nil, "broke off after", 4},
		{"not found", status(404), nil, "404 Not Found, expected the file", 1},
		{"forbidden", status(403), nil, "403 Forbidden", 1},
		{"down", status(503), nil, "503 Service Unavailable", 4},
		{"too many requests", status(429), nil, "429", 4},
		{"web page", send([]byte("<html><body>log in</body></html>")), unknown, "a web page, expected the file", 1},
		{"redirect to http", to("http://elsewhere.example.org/v"), nil, "redirect refused: http://elsewhere.example.org/v, expected https", 1},
		{"redirect to itself", to("/v.txt"), nil, "redirect refused: there were 10", 10},
		{"redirect to a file", to("file:///etc/passwd"), nil, "redirect refused: file:///etc/passwd", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.serve, tt.change)
			b.pull(tt.want)
			if n := b.requests.Load(); n != tt.tries {
				t.Errorf("%d requests, want %d", n, tt.tries)
			}
			if tt.tries == 1 && b.part() > 0 {
				t.Errorf("%d bytes kept of a file that is wrong", b.part())
			}
		})
	}
}

func TestRetry(t *testing.T) {
	t.Run("down for a while", func(t *testing.T) {
		down := 3
		b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
			if down--; down >= 0 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			serveFile(`"v1"`)(w, r)
		}, nil)
		b.pull("")
	})
	t.Run("no server", func(t *testing.T) {
		b := newBench(t, nil, func(f *File) { f.URL = "http://127.0.0.1:1/v.txt" })
		b.pull("http://127.0.0.1:1/v.txt: ")
	})
	t.Run("silent server", func(t *testing.T) {
		silent := true
		b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
			if silent {
				silent = false
				w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				w.Write(content[:len(content)/2])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				return
			}
			serveFile(`"v1"`)(w, r)
		}, nil)
		b.puller.Idle = 100 * time.Millisecond
		b.pull("")
		b.asked("", half)
	})
	t.Run("mute server", func(t *testing.T) {
		b := newBench(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, nil)
		b.puller.Idle, b.puller.Tries = 20*time.Millisecond, 2
		b.pull("the server sends nothing")
	})
}

func TestRedirect(t *testing.T) {
	secure := httptest.NewTLSServer(serveFile(`"v1"`))
	defer secure.Close()
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v.txt":
			http.Redirect(w, r, "/here", http.StatusFound)
		default:
			http.Redirect(w, r, secure.URL, http.StatusTemporaryRedirect)
		}
	}, nil)
	b.puller.Client = secure.Client()
	b.pull("")

	// From https there is no way back.
	down := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host, http.StatusFound)
	}))
	defer down.Close()
	b = newBench(t, nil, func(f *File) { f.URL = down.URL })
	b.puller.Client = down.Client()
	b.pull("redirect refused")
}

func TestCancel(t *testing.T) {
	sent := make(chan struct{})
	stalled := true
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		if !stalled {
			serveFile(`"v1"`)(w, r)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:len(content)/2])
		w.(http.Flusher).Flush()
		close(sent)
		<-r.Context().Done()
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-sent
		for b.part() < len(content)/2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := b.puller.Pull(ctx, b.model); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want a cancelled context", err)
	}
	b.state(Partial)
	stalled = false
	b.pull("")
	b.asked("", half)
}

func TestFirstUse(t *testing.T) {
	served := content
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) { w.Write(served) }, unknown)
	if pulls := b.pull(""); !pulls[0].FirstUse || pulls[0].File.SHA256 != sum(content) {
		t.Errorf("pulls %+v", pulls)
	}
	if pulls := b.pull(""); pulls[0].FirstUse || pulls[0].Fetched {
		t.Errorf("pinned again: %+v", pulls)
	}
	// Who lost the file gets the pinned one or none.
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	b.pull("")
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	served = []byte(strings.ToUpper(string(content)))
	b.pull("expected " + sum(content))
	b.state(Absent)
}

func TestMirror(t *testing.T) {
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mirror/m/v.txt" {
			http.NotFound(w, r)
			return
		}
		serveFile(`"v1"`)(w, r)
	}, nil)
	b.pull("404")
	b.puller.Mirror = strings.Replace(b.model.Files[0].URL, "v.txt", "mirror/", 1)
	b.pull("")
	for _, bad := range []string{"mirror.example.org", "ftp://example.org", "/srv/models"} {
		b.puller.Mirror = bad
		if _, err := b.puller.Pull(t.Context(), b.model); err == nil || !strings.Contains(err.Error(), "expected https://HOST/PATH") {
			t.Errorf("mirror %s: error %v", bad, err)
		}
	}
}

// Two pulls at once wait for one another.
func TestPullTwice(t *testing.T) {
	b := newBench(t, nil, unknown)
	unlock, err := b.puller.Store.exclude(t.Context(), b.model)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.puller.Pull(ctx, b.model); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a passed deadline", err)
	}
	b.asked()
	unlock()
	b.pull("")
}

func TestPullRefusesModel(t *testing.T) {
	b := newBench(t, nil, nil)
	b.model.Name = "../m"
	if _, err := b.puller.Pull(t.Context(), b.model); err == nil || !strings.Contains(err.Error(), "name is") {
		t.Errorf("error %v", err)
	}
	b.asked()
}
