package victim

import "github.com/tabperturb/tabperturb/evaluate/extract"

// SQL takes the SQL out of an answer and writes it on one line, as files of predictions
// have it.
func SQL(answer string) string {
	sql, _ := extract.Extract(answer)
	return extract.OneLine(sql)
}
