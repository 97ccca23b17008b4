// Label correcting, harish: an iteration relaxes the arcs of all vertices whose cost fell in the one before.
//
// Idea: a mask says which vertices those are. `relax` writes to the updating costs, so that no vertex sees a cost of
// its own iteration. `update` copies those that are lower, masks their vertices and tells the host, which goes on until
// an iteration changes nothing.
// Threads: one a vertex. Memory: CSR, two costs and a byte of mask a vertex, and one word that the host reads.
// Source: P. Harish, V. Vineet and P. J. Narayanan, "Large Graph Algorithms for Massively Multithreaded Architectures",
// 2009, as M. Safari and A. Ebnenasir, "Locality-Based Relaxation", 2017, section 2.4, give it.
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/count.cuh"

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 unsigned char *mask, const int *costs, int *updating_costs,
                                 unsigned long long *counted)
{
    const int tail = blockIdx.x * blockDim.x + threadIdx.x;
    if (tail >= vertices || !mask[tail])
        return;
    mask[tail] = 0;
    int atomics = 0;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const long long candidate = (long long)costs[tail] + weights[arc];
        if (candidate < UNREACHABLE) // a sum must not wrap
            lower(&updating_costs[indices[arc]], (int)candidate, atomics);
    }
    count(atomics, &counted[tail]);
}

extern "C" __global__ void update(int vertices, unsigned char *mask, int *costs, int *updating_costs, int *changed)
{
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices)
        return;
    if (costs[vertex] > updating_costs[vertex]) {
        costs[vertex] = updating_costs[vertex];
        mask[vertex] = 1;
        *changed = 1;
    }
    updating_costs[vertex] = costs[vertex];
}
