// Command program is a hostile controller: its first argument is the name of one.
package main

import (
	"os"

	"github.com/jobconformance/jobconformance/suites/hostile"
)

func main() { os.Exit(hostile.Main(os.Args[1:])) }
