// GAP Benchmark Suite: its single-source shortest paths, called from another program.
//
// What it adds to the suite's sssp.cc: a graph made from arrays instead of a file, and distances that can be read. The
// solver is DeltaStep of that file, unchanged. The suite's own program prints
// times but no distances; here they are in memory, so that they are certified like everybody's.
#define main gapbs_main
#include "sssp.cc"
#undef main

#include <omp.h>

namespace {

struct Solver {
    WGraph graph;
    pvector<WeightT> distances; // of the last solve
};

} // namespace

extern "C" Solver *gapbs_prepare(int vertices, const int *indptr, const int *heads, const int *weights)
{
    const int arcs = indptr[vertices];
    WNode *neighbours = new WNode[arcs];
    for (int arc = 0; arc < arcs; arc++)
        neighbours[arc] = WNode(heads[arc], weights[arc]);
    WNode **index = new WNode *[vertices + 1];
    for (int vertex = 0; vertex <= vertices; vertex++)
        index[vertex] = neighbours + indptr[vertex];
    // Only arcs out of a vertex are followed, so there are none into it. The graph frees both arrays.
    return new Solver{WGraph(vertices, index, neighbours, nullptr, nullptr), {}};
}

extern "C" void gapbs_solve(Solver *solver, int source, int delta, int threads)
{
    omp_set_num_threads(threads);
    solver->distances = DeltaStep(solver->graph, source, delta);
}

extern "C" void gapbs_distances(const Solver *solver, int *distances)
{
    std::copy(solver->distances.begin(), solver->distances.end(), distances);
}

extern "C" void gapbs_free(Solver *solver)
{
    delete solver;
}
