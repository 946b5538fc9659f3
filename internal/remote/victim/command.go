package victim

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// Command is a model behind a command: it reads a JSON object a line, [Prompt] with an id of
// the request, and writes {"id", "sql"} or {"id", "text"} a line, in any order. One process
// answers all; one that ends is started anew, and what it was asked then is asked once
// more, by itself. It is a [chat.Asker], safe for concurrent use.
type Command struct {
	Line        string        // for the shell
	Timeout     time.Duration // for one answer; 0 means chat.DefaultTimeout
	Concurrency int           // requests that the process holds at once; 0 means chat.DefaultConcurrency

	once  sync.Once
	slots chan struct{}
	alone sync.RWMutex // locked for writing while a request is repeated, which then is the only one

	mu      sync.Mutex
	process *process // nil for none
	next    int      // number of the last request, its id
	ended   int      // processes in a row that ended
	late    int      // requests in a row without an answer
	gone    error    // why the command is given up; nil while it is not
	stray   int      // lines of ended processes that answered no request
}

// maxFailed is the number of processes in a row that ended, or of requests in a row without an answer, after
// which a command is given up.
const maxFailed = 8

// Job runs work, as [chat.Asker] requires. The first job makes the slots for requests.
func (c *Command) Job(ctx context.Context, work func(context.Context) error) error {
	c.once.Do(func() { c.slots = make(chan struct{}, cmp.Or(c.Concurrency, chat.DefaultConcurrency)) })
	return work(ctx)
}

// Ask sends a prompt, the JSON in the only message of r, and returns the answer. The error is a
// *[chat.Error], [chat.ErrGivenUp], or ctx's.
func (c *Command) Ask(ctx context.Context, r chat.Request) (*chat.Answer, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.alone.RLock()
	answer, err := c.try(ctx, r)
	c.alone.RUnlock()
	if errors.Is(err, errEnded) && ctx.Err() == nil {
		// Another request may have ended the process: ask again, with no other request at the same time.
		c.alone.Lock()
		answer, err = c.try(ctx, r)
		c.alone.Unlock()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, chat.ErrGivenUp):
		return nil, err
	case err != nil:
		return nil, &chat.Error{URL: "the command", Tries: 1, Err: err}
	}
	return &chat.Answer{Texts: []string{answer}}, nil
}

// errEnded is of a process that ended while it was asked.
var errEnded = errors.New("the command ended")

// try sends a request and waits for its answer, the end of the process, the time limit or ctx.
func (c *Command) try(ctx context.Context, r chat.Request) (string, error) {
	p, id, answered, err := c.send(r)
	if err != nil {
		return "", err
	}
	timeout := cmp.Or(c.Timeout, chat.DefaultTimeout)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case a := <-answered:
		return a.text, c.note(p, a.err, true)
	case <-p.ended:
		select {
		case a := <-answered: // before it ended
			return a.text, c.note(p, a.err, true)
		default:
		}
		err = fmt.Errorf("%w%s", errEnded, p.why())
	case <-timer.C:
		err = fmt.Errorf("no answer within %s", timeout)
	case <-ctx.Done():
		return "", ctx.Err()
	}
	p.forget(id)
	return "", c.note(p, err, false)
}

// note counts failures in a row, after a request to p that was answered or ended with err, which note returns. It gives the
// command up after maxFailed ends of processes or maxFailed missing answers. The end of a process counts once, however many
// requests it held.
func (c *Command) note(p *process, err error, answered bool) error {
	c.mu.Lock()
	switch {
	case answered:
		c.ended, c.late = 0, 0
	case !errors.Is(err, errEnded):
		c.late++
	case !p.counted:
		p.counted = true
		c.ended++
	}
	var last *process
	if max(c.ended, c.late) >= maxFailed && c.gone == nil {
		c.gone = fmt.Errorf("%w: %w", chat.ErrGivenUp, err)
		last = c.drop()
	}
	c.mu.Unlock()
	last.stop() // does nothing for nil
	return err
}

// send passes a request, its JSON with a new id and the seed, to the process, which it starts if there is none. It
// returns the process, the id and the channel of the reply.
func (c *Command) send(r chat.Request) (p *process, id string, answered chan reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return nil, "", nil, c.gone
	}
	if c.process != nil && c.process.isOver() {
		c.drop()
	}
	if c.process == nil {
		if c.process, err = start(c.Line); err != nil {
			c.gone = fmt.Errorf("%w: %w", chat.ErrGivenUp, err)
			return nil, "", nil, c.gone
		}
	}
	c.next++
	id = strconv.Itoa(c.next)
	var fields map[string]any
	if err := json.Unmarshal([]byte(r.Messages[0].Content), &fields); err != nil {
		return nil, "", nil, err
	}
	fields["id"] = id
	if r.Seed != 0 {
		fields["seed"] = r.Seed
	}
	line, err := json.Marshal(fields)
	if err != nil {
		return nil, "", nil, err
	}
	answered = c.process.expect(id)
	c.process.lines <- append(line, '\n')
	return c.process, id, answered, nil
}

// Babble counts the lines that answered no request.
func (c *Command) Babble() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.stray
	if c.process != nil {
		n += c.process.strayLines()
	}
	return n
}

