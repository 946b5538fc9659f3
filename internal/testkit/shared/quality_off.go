//go:build !quality

package shared

const quality = false
