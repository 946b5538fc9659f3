package retriever

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// text is a JSON scalar as text: the value of a string, the literal of a number or a truth
// value, "" for null and objects. A list, such as the ids of several tables, decodes to its
// first element.
type text string

// UnmarshalJSON implements [json.Unmarshaler]. A list becomes the text of its first element. It copies a string without escapes, as most
// are.
func (t *text) UnmarshalJSON(data []byte) error {
	*t = ""
	switch data[0] {
	case '"':
		if !bytes.ContainsRune(data, '\\') && utf8.Valid(data) {
			*t = text(data[1 : len(data)-1])
			return nil
		}
		return json.Unmarshal(data, (*string)(t))
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		// Lists within lists decode to "": decoding them level by level would cost
		// the square of their depth.
		if len(list) > 0 && list[0][0] != '[' {
			return t.UnmarshalJSON(list[0])
		}
	case '{', 'n': // an object or null is ""
	default: // a number or a truth value
		*t = text(data)
	}
	return nil
}

// jsonTable is a line of a jsonl corpus: the fields of this package's own form,
// of WikiSQL's tables and of FeTaQA's.
type jsonTable struct {
	ID      text   `json:"id"`
	Source  text   `json:"source"`
	Caption text   `json:"caption"`
	Header  []text `json:"header"`
	Rows    grid   `json:"rows"`

	PageTitle    text `json:"page_title"`
	SectionTitle text `json:"section_title"`

	FetaID            text `json:"feta_id"`
	TablePageTitle    text `json:"table_page_title"`
	TableSectionTitle text `json:"table_section_title"`
	TableArray        grid `json:"table_array"` // header first
}

// grid holds rows of cells, each decoded as a [text].
type grid [][]string

// UnmarshalJSON implements [json.Unmarshaler]. Most of a corpus is rows, so it decodes those
// of plain scalars in one pass.
func (g *grid) UnmarshalJSON(data []byte) error {
	if utf8.Valid(data) && g.decodePlain(string(data)) {
		return nil
	}
	var rows [][]text
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	*g = lists.Map(rows, stringsOf)
	return nil
}

// decodePlain decodes valid JSON of rows of scalars without escapes, nulls and objects. It reports
// false for any other JSON.
func (g *grid) decodePlain(data string) bool {
	*g = nil
	depth := 0 // of lists: 1 within the table, 2 within a row
	var row []string
	for i := 0; i < len(data); {
		switch c := data[i]; c {
		case ' ', '\t', '\n', '\r', ',':
			i++
		case '[':
			if depth++; depth > 2 {
				return false
			}
			row = make([]string, 0, len(row)) // as many as the previous row has
			i++
		case ']':
			if depth == 2 {
				*g = append(*g, row)
			}
			depth--
			i++
		default:
			cell, end, ok := plainScalar(data[i:])
			if !ok || depth != 2 { // a scalar outside of a row
				return false
			}
			row = append(row, cell)
			i += end
		}
	}
	return true
}

// plainScalar returns the scalar at the start of the rest of a list's JSON, and where it ends. It reports false
// for null, an object, a string with escapes, and JSON that is a number or a truth value alone.
func plainScalar(data string) (cell string, end int, ok bool) {
	switch data[0] {
	case '"':
		end := strings.IndexByte(data[1:], '"') + 1
		cell := data[1:end]
		return cell, end + 1, strings.IndexByte(cell, '\\') < 0 // an escaped quote leaves its backslash in the cell
	case '{', 'n':
		return "", 0, false
	}
	end = strings.IndexAny(data, ",] \t\n\r")
	return data[:max(end, 0)], end, end > 0
}

// readJSONL reads a file of tables, one a line.
func readJSONL(in *input) error {
	return in.eachLine(bufio.NewReader(in.r), func(n int, line []byte) error {
		id := fmt.Sprintf("%s#%d", in.name, n)
		return in.emitParsed(n, len(line), func() (raw, error) {
			var t jsonTable
			if err := json.Unmarshal(line, &t); err != nil {
				return raw{}, jsonError(err, "a JSON table on each line")
			}
			return t.raw(id), nil
		})
	})
}

// raw returns the table of a line in any of the three forms: this package's own, WikiSQL's (with the same fields for header and rows)
// and FeTaQA's. id is for a line that states none.
func (t *jsonTable) raw(id string) raw {
	r := raw{id: id, source: string(t.Source)}
	titles := []text{t.PageTitle, t.SectionTitle, t.Caption}
	header, rows := stringsOf(t.Header), t.Rows
	if t.Header == nil && len(t.TableArray) > 0 { // FeTaQA's form
		header, rows = t.TableArray[0], t.TableArray[1:]
		titles = []text{t.TablePageTitle, t.TableSectionTitle}
	}
	switch {
	case t.ID != "":
		r.id = string(t.ID)
	case t.FetaID != "":
		r.id = "feta-" + string(t.FetaID)
	}
	r.caption, r.header, r.rows = joinTitles(titles), header, rows
	return r
}

// joinTitles joins titles by blanks. It leaves out a title that the earlier ones contain: "Oslo Airport" and
// "Airport" are "Oslo Airport".
func joinTitles(titles []text) string {
	var joined string
	for _, t := range titles {
		if s := strings.TrimSpace(string(t)); !strings.Contains(joined, s) {
			joined = strings.TrimSpace(joined + " " + s)
		}
	}
	return joined
}

// stringsOf returns cells as strings.
func stringsOf(cells []text) []string {
	return lists.Map(cells, func(c text) string { return string(c) })
}
