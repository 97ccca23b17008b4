// Cluster trial: whether this GPU runs a cluster of CLUSTER_BLOCKS blocks, told by running one.
//
// Threads: one cluster of full blocks. Memory: one word, which counts the blocks that met.
// Source: ours; see cuda_clusters.py.
#include "device/simt/cluster.cuh"

extern "C" __global__ void __launch_bounds__(1024, 1) CLUSTER meet(int *met)
{
#if HAS_CLUSTERS
    cluster_barrier();
    if (threadIdx.x == 0)
        atomicAdd(met, 1);
#endif
}
