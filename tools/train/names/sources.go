package names

import (
	"archive/tar"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/source"
)

// Sources are the files to train from. Empty paths are left out, but for the
// two of WordNet. Each may be gzip.
type Sources struct {
	// Synsets and Senses are Open English WordNet as two tables with a header
	// line: synset, pos, lexfile, members by "|", definition, relations by blank;
	// and lemma, pos, sense id, synset, sense relations by blank.
	Synsets, Senses string
	// Paraphrases have a line "word paraphrase …" each (PPDB).
	Paraphrases []string
	// Antonyms have a line "word antonym" each.
	Antonyms []string

	TabFact  []string // tar of CSV files with '#' between cells
	WTQ      []string // tar of CSV files with '\' before quotes
	FeTaQA   []string // JSON lines with table_array
	InfoTabs []string // tar of JSON objects, attribute to values
	Spider   []string // tables.json
	// Columns have columns with names that people wrote for them, see
	// [readColumns]; Words pairs of words with grades, see [readWords].
	Columns, Words []string
	// Replace and Add are ADVETA's candidates (JSON); of them the last stage
	// alone learns.
	Replace, Add string
	// Exclude have pairs that no stage may see: those of test sets.
	Exclude []string
	// HeldOut are names of WTQ tables ("204_590") and of Spider databases not to
	// train from.
	HeldOut map[string]bool
}

// table is the header of a web table or database table: names in normal
// spelling, words joined by blanks.
type table struct{ names []string }

// maxFile bounds one file within an archive.
const maxFile = 8 << 20

// lines calls f with each line of a file.
func lines(ctx context.Context, name string, f func(line string) error) error {
	return source.Lines(ctx, name, func(_ int, line string) error { return f(line) })
}

// archive yields the files of a tar with their contents.
func archive(ctx context.Context, name string, f func(file string, data []byte)) error {
	r, err := source.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case h.Typeflag != tar.TypeReg, h.Size > maxFile:
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return fmt.Errorf("%s:%s: %w", name, h.Name, err)
		}
		f(h.Name, data)
	}
}

// tables reads all headers. Tables that cannot be read are counted in skipped.
func (s *Sources) tables(ctx context.Context) (tables []table, skipped int, err error) {
	add := func(t table) {
		if len(t.names) > 0 {
			tables = append(tables, t)
		} else {
			skipped++
		}
	}
	readers := []struct {
		files []string
		read  func(context.Context, string, func(table)) error
	}{
		{s.TabFact, readTabFact}, {s.FeTaQA, readFeTaQA}, {s.InfoTabs, readInfoTabs},
		{s.WTQ, s.readWTQ}, {s.Spider, s.readSpider},
	}
	for _, r := range readers {
		for _, file := range r.files {
			if err := r.read(ctx, file, add); err != nil {
				return nil, 0, err
			}
		}
	}
	return tables, skipped, nil
}

// readTabFact passes the headers of the tables of TabFact to add.
func readTabFact(ctx context.Context, file string, add func(table)) error {
	return archive(ctx, file, func(name string, data []byte) {
		if path.Ext(name) == ".csv" {
			line, _, _ := strings.Cut(string(data), "\n")
			add(header(strings.Split(line, "#")))
		}
	})
}

// readWTQ passes the headers of the tables of WikiTableQuestions to add, without those held out.
func (s *Sources) readWTQ(ctx context.Context, file string, add func(table)) error {
	return archive(ctx, file, func(name string, data []byte) {
		id := strings.TrimSuffix(path.Base(path.Dir(name)), "-csv") + "_" + strings.TrimSuffix(path.Base(name), ".csv")
		if path.Ext(name) != ".csv" || s.HeldOut[id] {
			return
		}
		line, _, _ := strings.Cut(strings.ReplaceAll(string(data), `\"`, `""`), "\n")
		cells, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil {
			cells = nil
		}
		add(header(cells))
	})
}

// readFeTaQA passes the headers of the tables of FeTaQA to add.
func readFeTaQA(ctx context.Context, file string, add func(table)) error {
	return lines(ctx, file, func(line string) error {
		var record struct {
			Rows [][]string `json:"table_array"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || len(record.Rows) == 0 {
			add(table{})
			return nil
		}
		add(header(record.Rows[0]))
		return nil
	})
}

// readInfoTabs passes the attributes of the objects of InfoTabs to add.
func readInfoTabs(ctx context.Context, file string, add func(table)) error {
	return archive(ctx, file, func(name string, data []byte) {
		if path.Ext(name) != ".json" {
			return
		}
		var attributes map[string]json.RawMessage
		if err := json.Unmarshal(data, &attributes); err != nil {
			attributes = nil
		}
		delete(attributes, "title")
		add(header(slices.Sorted(maps.Keys(attributes))))
	})
}

// readSpider passes the columns of each table of a tables.json to add, without the databases held out.
func (s *Sources) readSpider(ctx context.Context, file string, add func(table)) error {
	r, err := source.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	var schemas []struct {
		ID      string  `json:"db_id"`
		Columns [][]any `json:"column_names"`
	}
	if err := json.NewDecoder(r).Decode(&schemas); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, schema := range schemas {
		if s.HeldOut[schema.ID] {
			continue
		}
		byTable := map[int][]string{}
		for _, c := range schema.Columns {
			if len(c) == 2 {
				index, _ := c[0].(float64)
				name, _ := c[1].(string)
				byTable[int(index)] = append(byTable[int(index)], name)
			}
		}
		delete(byTable, -1)
		for _, index := range slices.Sorted(maps.Keys(byTable)) {
			add(header(byTable[index]))
		}
	}
	return ctx.Err()
}

// header returns the table of a header as a data set has it. It leaves out names without a letter and repeated ones.
func header(raw []string) table {
	var t table
	for _, s := range raw {
		words := lexicon.Words(s[:min(len(s), 200)])
		name := strings.Join(words, " ")
		if strings.ContainsAny(name, letters) && !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	return t
}
