package deps

import (
	_ "github.com/blevesearch/bleve/v2"
	_ "github.com/edsrzf/mmap-go"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/jinzhu/inflection"
	_ "github.com/kljensen/snowball"
	_ "github.com/nlpodyssey/cybertron/pkg/tasks"
	_ "github.com/nlpodyssey/cybertron/pkg/tasks/textclassification"
	_ "github.com/nlpodyssey/cybertron/pkg/tasks/textclassification/bert"
	_ "github.com/parquet-go/parquet-go"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/text/unicode/norm"
	_ "gonum.org/v1/gonum/mat"
	_ "gonum.org/v1/gonum/stat"
	_ "modernc.org/sqlite"
)
