package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// apiKey is the environment variable with the key of every endpoint.
const apiKey = "TABPERTURB_API_KEY"

// answerTimeout bounds the time of an answer: without a fast processor a model takes minutes for
// some thousand tokens.
const answerTimeout = 10 * time.Minute

// modelFlags holds the flags that commands which ask large models have in common. Each command adds them to its flags, some under
// names of its own.
type modelFlags struct {
	model, record string // record: path of the file of recorded answers
	limit         int    // most requests of a run; 0 for any number
	dryRun        bool
}

// check refuses an endpoint without a record, and the name of a model without an endpoint or a record. asks reports whether
// an endpoint is given, named whether a model is. The messages name the command's flags: recordFlag for the record, flags
// for endpoints.
func (m *modelFlags) check(recordFlag string, asks, named bool, flags ...string) error {
	switch {
	case m.record != "":
		return nil
	case asks:
		return fmt.Errorf("--%s: an endpoint need not answer alike twice, expected --%s FILE to keep its answers", strings.Join(flags, " and --"), recordFlag)
	case named:
		return fmt.Errorf("--model is of an endpoint, expected --%s URL with it, or --%s FILE", strings.Join(flags, " URL or --"), recordFlag)
	}
	return nil
}

// openRecord opens the file of recorded answers. If an endpoint is asked, its answers are added to the file, except in a dry
// run; otherwise the file is only read.
func (m *modelFlags) openRecord(a *app, path string, asks bool) (record *chat.Record, err error) {
	if asks && !m.dryRun {
		if err := filecheck.Writable(path); err != nil {
			return nil, err
		}
		record, err = chat.OpenRecord(path, a.skip)
	} else {
		record, err = chat.ReadRecord(path, a.skip)
		if asks && errors.Is(err, fs.ErrNotExist) {
			record, err = &chat.Record{}, nil // nothing was asked yet
		}
	}
	if err != nil {
		return nil, err
	}
	record.Limit = m.limit
	return record, nil
}

// newEndpoint returns the endpoint that a flag names; nil for no URL.
func newEndpoint(flag, url, model string) (*chat.Endpoint, error) {
	if url == "" {
		return nil, nil
	}
	return checkEndpoint(flag, &chat.Endpoint{URL: url, Model: model, Timeout: answerTimeout})
}

// checkEndpoint sets the key of an endpoint from the environment and returns the endpoint, or an error that names its flag.
func checkEndpoint(flag string, e *chat.Endpoint) (*chat.Endpoint, error) {
	e.APIKey = os.Getenv(apiKey)
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return e, nil
}

// client returns a client that asks an endpoint and records its answers, or in a dry run only looks into the record. It returns nil for
// a nil endpoint.
func (m *modelFlags) client(record *chat.Record, endpoint *chat.Endpoint) *chat.Client {
	switch {
	case endpoint == nil:
		return nil
	case m.dryRun:
		return &chat.Client{Model: endpoint.Model, Record: record}
	}
	return &chat.Client{Model: endpoint.Model, Record: record, Endpoint: endpoint}
}

// recordedClient returns a client that answers from a record, or nil if the record has no answer for the purpose. The answers
// are those of model, the value of a flag; without it, of byDefault if the record has that, or of the only model there. If that
// leaves no model of the record, the error names the flag.
func recordedClient(record *chat.Record, purpose, flag, model, byDefault string) (*chat.Client, error) {
	models, err := record.Models(purpose)
	if model == "" && slices.Contains(models, byDefault) {
		model = byDefault
	}
	switch {
	case err != nil:
		return nil, err
	case len(models) == 0:
		return nil, nil
	case model == "" && len(models) == 1:
		model = models[0]
	case !slices.Contains(models, model):
		return nil, fmt.Errorf("holds answers of %s, expected one of these as --%s", strings.Join(models, ", "), flag)
	}
	return &chat.Client{Model: model, Record: record}, nil
}

// printRequests prints what a dry run counted.
func printRequests(w io.Writer, n *chat.Counts) error {
	_, err := fmt.Fprintf(w, "%d requests would be asked, of about %d prompt tokens; %d answers are recorded\n", n.Missing, n.Estimated, n.Recorded)
	return err
}

// printDryRun prints the requests that a dry run counted.
func (a *app) printDryRun(n chat.Counts) error {
	return a.print(n, func(w io.Writer) error { return printRequests(w, &n) })
}
