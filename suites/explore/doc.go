// Package explore plays every scenario once without faults, and then once for
// each thing that can go wrong on the way: each write of the implementation
// fails, loses its answer, is the last of a process or the last but one; each
// event of a watch comes late. Whatever the fault, the scenario must reach its end
// state, and all invariants must hold.
package explore
