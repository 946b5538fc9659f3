package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/retriever"
)

// corpusCmd returns the command corpus.
func (a *app) corpusCmd() *cobra.Command {
	return group("corpus", "Index web tables, and search them", `corpus search --query "singer name, age" -k 3`, a.corpusBuildCmd(), a.corpusSearchCmd())
}

// corpusBuildCmd returns the command corpus build.
func (a *app) corpusBuildCmd() *cobra.Command {
	var f corpusFlags
	cmd := &cobra.Command{
		Use:     "build",
		Short:   "Read web tables, drop near-duplicates, write an index",
		Long:    help("corpus_build", strings.Join(retriever.Kinds(), ", ")),
		Example: examples("corpus_build"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.corpusBuild(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.sources, "source", nil, "KIND:PATH of tables to read; repeatable")
	fl.StringVar(&f.out, "out", "", "folder to write")
	markInputs(cmd, "source")
	markOutputs(cmd, "out")
	f.sharded.flag(cmd)
	fl.BoolVar(&f.resume, "resume", false, "with --shard: go on where an interrupted share stopped")
	a.jsonFlag(cmd, "print the counts as JSON")
	require(cmd, "source", "out")
	return cmd
}

// corpusBuild reads the tables of all sources and writes an index, or does a share of it.
func (a *app) corpusBuild(ctx context.Context, f *corpusFlags) error {
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !share.All() {
		return a.corpusPart(ctx, f, share)
	}
	tables, err := retriever.OpenAll(f.sources, retriever.Limits{Context: ctx, Workers: a.workers})
	if err != nil {
		return fmt.Errorf("--source %w", err)
	}
	// The former values are restored at the end. Above the limit of memory the heap is collected sooner.
	defer debug.SetGCPercent(debug.SetGCPercent(corpusGC))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(corpusMemory))
	step, done := a.start("tables", unknownTotal)
	stats, err := retriever.Build(ctx, f.out, counted(tables, step), a.corpusOptions())
	done()
	if errors.Is(err, retriever.ErrEmpty) {
		return fmt.Errorf("%s: %w", strings.Join(f.sources, " "), err)
	}
	if err != nil {
		return err
	}
	return a.printCorpus(stats, f.out)
}

// How far the heap of a build of a corpus may grow between two collections, in percent, and
// the memory in bytes up to which it may: more than an index of five million tables needs.
const corpusGC, corpusMemory = 200, 640 << 20

type corpusFlags struct {
	sources []string
	out     string
	resume  bool
	sharded
}

// corpusOptions returns the options of a build that reports tables which cannot be read, except
// those without a header: they are counted.
func (a *app) corpusOptions() retriever.BuildOptions {
	return retriever.BuildOptions{Workers: a.workers, Report: func(err error) {
		if !errors.Is(err, retriever.ErrNoHeader) { // counted, and no fault of the file
			a.skip(err)
		}
	}}
}

// printCorpus prints the counts of a corpus that was written to out.
func (a *app) printCorpus(stats retriever.Stats, out string) error {
	return a.printText(stats, "%v\nwrote %s\n", stats, out)
}

// corpusPart reads the tables of one share of the sources and writes the part.
func (a *app) corpusPart(ctx context.Context, f *corpusFlags, share outdir.Share) error {
	step, done := a.start("tables", unknownTotal)
	defer done()
	part, err := retriever.BuildPart(ctx, f.sources, f.out, share, retriever.PartOptions{Workers: a.workers, Resume: f.resume, Step: step, Note: a.warn})
	return a.printPart(part, err, f.out, "", "source")
}

// mergeCorpus writes the index of the tables of all parts.
func (a *app) mergeCorpus(ctx context.Context, m *merging, parts []*outdir.Part) error {
	stats, err := retriever.Merge(ctx, m.out, parts, a.corpusOptions())
	if err != nil {
		return err
	}
	return a.printCorpus(stats, m.out)
}

// counted calls step for each table of a stream, also for those that cannot be read.
func counted(tables dataset.Stream[*retriever.Table], step func()) dataset.Stream[*retriever.Table] {
	return func(report func(error), each func(*retriever.Table) error) error {
		return tables(func(err error) {
			step()
			report(err)
		}, func(t *retriever.Table) error {
			step()
			return each(t)
		})
	}
}

// corpusSearchCmd returns the command corpus search.
func (a *app) corpusSearchCmd() *cobra.Command {
	var k knowledge
	var query, data, split, table string
	var n int
	cmd := &cobra.Command{
		Use:     "search",
		Short:   "The tables nearest to a text, or to a table of a data set",
		Example: "  tabperturb corpus search --query \"singer name, age, nationality\" -k 3\n  tabperturb corpus search --corpus webtables --data spider --table concert_singer.stadium",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q := retriever.Query{Headers: []string{query}}
			if (query == "") == (table == "") { // both or none
				return fmt.Errorf("expected one of --query TEXT and --table DB.TABLE with --data")
			}
			if n < 1 {
				return fmt.Errorf("-k %d: expected 1 or more", n)
			}
			if table != "" {
				err := checkData(data, split)
				if err != nil {
					return err
				}
				if q, err = augment.QueryOf(data, split, table); err != nil {
					return err
				}
			}
			return a.corpusSearch(cmd.Context(), &k, q, n)
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.corpus, "corpus", "", "folder of a corpus (default: the embedded sample)")
	vectorFlag(cmd, &k.vectors)
	f.StringVar(&query, "query", "", "text to search for")
	f.StringVar(&data, "data", "", "data directory that --table is of")
	f.StringVar(&split, "split", "dev", "which SPLIT.json of the data directory")
	f.StringVar(&table, "table", "", "DB.TABLE whose headers and questions make the query")
	f.IntVarP(&n, "k", "k", 10, "tables to print")
	markInputs(cmd, "corpus", "data")
	a.jsonFlag(cmd, "print the hits as JSON")
	return cmd
}

// hit is a table that a search found, as JSON.
type hit struct {
	ID         string   `json:"id"`
	Caption    string   `json:"caption,omitempty"`
	Repository string   `json:"repository,omitempty"`
	Score      float64  `json:"score"`
	Headers    []string `json:"headers"`
	Keys       []string `json:"keys,omitempty"` // headers of columns that are keys
}

// sampleIndex returns an index of the embedded sample of web tables, in a temporary folder.
func sampleIndex(ctx context.Context, v lexicon.Vectors) (*retriever.Index, error) {
	tables, err := retriever.OpenFS(sample.Corpus(), "jsonl", ".", retriever.Limits{})
	if err != nil {
		return nil, err
	}
	index, _, err := retriever.BuildTemp(ctx, tables, retriever.BuildOptions{})
	if err != nil {
		return nil, err
	}
	index.Rescorer = &retriever.Rescorer{Vectors: v}
	return index, nil
}

// corpusSearch prints the n tables that match a query best.
func (a *app) corpusSearch(ctx context.Context, k *knowledge, q retriever.Query, n int) error {
	v, err := a.openVectors(ctx, k.vectors)
	if err != nil {
		return err
	}
	index, err := k.openCorpus(v)
	if index == nil && err == nil { // no --corpus
		index, err = sampleIndex(ctx, v)
	}
	if err != nil {
		return err
	}
	defer index.Close()
	found, err := index.Search(ctx, q, n)
	if err != nil {
		return err
	}
	hits := make([]hit, len(found))
	for i, h := range found {
		t := h.Table
		hits[i] = hit{t.ID, t.Caption, t.Repository, h.Score, t.Headers(), t.Keys()}
	}
	return a.print(hits, func(w io.Writer) error {
		for _, h := range hits {
			fmt.Fprintf(w, "%.3f  %s  %s\n       %s\n", h.Score, h.ID, h.Caption, strings.Join(h.Headers, " | "))
			if h.Repository != "" {
				fmt.Fprintf(w, "       of %s\n", h.Repository)
			}
			if len(h.Keys) > 0 {
				fmt.Fprintf(w, "       keys: %s\n", strings.Join(h.Keys, ", "))
			}
		}
		return nil
	})
}
