// Empty: a launch that does nothing, so that what it takes is the launch itself and the wait for its end.
//
// Threads: one. Memory: none.
// Source: ours; see launch_cost.py.
extern "C" __global__ void empty() {}
