package victim

import "github.com/tabperturb/tabperturb/evaluate/extract"

// SQL extracts the SQL from an answer and returns it on one line, as in files of
// predictions.
func SQL(answer string) string {
	sql, _ := extract.Extract(answer)
	return extract.OneLine(sql)
}
