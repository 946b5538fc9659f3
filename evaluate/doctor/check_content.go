package doctor

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// notUTF8 reports columns with text that is not UTF-8, unless the engine enforces UTF-8. It reads only cells with a character other than
// ASCII; for GLOB, a byte that is not UTF-8 is such a character.
func notUTF8(ctx context.Context, u *unit, r *reporter) {
	if u.content == nil || u.content.Enforces() {
		return
	}
	for _, t := range u.stored {
		for _, c := range t.Columns {
			name := sqldata.QuoteName(c.Name)
			res := u.query(ctx, fmt.Sprintf("text of %s.%s", t.Name, c.Name), fmt.Sprintf(
				"SELECT %[1]s FROM %[2]s WHERE typeof(%[1]s) = 'text' AND %[1]s GLOB '*[^' || char(1) || '-' || char(127) || ']*'", name, sqldata.QuoteName(t.Name)))
			if res == nil {
				continue
			}
			var invalid []string
			for _, row := range res.Rows {
				if !utf8.ValidString(row[0].Bytes()) {
					invalid = append(invalid, row[0].String())
				}
			}
			if len(invalid) > 0 {
				r.schema(t.Name, c.Name, "%s not UTF-8, such as %q", table.Count(len(invalid), "cell"), invalid[0])
			}
		}
	}
}
