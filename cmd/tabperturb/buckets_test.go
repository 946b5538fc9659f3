package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// wholeBuckets are the buckets of the embedded sample. Scripts that are about what comes
// after candidates share them.
var wholeBuckets = sync.OnceValues(func() (dataset.Buckets, error) {
	dir, err := os.MkdirTemp("", "buckets")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := sample.WriteData(context.Background(), dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "buckets.json")
	var errs bytes.Buffer
	args := []string{"candidates", "--data", dir, "--out", path}
	if code := command.Run(context.Background(), strings.NewReader(""), io.Discard, &errs, args); code != 0 {
		return nil, fmt.Errorf("%s: exit code %d: %s", args, code, errs.String())
	}
	data, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return dataset.ReadBuckets(data, path, func(error) {})
})

// sampleBuckets writes the buckets that the sample's databases in a data directory have.
func sampleBuckets(ts *testscript.TestScript, _ bool, args []string) {
	buckets, err := wholeBuckets()
	ts.Check(err)
	schemas, err := dataset.Schemas(filepath.Join(ts.MkAbs(args[0]), "tables.json"), func(e error) { ts.Check(e) })
	ts.Check(err)
	buckets = maps.Clone(buckets)
	maps.DeleteFunc(buckets, func(id dataset.ColumnID, _ dataset.Bucket) bool { return schemas[id.DB] == nil })
	dbs := slices.SortedFunc(maps.Values(schemas), func(a, b *dataset.Database) int { return strings.Compare(a.ID, b.ID) })
	var out bytes.Buffer
	ts.Check(dataset.WriteBuckets(&out, 1, dbs, buckets))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}
