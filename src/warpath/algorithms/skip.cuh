// Grids that leave the primary block out.
#pragma once

// The block number `index` among all but the primary one: numbers from the primary on move up by one. The paper's equations
// 5 to 7 get the same step from an integer division, min((index + 1) / (primary + 1), 1).
__device__ __forceinline__ int stepped_over(int index, int primary)
{
    return index + (index >= primary);
}
