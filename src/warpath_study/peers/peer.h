/* A peer in C: what a shared library defines so that warpath measures it.
 *
 * The library is named under `peers` in config.yaml. warpath loads it, prepares a graph, solves from many sources, one at
 * a time, and certifies the distances. It calls all functions from one thread. No C++ exception may leave a function.
 */
#ifndef WARPATH_PEER_H
#define WARPATH_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

#define PEER_ABI 2                  /* raised when this header changes; warpath loads only libraries of its own */
#define PEER_UNREACHABLE 2147483647 /* the distance of a vertex without a path */
#define PEER_TRIALS_MAX 64

struct peer_about {
    int abi; /* PEER_ABI */
    /* The version of the code, and what else made the library, such as compiler flags; recorded with each time. */
    const char *version;
    /* The name of a setting that warpath chooses for each graph by trial solves, such as "delta"; NULL without one.
     * "threads" is taken. */
    const char *setting;
    /* Whether a solve uses several threads. Trial solves then choose their number, too. */
    int parallel;
    /* A graph is refused if a distance from a trial source is above. From other sources, vertices may be twice as far.
     * PEER_UNREACHABLE if greater distances do no harm, since wrong ones are found. */
    int farthest_max;
    /* Whether solves run on the first GPU. They end when the distances are in host memory. */
    int on_gpu;
};

extern const struct peer_about peer_about;

/* The graph in the library's own form; NULL if it cannot have one. Timed.
 *
 * The arcs out of vertex v are indptr[v] to indptr[v + 1], with heads in ascending order. There are no parallel arcs,
 * but there may be loops, weights of 0, and no arcs at all. The arrays stay as they are until peer_free. */
void *peer_prepare(int vertices, const int *indptr, const int *heads, const int *weights);

/* Write the values of the setting to try on this graph, PEER_TRIALS_MAX at most, and return their number. All are at
 * least 0. Trials begin with the middle one, and go on in both directions until solves are much slower. Without a
 * setting, the function is not called. */
int peer_trials(const void *form, int *values);

/* Find the distances from a source. Timed. `value` is that of the setting, 0 without one. */
void peer_solve(void *form, int source, int value, int threads);

/* Write the distance of each vertex that the last solve found. */
void peer_distances(const void *form, int *distances);

void peer_free(void *form);

#ifdef __cplusplus
}
#endif

#endif
