//go:build attack

package hostile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// kind is a kind of file that is read: SRC of the inputs, of which FILE is damaged, is copied
// to X, and the command reads it.
type kind struct{ name, src, file, line string }

var kinds = []kind{
	{"tables.json", "small", "tables.json", "stats --data X"},
	{"examples, JSON", "small", "dev.json", "stats --data X"},
	{"examples, gzip", "packed", "dev.json.gz", "stats --data X"},
	{"SQLite, audited", "small", "database/town_library/town_library.sqlite", "doctor --data X --timeout 1s"},
	{"SQLite, built from", "small", "database/town_library/town_library.sqlite", "build --data X --buckets IN/few.json --samples 1 --timeout 1s --out OUT"},
	{"SQLite of a suite", "suite", "database/town_library/town_library.sqlite", "eval --gold IN/small/dev.json --pred IN/few.sql --metric suite --suite X --timeout 1s"},
	{"buckets.json", "few.json", "", "stats --data IN/small --buckets X"},
	{"predictions", "few.sql", "", "eval --gold IN/small/dev.json --pred X --timeout 1s"},
	{"decisions, JSONL", "ann.jsonl", "", "review merge X --buckets IN/buckets.json --out OUT"},
	{"links, JSONL", "links.jsonl", "", "eval link --data IN/data --gold IN/links.jsonl --pred X"},
	{"web tables, CSV", "table.csv", "", "corpus build --source csv:X --out OUT"},
	{"web tables, JSONL", "tables/airlines.jsonl", "", "corpus build --source jsonl:X --out OUT"},
	{"web tables, tar", "tables.tar.gz", "", "corpus build --source csv:X --out OUT"},
	{"index of a corpus, list", "corpus", "meta.json", "corpus search --corpus X --query ship"},
	{"index of a corpus, tables", "corpus", "tables.bin", "corpus search --corpus X --query ship"},
	{"index of a corpus, terms", "corpus", "terms/store/000000000002.zap", "corpus search --corpus X --query ship"},
	{"records, Parquet", "bench", "records.parquet", "report X --format md"},
	{"manifest of a build", "bench", "manifest.json", "report X --format md"},
	{"index of a build", "bench", "adveta/replace/index.jsonl", "mix --build X --out OUT"},
	{"manifest of a suite", "suite", "manifest.json", "suite show X"},
	{"an evaluation", "a.json", "", "compare X IN/b.json --max-drop 100"},
	{"vectors", "vectors.tpv", "", "lexicon similarity --vectors X --in IN/words.tsv"},
	{"vectors, text", "vectors.txt", "", "lexicon import --in X --out OUT"},
	{"a linker", "linker.bin", "", "link --data IN/small --linker X --out OUT"},
	{"weights of names", "names.bin", "", "nli score --in IN/pairs.tsv --nli X"},
	{"pairs, TSV", "pairs.tsv", "", "nli score --in X"},
}

// nasty are what may stand where a value stood.
var nasty = []string{
	"null", "-1", "1e999", "18446744073709551616", `""`, `"\u0000"`, "\x1b[31m", "\xff\xfe", "{}", "[]", "../../../etc/passwd", "true", "NaN", "\r\n", "\x00",
	strings.Repeat("[", 20000), strings.Repeat("x", 1<<20), `{"a":` + strings.Repeat(`{"a":`, 5000),
}

// damage returns a damaged copy.
func damage(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	n := len(data)
	if n == 0 {
		return []byte(nasty[rng.IntN(len(nasty))])
	}
	at := rng.IntN(n)
	end := min(n, at+1+rng.IntN(1<<rng.IntN(12)))
	switch rng.IntN(9) {
	case 0:
		return data[:at]
	case 1:
		return append(data[:at], data[end:]...)
	case 2:
		return append(bytes.Clone(data[:end]), data[at:]...)
	case 3:
		clear(data[at:end])
	case 4:
		for i := range end - at {
			data[at+i] = byte(rng.Uint32())
		}
	case 5:
		return append(append(bytes.Clone(data[:at]), nasty[rng.IntN(len(nasty))]...), data[at:]...)
	case 6:
		return value(rng, data, at)
	case 7:
		for range 1 + rng.IntN(8) {
			data[rng.IntN(n)] ^= 1 << rng.IntN(8)
		}
	default:
		head := min(n, 128) // headers hold sizes
		data[rng.IntN(head)] = byte(rng.Uint32())
	}
	return data
}

