// DYNAMIC_SHARED(type, name): the block's dynamic shared memory as an array, on GPUs and on the simulated GPU.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#else
#define DYNAMIC_SHARED(type, name) type *const name = reinterpret_cast<type *>(warpath_context.dynamic_shared)
#endif
