package catalogue

// sections are the parts of the catalogue, one file each.
var sections = [][]Requirement{
	parallelism,
}
