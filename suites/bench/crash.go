package main

import "github.com/spf13/cobra"

func crashCommand() *cobra.Command { return &cobra.Command{Use: "crash"} }
