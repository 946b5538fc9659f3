package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// maxUnknown bounds a file whose size the catalogue does not know.
const maxUnknown = 4 << 30

// bounds returns the least and the greatest number of bytes that a file may have. An approximate size
// may be exceeded by a tenth: it has three digits, and some pages count in units of 1024.
func (f File) bounds() (low, high int64) {
	switch {
	case f.Size == 0:
		return 0, maxUnknown
	case f.Approximate:
		return 0, f.Size + f.Size/10
	}
	return f.Size, f.Size
}

var (
	errIdle     = errors.New("the server sends nothing")
	errRedirect = errors.New("redirect refused")
)

// temporary marks an error after which another try may succeed.
type temporary struct{ error }

// Unwrap returns the error that t wraps.
func (t temporary) Unwrap() error { return t.error }

// download is the work on one file.
type download struct {
	puller *Puller
	client *http.Client
	url    string
	file   File
	part   string // path of the unfinished file
	fresh  bool   // all bytes of the part came with the latest try
}

// fetch downloads f to path and returns its checksum and size. It tries again after temporary errors, and goes on with the bytes that an
// earlier try left.
func (p *Puller) fetch(ctx context.Context, m Model, f File, path string) (sum string, size int64, err error) {
	d := &download{puller: p, client: p.client(), url: f.URL, file: f, part: path + partSuffix}
	if p.Mirror != "" {
		if d.url, err = url.JoinPath(p.Mirror, m.Name, f.Name); err != nil {
			return "", 0, err
		}
	}
	wait := cmp.Or(p.Backoff, DefaultBackoff)
	for try := 1; ; try++ {
		sum, size, err = d.try(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		if _, again := errors.AsType[temporary](err); !again || try >= cmp.Or(p.Tries, DefaultTries) {
			return "", 0, fmt.Errorf("%s: %w", d.url, err)
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return "", 0, ctx.Err()
		}
	}
	if err := os.Rename(d.part, path); err != nil {
		return "", 0, err
	}
	return sum, size, removeAll(path + validatorSuffix)
}

// client returns an HTTP client that follows redirects to https addresses and, if the first address was a plain http one,
// to others of the same host.
func (p *Puller) client() *http.Client {
	c := http.Client{}
	if p.Client != nil {
		c = *p.Client
	}
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case len(via) >= 10:
			return fmt.Errorf("%w: there were 10 before it", errRedirect)
		case req.URL.Scheme == "https", first.Scheme == "http" && req.URL.Scheme == "http" && req.URL.Host == first.Host:
			return nil
		}
		return fmt.Errorf("%w: %s, expected https", errRedirect, req.URL.Redacted())
	}
	return &c
}

// try downloads the bytes that the part lacks, and checks the size and checksum of the whole.
func (d *download) try(ctx context.Context) (sum string, size int64, err error) {
	have, validator, err := d.begun()
	if err != nil {
		return "", 0, err
	}
	d.fresh = have == 0
	low, high := d.file.bounds()
	if isWhole := low == high && have == high; !isWhole { // without an exact size, only the server knows how much is left
		if err := d.request(ctx, have, validator); err != nil {
			return "", 0, err
		}
	}
	if sum, size, err = hashFile(ctx, d.part); err != nil {
		return "", 0, err
	}
	switch {
	case size < low:
		return "", 0, temporary{fmt.Errorf("broke off after %d bytes, expected %d", size, low)}
	case d.file.SHA256 == "", sum == d.file.SHA256:
		return sum, size, nil
	}
	err = errors.Join(fmt.Errorf("sha256 is %s, expected %s; deleted", sum, d.file.SHA256), d.restart())
	if !d.fresh { // the part may mix bytes of two versions; downloading it from the start can help
		err = temporary{err}
	}
	return "", 0, err
}

// begun returns how many bytes an earlier try left, and the validator of their version. Without a validator
// and a known checksum the version of the bytes cannot be checked: they are removed.
func (d *download) begun() (have int64, validator string, err error) {
	info, err := os.Stat(d.part)
	if errors.Is(err, os.ErrNotExist) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	v, err := os.ReadFile(d.validatorFile())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, "", err
	}
	_, high := d.file.bounds()
	unknown := len(v) == 0 && d.file.SHA256 == ""
	if unknown || info.Size() > high {
		return 0, "", d.restart()
	}
	return info.Size(), string(v), nil
}

// validatorFile returns the path of the file with the validator of the part.
func (d *download) validatorFile() string {
	return strings.TrimSuffix(d.part, partSuffix) + validatorSuffix
}

