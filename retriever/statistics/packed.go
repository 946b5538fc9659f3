package statistics

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/retriever"
)

// typeLetters are the letters of types in a packed file. The letter of a column that is a key is a capital.
var typeLetters = map[byte]dataset.Type{
	't': dataset.Text, 'n': dataset.Number, 'd': dataset.Time, 'b': dataset.Boolean, 'o': dataset.Others,
}

// keyedHeader is a header with its [Key] in a table.
type keyedHeader struct{ name, key string }

// Marshal returns the statistics, which must have a table, as [Unmarshal] reads them, in two parts that an empty line divides. The
// first has a line for each header with its key. The second has a line for each table: its repository, its name, the key of its rows,
// and for each column a letter for its type and the number of its header in the first part, from 0. Tabs divide the fields of a line.
// Marshal stores the keys because computing them would take most of the loading time.
func (s *Statistics) Marshal() []byte {
	letters := map[dataset.Type]byte{}
	for letter, t := range typeLetters {
		letters[t] = letter
	}
	plain := strings.NewReplacer("\t", " ", "\n", " ")
	var b strings.Builder
	numbers := map[keyedHeader]int{}
	for i, h := range s.headers() {
		numbers[h] = i
		b.WriteString(plain.Replace(h.name) + "\t" + h.key + "\n")
	}
	b.WriteByte('\n')
	for _, t := range s.tables {
		b.WriteString(plain.Replace(t.Repository) + "\t" + plain.Replace(t.Caption) + "\t" + t.Entity)
		for i, c := range t.Columns {
			letter := string(cmp.Or(letters[c.Type], 'o'))
			if c.Key {
				letter = strings.ToUpper(letter)
			}
			b.WriteString("\t" + letter + strconv.Itoa(numbers[keyedHeader{c.Name, t.Keys[i]}]))
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// headers returns the distinct headers of the tables, in the order of the tables, in which they pack well.
func (s *Statistics) headers() (headers []keyedHeader) {
	seen := map[keyedHeader]bool{}
	for _, t := range s.tables {
		for i, c := range t.Columns {
			if h := (keyedHeader{c.Name, t.Keys[i]}); !seen[h] {
				seen[h] = true
				headers = append(headers, h)
			}
		}
	}
	return headers
}

// Unmarshal reads statistics in the form of [Statistics.Marshal].
func Unmarshal(data []byte) (*Statistics, error) {
	headers, tables, ok := strings.Cut(string(data), "\n\n")
	if !ok {
		return nil, errors.New("has no empty line, expected one between headers and tables")
	}
	p := parser{Statistics: &Statistics{byKey: make(map[string]*postings, strings.Count(headers, "\n"))}}
	line := 0
	for text := range strings.SplitSeq(headers, "\n") {
		line++
		name, key, ok := strings.Cut(text, "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: %q, expected a header and its key", line, text)
		}
		p.headers = append(p.headers, parsedHeader{keyedHeader{name, key}, p.postingsOf(key)})
	}
	line++ // the empty one
	for text := range strings.Lines(tables) {
		line++
		if err := p.table(strings.TrimSuffix(text, "\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return p.Statistics, nil
}

// parser adds the tables of a packed file to statistics.
type parser struct {
	*Statistics
	headers []parsedHeader
}

// parsedHeader is a header with the postings of its key.
type parsedHeader struct {
	keyedHeader
	postings *postings
}

// table adds the table of a line.
func (p *parser) table(text string) error {
	fields := strings.Split(text, "\t")
	if len(fields) < 4 {
		return fmt.Errorf("%d fields, expected a repository, a table's name, the key of its rows, and headers", len(fields))
	}
	position := int32(len(p.tables))
	columns := fields[3:]
	t := &retriever.Table{Repository: fields[0], Caption: fields[1], Columns: make([]retriever.Column, len(columns))}
	keyed := &Table{t, fields[2], make([]string, len(columns))}
	for i, field := range columns {
		lower := strings.ToLower(field[:min(1, len(field))])
		if lower == "" || typeLetters[lower[0]] == "" {
			return fmt.Errorf("header %q, expected a letter for its type first", field)
		}
		number, err := strconv.Atoi(field[1:])
		if err != nil || number < 0 || number >= len(p.headers) {
			return fmt.Errorf("header %q, expected a number below %d after its type", field, len(p.headers))
		}
		h := p.headers[number]
		isKey := lower != field[:1] // a capital
		t.Columns[i] = retriever.Column{Name: h.name, Type: typeLetters[lower[0]], Key: isKey}
		keyed.Keys[i] = h.key
		h.postings.add(position)
	}
	p.postingsOf(keyed.Entity).add(position)
	p.tables = append(p.tables, keyed)
	return nil
}

//go:embed tables.tsv.zst
var embedded []byte

// maxUnpacked bounds the embedded tables, unpacked.
const maxUnpacked = 64 << 20

// Default returns the statistics of the embedded tables, which `go run ./train statistics`, run in tools, makes.
var Default = sync.OnceValue(func() *Statistics {
	data, err := packed.Unpack(embedded, maxUnpacked)
	if err == nil {
		var s *Statistics
		if s, err = Unmarshal(data); err == nil {
			return s
		}
	}
	panic(fmt.Sprintf("retriever/statistics: tables.tsv.zst: %v", err))
})
