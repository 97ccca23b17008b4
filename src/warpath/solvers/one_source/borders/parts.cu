// The layout of a graph in parts, see Parts in _parts.py, from the part of each vertex.
//
//   mark_crossing   which vertices arcs from other parts enter, and how many arcs of each vertex leave its part;
//   list_outside    each part with each vertex outside that it leads to, as keys to sort;
//   lay_out         heads of arcs as entries of parts, and the place of each arc's weight;
//   place_weights   weights to their places, again for each new weights.
//
// Threads: one a vertex, for `place_weights` one an arc. Loops have no place, and parallel arcs have one together, where
// they are near each other in their row: others stay, which is right, too.
// Limit: memory; a vertex of very many arcs is slow, and no road has one.
#include "warpath/solvers/shared/lengths.cuh"

#define SLOTS 4
#define NO_ARC 0xffff
#define ARCS_SEEN 64
#define VERTEX_OF_THREAD(vertex)                                             \
    const int vertex = (int)((size_t)blockIdx.x * blockDim.x + threadIdx.x); \
    if (vertex >= vertices)                                                  \
    return

// An arc before `arc` in its row with the same head, or -1.
__device__ __forceinline__ int arc_before(int arc, int row, const int *heads)
{
    for (int before = arc - 1; before >= row && before >= arc - ARCS_SEEN; --before)
        if (heads[before] == heads[arc])
            return before;
    return -1;
}

// `beyond` is the number of arcs of a vertex that find no slot.
extern "C" __global__ void mark_crossing(int vertices, const int *indptr, const int *heads, const int *part,
                                         unsigned char *is_entered, int *crossing, int *beyond)
{
    VERTEX_OF_THREAD(tail);
    int across = 0, arcs = 0;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const int head = heads[arc];
        if (head == tail || arc_before(arc, indptr[tail], heads) >= 0)
            continue;
        ++arcs;
        if (part[head] != part[tail]) {
            is_entered[head] = 1;
            ++across;
        }
    }
    crossing[tail] = across;
    beyond[tail] = max(0, arcs - SLOTS);
}

// `crossing` has been summed up: that of a vertex is the end of its section of `keys`.
extern "C" __global__ void list_outside(int vertices, const int *indptr, const int *heads, const int *part,
                                        const int *position, const int *crossing, long long *keys)
{
    VERTEX_OF_THREAD(tail);
    int free = crossing[tail];
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const int head = heads[arc];
        if (part[head] != part[tail] && arc_before(arc, indptr[tail], heads) < 0)
            keys[--free] = (long long)part[tail] << 32 | position[head];
    }
}

// `overflow` is `beyond`, in the order of new numbers and summed up. A place below SLOTS * vertices is a slot, and one from
// there on is in the overflow; -1 is none.
extern "C" __global__ void lay_out(int vertices, const int *indptr, const int *heads, const int *part, const int *order,
                                   const int *position, const int *first, const int *outside_first, const int *outside,
                                   const int *overflow, unsigned short *slots, unsigned short *overflow_tails,
                                   unsigned short *overflow_heads, int *places)
{
    VERTEX_OF_THREAD(number);
    const int tail = order[number], own = part[tail], begin = first[own], size = first[own + 1] - begin;
    int used = 0, free = number ? overflow[number - 1] : 0;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const int head = heads[arc];
        const int before = head == tail ? -1 : arc_before(arc, indptr[tail], heads);
        if (head == tail || before >= 0) {
            places[arc] = before >= 0 ? places[before] : -1;
            continue;
        }
        int entry = position[head] - begin;
        if (part[head] != own) {
            int low = outside_first[own], high = outside_first[own + 1];
            while (low + 1 < high) {
                const int middle = (low + high) / 2;
                if (outside[middle] <= position[head])
                    low = middle;
                else
                    high = middle;
            }
            entry = size + low - outside_first[own];
        }
        if (used < SLOTS) {
            places[arc] = used * vertices + number;
            slots[places[arc]] = (unsigned short)entry;
            ++used;
        } else {
            places[arc] = SLOTS * vertices + free;
            overflow_tails[free] = (unsigned short)(number - begin);
            overflow_heads[free++] = (unsigned short)entry;
        }
    }
    for (; used < SLOTS; ++used)
        slots[(size_t)used * vertices + number] = NO_ARC;
}

// `placed` is UNREACHABLE everywhere before.
extern "C" __global__ void place_weights(int arcs, const Weight *weights, const int *places, Length *placed)
{
    const size_t arc = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (arc < (size_t)arcs && places[arc] >= 0)
        atomicMin(&placed[places[arc]], length_of(weights[arc]));
}
