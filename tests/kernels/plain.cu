// Kernels without barriers: coordinates, types of parameters, and faults.

extern "C" __global__ void add_one(const int *__restrict__ input, int *__restrict__ output, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = input[i] + 1;
}

// Each thread writes its coordinates, ten bits each, at its place in the whole grid, x fastest.
extern "C" __global__ void coordinates(unsigned long long *output)
{
    const uint3 place = make_uint3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                                   blockIdx.z * blockDim.z + threadIdx.z);
    const dim3 size(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    const size_t i = place.x + size_t(size.x) * (place.y + size_t(size.y) * place.z);
    output[i] = place.x | place.y << 10 | (unsigned long long)place.z << 20;
}

// One byte at an index beyond 32 bits.
extern "C" __global__ void set_byte(unsigned char *bytes, unsigned long long row_bytes, int row)
{
    const size_t i = row * row_bytes + threadIdx.x;
    bytes[i] = 1;
}

struct Pair {
    int first;
    double second;
};

template <class T>
__device__ __forceinline__ T twice(T value)
{
    return value + value;
}

__constant__ int powers[4] = {1, 10, 100, 1000};

extern "C" __global__ void __launch_bounds__(128)
    every_type(double *output, bool flag, signed char i8, unsigned short u16, unsigned int u32, long long i64,
               size_t u64, float f32, double f64, Pair pair, const int4 *vectors, const void *nothing)
{
    const int4 vector = __ldg(&vectors[1]);
    const double values[] = {double(flag),       double(i8),  double(u16),      double(u32),
                             double(i64),        double(u64), twice(f32),       f64,
                             double(pair.first), pair.second, double(vector.w), double(nothing == nullptr)};
    for (int i = 0; i < 12; ++i)
        output[i] = values[i];
    for (int i = 0; i < 4; ++i)
        output[12 + i] = powers[i];
}

extern "C" __global__ void integer_functions(const int *input, int *output, int count)
{
    const int i = threadIdx.x;
    const int x = input[i];
    const long long wide = (long long)x << 20;
    output[0 * count + i] = __popc(x);
    output[1 * count + i] = __popcll(wide);
    output[2 * count + i] = __ffs(x);
    output[3 * count + i] = __clz(x);
    output[4 * count + i] = __ffsll(wide);
    output[5 * count + i] = __clzll(wide);
    output[6 * count + i] = min(x, 100);
    output[7 * count + i] = max(x, -100);
    output[8 * count + i] = int(min(3u, unsigned(x)));
    output[9 * count + i] = int(max(wide, -5LL) >> 20);
    output[10 * count + i] = int(fminf(float(x), 7.0f)) + int(fmaxf(float(x), 7.0f));
    output[11 * count + i] = __float_as_int(__int_as_float(x));
    output[12 * count + i] = x + 2147483647; // wraps
}

// By thread 3: 0 writes to address 0, 1 divides by zero, 2 traps, 3 asserts, 4 runs out of stack.
__device__ int deeper(volatile int *numbers, int depth)
{
    volatile int local[256];
    local[depth % 256] = numbers[0];
    return depth == 0 ? local[0] : deeper(local, depth - 1) + local[1];
}

extern "C" __global__ void go_wrong(int *output, int *null, int how, int zero)
{
    if (threadIdx.x == 3 && how == 0)
        *null = 1;
    if (threadIdx.x == 3 && how == 1)
        output[0] = 100 / zero;
    if (threadIdx.x == 3 && how == 2)
        __trap();
    if (how == 3)
        assert(threadIdx.x < 3);
    if (threadIdx.x == 3 && how == 4)
        output[0] = deeper(output, 1 << 20);
    output[threadIdx.x] = 7;
}

#if 0
extern "C" __global__ void not_compiled(int* output) {}
#endif
