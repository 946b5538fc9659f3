package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The form of ids of perturbed databases: the original's id, a mark, and some bytes of a hash in
// hexadecimal.
const (
	variantMark = "__"
	variantHash = 5
)

// VariantID returns the id of a perturbed database, made of the id of the original and a hash of the edits.
func VariantID(original string, edits [sha256.Size]byte) string {
	return original + variantMark + hex.EncodeToString(edits[:variantHash])
}

// OriginalID returns the id of the original from the id of a perturbed database, which
// [VariantID] made. The id of an original is returned as it is.
func OriginalID(id string) string {
	at := len(id) - len(variantMark) - 2*variantHash
	if at <= 0 || id[at:at+len(variantMark)] != variantMark {
		return id
	}
	if strings.Trim(id[at+len(variantMark):], "0123456789abcdef") != "" {
		return id
	}
	return id[:at]
}
