// Locates the __shared__ variables of a kernel object: they are its whole thread-local storage.
#pragma once

#include <stdint.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <link.h>

extern "C" void* __tls_get_addr(uint64_t* module_and_offset);

namespace simt {

struct StaticShared {
    uintptr_t address;    // any address in the object
    uint64_t module = 0;  // the object's number in the dynamic loader; 0 if it has no thread-local storage
    uint64_t bytes = 0;
};

inline StaticShared find_static_shared(const void* address) {
    StaticShared found{reinterpret_cast<uintptr_t>(address)};
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* data) {
            auto& found = *static_cast<StaticShared*>(data);
            bool here = false;
            uint64_t bytes = 0;
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& part = object->dlpi_phdr[i];
                // For an address below the segment, the difference wraps to a large number.
                const uintptr_t offset = found.address - (object->dlpi_addr + part.p_vaddr);
                if (part.p_type == PT_LOAD && offset < part.p_memsz) here = true;
                if (part.p_type == PT_TLS) bytes = part.p_memsz;
            }
            if (here && bytes != 0) {
                found.module = object->dlpi_tls_modid;
                found.bytes = bytes;
            }
            return here ? 1 : 0;
        },
        &found);
    return found;
}

// The storage of the calling OS thread.
inline void* thread_local_storage(uint64_t module) {
    uint64_t module_and_offset[] = {module, 0};
    return __tls_get_addr(module_and_offset);
}

}  // namespace simt

#else

namespace simt {

// On other systems they are not located, and so not poisoned before a block begins.
struct StaticShared {
    uint64_t module = 0, bytes = 0;
};

inline StaticShared find_static_shared(const void*) { return {}; }
inline void* thread_local_storage(uint64_t) { return nullptr; }

}  // namespace simt

#endif
