package perturb

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
)

// WriteReplay writes a file that [Replay] reads from the verified ones of the records
// of one perturbation, in their order. The head's name may be another than theirs; its
// relation may not.
func WriteReplay(w io.Writer, head ReplayHead, records dataset.Stream[dataset.Record]) error {
	if err := head.check(); err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(head); err != nil {
		return err
	}
	first, n := "", 0
	err := records(nil, func(r dataset.Record) error {
		n++
		first = cmp.Or(first, r.Perturbation)
		switch {
		case r.Verdict != dataset.VerdictVerified, r.Unchanged(): // unchanged turns come with the changed ones
			return nil
		case r.Perturbation != first:
			return fmt.Errorf("record %d: is of %s, expected one perturbation, %s", n, r.Perturbation, first)
		case r.Relation != string(head.Relation):
			return fmt.Errorf("record %d: relation is %q, expected %q", n, r.Relation, head.Relation)
		}
		index := int(r.Example)
		line, err := json.Marshal(replayLine{r.DBPre, &index, r.QuestionPre, r.QueryPre, int(r.Sample), json.RawMessage(r.Edits)})
		if err == nil {
			_, err = readReplayed(line, head.Relation) // Replay must be able to read it
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		_, err = buffered.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return buffered.Flush()
}
