package squall

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// questionRecord returns the record of an example: its source with what changed, or a new one
// with the members that are known.
func (t *writtenTable) questionRecord(ex *dataset.Example) (json.RawMessage, error) {
	var rec record
	source := ex.Source
	if dataset.Decode(source, &rec) != nil || rec.SQL == nil || rec.Words == nil {
		rec, source = record{}, nil // of another format
	}
	old, _ := decodeTokens(rec.SQL) // none without a source
	for i := range old {
		if newName, ok := t.layout.renumbered[strings.ToLower(old[i].text)]; ok && old[i].kind == columnToken {
			old[i].text = newName
		}
	}
	// before and after are the numbers of old tokens that stay at the beginning and at the end.
	tokens, before, after := updateTokens(ex.Query, t.layout.newNames, t.name, old)
	columns, err := t.columnEntries(source)
	if err != nil {
		return nil, err
	}
	words, wordChanges := t.updateWords(ex, &rec, source)
	changes := dataset.Changes{{Key: "nt", Value: ex.ID}, {Key: "tbl", Value: ex.DB}, {Key: "columns", Value: columns}, {Key: "nl", Value: words}}
	answerChanged := ex.Answer != nil
	if rec.Target != nil {
		answerChanged = !slices.Equal(ex.Answer, wtq.ParseAnswer(*rec.Target))
	}
	changes.AddIf(answerChanged, "tgt", wtq.FormatAnswer(ex.Answer))
	changes = append(append(changes, wordChanges...), dataset.Change{Key: "sql", Value: tokens})
	samePositions := before+after >= len(old) && len(tokens) == len(old) && len(words) == len(rec.Words)
	// The alignment has positions of words and tokens, which are unknown after a change.
	changes.AddIf(!samePositions && dataset.FindMember(source, "align") != nil, "align", json.RawMessage("[]"))
	raw, err := dataset.Patch(source, changes...)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, raw)
	return compact.Bytes(), err
}

// columnEntries returns the member "columns" of a record: [header, suffixes, type] for each
// column of the schema except id and agg. An entry of the source stays if its header and derived
// columns are the same.
func (t *writtenTable) columnEntries(source json.RawMessage) ([]json.RawMessage, error) {
	var old []json.RawMessage
	_ = json.Unmarshal(dataset.FindMember(source, "columns"), &old) // it stays nil for anything but a list
	oldIndex := map[int]int{}                                       // index in old of a group of the source
	if t.source != nil {
		for g, group := range t.source.Contents {
			if !isOwn(group) {
				oldIndex[g] = len(oldIndex)
			}
		}
	}
	all := []json.RawMessage{}
	for i, g := range t.layout.groups {
		if slices.Contains(ownNames, g.columns[0].name) {
			continue
		}
		suffixes := []string{}
		for _, p := range g.columns[1:] {
			suffixes = append(suffixes, p.suffix)
		}
		sourceGroup := t.layout.sourceGroups[i]
		if sourceGroup >= 0 && oldIndex[sourceGroup] < len(old) && t.unchanged(sourceGroup, g.header, suffixes) {
			all = append(all, old[oldIndex[sourceGroup]])
			continue
		}
		raw, err := json.Marshal([]any{g.header, suffixes, g.typ})
		if err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	return all, nil
}

// unchanged reports whether a group of the source, by its index, has this header and these
// derived columns.
func (t *writtenTable) unchanged(group int, header string, suffixes []string) bool {
	return t.source.Headers[group] == header && slices.Equal(suffixes, suffixesOf(t.source.Contents[group]))
}

// squallColumn matches a column, such as "c1_number" in quotes, in the annotations of words.
var squallColumn = lazyregexp.New(`"c[0-9]+(?:_[a-z0-9_]+)?"`)

// updateWords returns the words of the question, and the changes of the members nl_…, which
// annotate each word. The words at the beginning and the end that did not change keep their
// annotations, with the new names of columns. Any other word gets the most frequent annotation,
// which is that of words that refer to nothing in the table.
func (t *writtenTable) updateWords(ex *dataset.Example, rec *record, source json.RawMessage) (words []string, changes []dataset.Change) {
	if rec.Words == nil { // without a source there is nothing to keep
		if words = ex.Tokens; words == nil {
			words = dataset.QuestionTokens(ex.Question)
		}
		return words, nil
	}
	oldWords := rec.Words
	words = oldWords
	if ex.Question != strings.Join(oldWords, " ") {
		words = dataset.QuestionTokens(ex.Question)
	}
	before, after := 0, 0
	for before < min(len(oldWords), len(words)) && oldWords[before] == words[before] {
		before++
	}
	for before+after < min(len(oldWords), len(words)) && oldWords[len(oldWords)-1-after] == words[len(words)-1-after] {
		after++
	}
	members, _ := dataset.Members(source) // [dataset.Patch] returns the error
	for _, m := range members {
		var list []json.RawMessage
		if !strings.HasPrefix(m.Key, "nl_") || json.Unmarshal(m.Value, &list) != nil || len(list) != len(oldWords) {
			continue
		}
		annotations := slices.Clone(list[:before])
		for range len(words) - before - after {
			annotations = append(annotations, mostFrequent(list))
		}
		annotations = append(annotations, list[len(list)-after:]...)
		for i, raw := range annotations {
			annotations[i] = squallColumn.Compiled().ReplaceAllFunc(raw, func(name []byte) []byte {
				if renamed, ok := t.layout.renumbered[string(name[1:len(name)-1])]; ok { // without its quotes
					return []byte(`"` + renamed + `"`)
				}
				return name
			})
		}
		changes = append(changes, dataset.Change{Key: m.Key, Value: annotations})
	}
	return words, changes
}

// mostFrequent returns the most frequent value of a list; of several, the first in the list, and null
// for an empty list.
func mostFrequent(list []json.RawMessage) json.RawMessage {
	best, times := json.RawMessage("null"), 0
	count := map[string]int{}
	for _, v := range list {
		count[string(v)]++
	}
	for _, v := range list {
		if n := count[string(v)]; n > times {
			best, times = v, n
		}
	}
	return best
}
