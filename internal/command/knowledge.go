package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/models"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/cybertron"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
)

// defaultLimit keeps the buckets at a size that a person reads; ADVETA has three
// or four names in each.
const defaultLimit = 10

// knowledge holds the flags for the origin of names, vectors and models.
// Each has an embedded default.
type knowledge struct {
	corpus, vectors, dictionary, nli, policy, cache string
	tables, limit                                   int
	minValidity                                     float64
	preferred
	without []string // parts to leave out
}

// defaultKnowledge is what the flags are where none is given.
func defaultKnowledge() knowledge {
	return knowledge{preferred: defaultPreferred(), nli: embeddedNLI, policy: policyValidity, minValidity: augment.DefaultMinValidity, tables: augment.DefaultTables, limit: defaultLimit}
}

// flags adds all flags on names, vectors and models to a command.
func (k *knowledge) flags(cmd *cobra.Command) {
	f, d := cmd.Flags(), defaultKnowledge()
	f.StringVar(&k.corpus, "corpus", "", "folder of a corpus that `corpus build` wrote (default: the embedded statistics of some 26,000 tables, which any corpus adds to)")
	markInputs(cmd, "corpus")
	k.preferred.flag(cmd, "names that come first in a bucket")
	k.scoringFlags(cmd)
	dictionaryFlag(cmd, &k.dictionary)
	f.StringVar(&k.policy, "policy", d.policy, "what decides: validity, learned from judged names, or entailments alone as in the paper or as in its released code: validity, paper or released")
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions([]string{policyValidity, "paper", "released"}, cobra.ShellCompDirectiveNoFileComp))
	f.Float64Var(&k.minValidity, "min-validity", d.minValidity, "with --policy validity: least predicted probability, 0 to 1, that people accept a name")
	f.IntVar(&k.tables, "tables", d.tables, "web tables retrieved for a table")
	f.IntVar(&k.limit, "limit", d.limit, "names kept in a bucket; 0 keeps all")
	f.StringSliceVar(&k.without, "without", nil, "leave parts out, for ablations: "+strings.Join(augment.Parts(), ", ")+"; repeatable or comma-separated")
	_ = cmd.RegisterFlagCompletionFunc("without", cobra.FixedCompletions(augment.Parts(), cobra.ShellCompDirectiveNoFileComp))
}

// scoringFlags adds the flags for scoring pairs of names: --vectors, --nli and --nli-cache.
func (k *knowledge) scoringFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	vectorFlag(cmd, &k.vectors)
	nliFlag(cmd, &k.nli)
	f.StringVar(&k.cache, "nli-cache", "", "file that keeps NLI scores between runs")
	markInputs(cmd, "nli-cache")
}

// nliFlag adds --nli.
func nliFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "nli", embeddedNLI, "NLI model: compact (embedded), a file of weights for it, the folder of a BERT or RoBERTa classifier, or the name of a pulled one (see models list)")
	markInputs(cmd, "nli")
	_ = cmd.RegisterFlagCompletionFunc("nli", (&modelFiles{}).complete(models.NLI))
}

// vectorFlag adds --vectors.
func vectorFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "vectors", "", "word vectors: .tpv, word2vec or Numberbatch text, also .gz, or the name of pulled ones (see models list; default: embedded)")
	markInputs(cmd, "vectors")
	_ = cmd.RegisterFlagCompletionFunc("vectors", (&modelFiles{}).complete(models.Vectors))
}

// dictionaryFlag adds --dictionary.
func dictionaryFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "dictionary", "", "dictionary: a WordNet dict folder, a JSON file word to synonyms, or a text file (default: embedded)")
	markInputs(cmd, "dictionary")
}

// embeddedNLI is the name of the embedded NLI model.
const embeddedNLI = "compact"

// openVectors opens the word vectors of a file or of a pulled model, or the embedded ones for "". A text file is imported once,
// and its bad lines are reported then.
func (a *app) openVectors(ctx context.Context, path string) (lexicon.Vectors, error) {
	if path == "" {
		return lexicon.Embedded{}, nil
	}
	path, _, err := models.Resolve(path, models.Vectors)
	if err != nil {
		return nil, fmt.Errorf("--vectors: %w", err)
	}
	t, err := lexicon.OpenVectors(ctx, path, "", a.skip)
	if err != nil {
		return nil, fmt.Errorf("--vectors: %w", err)
	}
	return t, nil
}

// openDictionary opens a dictionary, the embedded one for "".
func (a *app) openDictionary(path string) (lexicon.Dictionary, error) {
	if path == "" {
		return lexicon.DefaultDictionary(), nil
	}
	return lexicon.OpenDictionary(path, a.skip)
}

// openClassifier returns the NLI model, with the cache of --nli-cache if that is given. The caller must call closer, which
// closes the cache.
func (k *knowledge) openClassifier(a *app, v lexicon.Vectors) (c nli.Classifier, closer func() error, err error) {
	if isCompact(k.nli) {
		c, err = openCompact(k.nli, v)
	} else {
		c, err = openTransformer(k.nli)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--nli %s: %w", k.nli, err)
	}
	if k.cache == "" {
		return c, func() error { return nil }, nil
	}
	cache, err := nli.OpenCache(k.cache)
	if err != nil {
		return nil, nil, fmt.Errorf("--nli-cache %s: %w", k.cache, err)
	}
	for _, w := range cache.Warnings() {
		a.warn(errors.New(w))
	}
	return nli.Cached(c, cache), cache.Close, nil
}

