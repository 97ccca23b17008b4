// Cluster trial: whether this GPU runs a cluster of CLUSTER_BLOCKS blocks, told by running one.
//
// Threads: one cluster of blocks. Memory: one word, which counts the blocks that met, and as much shared memory of a
// block as leaves no room for a second one on its multiprocessor; nothing is in it.
// Source: ours; see cuda.py.
#include "warpath/device/cluster.cuh"

extern "C" __global__ void __launch_bounds__(512, 1) CLUSTER meet(int *met)
{
#if HAS_CLUSTERS
    cluster_barrier();
    if (threadIdx.x == 0)
        atomicAdd(met, 1);
#endif
}
