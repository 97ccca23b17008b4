// Grids that leave the primary block out.
#pragma once

// The number of a block that is number `index` when the primary one is not counted: from the primary on, numbers move
// up by one. Equations 5 to 7 of Katz and Kider take the same step by an integer division, min((index + 1) / (primary +
// 1), 1).
__device__ __forceinline__ int stepped_over(int index, int primary)
{
    return index + (index >= primary);
}
