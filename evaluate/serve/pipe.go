package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
)

// grace is the time for the requests in progress after the service receives the signal to end.
const grace = 10 * time.Second

// graceful returns a context that ends the time grace after ctx ends, or when it is cancelled.
func graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return later, func() { stop(); cancel() }
}

// Pipe answers each line of in, a request or a list of requests, with one line, in the same order. Several lines are judged
// concurrently. It ends at the end of in, or when ctx ends, and answers all lines that were read by then.
func (s *Service) Pipe(ctx context.Context, in io.Reader, out io.Writer) error {
	judging, cancel := graceful(ctx) // lines in work go on for a while after ctx ends
	defer cancel()
	queue := make(chan chan []byte, 2*s.workers()) // a channel for the reply to each line, in order
	failed := make(chan error, 1)
	// A read that waits for input cannot be ended, so if ctx ends, nothing waits for this goroutine.
	go func() {
		defer close(queue)
		failed <- s.readLines(ctx, in, func(line []byte, err error) bool {
			reply := make(chan []byte, 1)
			select {
			case queue <- reply:
				go func() { reply <- s.answerLine(judging, line, err) }()
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	if err := writeReplies(ctx, out, queue); err != nil || ctx.Err() != nil {
		return err
	}
	return <-failed
}

// writeReplies writes the replies of a queue, in its order, until the queue or ctx ends. It flushes whenever it would have to wait.
func writeReplies(ctx context.Context, out io.Writer, queue <-chan chan []byte) error {
	w := bufio.NewWriter(out)
	for {
		if len(queue) == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		reply, more := receive(ctx, queue)
		if !more {
			return w.Flush()
		}
		if err := writeReply(w, reply); err != nil {
			return err
		}
	}
}

// receive returns the channel of the next reply, false at the end of the queue. Once ctx has ended, an empty queue is its end.
func receive(ctx context.Context, queue <-chan chan []byte) (reply chan []byte, ok bool) {
	select {
	case reply, ok = <-queue:
		return reply, ok
	case <-ctx.Done():
	}
	select {
	case reply, ok = <-queue:
		return reply, ok
	default:
		return nil, false
	}
}

// writeReply writes a reply. If it has to wait for the reply, it flushes the earlier ones first.
func writeReply(w *bufio.Writer, reply <-chan []byte) (err error) {
	var line []byte
	select {
	case line = <-reply:
	default:
		if err := w.Flush(); err != nil {
			return err
		}
		line = <-reply
	}
	_, err = w.Write(line)
	return err
}

// readLines calls each with every line of in, with an error if the line is too long. It ends when in ends, when ctx ends, or when each
// returns false.
func (s *Service) readLines(ctx context.Context, in io.Reader, each func([]byte, error) bool) error {
	r := bufio.NewReader(in)
	for ctx.Err() == nil {
		line, long, err := dataset.ReadLine(r, int(s.limits.Body))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var problem error
		if long {
			problem = fmt.Errorf("the line has more than %d bytes, expected at most that", s.limits.Body)
		}
		isLine := err == nil || long || len(line) > 0 // not what follows the last line break
		if isLine && !each(line, problem) {
			return nil
		}
		if err != nil {
			return nil // the end
		}
	}
	return nil
}

// answerLine returns the answer to one line, as a line of JSON: an answer, or a list of them for a list of requests. err is the reason
// why the line could not be read, or nil.
func (s *Service) answerLine(ctx context.Context, line []byte, err error) []byte {
	var requests []*Request
	list := false
	if err == nil {
		requests, list, err = decode(bytes.NewReader(line), s.limits.Batch)
	}
	var answer any
	switch {
	case err != nil:
		answer = refusal("", fmt.Errorf("the line is no request: %w", err))
	case list:
		answer = s.Judge(ctx, requests)
	default:
		answer = s.Judge(ctx, requests)[0]
	}
	text, err := json.Marshal(answer)
	if err != nil {
		text, _ = json.Marshal(refusal("", err))
	}
	return append(text, '\n')
}
