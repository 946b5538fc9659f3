package review

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/internal/kit/conns"
)

// contentPolicy allows the page its own scripts and styles, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard passes on only the requests of the page's owner. Other programs on the machine can
// connect to the port, and so can pages of other sites in the owner's browser:
//   - they lack the token, which is in the address of the page or in the cookie that guard sets;
//   - a foreign name that resolves to this address (DNS rebinding) is in Host;
//   - requests of foreign pages have their Origin or, in some browsers, Sec-Fetch-Site.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		port, err := portOf(r)
		if err == nil {
			err = s.checkRequest(r, port)
		}
		if err != nil {
			fail(w, refuse(http.StatusForbidden, err))
			return
		}
		h.Set(keyHeader, s.key) // the page repeats it in its requests, which a later review then refuses
		if r.URL.Path == "/" && r.URL.Query().Has("token") {
			http.SetCookie(w, &http.Cookie{Name: cookieName(port), Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
		conns.Busy(r.Context())
		defer conns.Idle(r.Context())
		next.ServeHTTP(w, r)
	})
}

// portOf returns the local port at which a request came in.
func portOf(r *http.Request) (string, error) {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return strconv.Itoa(addr.Port), nil
	}
	return "", errors.New("the request came in by no port")
}

// cookieName has the port in it: browsers give a cookie to every port of a host, and two
// annotators may work on one machine. For the same reason a server of somebody else on
// this machine learns the token if the owner opens its page at the same host.
func cookieName(port string) string { return "tabperturb-review-" + port }

// checkRequest returns an error unless a request is the owner's: by its host, its origin and its token. Pages of other sites may
// only link to the page.
func (s *Server) checkRequest(r *http.Request, port string) error {
	if !slices.Contains([]string{"127.0.0.1:" + port, "localhost:" + port}, r.Host) {
		return fmt.Errorf("the host is %q, expected 127.0.0.1:%s", truncate(r.Host, 100), port)
	}
	origin := r.Header.Get("Origin")
	reads := slices.Contains([]string{http.MethodGet, http.MethodHead}, r.Method)
	needsOrigin := origin != "" || !reads // browsers send none with most requests that read
	if needsOrigin && origin != "http://"+r.Host {
		return fmt.Errorf("the origin is %q, expected the page's own", truncate(origin, 100))
	}
	opens := reads && r.URL.Path == "/" // a link on another site may open the page
	if site := r.Header.Get("Sec-Fetch-Site"); !opens && !slices.Contains([]string{"", "same-origin", "none"}, site) {
		return fmt.Errorf("the request is %q, expected it from the page", truncate(site, 100))
	}
	if opens && r.URL.Query().Has("token") {
		return s.checkToken(r.URL.Query().Get("token"))
	}
	cookie, err := r.Cookie(cookieName(port))
	if err != nil {
		return errors.New("the token is missing, expected the address that the review printed when it began")
	}
	if err := s.checkToken(cookie.Value); err != nil {
		return err
	}
	if key := r.Header.Get(keyHeader); !slices.Contains([]string{"", s.key}, key) { // requests before the first answer have none
		return errors.New("the page is of another review, expected one of the same annotator and names")
	}
	return nil
}

// keyHeader is the header in which answers identify the review ([Data.key]) and in which the page repeats it. A tab that outlives
// its server gets the cookie of the next server at the same port, once that one's page is opened, but shows other columns.
const keyHeader = "Tabperturb-Review"

// key returns a hash that identifies a review: of the annotator and of the items to decide on, in their order.
func (d *Data) key(annotator string) string {
	h := sha256.New()
	line := func(texts ...string) { fmt.Fprintf(h, "%q\n", texts) }
	line(annotator)
	for i := range d.columns {
		c := &d.columns[i]
		line(c.key.DB, c.id.DB, c.id.Table, c.id.Column, c.key.Column) // of a record, key and id differ: key has its hash too
		for _, side := range c.sides() {
			for _, candidate := range c.list(side) {
				line(string(side), candidate.Name)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// checkToken returns an error unless the token is that of the review.
func (s *Server) checkToken(token string) error {
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return errors.New("the token is not that of this review, expected the address that it printed when it began")
	}
	return nil
}
