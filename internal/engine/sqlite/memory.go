package sqlite

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	engine "modernc.org/sqlite/lib"
)

// The engine can bound only the memory of all connections together, by which one query
// could make another fail. So it is given an allocator that counts what each connection
// holds, on an account, and refuses what goes beyond the account's bound.

// account is the memory that a connection holds, in bytes.
type account struct {
	used atomic.Int64
	most atomic.Int64 // an allocation that would take used above it fails; 0 for no bound
}

// accounts maps the id of a connection's thread state, which the engine hands
// to every function, to its *account.
var accounts sync.Map

// allocator is the table of functions by which the engine allocates. It is a variable of
// the package because the engine is given its address.
var allocator engine.Tsqlite3_mem_methods

// Configure gives the engine the allocator that bounds the memory of each connection, once for the process. This package
// calls it before it opens a connection. A caller that opens databases through the driver "sqlite" of database/sql must
// call it first: the engine accepts an allocator only before its first use, and without one this package opens nothing.
var Configure = sync.OnceValue(func() error {
	if err := installAllocator(); err != nil {
		return err
	}
	holdPages()
	return nil
})

// installAllocator makes the engine allocate through malloc, free, realloc and size below. The other functions of the
// engine's default allocator keep no state and stay in place.
func installAllocator() error {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.NewVaList(uintptr(unsafe.Pointer(&allocator)))
	defer libc.Xfree(tls, args)
	rc := engine.Xsqlite3_config(tls, engine.SQLITE_CONFIG_GETMALLOC, args) // fills allocator with the default functions
	allocator.FxMalloc, allocator.FxFree = callback(malloc), callback(free)
	allocator.FxRealloc, allocator.FxSize = callback(realloc), callback(size)
	if rc == engine.SQLITE_OK {
		rc = engine.Xsqlite3_config(tls, engine.SQLITE_CONFIG_MALLOC, args)
	}
	if rc != engine.SQLITE_OK {
		return fmt.Errorf("the engine's memory cannot be bounded: SQLite's error %d, expected an engine that nothing has used yet", rc)
	}
	return nil
}

// holdPages allocates one block of each size that shares a page of memory with others, and never frees it. Otherwise libc
// unmaps the page with its last block and maps it anew with the next, for each row of an answer, say: that costs more than
// all other work on a row.
func holdPages() {
	const smallest, largest = 16, 16 << 10
	tls := libc.NewTLS()
	defer tls.Close()
	for n := types.Size_t(smallest); n <= largest; n *= 2 {
		libc.Xmalloc(tls, n)
	}
}

// Before each block lie its size and the id of the account that it is on.
const headerSize = 16

// header returns the header before a block: 8 bytes of its size, 8 of the id of its account.
func header(block uintptr) []byte { return libc.GoBytes(block-headerSize, headerSize) }

// accountOf returns the account of a connection by the id of its thread state; nil if it is closed.
func accountOf(id int32) *account {
	if a, ok := accounts.Load(id); ok {
		return a.(*account)
	}
	return nil
}

// take adds n bytes to the account, unless its bound would be exceeded, and reports whether it did. n is
// negative for bytes that are given back.
func (a *account) take(n int64) bool {
	if a == nil { // the connection is closed
		return true
	}
	most := a.most.Load()
	if used := a.used.Add(n); n > 0 && most > 0 && used > most {
		a.used.Add(-n)
		return false
	}
	return true
}

// malloc allocates n bytes on the account of the connection, after a header; 0 if it may not.
func malloc(tls *libc.TLS, n int32) uintptr {
	a := accountOf(tls.ID)
	if !a.take(int64(n)) {
		return 0
	}
	p := takeSpare(int64(n))
	if p == 0 {
		p = libc.Xmalloc(tls, types.Size_t(capacity(int64(n))))
	}
	if p == 0 {
		a.take(-int64(n))
		return 0
	}
	p += headerSize
	h := header(p)
	binary.NativeEndian.PutUint64(h, uint64(n))
	binary.NativeEndian.PutUint64(h[8:], uint64(tls.ID))
	return p
}

// free gives the bytes of a block back to its account and keeps the block as a spare, or frees it.
func free(tls *libc.TLS, p uintptr) {
	h := header(p)
	n := int64(binary.NativeEndian.Uint64(h))
	accountOf(int32(binary.NativeEndian.Uint64(h[8:]))).take(-n)
	if !addSpare(n, p-headerSize) {
		libc.Xfree(tls, p-headerSize)
	}
}

// spares are freed blocks, by the power of two of their capacity, such as the pages of a query's temporary
// tables. To unmap them and map them anew for the next query costs more than most queries.
var spares [largestSpare + 1]struct {
	mu     sync.Mutex
	blocks []uintptr
}

const (
	smallestSpare, largestSpare = 10, 17  // powers of two
	mostSpare                   = 4 << 20 // bytes of one power
)

// power returns p for a block of 2^p bytes that has room for n bytes and their header; 0 where blocks of
// that size are not kept as spares.
func power(n int64) int {
	if p := bits.Len64(uint64(n + headerSize - 1)); p >= smallestSpare && p <= largestSpare {
		return p
	}
	return 0
}

// capacity returns the size of the block that is allocated for n bytes and their header.
func capacity(n int64) int64 {
	if p := power(n); p > 0 {
		return 1 << p
	}
	return n + headerSize
}

// takeSpare returns a spare block with room for n bytes and their header; 0 if there is none.
func takeSpare(n int64) (block uintptr) {
	p := power(n)
	if p == 0 {
		return 0
	}
	s := &spares[p]
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.blocks) - 1; last >= 0 {
		block, s.blocks = s.blocks[last], s.blocks[:last]
	}
	return block
}

// addSpare keeps the block of n bytes as a spare, unless mostSpare bytes in blocks of its size are kept, and reports whether
// it did.
func addSpare(n int64, block uintptr) bool {
	p := power(n)
	if p == 0 {
		return false
	}
	s := &spares[p]
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.blocks) >= mostSpare>>p {
		return false
	}
	s.blocks = append(s.blocks, block)
	return true
}

// realloc changes the size of a block to n bytes, on the account of the connection that allocated it.
func realloc(tls *libc.TLS, p uintptr, n int32) uintptr {
	h := header(p)
	a := accountOf(int32(binary.NativeEndian.Uint64(h[8:])))
	more := int64(n) - int64(binary.NativeEndian.Uint64(h))
	if !a.take(more) {
		return 0
	}
	moved := libc.Xrealloc(tls, p-headerSize, types.Size_t(capacity(int64(n))))
	if moved == 0 {
		a.take(-more)
		return 0
	}
	moved += headerSize
	binary.NativeEndian.PutUint64(header(moved), uint64(n))
	return moved
}

// size returns the bytes of a block, without its header.
func size(_ *libc.TLS, p uintptr) int32 {
	return int32(binary.NativeEndian.Uint64(header(p)))
}
