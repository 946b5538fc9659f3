package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/models"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/cybertron"
	"github.com/tabperturb/tabperturb/nli/question"
	"github.com/tabperturb/tabperturb/perturb"
)

// resources holds the flags for the resources of perturbations: vectors, dictionaries, models and
// recorded edits. Each has an embedded default or is optional.
type resources struct {
	vectors, dictionary, annotations string
	factuality, masked               string
	drafting
	replay, questions []string
	rename, migration []string
}

// defaultResources returns the defaults of the flags.
func defaultResources() resources { return resources{factuality: embeddedQuestions} }

// flags adds the flags for all resources of perturbations to a command.
func (r *resources) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	vectorFlag(cmd, &r.vectors)
	dictionaryFlag(cmd, &r.dictionary)
	fl.StringVar(&r.annotations, "annotations", "", "tables.json with alternative names, separated by \" | \", for spidersyn/multi-annotation (default: from the dictionary)")
	fl.StringVar(&r.factuality, "factuality", defaultResources().factuality, "model that judges paraphrases: question (embedded), the folder of a BERT or RoBERTa classifier, or the name of a pulled one")
	_ = cmd.RegisterFlagCompletionFunc("factuality", (&modelFiles{}).complete(models.NLI))
	maskedFlag(cmd, &r.masked)
	r.drafting.flags(cmd)
	fl.StringSliceVar(&r.replay, "replay", nil, "recorded edits: files, each a perturbation of its own, or folders that build wrote; repeatable or comma-separated")
	fl.StringSliceVar(&r.questions, "questions", nil, "reworded questions as NAME=FILE, each the perturbation human/NAME: files of Spider-Syn's or Spider-Realistic's form")
	fl.StringSliceVar(&r.rename, "rename", nil, "new names of tables and columns, each file the perturbation given/NAME: CSV or TSV with the columns db_id, table, column (empty for the table) and name; repeatable or comma-separated")
	fl.StringSliceVar(&r.migration, "migration", nil, "scripts that change the schema of one database, each file the perturbation given/NAME: ALTER TABLE, DROP TABLE, and tables that are built anew, of SQLite or PostgreSQL; repeatable or comma-separated")
	markInputs(cmd, "annotations", "factuality", "replay", "questions", "rename", "migration")
}

// maskedFlag adds --masked.
func maskedFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "masked", "", "masked language model, from which BERT-Attack draws: the folder of a BERT, or the name of a pulled one")
	markInputs(cmd, "masked")
	_ = cmd.RegisterFlagCompletionFunc("masked", (&modelFiles{}).complete(models.Masked))
}

// openMasked opens a masked language model; nil for "".
func openMasked(name string) (perturb.Masked, error) {
	if name == "" {
		return nil, nil
	}
	dir, _, err := models.Resolve(name, models.Masked)
	if err != nil {
		return nil, fmt.Errorf("--masked %s: %w", name, err)
	}
	m, err := cybertron.OpenMasked(dir, cybertron.Options{})
	if err != nil {
		return nil, fmt.Errorf("--masked %s: %w", name, err)
	}
	return m, nil
}

// files returns the files that the flags name and that do not change during a build.
func (r *resources) files() []string {
	files := slices.Concat([]string{r.vectors, r.dictionary, r.annotations, r.masked}, r.replay, r.rename, r.migration)
	if r.factuality != embeddedQuestions {
		files = append(files, r.factuality)
	}
	if r.paraphraser == "" { // an endpoint adds its answers to the file
		files = append(files, r.drafting.record)
	}
	for _, q := range r.questions {
		_, file, _ := strings.Cut(q, "=")
		files = append(files, file)
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// open returns the resources for the units, and a function that closes them. It opens the model that judges paraphrases
// only if a perturbation needs it (judged), and likewise the model that judges names (named).
func (r *resources) open(ctx context.Context, a *app, units []*dataset.Unit, judged, named bool) (out perturb.Resources, closer func() error, err error) {
	out = perturb.Resources{
		Abbreviations: lexicon.DefaultAbbreviations(), Domains: lexicon.DefaultDomainWords(), Contrasts: lexicon.DefaultContrasts(),
		Attributes: lexicon.DefaultAttributes, Headings: heading.Default,
	}
	closer = func() error { return nil }
	vectors, err := a.openVectors(ctx, r.vectors)
	if err != nil {
		return out, closer, err
	}
	out.Vectors = vectors
	// Words in questions and names in schemas are replaced by synonyms that people wrote. Unlike in candidates, no model would
	// judge the neighbours of vectors here.
	if out.Dictionary, err = a.openDictionary(r.dictionary); err != nil {
		return out, closer, err
	}
	if named {
		if out.NLI, err = compact.New(compact.Embedded()); err != nil {
			return out, closer, err
		}
	}
	if judged {
		if out.Factuality, err = openFactuality(r.factuality); err != nil {
			return out, closer, fmt.Errorf("--factuality %s: %w", r.factuality, err)
		}
	}
	if out.Masked, err = openMasked(r.masked); err != nil {
		return out, closer, err
	}
	if r.annotations != "" {
		if out.Annotations, err = a.readAnnotations(r.annotations, units); err != nil {
			return out, closer, fmt.Errorf("--annotations: %w", err)
		}
	}
	drafter, err := r.drafting.open(a)
	if drafter == nil {
		return out, closer, err
	}
	out.Paraphraser = drafter
	return out, drafter.Client.Record.Close, err
}

// embeddedQuestions is the name of the embedded model of whole questions.
const embeddedQuestions = "question"

// openFactuality opens the model that judges paraphrases: the embedded one, or a BERT or RoBERTa.
func openFactuality(name string) (nli.Classifier, error) {
	if name == embeddedQuestions {
		return question.Default(), nil
	}
	return openTransformer(name)
}

// readAnnotations reads the alternative names of the tables and columns of units.
func (a *app) readAnnotations(path string, units []*dataset.Unit) (perturb.Annotations, error) {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return spidersyn.ReadAnnotations(r, path, dataset.Databases(units), a.skip)
}

// recorded reads the perturbations of --replay, --questions, --rename and --migration. samples is the largest number of samples
// that an example has in recorded edits. data is the data directory.
func (r *resources) recorded(a *app, data string, units []*dataset.Unit) (out []*perturb.Perturbation, samples int, err error) {
	for _, path := range r.replay {
		recorded, err := benchmark.ReadReplays(path, a.skip)
		if err != nil {
			return nil, 0, fmt.Errorf("--replay: %w", err)
		}
		for _, p := range recorded {
			p.Check(units, a.skip)
			out, samples = append(out, p.Perturbation), max(samples, p.Samples())
		}
	}
	reworded, err := mapEach(r.questions, func(flag string) (*perturb.Perturbation, error) { return benchmark.ReadReworded(flag, units, a.report) })
	if err != nil {
		return nil, 0, fmt.Errorf("--questions: %w", err)
	}
	renamed, err := mapEach(r.rename, func(path string) (*perturb.Perturbation, error) { return benchmark.ReadRename(path, data, a.report) })
	if err != nil {
		return nil, 0, fmt.Errorf("--rename: %w", err)
	}
	migrated, err := mapEach(r.migration, func(path string) (*perturb.Perturbation, error) {
		return benchmark.ReadMigration(path, units, a.report)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("--migration: %w", err)
	}
	return slices.Concat(out, reworded, renamed, migrated), samples, nil
}
