// Float32: a float32 whose denormal numbers count.
//
// CuPy compiles kernels with -ftz=true, which takes a denormal `float` for 0 in sums, products and comparisons, and
// cannot be told otherwise. The instructions named here do not. The host's compiler keeps denormal numbers by itself.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
struct Float32 {
    float number;

    Float32() = default;
    __device__ __forceinline__ constexpr Float32(float of) : number(of) {}
    __device__ __forceinline__ explicit operator float() const
    {
        return number;
    }
};

#define DEFINE_OPERATION(operation, instruction)                                             \
    __device__ __forceinline__ Float32 operation(Float32 one, Float32 other)                 \
    {                                                                                        \
        float result;                                                                        \
        asm(instruction " %0, %1, %2;" : "=f"(result) : "f"(one.number), "f"(other.number)); \
        return result;                                                                       \
    }
DEFINE_OPERATION(operator+, "add.rn.f32")
DEFINE_OPERATION(operator*, "mul.rn.f32")
DEFINE_OPERATION(min, "min.f32")
DEFINE_OPERATION(max, "max.f32")
#undef DEFINE_OPERATION

#define DEFINE_COMPARISON(operation, comparison)                          \
    __device__ __forceinline__ bool operation(Float32 one, Float32 other) \
    {                                                                     \
        int result;                                                       \
        asm("{ .reg .pred holds; setp." comparison                        \
            ".f32 holds, %1, %2; "                                        \
            "selp.s32 %0, 1, 0, holds; }"                                 \
            : "=r"(result)                                                \
            : "f"(one.number), "f"(other.number));                        \
        return result;                                                    \
    }
DEFINE_COMPARISON(operator<, "lt")
DEFINE_COMPARISON(operator<=, "le")
DEFINE_COMPARISON(operator>, "gt")
DEFINE_COMPARISON(operator>=, "ge")
DEFINE_COMPARISON(operator==, "eq")
DEFINE_COMPARISON(operator!=, "neu")
#undef DEFINE_COMPARISON
#else
typedef float Float32;
#endif

__device__ __forceinline__ Float32 float32_of(int bits)
{
    return __int_as_float(bits);
}

__device__ __forceinline__ int bits_of(Float32 number)
{
    return __float_as_int((float)number);
}
