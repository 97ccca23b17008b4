// A cluster: CLUSTER_BLOCKS blocks that run at the same time, meet at a barrier of their own, and reach into each
// other's shared memory. On the simulated GPU, and wherever CLUSTER_BLOCKS is 1, a cluster is one block.
//
// A kernel of clusters is declared `extern "C" __global__ void CLUSTER name(...)` and launched with CLUSTER_BLOCKS
// blocks. GPUs below compute capability 9.0 have no clusters: HAS_CLUSTERS is 0 there, and nothing else of this file
// exists, so the kernel's body belongs into `#if HAS_CLUSTERS`. `word`, of 32 or 64 bits, is always one of the caller's
// own shared memory; what is meant is the word at the same place in that of `block`.
#pragma once

#ifndef CLUSTER_BLOCKS
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define CLUSTER_BLOCKS 16
#else
#define CLUSTER_BLOCKS 1
#endif
#endif

#if CLUSTER_BLOCKS == 1
#define HAS_CLUSTERS 1
#define CLUSTER

__device__ __forceinline__ unsigned int rank_in_cluster()
{
    return 0;
}

__device__ __forceinline__ void cluster_barrier()
{
    __syncthreads();
}

__device__ __forceinline__ int read_in_cluster(const int *word, unsigned int block)
{
    return *(const volatile int *)word;
}

__device__ __forceinline__ void store_in_cluster(int *word, unsigned int block, int value)
{
    *(volatile int *)word = value;
}

__device__ __forceinline__ void lower_in_cluster(int *word, unsigned int block, unsigned int value)
{
    atomicMin((unsigned int *)word, value);
}

__device__ __forceinline__ void lower_in_cluster(long long *word, unsigned int block, unsigned long long value)
{
    atomicMin((unsigned long long *)word, value);
}

#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HAS_CLUSTERS 1
#define CLUSTER __cluster_dims__(CLUSTER_BLOCKS, 1, 1)

__device__ __forceinline__ unsigned int rank_in_cluster()
{
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// All threads of all blocks meet. What they did to any shared memory of the cluster before is visible to all of them
// afterwards. The lanes of a warp arrive together, as .aligned asks for.
__device__ __forceinline__ void cluster_barrier()
{
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned int address_in_cluster(const void *word, unsigned int block)
{
    const unsigned int own = (unsigned int)__cvta_generic_to_shared(word);
    unsigned int address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(own), "r"(block));
    return address;
}

__device__ __forceinline__ int read_in_cluster(const int *word, unsigned int block)
{
    const unsigned int address = address_in_cluster(word, block);
    int value;
    asm volatile("ld.relaxed.cluster.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_in_cluster(int *word, unsigned int block, int value)
{
    const unsigned int address = address_in_cluster(word, block);
    asm volatile("st.relaxed.cluster.shared::cluster.s32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

// The minimum of the word, as unsigned, and `value`; nobody waits for it.
__device__ __forceinline__ void lower_in_cluster(int *word, unsigned int block, unsigned int value)
{
    const unsigned int address = address_in_cluster(word, block);
    asm volatile("red.relaxed.cluster.shared::cluster.min.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

// For 64 bits, ptxas makes a read and a write of such a minimum, which are not atomic together.
__device__ __forceinline__ void lower_in_cluster(long long *word, unsigned int block, unsigned long long value)
{
    const unsigned int address = address_in_cluster(word, block);
    unsigned long long there, expected;
    asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];" : "=l"(there) : "r"(address) : "memory");
    while (value < there) {
        expected = there;
        asm volatile("atom.relaxed.cluster.shared::cluster.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(there)
                     : "r"(address), "l"(expected), "l"(value)
                     : "memory");
        if (there == expected)
            break;
    }
}

// The maximum of the word and `value`; nobody waits for it.
#else
#define HAS_CLUSTERS 0
#define CLUSTER
#endif
