package review

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
)

// Whoever is not the page gets 403, whatever it asks for, and nothing of the data.
func TestStrangers(t *testing.T) {
	b, _ := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	port := b.address[strings.LastIndex(b.address, ":"):]
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	tests := []struct {
		name, method, path string
		edit               func(*http.Request)
	}{
		{"no token", "GET", "/", header("Cookie", "")},
		{"no token for the data", "GET", "/api/column?id=0", header("Cookie", "")},
		{"no token for an asset", "GET", "/assets/index.html", header("Cookie", "")},
		{"no token for what is not there", "GET", "/../../etc/passwd", header("Cookie", "")},
		{"another token", "GET", "/?token=AAAA", nil},
		{"an empty token", "GET", "/?token=", nil},
		{"another cookie", "GET", "/api/list", header("Cookie", b.cookie.Name+"=AAAA")},
		{"the token of the address elsewhere", "GET", "/api/list?token=" + b.cookie.Value, header("Cookie", "")},
		{"rebound host", "GET", "/api/list", func(r *http.Request) { r.Host = "evil.example" + port }},
		{"host without a port", "GET", "/api/list", func(r *http.Request) { r.Host = "127.0.0.1" }},
		{"another port", "GET", "/api/list", func(r *http.Request) { r.Host = "127.0.0.1:1" }},
		{"another origin", "POST", "/api/decide", header("Origin", "http://evil.example")},
		{"another port's origin", "POST", "/api/decide", header("Origin", "http://127.0.0.1:1")},
		{"opaque origin", "POST", "/api/decide", header("Origin", "null")},
		{"no origin", "POST", "/api/undo", func(r *http.Request) { r.Header.Del("Origin") }},
		{"a read of another origin", "GET", "/api/list", header("Origin", "http://evil.example")},
		{"another site's fetch", "GET", "/api/list", header("Sec-Fetch-Site", "cross-site")},
		{"another port's fetch", "GET", "/api/list", header("Sec-Fetch-Site", "same-site")},
		{"preflight", "OPTIONS", "/api/decide", header("Origin", "http://evil.example")},
	}
	for _, test := range tests {
		status, h, body := b.do(test.method, test.path, Request{Action: Accept, Side: dataset.Replace, Name: "city"}, test.edit)
		if status != http.StatusForbidden || bytes.Contains(body, []byte("city")) || len(h.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: status %d, %s; expected 403", test.name, status, body)
		}
		for key := range h {
			if strings.HasPrefix(key, "Access-Control-") {
				t.Errorf("%s: has the header %s", test.name, key)
			}
		}
	}
	if p := get[Progress](b, "/api/progress"); p.Decided != 0 {
		t.Errorf("%+v, expected nothing decided", p)
	}
	if status, _, _ := b.do("GET", "/api/list", "", func(r *http.Request) { r.Host = "localhost" + port }); status != http.StatusOK {
		t.Errorf("localhost: status %d, expected 200", status)
	}
	if status, _, _ := b.do("GET", "/", "", header("Sec-Fetch-Site", "none")); status != http.StatusOK {
		t.Errorf("a reload: status %d, expected 200", status)
	}
}

// The owner, too, gets nothing but the page and its data, and it is marked as such.
func TestHarmless(t *testing.T) {
	b, _ := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	if !b.cookie.HttpOnly || b.cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie %v, expected HttpOnly and SameSite=Strict", b.cookie)
	}
	for _, path := range []string{
		"/assets/../server.go", "/assets/..%2fserver.go", "/assets/%2e%2e/server.go", "/assets/..%5cserver.go", "/assets/", "/assets//etc/passwd",
		"/assets/index.html%00", "/assets/assets", "/server.go", "/etc/passwd", "/api", "/api/decide", "/api/column?id=9",
	} {
		if status, _, body := b.do("GET", path, "", nil); status < 300 || status >= 500 || bytes.Contains(body, []byte("package")) {
			t.Errorf("%s: status %d, %.80s; expected a refusal", path, status, body)
		}
	}
	if status, _, _ := b.do("GET", "/favicon.ico", "", nil); status != http.StatusNoContent {
		t.Errorf("the icon: status %d, expected 204", status)
	}
	status, h, body := b.do("GET", "/api/column?id=1", "", nil)
	if status != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "application/json") || bytes.ContainsAny(body, "<>") {
		t.Errorf("%s, %s; expected JSON without any tag", h.Get("Content-Type"), body)
	}
	if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", h)
	}
}

// TestIdleConnections opens more connections than there may be, which send nothing: the oldest is closed before the time
// for headers is up, and the page answers.
func TestIdleConnections(t *testing.T) {
	_, s := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(t.Context(), l)
	var oldest net.Conn
	for i := range maxConnections + 50 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i == 0 {
			oldest = c
		}
	}
	res, err := http.Get(s.URL(l))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	oldest.SetReadDeadline(time.Now().Add(3 * time.Second))
	_, err = oldest.Read(make([]byte, 1))
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) || res.StatusCode != http.StatusOK {
		t.Errorf("status %d, the oldest connection: %v, expected it closed", res.StatusCode, err)
	}
}

// TestTooLargeIsAnswered sends a body that is too large as clients do that read no answer before they have sent all.
func TestTooLargeIsAnswered(t *testing.T) {
	b, _ := open(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	status, _, body := b.do("POST", "/api/decide", `{"name":"`+strings.Repeat("x", 16<<20), nil)
	if status != http.StatusRequestEntityTooLarge || !bytes.Contains(body, []byte("larger than")) {
		t.Errorf("status %d, %s, expected 413 and why", status, body)
	}
}
