package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/nli/compact"
)

type linkFlags struct {
	data, split, vectors, linker, out string
}

// linkSummary is what link prints.
type linkSummary struct {
	Linker    string `json:"linker"`
	Questions int    `json:"questions"`
	Columns   int    `json:"columns"` // links to columns
	Tables    int    `json:"tables"`  // links to tables
	Out       string `json:"out"`
}

// linkCmd returns the command link.
func (a *app) linkCmd() *cobra.Command {
	var f linkFlags
	cmd := &cobra.Command{
		Use:     "link",
		Short:   "Link the tokens of questions to tables and columns",
		Long:    help("link", linkerDocs()),
		Example: examples("link"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.link(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.printText(s, "%d questions: %d links to columns, %d to tables\nwrote %s\n", s.Questions, s.Columns, s.Tables, s.Out)
		},
	}
	a.dataFlags(cmd, &f.data, &f.split)
	vectorFlag(cmd, &f.vectors)
	cmd.Flags().StringVar(&f.linker, "linker", "partial", "exact, partial, embedding, trained, or a file that link train wrote")
	_ = cmd.RegisterFlagCompletionFunc("linker", cobra.FixedCompletions([]string{"exact", "partial", "embedding", trainedLinker}, cobra.ShellCompDirectiveDefault))
	cmd.Flags().StringVar(&f.out, "out", "", "file to write")
	markInputs(cmd, "linker")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print the summary as JSON")
	require(cmd, "out")
	cmd.AddCommand(a.linkTrainCmd(), a.linkCardCmd())
	return cmd
}

// linkerDocs returns a line of help for each built-in linker.
func linkerDocs() string {
	var b strings.Builder
	for _, m := range link.Methods(nil) {
		fmt.Fprintf(&b, "  %-10s %s\n", m.Name, m.Doc)
	}
	return b.String()
}

// link runs a linker over a data directory and writes a line for each question: links of tokens, or the scored items of a trained
// linker.
func (a *app) link(ctx context.Context, f *linkFlags) (*linkSummary, error) {
	if f.out == "" {
		return nil, errors.New("--out is empty, expected a file to write")
	}
	if err := filecheck.Writable(f.out); err != nil {
		return nil, err
	}
	methods, err := a.linkers(ctx, f.vectors)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(methods, func(m link.Method) bool { return m.Name == f.linker })
	if i < 0 { // a trained linker
		return a.linkItems(ctx, f)
	}
	split, err := a.readSplit(f.data, f.split)
	if err != nil {
		return nil, err
	}
	all, err := linking.PredictAll(ctx, methods[i], split)
	if err != nil {
		return nil, err
	}
	s := &linkSummary{Linker: f.linker, Questions: len(all), Out: f.out}
	return s, outdir.WriteFile(f.out, func(w io.Writer) error {
		lines := linking.NewWriter(w)
		for _, ex := range all {
			columns, tables := ex.Count()
			s.Columns, s.Tables = s.Columns+columns, s.Tables+tables
			if err := lines.Write(ex); err != nil {
				return err
			}
		}
		return nil
	})
}

// linkItems scores the tables and columns for each question by a trained linker, and writes a line for each question.
func (a *app) linkItems(ctx context.Context, f *linkFlags) (*linkSummary, error) {
	model, err := openLinker(f.linker)
	if err != nil {
		return nil, err
	}
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	step, done := a.start("link", len(units))
	defer done()
	all, err := linker.ScoreQuestions(ctx, model, units, lexicon, a.workers, step)
	if err != nil {
		return nil, err
	}
	s := &linkSummary{Linker: f.linker, Questions: len(all), Out: f.out}
	return s, outdir.WriteFile(f.out, func(w io.Writer) error {
		lines := linker.NewWriter(w)
		for _, scored := range all {
			columns, tables := scored.Linked()
			s.Columns, s.Tables = s.Columns+columns, s.Tables+tables
			if err := lines.Write(scored.Example, scored.P); err != nil {
				return err
			}
		}
		return nil
	})
}

// trainedLinker is the name of the embedded linker.
const trainedLinker = "trained"

// openLinker opens the embedded linker, or one in a file.
func openLinker(name string) (*linker.Model, error) {
	if name == trainedLinker {
		return linker.Default(), nil
	}
	m, err := linker.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--linker %q: expected exact, partial, embedding, trained, or a file that link train wrote", name)
	}
	return m, err
}

// linkLexicon returns the lexicon by which trained linkers compare words. It is always the
// embedded one, because their weights were trained with it.
func linkLexicon() (linker.Lexicon, error) {
	m, err := compact.New(compact.Embedded())
	if err != nil {
		return nil, err
	}
	return m.Extractor(), nil
}

// linkers returns the built-in linkers over the vectors that --vectors names.
func (a *app) linkers(ctx context.Context, vectors string) ([]link.Method, error) {
	v, err := a.openVectors(ctx, vectors)
	return link.Methods(v), err
}

// readSplit reads the questions and schemas of a data directory.
func (a *app) readSplit(data, split string) (*linking.Split, error) {
	units, err := a.readUnits(data, split)
	return linking.NewSplit(units), err
}

// readUnits reads a data directory: the examples of a split by database.
func (a *app) readUnits(data, split string) ([]*dataset.Unit, error) {
	if err := checkData(data, split); err != nil {
		return nil, err
	}
	return dataset.Units(data, split, a.report)
}
