package main

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/pflag"
)

// format is how a command prints a list or a comparison.
type format string

const (
	asText format = "text"
	asJSON format = "json"
)

// outputFlag is the format of what a command prints.
func outputFlag(set *pflag.FlagSet, f *format, of string) {
	*f = asText
	set.VarP(f, "output", "o", "format of "+of+": text or json")
}

// Set parses the value of a flag.
func (f *format) Set(text string) error {
	if text != string(asText) && text != string(asJSON) {
		return errors.New("use text or json")
	}
	*f = format(text)
	return nil
}

func (f *format) String() string { return string(*f) }

// Type is the word for the value in the help text of a flag.
func (*format) Type() string { return "string" }

// printJSON writes a value for programs.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
