//go:build attack

package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// key is the secret of the environment that no file and no message may hold.
const key = "secret-key-of-mine"

// servers answer badly.
var servers = map[string]http.HandlerFunc{
	"repeats the key": func(w http.ResponseWriter, r *http.Request) {
		choice(w, "Sure: "+r.Header.Get("Authorization")+` {"columns": [{"column": 1, "replace": ["`+key+`"]}]}`)
	},
	"repeats the key in an error": func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error": {"message": "wrong `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	},
	"names that are none": func(w http.ResponseWriter, _ *http.Request) {
		choice(w, `{"columns": [{"column": 1, "replace": ["\u001b[2J", "../../etc/passwd", "a; DROP TABLE x", "", "`+strings.Repeat("x", 100_000)+`"], "add": [null, 7, {}]}, {"column": -1}, {"column": 1e99}]}`)
	},
	"no JSON": func(w http.ResponseWriter, _ *http.Request) { choice(w, strings.Repeat("{\"columns\": [", 20_000)) },
	"sends elsewhere": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/?"+key, http.StatusFound)
	},
	"not found":           http.NotFound,
	"choices that are no": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"choices": [{"message": null}]}`) },
}

func choice(w io.Writer, text string) {
	content, _ := json.Marshal(text)
	fmt.Fprintf(w, `{"choices": [{"message": {"content": %s}}]}`, content)
}

// TestServers asks servers that answer badly.
func TestServers(t *testing.T) {
	in := inputs(t)
	for name, answer := range servers {
		for _, line := range []string{
			"candidates --data IN/small --proposer URL --model toy --record RECORD --out OUT",
			"candidates --data IN/small --judge URL --model toy --record RECORD --out OUT",
			"build --data IN/small --perturb drspider/keyword-synonym --paraphraser URL --model toy --drafts RECORD --samples 1 --out OUT",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(answer)
				defer server.Close()
				dir := t.TempDir()
				r := run(dir, strings.Fields(strings.NewReplacer("IN/", in+"/", "URL", server.URL).Replace(line))...)
				err := r.clean()
				text := r.stdout + r.stderr
				for _, file := range []string{"RECORD", "OUT"} {
					for _, data := range tree(t, filepath.Join(dir, file)) {
						text += data
					}
				}
				if err == nil && strings.Contains(text, key) {
					err = fmt.Errorf("the key stands in what it wrote")
				}
				if err == nil && strings.ContainsAny(r.stdout+r.stderr, "\x1b") {
					err = fmt.Errorf("prints what terminals obey")
				}
				if err != nil {
					err = fmt.Errorf("%s: %s: %w", name, line, err)
				}
				tally.add(t, "hostile server", r.took, err)
				os.RemoveAll(dir)
			})
		}
	}
}
