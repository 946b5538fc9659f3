package victim

import (
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/extract"
)

// SQL takes the SQL out of an answer and writes it on one line, as files of predictions
// have it.
func SQL(answer string) string {
	sql, _ := extract.Extract(answer)
	return Line(sql)
}

// Line writes SQL on one line: comments to the end of a line go, and line breaks and tabs
// become blanks.
func Line(sql string) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(sql); i++ {
		c := sql[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case strings.HasPrefix(sql[i:], "--"):
			end := strings.IndexByte(sql[i:], '\n')
			if end < 0 {
				return strings.TrimSpace(b.String())
			}
			i, c = i+end, ' '
		}
		if c == '\n' || c == '\r' || c == '\t' || c == 0 {
			c = ' '
		}
		b.WriteByte(c)
	}
	return strings.TrimSpace(strings.ToValidUTF8(b.String(), "?"))
}
