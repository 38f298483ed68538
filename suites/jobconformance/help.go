package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is where --help lists a command.
type group string

const (
	checkGroup     group = "Check a controller"
	reproduceGroup group = "Reproduce and find bugs"
	measureGroup   group = "Measure"
	toolsGroup     group = "Tools"
)

var groups = []group{checkGroup, reproduceGroup, measureGroup, toolsGroup}

// addGroups adds all commands to the program, each in its group.
func addGroups(root *cobra.Command) {
	commands := map[group][]*cobra.Command{
		checkGroup: {runCommand(), listCommand(), explainCommand(), initCommand(), mergeCommand(), compareCommand(),
			badgeCommand(), expectationsCommand(), checkHistoryCommand()},
		reproduceGroup: {reproCommand(), matrixCommand(), exploreCommand(), handoverCommand(), soakCommand(),
			crashCommand(), leaksCommand()},
		measureGroup: {benchCommand(), scoreCommand()},
		toolsGroup: {prefetchCommand(), imagesCommand(), genCommand(), gapsCommand(), catalogueCommand(),
			versionCommand()},
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: string(g), Title: string(g)})
		for _, c := range commands[g] {
			c.GroupID = string(g)
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(string(toolsGroup))
	root.SetCompletionCommandGroupID(string(toolsGroup))
}

// sectionKey is the annotation of a flag that has the title of its section.
const sectionKey = "section"

// The sections that several commands have.
const (
	theController = "Controller"
	whichSpecs    = "Which specs"
	theCluster    = "Cluster"
	theResult     = "Result"
)

// section adds the flags that add defines, which --help lists together under a title.
func section(set *pflag.FlagSet, title string, add func(set *pflag.FlagSet)) {
	own := pflag.NewFlagSet(title, pflag.ContinueOnError)
	own.SortFlags = false
	add(own)
	own.VisitAll(func(flag *pflag.Flag) {
		flag.Annotations = map[string][]string{sectionKey: {title}}
	})
	set.AddFlagSet(own)
}

// printUsage prints the end of a command's help: how it is called, examples, commands and flags.
func printUsage(c *cobra.Command) error {
	out := c.OutOrStderr()
	fmt.Fprintf(out, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", c.Example)
	}
	printCommands(out, c)
	printFlags(out, c)
	if all := c.InheritedFlags(); all.HasAvailableFlags() {
		fmt.Fprintf(out, "\nFlags of all commands:\n%s", all.FlagUsages())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND --help has more about a command.\n", c.CommandPath())
	}
	return nil
}

// printCommands prints the commands below a command by their groups.
func printCommands(out io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	if len(c.Groups()) == 0 {
		printGroup(out, c, &cobra.Group{Title: "Commands"})
	}
	for _, g := range c.Groups() {
		printGroup(out, c, g)
	}
}

func printGroup(out io.Writer, c *cobra.Command, g *cobra.Group) {
	fmt.Fprintf(out, "\n%s:\n", g.Title)
	for _, below := range c.Commands() {
		if below.GroupID == g.ID && (below.IsAvailableCommand() || below.Name() == "help") {
			fmt.Fprintf(out, "  %-*s %s\n", below.NamePadding(), below.Name(), below.Short)
		}
	}
}

// printFlags prints a command's own flags by their sections, in the order of their definition.
func printFlags(out io.Writer, c *cobra.Command) {
	sections, titles := map[string]*pflag.FlagSet{}, []string{}
	flags := c.LocalFlags()
	flags.SortFlags = false
	flags.VisitAll(func(flag *pflag.Flag) {
		title := "Flags"
		if given := flag.Annotations[sectionKey]; len(given) > 0 {
			title = given[0]
		}
		if sections[title] == nil {
			sections[title], titles = pflag.NewFlagSet(title, pflag.ContinueOnError), append(titles, title)
			sections[title].SortFlags = false
		}
		sections[title].AddFlag(flag)
	})
	for _, title := range titles {
		if usages := sections[title].FlagUsages(); usages != "" {
			fmt.Fprintf(out, "\n%s:\n%s", title, strings.TrimRight(usages, "\n")+"\n")
		}
	}
}
