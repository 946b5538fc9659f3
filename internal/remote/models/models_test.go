package models

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefault holds the embedded catalogue to what the flags need.
func TestDefault(t *testing.T) {
	c := Default()
	if len(c) < 3 {
		t.Fatalf("%d models, expected some", len(c))
	}
	for _, m := range c {
		if m.Name == "compact" {
			t.Error("compact is the name of the embedded model")
		}
		if m.Doc == "" || m.Licence == "" {
			t.Errorf("%s: lacks doc or licence", m.Name)
		}
		if err := checkWebAddress(m.Source); err != nil {
			t.Errorf("%s: source %v", m.Name, err)
		}
		for _, f := range m.Files {
			if u, err := url.Parse(f.URL); err != nil || u.Scheme != "https" {
				t.Errorf("%s/%s: %s, expected https", m.Name, f.Name, f.URL)
			}
		}
		if m.Kind != NLI {
			continue
		}
		has := func(names ...string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return m.file(name).Name == "" })
		}
		if !has("config.json") || !has("tokenizer_config.json", "vocab.txt") && !has("vocab.json", "merges.txt") || !has("pytorch_model.bin") && !has("model.safetensors") {
			t.Errorf("%s: lacks files that nli/cybertron reads", m.Name)
		}
	}
	if _, ok := c.Find("numberbatch-19.08"); !ok {
		t.Error("lacks numberbatch-19.08")
	}
	if _, ok := c.Find("nowhere"); ok {
		t.Error("found a model that is not there")
	}
}

// catalogueWith returns a catalogue of one model, changed by the replacement.
func catalogueWith(old, new string) string {
	const good = `[{"name": "m", "kind": "vectors", "files": [{"name": "v.txt", "url": "https://example.org/v", "size": 3}]}]`
	return strings.Replace(good, old, new, 1)
}

var catalogues = []struct{ name, json, want string }{
	{"good", catalogueWith("", ""), ""},
	{"unknown member", catalogueWith(`"kind"`, `"colour": "red", "kind"`), ""},
	{"empty", `[]`, ""},
	{"no list", `{}`, "c.json: json: cannot unmarshal object"},
	{"broken", `[{`, "c.json: unexpected end of JSON input, expected a list of models"},
	{"name", catalogueWith(`"m"`, `"../m"`), `c.json:1: name is "../m", expected`},
	{"upper case", catalogueWith(`"m"`, `"M"`), `c.json:1: name is "M", expected`},
	{"kind", catalogueWith(`"vectors"`, `"sound"`), `c.json:1: m: kind is "sound", expected one of [vectors nli masked]`},
	{"two files of vectors", catalogueWith(`"files": [`, `"files": [{"name": "w", "url": "https://example.org/w"}, `), "c.json:1: m: 2 files, expected one"},
	{"no file", `[{"name": "m", "kind": "nli"}]`, "c.json:1: m: 0 files, expected 1 to 64"},
	{"file twice", strings.Replace(catalogueWith(`"files": [`, `"files": [{"name": "V.txt", "url": "https://example.org/w"}, `), "vectors", "nli", 1), "c.json:1: m: file v.txt is there twice"},
	{"path", catalogueWith(`"v.txt"`, `"../v"`), `c.json:1: m: file name is "../v", expected`},
	{"hidden", catalogueWith(`"v.txt"`, `".pull"`), `file name is ".pull", expected`},
	{"lock", catalogueWith(`"v.txt"`, `"LOCK.json"`), "file LOCK.json is there twice, or the store's own"},
	{"part", catalogueWith(`"v.txt"`, `"v.part"`), `file name is "v.part", expected`},
	{"validator", catalogueWith(`"v.txt"`, `"v.part.validator"`), `file name is "v.part.validator", expected`},
	{"scheme", catalogueWith(`https://example.org/v`, `file:///etc/passwd`), `v.txt: url is "file:///etc/passwd", expected https://HOST/PATH`},
	{"size", catalogueWith(`3`, `-1`), "v.txt: size is -1, expected 0 to"},
	{"sha256", catalogueWith(`3`, `3, "sha256": "ABC"`), `v.txt: sha256 is "ABC", expected 64 digits`},
	{"model twice", strings.Replace(catalogueWith("", ""), "]}]", "]},", 1) + catalogueWith("", "")[1:], "c.json:2: m is there twice"},
	{"too long", strings.Repeat(" ", maxCatalogue+1), "c.json: more than 1048576 bytes"},
}

func TestReadCatalogue(t *testing.T) {
	for _, tt := range catalogues {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadCatalogue("c.json", strings.NewReader(tt.json))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzReadCatalogue holds what is read to the bounds on which the store relies,
// and to being read again as it was written.
func FuzzReadCatalogue(f *testing.F) {
	for _, tt := range catalogues {
		f.Add([]byte(tt.json))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCatalogue("c.json", bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, m := range c {
			for _, name := range append([]string{m.Name}, m.Files[0].Name) {
				if strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
					t.Errorf("name %q leaves the store", name)
				}
			}
		}
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadCatalogue("c.json", bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		files []File
		want  int64
		exact bool
	}{
		{[]File{{Size: 2}, {Size: 3}}, 5, true},
		{[]File{{Size: 2}, {Size: 3, Approximate: true}}, 5, false},
		{[]File{{Size: 2}, {}}, 2, false},
	} {
		if n, exact := (Model{Files: tt.files}).Size(); n != tt.want || exact != tt.exact {
			t.Errorf("size of %v is %d, %t; want %d, %t", tt.files, n, exact, tt.want, tt.exact)
		}
	}
}