// isCompact reports whether an NLI model is the embedded one or weights for it.
func isCompact(name string) bool { return name == embeddedNLI || dataset.IsFile(name) }

// openCompact opens the embedded model, or one with the weights in a file, over vectors.
func openCompact(name string, v lexicon.Vectors) (*compact.Model, error) {
	known := compact.Embedded()
	known.Vectors = v
	if name == embeddedNLI {
		return compact.New(known)
	}
	return compact.Open(name, known)
}

// openTransformer opens the classifier in a folder, or a pulled one by its name.
func openTransformer(name string) (nli.Classifier, error) {
	dir, m, err := models.Resolve(name, models.NLI)
	if err != nil {
		return nil, err
	}
	return cybertron.Open(dir, cybertron.Options{Labels: m.Labels})
}

// openCorpus opens the index of --corpus, whose hits are rescored by the vectors; nil without the flag.
func (k *knowledge) openCorpus(v lexicon.Vectors) (*retriever.Index, error) {
	if k.corpus == "" {
		return nil, nil
	}
	index, err := retriever.OpenIndex(k.corpus)
	if err != nil {
		return nil, fmt.Errorf("--corpus %s: %w", k.corpus, err)
	}
	index.Rescorer = &retriever.Rescorer{Vectors: v}
	return index, nil
}

// open returns an augmenter with the resources that the flags name; asked has the large models
// that propose and judge, nil for none. The caller must call closer.
func (k *knowledge) open(ctx context.Context, a *app, asked *asking) (_ *augment.Augmenter, closer func() error, err error) {
	policy, validity, err := k.decision()
	if err != nil {
		return nil, nil, err
	}
	prefer, err := k.preferred.parsePrefer()
	if err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(atLeast("tables", k.tables, 1), atLeast("limit", k.limit, 0)); err != nil {
		return nil, nil, err
	}
	if k.without, err = augment.ParseParts(k.without); err != nil {
		return nil, nil, fmt.Errorf("--without %w", err)
	}
	policy.Limit = k.limit
	vectors, err := a.openVectors(ctx, k.vectors)
	if err != nil {
		return nil, nil, err
	}
	dictionary, err := a.openDictionary(k.dictionary)
	if err != nil {
		return nil, nil, err
	}
	classifier, closeCache, err := k.openClassifier(a, vectors)
	if err != nil {
		return nil, nil, err
	}
	index, err := k.openCorpus(vectors)
	if err != nil {
		return nil, nil, errors.Join(err, closeCache())
	}
	reranker := &rerank.Reranker{Vectors: vectors}
	aug := &augment.Augmenter{
		Sources: augment.Sources(),
		Resources: augment.Resources{
			Index: index, Tables: k.tables, Dictionary: dictionary, Selector: rerank.NewSelector(reranker), Seed: a.seed,
		},
		Classifier: classifier,
		Policy:     policy,
		Prefer:     prefer,
		Validity:   validity,
		Entities:   &nli.EntityPredictor{Classifier: classifier},
	}
	if asked != nil {
		aug.Judge, aug.Resources.Proposer = asked.judge, asked.proposer
	}
	closer = func() error {
		if index == nil {
			return closeCache()
		}
		return errors.Join(index.Close(), closeCache())
	}
	if err := aug.Without(k.without); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--without: %w", err), closer())
	}
	return aug, closer, nil
}

// policyValidity is the policy by which the predicted validity of names decides.
const policyValidity = "validity"

// decision returns the rule by which names are accepted, as --policy has it: a policy of entailments, and the model of validity,
// which is nil if entailments alone decide.
func (k *knowledge) decision() (nli.Policy, *augment.Validity, error) {
	if k.policy == policyValidity {
		return nli.Paper(), &augment.Validity{Min: k.minValidity, Weights: augment.DefaultValidity()}, probability("min-validity", k.minValidity)
	}
	policy, err := nli.PolicyByName(k.policy)
	if err != nil {
		return policy, nil, fmt.Errorf("--policy: %w, or validity", err)
	}
	return policy, nil, nil
}

// fingerprint identifies everything but the data set that buckets depend on: the flags, the key of the classifier, and the
// path, size and time of each file or folder.
func (k *knowledge) fingerprint(classifier string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "policy %s %v\nprefer %s\ntables %d\nlimit %d\nnli %s\nwithout %s\n", k.policy, k.minValidity, k.prefer, k.tables, k.limit, classifier, k.without)
	vectors, _, err := models.Resolve(k.vectors, models.Vectors)
	if err != nil {
		return "", fmt.Errorf("--vectors: %w", err)
	}
	for _, path := range []string{k.corpus, vectors, k.dictionary} {
		if path == "" {
			continue
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %d\n", abs, info.Size(), info.ModTime().UnixNano())
	}
	return b.String(), nil
}
