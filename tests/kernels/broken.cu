// Does not compile: line 4.
extern "C" __global__ void broken(int *output)
{
    output[threadIdx.x] = missing_name;
}