// value puts something nasty in the place of the word or number around a byte.
func value(rng *rand.Rand, data []byte, at int) []byte {
	isWord := func(b byte) bool {
		return b == '_' || b == '"' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
	}
	from, to := at, at
	for from > 0 && isWord(data[from-1]) {
		from--
	}
	for to < len(data) && isWord(data[to]) {
		to++
	}
	return append(append(bytes.Clone(data[:from]), nasty[rng.IntN(len(nasty))]...), data[to:]...)
}

// TestMutations reads damaged files of each kind.
func TestMutations(t *testing.T) {
	in := inputs(t)
	work := make(chan func())
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	for k := range kinds {
		for i := range *spoils {
			work <- func() { mutation(t, in, &kinds[k], i) }
		}
	}
	close(work)
	wg.Wait()
}

func mutation(t *testing.T, in string, k *kind, i int) {
	rng := rand.New(rand.NewPCG(*seed, uint64(i)<<8^uint64(len(k.name))))
	dir, err := os.MkdirTemp(filepath.Dir(binary), "mutation-")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(dir)
	x := filepath.Join(dir, "x")
	if k.file == "" {
		x = filepath.Join(dir, filepath.Base(k.src))
	}
	target := filepath.Join(x, k.file)
	if err := copyAll(filepath.Join(in, k.src), x); err != nil {
		t.Error(err)
		return
	}
	data, err := os.ReadFile(target)
	if err != nil {
		t.Error(err)
		return
	}
	if err := os.WriteFile(target, damage(rng, data), 0o666); err != nil {
		t.Error(err)
		return
	}
	args := strings.Fields(k.line)
	for j := range args {
		args[j] = strings.ReplaceAll(strings.ReplaceAll(args[j], "IN/", in+"/"), "X", x)
	}
	r := run(dir, args...)
	fault := r.clean()
	if fault == nil {
		fault = leftOver(dir, filepath.Base(x), "OUT", ".cache")
	}
	if fault != nil {
		fault = fmt.Errorf("%s, mutation %d: %w", k.line, i, fault)
	}
	tally.add(t, "damaged: "+k.name, r.took, fault)
}

// copyAll copies a file or a folder.
func copyAll(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// pack makes inputs that are packed: a data directory with examples in gzip, and web tables
// in tar.
func pack(dir string) error {
	if err := os.CopyFS(filepath.Join(dir, "packed"), os.DirFS(filepath.Join(dir, "small"))); err != nil {
		return err
	}
	plain := filepath.Join(dir, "packed", "dev.json")
	data, err := os.ReadFile(plain)
	if err != nil {
		return err
	}
	table, err := os.ReadFile(filepath.Join(dir, "table.csv"))
	if err != nil {
		return err
	}
	var examples, tables bytes.Buffer
	zipped, tarred := gzip.NewWriter(&examples), gzip.NewWriter(&tables)
	archive := tar.NewWriter(tarred)
	for i := range 5 {
		header := &tar.Header{Name: fmt.Sprintf("tables/%d.csv", i), Mode: 0o644, Size: int64(len(table))}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(table); err != nil {
			return err
		}
	}
	_, err = zipped.Write(data)
	return errors.Join(err, zipped.Close(), archive.Close(), tarred.Close(), os.Remove(plain),
		os.WriteFile(plain+".gz", examples.Bytes(), 0o666), os.WriteFile(filepath.Join(dir, "tables.tar.gz"), tables.Bytes(), 0o666))
}
