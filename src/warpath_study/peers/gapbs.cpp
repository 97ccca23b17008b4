// GAP Benchmark Suite: its single-source shortest paths as a peer in C.
//
// What it adds to the suite's sssp.cc: a graph made from arrays instead of a file, and distances that can be read. The
// solver is DeltaStep of that file, unchanged. The suite's own program prints
// times but no distances; here they are in memory, so that they are certified like everybody's.
#define main gapbs_main
#include "sssp.cc"
#undef main

#include <cmath>
#include <omp.h>

#include "peer.h"

namespace {

struct Form {
    WGraph graph;
    double mean_weight;
    pvector<WeightT> distances; // of the last solve
};

} // namespace

// The suite takes all memory for distances beyond kDistInf.
const struct peer_about peer_about = {PEER_ABI, "sssp.cc", "delta", 1, kDistInf / 2, 0};

void *peer_prepare(int vertices, const int *indptr, const int *heads, const int *weights)
{
    // The suite cannot solve a graph without arcs, which gets a loop.
    const int given = indptr[vertices], arcs = std::max(given, 1);
    WNode *neighbours = new WNode[arcs];
    neighbours[0] = WNode(0, 0);
    double sum = 0;
    for (int arc = 0; arc < given; arc++) {
        neighbours[arc] = WNode(heads[arc], weights[arc]);
        sum += weights[arc];
    }
    WNode **index = new WNode *[vertices + 1];
    index[0] = neighbours;
    for (int vertex = 1; vertex <= vertices; vertex++)
        index[vertex] = neighbours + (given ? indptr[vertex] : 1);
    // Only arcs out of a vertex are followed, so there are none into it. The graph frees both arrays.
    return new Form{WGraph(vertices, index, neighbours, nullptr, nullptr), sum / arcs, {}};
}

// Multiples of the mean weight.
int peer_trials(const void *form, int *values)
{
    int count = 0;
    for (int power = -6; power <= 8; power++) {
        const double value = std::round(static_cast<const Form *>(form)->mean_weight * std::pow(2, power));
        values[count++] = static_cast<int>(std::min(std::max(value, 1.), double(kDistInf)));
    }
    return count;
}

void peer_solve(void *form, int source, int value, int threads)
{
    Form &of = *static_cast<Form *>(form);
    omp_set_num_threads(threads);
    of.distances = DeltaStep(of.graph, source, value);
}

void peer_distances(const void *form, int *distances)
{
    for (WeightT distance : static_cast<const Form *>(form)->distances)
        *distances++ = distance < kDistInf ? distance : PEER_UNREACHABLE;
}

void peer_free(void *form)
{
    delete static_cast<Form *>(form);
}
