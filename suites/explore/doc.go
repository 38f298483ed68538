// Package explore runs every scenario once without faults, and then once for
// each thing that can go wrong on the way: each write of the implementation
// fails or loses its answer; the process is killed before or after it; each
// event of a watch comes late. Whatever the fault, the scenario must reach its end
// state, and all invariants must hold.
package explore
