// Package drspider holds the seventeen perturbations of Dr.Spider: three of the
// database, nine of the question and five of the gold SQL (Dr.Spider, section 3).
package drspider

import (
	"slices"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/benchmark/drspider/database"
	"github.com/tabperturb/tabperturb/benchmark/drspider/query"
	"github.com/tabperturb/tabperturb/benchmark/drspider/question"
)

// All lists the perturbations of this family, in the order of the paper's table 3.
var All = slices.Concat(database.All, content.All, question.All, query.All)