// Close ends the process.
func (c *Command) Close() error {
	c.mu.Lock()
	last := c.drop()
	c.mu.Unlock()
	last.stop()
	return nil
}

// drop removes the process from the command, keeps its count of lines that answered no request, and returns it; nil for
// none.
func (c *Command) drop() *process {
	p := c.process
	if p != nil {
		c.stray += p.strayLines()
		c.process = nil
	}
	return p
}

// process is a running command.
type process struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	output []io.Closer
	lines  chan []byte   // requests to write, buffered: no sender waits for a process that does not read
	ended  chan struct{} // closed once the process has ended and its output is read
	reason error         // of the end, nil for success

	counted bool // counted in Command.ended; guarded by the Command's lock

	mu      sync.Mutex
	waiting map[string]chan reply // requests without a reply, by id
	last    string                // last line of standard error
	stray   int                   // lines that are no reply
}

// reply is a parsed line of the command's output.
type reply struct {
	text string
	err  error
}

// queued is how many requests wait at most for a process to read them.
const queued = 1 << 10

// start starts a command line in a process group of its own, and reads its output.
func start(line string) (*process, error) {
	p := &process{cmd: ownGroup(shell(line)), lines: make(chan []byte, queued), ended: make(chan struct{}), waiting: map[string]chan reply{}}
	var err error
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	messages, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.output = []io.Closer{out, messages}
	var readers sync.WaitGroup
	readers.Go(func() { eachLine(out, p.read) })
	readers.Go(func() { eachLine(messages, p.readMessage) })
	read := make(chan struct{}) // closed at the end of both outputs
	go func() {
		readers.Wait()
		close(read)
	}()
	go p.await(read)
	go p.write()
	return p, nil
}

// linger is how long the output of a process is read once it and its group have ended.
const linger = 500 * time.Millisecond

// await waits for the end of the process, kills what is left of its group, as none of it can answer any
// more, and closes p.ended once the output is read. read is closed at the end of the output.
func (p *process) await(read <-chan struct{}) {
	state, err := p.cmd.Process.Wait()
	if p.reason = err; err == nil && !state.Success() {
		p.reason = &exec.ExitError{ProcessState: state}
	}
	_ = killGroup(p.cmd)
	select {
	case <-read:
	case <-time.After(linger): // what left the group holds the output
	}
	p.input.Close()
	for _, c := range p.output {
		c.Close()
	}
	<-read
	close(p.ended)
}

// shell runs a line as the system's shell does.
func shell(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}

// write writes the requests of p.lines to the process until it ends.
func (p *process) write() {
	for {
		select {
		case line, ok := <-p.lines:
			if !ok { // stop was called
				p.input.Close()
				return
			}
			if _, err := p.input.Write(line); err != nil {
				return // it has ended, or its requests will pass the time limit
			}
		case <-p.ended:
			return
		}
	}
}

// maxLine bounds a line of a command, in bytes.
const maxLine = 1 << 20

// eachLine passes each line that is not blank to each, without the blanks around it; a line longer than
// maxLine is passed as "".
func eachLine(r io.Reader, each func(string)) {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, long, err := dataset.ReadLine(br, maxLine)
		if text := strings.TrimSpace(string(line)); text != "" || long {
			each(text)
		}
		if err != nil {
			return
		}
	}
}

// read parses a line of standard output and passes it to the request that awaits it.
func (p *process) read(line string) {
	id, text, err := readAnswer([]byte(line))
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := p.waiting[id]
	if waits == nil {
		p.stray++
		return
	}
	delete(p.waiting, id)
	if err != nil {
		err = fmt.Errorf("the answer is %q: %w", chat.Bounded(chat.OneLine(line), 200), err)
	}
	waits <- reply{text, err}
}

// readMessage stores the last line of standard error, for messages.
func (p *process) readMessage(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = line
}

// expect returns the channel that receives the reply to a request.
func (p *process) expect(id string) chan reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan reply, 1)
	p.waiting[id] = c
	return c
}

// forget drops a request whose reply is no longer awaited.
func (p *process) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// strayLines returns the number of lines that answered no request.
func (p *process) strayLines() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stray
}

// why describes for a message how the process ended, with the last line of its standard error.
func (p *process) why() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	if p.reason != nil {
		fmt.Fprintf(&b, " (%v)", p.reason)
	}
	if p.stray > 0 {
		fmt.Fprintf(&b, ", after %d lines that are no answer", p.stray)
	}
	if p.last != "" {
		fmt.Fprintf(&b, ": %s", chat.Bounded(chat.OneLine(p.last), 200))
	}
	return b.String()
}

// isOver reports whether the process has ended.
func (p *process) isOver() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// grace is how long a process has to end once its input has.
const grace = 2 * time.Second

// stop ends a process, if p is not nil, with its group: a shell that is killed alone leaves the
// model that it runs. It closes the input first and kills the group after grace. The caller sends no more requests.
func (p *process) stop() {
	if p == nil {
		return
	}
	close(p.lines)
	select {
	case <-p.ended:
		return
	case <-time.After(grace):
	}
	_ = killGroup(p.cmd)
	<-p.ended
}
