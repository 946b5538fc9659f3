package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/retriever/statistics"
	"github.com/tabperturb/tabperturb/tools/train/source"
)

// statisticsCmd returns the command that counts the headers of public tables.
func statisticsCmd() *cobra.Command {
	var corpora, schemas, licences []string
	var out string
	cmd := &cobra.Command{
		Use:   "statistics",
		Short: "Make the statistics of public tables (retriever/statistics)",
		Long: `statistics packs the headers of public tables with types and keys, without cells: web tables of
corpora, and of schemas those whose licence is listed. Tables with the headers of an earlier
one of the same repository are left out.`,
		Example: "  train statistics --corpus tabfact:all_csv.tar.gz --schemas applications.jsonl.gz --licence MIT --out tables.tsv.zst",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := collector{seen: map[string]bool{}, licences: licences}
			stream, err := retriever.OpenAll(corpora, retriever.Limits{})
			if err != nil {
				return err
			}
			report := func(err error) { fmt.Fprintln(os.Stderr, "train:", err) }
			if err := stream(report, func(t *retriever.Table) error { t.Caption = ""; c.add(t); return nil }); err != nil {
				return err
			}
			for _, path := range schemas {
				if err := source.Lines(cmd.Context(), path, c.addSchema); err != nil {
					return err
				}
			}
			data, err := packed.Pack(statistics.New(c.tables).Marshal())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d tables, %d without repeats, %d bytes\n", c.read, len(c.tables), len(data))
			return write(out, data)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&corpora, "corpus", nil, "web tables, KIND:PATH as `corpus build --source` takes them")
	f.StringSliceVar(&schemas, "schemas", nil, "schemas, JSON lines")
	f.StringSliceVar(&licences, "licence", nil, "licences of schemas that may be embedded")
	f.StringVar(&out, "out", "tables.tsv.zst", "file to write")
	return cmd
}

// collector collects distinct tables.
type collector struct {
	tables   []*retriever.Table
	read     int
	seen     map[string]bool
	licences []string
}

// add adds a table with headers that are names of letters, unless its repository has one with its headers.
func (c *collector) add(t *retriever.Table) {
	c.read++
	t.Columns = slices.DeleteFunc(t.Columns, func(c retriever.Column) bool { return statistics.Key("", c.Name) == "" })
	id := t.Repository + "\x00" + t.Caption
	for _, column := range t.Columns {
		id += "\x00" + strings.ToLower(column.Name)
	}
	if len(t.Columns) < 2 || c.seen[id] {
		return
	}
	c.seen[id] = true
	c.tables = append(c.tables, t)
}

// addSchema adds the table of a line, if its licence is listed.
func (c *collector) addSchema(_ int, line string) error {
	var s struct {
		Repo, Licence, Table string
		Columns              []struct {
			Name string
			Type dataset.Type
		}
		Primary []string
	}
	if err := json.NewDecoder(bufio.NewReader(strings.NewReader(line))).Decode(&s); err != nil {
		return err
	}
	if !slices.Contains(c.licences, s.Licence) {
		return nil
	}
	t := &retriever.Table{Repository: s.Repo, Caption: strings.Join(lexicon.Words(s.Table), " ")}
	for _, column := range s.Columns {
		t.Columns = append(t.Columns, retriever.Column{
			Name: strings.Join(lexicon.Words(column.Name), " "), Type: column.Type, Key: len(s.Primary) == 1 && s.Primary[0] == column.Name,
		})
	}
	c.add(t)
	return nil
}
