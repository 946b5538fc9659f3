package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// content is what the servers of these tests hold.
var content = []byte(strings.Repeat("a word and its numbers\n", 5000))

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// bench is a server with a model that is to be pulled from it.
type bench struct {
	*testing.T
	model    Model
	puller   *Puller
	path     string // of the file in the store
	requests atomic.Int32
	ranges   []string // Range of each request
}

// newBench serves by serve, which may be nil for a plain file server. The file
// is described by change, which may be nil where the catalogue knows all of it.
func newBench(t *testing.T, serve http.HandlerFunc, change func(*File)) *bench {
	b := &bench{T: t}
	if serve == nil {
		serve = serveFile(`"v1"`)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.requests.Add(1)
		b.ranges = append(b.ranges, r.Header.Get("Range"))
		serve(w, r)
	}))
	t.Cleanup(server.Close)
	f := File{Name: "v.txt", URL: server.URL + "/v.txt", Size: int64(len(content)), SHA256: sum(content)}
	if change != nil {
		change(&f)
	}
	b.model = Model{Name: "m", Kind: Vectors, Files: []File{f}}
	b.puller = &Puller{Store: Store{Dir: t.TempDir()}, Backoff: time.Millisecond, Idle: 10 * time.Second}
	b.path = b.puller.Store.Path(b.model)
	return b
}

// unknown is a file of which the catalogue knows neither size nor checksum.
func unknown(f *File) { f.Size, f.SHA256 = 0, "" }

// serveFile serves content with ranges.
func serveFile(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "v.txt", time.Time{}, strings.NewReader(string(content)))
	}
}

// cut breaks the first n answers off in the middle.
func cut(n int32, then http.HandlerFunc) http.HandlerFunc {
	var served atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) > n {
			then(w, r)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:len(content)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (b *bench) pull(want string) []Pull {
	b.Helper()
	pulls, err := b.puller.Pull(b.Context(), b.model)
	if want != "" {
		if err == nil || !strings.Contains(err.Error(), want) {
			b.Fatalf("error %v, want %q", err, want)
		}
		if _, err := os.Stat(b.path); err == nil {
			b.Error("the file is there after an error")
		}
		return nil
	}
	if err != nil {
		b.Fatal(err)
	}
	b.holds(content)
	b.state(Pulled)
	if left, _ := filepath.Glob(b.path + ".*"); len(left) > 0 {
		b.Errorf("left behind: %q", left)
	}
	return pulls
}

func (b *bench) holds(want []byte) {
	b.Helper()
	if data, err := os.ReadFile(b.path); err != nil || string(data) != string(want) {
		b.Errorf("file of %d bytes (%v), want %d others", len(data), err, len(want))
	}
}

func (b *bench) state(want State) {
	b.Helper()
	if s, err := b.puller.Store.State(b.model); s != want || err != nil {
		b.Errorf("state %s, %v; want %s", s, err, want)
	}
}

func (b *bench) asked(want ...string) {
	b.Helper()
	if fmt.Sprintf("%q", b.ranges) != fmt.Sprintf("%q", want) {
		b.Errorf("ranges asked for %q, want %q", b.ranges, want)
	}
}

// partial leaves a part of the file and its validator as an earlier pull does.
func (b *bench) partial(data []byte, validator string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path), 0o777); err != nil {
		b.Fatal(err)
	}
	for path, data := range map[string][]byte{b.path + partSuffix: data, b.path + validatorSuffix: []byte(validator)} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *bench) part() int {
	data, _ := os.ReadFile(b.path + partSuffix)
	return len(data)
}

var half = fmt.Sprintf("bytes=%d-", len(content)/2)

// verify returns what is wrong with the model in the store.
func (b *bench) verify() (problems []string, err error) {
	err = b.puller.Store.Verify(b.Context(), b.model, func(err error) { problems = append(problems, err.Error()) })
	return problems, err
}
