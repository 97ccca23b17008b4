// A cell of all pairs: the number of an intermediate vertex, which cuts the path in two, and the length of the path.
//
// Include blocked.cuh, which says what a cell must have, distances.cuh and skip.cuh before.
// Source: Katz and Kider, 2008, section 4.3, Algorithm 3.
#pragma once

// x is the intermediate vertex, y the length.
struct PathCell {
    typedef int2 value_t;

    static __device__ __forceinline__ int2 none()
    {
        return make_int2(NO_PREDECESSOR, UNREACHABLE);
    }
    static __device__ __forceinline__ void relax(int k, const int2 &to_k, const int2 &from_k, int2 &own)
    {
        if (to_k.y != UNREACHABLE && from_k.y != UNREACHABLE && joined(to_k.y, from_k.y) < (length_t)own.y)
            own = make_int2(k, (int)joined(to_k.y, from_k.y));
    }
};