// restart removes what was downloaded.
func (d *download) restart() error { return removeAll(d.part, d.validatorFile()) }

// removeAll removes the files that exist among paths.
func removeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// request downloads the bytes from have on and appends them to the part. It fails where the server sends
// nothing for too long.
func (d *download) request(ctx context.Context, have int64, validator string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := cmp.Or(d.puller.Idle, DefaultIdle)
	watchdog := time.AfterFunc(idle, func() { cancel(errIdle) })
	defer watchdog.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "tabperturb")
	req.Header.Set("Accept-Encoding", "identity") // the bytes as they are
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if validator != "" {
			req.Header.Set("If-Range", validator)
		}
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return d.failed(ctx, err)
	}
	defer resp.Body.Close()
	have, err = d.accept(resp, have)
	if err != nil {
		return err
	}
	return d.receive(ctx, resp, have, func() { watchdog.Reset(idle) })
}

// failed returns the error for a request that failed by err: temporary, unless a redirect was refused.
func (d *download) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil { // errIdle, or the end of the caller's context
		return temporary{cause}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which fetch adds
	}
	if errors.Is(err, errRedirect) {
		return err
	}
	return temporary{err}
}

// accept checks the status and headers of an answer to a request for the bytes from have on. It returns the
// first byte that the answer has: have, or 0 for the whole file.
func (d *download) accept(resp *http.Response, have int64) (int64, error) {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		have = 0
	case code == http.StatusPartialContent && have > 0:
		var first, last int64
		part := resp.Header.Get("Content-Range")
		if _, err := fmt.Sscanf(part, "bytes %d-%d/", &first, &last); err != nil || first != have {
			return 0, temporary{errors.Join(fmt.Errorf("sent %q, expected bytes from %d on", part, have), d.restart())}
		}
	case code == http.StatusRequestedRangeNotSatisfiable: // the part is longer than the server's file
		return 0, temporary{errors.Join(errors.New(resp.Status), d.restart())}
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return 0, temporary{errors.New(resp.Status)}
	default:
		return 0, fmt.Errorf("%s, expected the file", resp.Status)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return 0, errors.New("a web page, expected the file")
	}
	if n := resp.ContentLength; n >= 0 {
		low, high := d.file.bounds()
		if total := have + n; total < low || total > high {
			return 0, errors.Join(fmt.Errorf("%d bytes, expected %s", total, d.file.expected()), d.restart())
		}
	}
	return have, nil
}

// expected returns the expected number of bytes for a message.
func (f File) expected() string {
	low, high := f.bounds()
	if low == high {
		return fmt.Sprint(high)
	}
	return fmt.Sprintf("at most %d", high)
}

// receive writes the body to the part after its first have bytes; alive is called for each read.
func (d *download) receive(ctx context.Context, resp *http.Response, have int64, alive func()) (err error) {
	flags := os.O_WRONLY | os.O_CREATE
	if have == 0 { // the server sends the whole file: what an earlier try left is dropped
		d.fresh = true
		flags |= os.O_TRUNC
	}
	out, err := os.OpenFile(d.part, flags, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if have == 0 { // once the part is empty: bytes of another version must not pass for this one
		if err := os.WriteFile(d.validatorFile(), []byte(validatorOf(resp)), 0o666); err != nil {
			return err
		}
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return err
	}
	total := int64(-1)
	_, limit := d.file.bounds()
	if resp.ContentLength >= 0 {
		total = have + resp.ContentLength
	}
	var readErr error // of the network: another try may help, unlike with an error of writing
	body := reader(func(p []byte) (n int, err error) {
		n, err = resp.Body.Read(p)
		alive()
		have += int64(n)
		if d.puller.Progress != nil {
			d.puller.Progress(d.file.Name, have, total)
		}
		if err != nil && err != io.EOF {
			readErr = err
		}
		return n, err
	})
	_, err = io.Copy(out, io.LimitReader(body, limit-have+1)) // one byte more shows that the file is too large
	switch {
	case readErr != nil:
		return d.failed(ctx, readErr)
	case err != nil:
		return err
	case have > limit:
		return errors.Join(fmt.Errorf("more than %d bytes, expected %s", limit, d.file.expected()), d.restart())
	}
	return nil
}

// validatorOf returns what If-Range may hold: a strong entity tag, or a date.
func validatorOf(resp *http.Response) string {
	if tag := resp.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return resp.Header.Get("Last-Modified")
}
