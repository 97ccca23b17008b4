// Certificate of a closure: a bit a pair, 64 to a word; bit b of word w in row i says whether i reaches 64 w + b.
//
// The vertices are given in strongly connected components, certified on the host. The rows are the closure if and only
// if each vertex's row is what its component must reach: the members of the component and the rows of the heads of all
// arcs that leave it. Components without arcs that leave come first, and the others follow by induction.
//   pack             makes rows of bits of integer cells;
//   clear, add_members, add_arcs   put together what each component must reach, for a range of words;
//   judge_closure    compares each vertex's row with that of its component, and counts the pairs that are reached.
// Bits past the last vertex count for nothing.
// Threads: x runs over the words, y in strides over rows or arcs; one a vertex in add_members. Blocks of any size. Memory: n * ceil(n / 64) words
// of rows; a row of `words` words a component. 64-bit indices.
// Source: our own.
#include "warpath/certificates/arc_rules.cuh"

#define BITS 64
#define COLUMN ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define FOR_EACH_IN_STRIDES(item, items)                                                    \
    for (long long item = (long long)blockIdx.y * blockDim.y + threadIdx.y; item < (items); \
         item += (long long)gridDim.y * blockDim.y)

typedef unsigned long long word_t;

template <class Cell>
__device__ __forceinline__ void pack_row(int vertices, const Cell *cells, int word, word_t *row)
{
    const int first = word * BITS;
    word_t bits = 0;
    for (int bit = 0; bit < min(BITS, vertices - first); ++bit)
        bits |= (word_t)(cells[first + bit] != 0) << bit;
    row[word] = bits;
}

extern "C" __global__ void pack_bytes(int vertices, int words, int count, const unsigned char *cells, word_t *rows)
{
    if (COLUMN < words)
        FOR_EACH_IN_STRIDES(row, count)
    pack_row(vertices, cells + row * vertices, COLUMN, rows + row * words);
}

extern "C" __global__ void pack_integers(int vertices, int words, int count, const int *cells, word_t *rows)
{
    if (COLUMN < words)
        FOR_EACH_IN_STRIDES(row, count)
    pack_row(vertices, cells + row * vertices, COLUMN, rows + row * words);
}

extern "C" __global__ void clear(int components, int words, word_t *reach)
{
    if (COLUMN < words)
        FOR_EACH_IN_STRIDES(component, components)
    reach[component * words + COLUMN] = 0;
}

extern "C" __global__ void add_members(int vertices, const int *components, int first_word, int words, word_t *reach)
{
    const long long vertex = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long word = vertex / BITS - first_word;
    if (vertex < vertices && word >= 0 && word < words)
        atomicOr(&reach[(long long)components[vertex] * words + word], (word_t)1 << (vertex % BITS));
}

// The arcs are those that leave a component.
extern "C" __global__ void add_arcs(int arcs, const int *tail_components, const int *heads, int first_word, int words,
                                    int row_words, const word_t *rows, word_t *reach)
{
    if (COLUMN >= words)
        return;
    FOR_EACH_IN_STRIDES(arc, arcs)
    {
        word_t *const of_tail = &reach[(long long)tail_components[arc] * words + COLUMN];
        const word_t bits = rows[(long long)heads[arc] * row_words + first_word + COLUMN];
        if (bits & ~*of_tail) // mostly there is nothing to add, and a look is cheaper than an atomic
            atomicOr(of_tail, bits);
    }
}

extern "C" __global__ void judge_closure(int vertices, const int *components, int first_word, int words, int row_words,
                                         const word_t *rows, const word_t *reach, unsigned int call,
                                         unsigned int *faulty_rows, unsigned long long *verdict)
{
    __shared__ word_t reached;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        reached = 0;
    __syncthreads();
    if (COLUMN < words) {
        const int word = first_word + COLUMN, beyond = max(0, (word + 1) * BITS - vertices);
        const word_t inside = ~(word_t)0 >> beyond;
        word_t count = 0;
        FOR_EACH_IN_STRIDES(vertex, vertices)
        {
            const word_t bits = rows[vertex * row_words + word] & inside;
            count += __popcll(bits);
            if (bits != (reach[(long long)components[vertex] * words + COLUMN] & inside)) {
                faulty_rows[vertex] = call;
                verdict[FAULT] = call;
            }
        }
        atomicAdd(&reached, count);
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(&verdict[REACHED], reached);
}
