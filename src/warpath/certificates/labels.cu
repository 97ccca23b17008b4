// Certificate of distances of pairs that are joined from labels, for weights above zero.
//
// Idea: the vertices form a tree in which each arc joins a vertex with an ancestor. All vertices of a path are descendants
// of one of them (itself included), the one of least depth: an arc leads up or down within its subtree. So a distance is
// the least sum, over the ancestors that source and target share, of the distances to and from the ancestor within its
// subtree. These are the labels, a row of `height` for each vertex, by depth of the ancestor. As in columns.cu, those of
// an ancestor are exact if its own is 0 and each other is the least that an arc within the subtree offers.
//   judge_labels  is each label the least that an arc offers?
//   judge_pairs   is each distance the least sum over the shared ancestors?
// Threads: judge_labels, a warp a vertex, lanes over depths; judge_pairs, a thread a pair, which climbs from the source.
// Memory: the graph as CSR, by tail for distances to ancestors and by head for those from them; labels, with 64-bit
// indices. A label is read for its vertex and for each arc into it.
// Limit: memory.
// Source: our own.
#define WARP 32
#define UNREACHABLE 0x7fffffffu

// The vertex or the pair of the first fault falls in `fault`.
extern "C" __global__ void judge_labels(int vertices, int height, const int *__restrict__ starts,
                                        const int *__restrict__ ends, const int *__restrict__ weights,
                                        const int *__restrict__ depths, const unsigned int *__restrict__ labels,
                                        unsigned int *fault)
{
    const long long vertex = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (vertex >= vertices)
        return;
    const int own_depth = depths[vertex], first = starts[vertex], last = starts[vertex + 1];
    bool wrong = false;
    for (int depth = threadIdx.x % WARP; depth <= own_depth; depth += WARP) {
        unsigned int least = depth == own_depth ? 0 : UNREACHABLE;
        for (int arc = first; arc < last; ++arc) {
            const int end = ends[arc];
            if (depth <= depths[end]) // the ancestor at this depth is one of both
                least = min(least, (unsigned int)weights[arc] + labels[(size_t)end * height + depth]);
        }
        const unsigned int label = labels[(size_t)vertex * height + depth];
        wrong |= label != least || label > UNREACHABLE;
    }
    if (wrong)
        atomicMin(fault, (unsigned int)vertex);
}

// The descendants of the vertex at position p are at p + 1 to p + sizes[p] - 1; `parents` are positions, too.
extern "C" __global__ void judge_pairs(int pairs, int height, const int *__restrict__ positions,
                                       const int *__restrict__ parents, const int *__restrict__ sizes,
                                       const int *__restrict__ depths, const int *__restrict__ sources,
                                       const int *__restrict__ targets, const unsigned int *__restrict__ to_ancestors,
                                       const unsigned int *__restrict__ from_ancestors,
                                       const unsigned int *__restrict__ distances, unsigned int *fault)
{
    const long long pair = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs)
        return;
    const int source = sources[pair], target = targets[pair], position = positions[target];
    const unsigned int *one = to_ancestors + (size_t)source * height;
    const unsigned int *other = from_ancestors + (size_t)target * height;
    unsigned int least = UNREACHABLE;
    int depth = depths[source];
    for (int above = positions[source]; above >= 0; above = parents[above], --depth)
        if (position >= above && position < above + sizes[above])
            least = min(least, one[depth] + other[depth]);
    if (distances[pair] != least)
        atomicMin(fault, (unsigned int)pair);
}
