package doctor

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// notUTF8 looks at the cells with other characters than ASCII. SQLite shows a
// byte that is not UTF-8 to GLOB as such a character.
func notUTF8(ctx context.Context, u *unit, r *reporter) error {
	for _, t := range u.stored {
		for _, c := range t.Columns {
			name := sqlite.QuoteName(c.Name)
			res, err := u.query(ctx, fmt.Sprintf("text of %s.%s", t.Name, c.Name), fmt.Sprintf(
				"SELECT %[1]s FROM %[2]s WHERE typeof(%[1]s) = 'text' AND %[1]s GLOB '*[^' || char(1) || '-' || char(127) || ']*'", name, sqlite.QuoteName(t.Name)))
			if err != nil {
				return err
			}
			n, witness := 0, ""
			for i := 0; res != nil && i < len(res.Rows); i++ {
				if cell := res.Rows[i][0]; !utf8.ValidString(cell.Bytes()) {
					if n == 0 {
						witness = cell.String()
					}
					n++
				}
			}
			if n > 0 {
				r.schema(t.Name, c.Name, "%s not UTF-8, such as %q", table.Count(n, "cell"), witness)
			}
		}
	}
	return nil
}
