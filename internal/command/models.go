package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/console"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/models"
)

// modelFiles are the flags of the models commands.
type modelFiles struct {
	catalogue string
}

// modelsCmd returns the command models.
func (a *app) modelsCmd() *cobra.Command {
	var f modelFiles
	cmd := group("models", "Pull real word vectors and NLI models, by name, with checksums", "models list",
		a.modelsListCmd(&f), a.modelsPullCmd(&f), a.modelsVerifyCmd(&f))
	cmd.Long = `models keeps real models in one folder, $` + models.EnvDir + ` or the user's cache: word
vectors for --vectors, BERT and RoBERTa classifiers for --nli. Both flags take
the name of a pulled model in the place of a path; a file or folder of that name
comes first.

--catalogue reads other models than the embedded ones from a JSON file, in the
form of list --json.`
	cmd.PersistentFlags().StringVar(&f.catalogue, "catalogue", "", "JSON file of models (default: embedded)")
	return cmd
}

// open returns the catalogue, that of --catalogue or the embedded one, and the store of pulled models.
func (f *modelFiles) open() (models.Catalogue, models.Store, error) {
	dir, err := models.DefaultDir()
	store := models.Store{Dir: dir}
	if err != nil || f.catalogue == "" {
		return models.Default(), store, err
	}
	file, err := os.Open(f.catalogue)
	if err != nil {
		return nil, store, fmt.Errorf("--catalogue: %w", err)
	}
	defer file.Close()
	c, err := models.ReadCatalogue(f.catalogue, file)
	if err != nil {
		return nil, store, fmt.Errorf("--catalogue: %w", err)
	}
	return c, store, nil
}

// openAll returns the catalogue together with models that were pulled by another catalogue, and the store. It reports broken
// locks of the store.
func (f *modelFiles) openAll(report func(error)) (models.Catalogue, models.Store, error) {
	c, store, err := f.open()
	if err != nil {
		return nil, store, err
	}
	c, err = c.With(store, report)
	return c, store, err
}

// complete returns a shell completion of names of models. A flag passes the kind of its models and takes a path as well; kind ""
// completes names of all kinds, without those that the command line already has.
func (f *modelFiles) complete(kind models.Kind) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		if kind != "" { // the flag takes a path as well
			directive = cobra.ShellCompDirectiveDefault
		}
		c, _, err := f.openAll(func(error) {})
		if err != nil {
			return nil, directive
		}
		for _, m := range c {
			if (kind == "" || m.Kind == kind) && !slices.Contains(args, m.Name) {
				names = append(names, cobra.CompletionWithDesc(m.Name, m.Doc))
			}
		}
		return names, directive
	}
}

// modelsListCmd returns the command models list.
func (a *app) modelsListCmd(f *modelFiles) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "Models with kind, size, licence, and what of them is there",
		Long:    help("models_list"),
		Example: examples("models_list"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, store, err := f.openAll(a.skip)
			if err != nil {
				return err
			}
			rows, err := store.List(c)
			if err != nil {
				return err
			}
			return a.print(rows, func(w io.Writer) error { return models.WriteList(w, rows) })
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// modelsPullCmd returns the command models pull.
func (a *app) modelsPullCmd(f *modelFiles) *cobra.Command {
	var mirror string
	cmd := &cobra.Command{
		Use:               "pull NAME...",
		Short:             "Download models and check them",
		Long:              help("models_pull"),
		Example:           examples("models_pull"),
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: f.complete(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, store, err := f.open()
			if err != nil {
				return err
			}
			chosen, err := c.Choose(store, args) // all names, before the first download
			if err != nil {
				return err
			}
			return lists.Each(chosen, func(m models.Model) error {
				return a.pullModel(cmd.Context(), &models.Puller{Store: store, Mirror: mirror}, m)
			})
		},
	}
	cmd.Flags().StringVar(&mirror, "mirror", "", "address of a copy to download from: URL/NAME/FILE")
	return cmd
}

// pullModel downloads what is missing of a model and prints what was downloaded.
func (a *app) pullModel(ctx context.Context, p *models.Puller, m models.Model) error {
	progress, done := a.startBytes()
	p.Progress = progress
	pulls, err := p.Pull(ctx, m)
	done()
	for _, pull := range pulls {
		if pull.FirstUse {
			a.warn(fmt.Errorf("%s/%s: no checksum known: pinned on first use: %s", m.Name, pull.File.Name, pull.File.SHA256))
		}
	}
	if err != nil {
		return err
	}
	return models.WritePulled(a.stdout, m, pulls)
}

// startBytes returns a function that shows the progress of downloads in bytes, with a new bar for each file, and a function that
// ends the last bar. If standard error is no terminal, nothing is shown and progress is nil.
func (a *app) startBytes() (progress func(file string, done, total int64), done func()) {
	if !a.terminal() {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	name := ""
	finish := func() {
		if bar != nil {
			bar.Finish()
		}
	}
	return func(file string, n, total int64) {
		if bar == nil || file != name {
			finish()
			name = file
			bar = progressbar.NewOptions64(total,
				progressbar.OptionSetDescription(file), progressbar.OptionSetWriter(a.stderr),
				progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish())
		}
		bar.Set64(n)
	}, finish
}

// modelsVerifyCmd returns the command models verify.
func (a *app) modelsVerifyCmd(f *modelFiles) *cobra.Command {
	return &cobra.Command{
		Use:               "verify [NAME...]",
		Short:             "Compare pulled models with their checksums",
		Long:              help("models_verify"),
		Example:           examples("models_verify"),
		ValidArgsFunction: f.complete(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, store, err := f.openAll(a.skip)
			if err != nil {
				return err
			}
			chosen, err := c.Choose(store, args)
			if err != nil {
				return err
			}
			return a.verifyModels(cmd.Context(), store, chosen)
		},
	}
}

// verifyModels prints the files of models that differ from their checksums, and returns
// [errFindings] if there are any.
func (a *app) verifyModels(ctx context.Context, store models.Store, chosen models.Catalogue) error {
	found := false
	for _, m := range chosen {
		faults := 0
		err := store.Verify(ctx, m, func(err error) {
			faults++
			fmt.Fprintln(&console.Visible{W: a.stdout}, err)
		})
		if err != nil {
			return err
		}
		if faults == 0 {
			fmt.Fprintf(a.stdout, "%s: %d files as expected\n", m.Name, len(m.Files))
		}
		found = found || faults > 0
	}
	if len(chosen) == 0 {
		fmt.Fprintln(a.stdout, "no model was pulled")
	}
	return findingsError(found)
}
