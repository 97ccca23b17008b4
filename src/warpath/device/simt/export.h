// The table of a kernel object: its kernels with their parameters, for Python, and how the runtime calls them.
#pragma once

#include <type_traits>
#include <utility>

namespace simt {

// Starts the next thread of the block.
inline void start_thread() {
    Context& context = warpath_context;
    const Place place = context.order[context.next];
    context.position = context.next++;
    context.thread = {place.x, place.y, place.z};
    context.linear = place.linear;
}

// Ends the running thread and starts the next; false if there is none.
inline bool next_thread() {
    if (warpath_context.interleaved) warpath_thread_ended();
    if (warpath_context.next == warpath_context.count) return false;
    start_thread();
    return true;
}

template <class T>
constexpr char kind_of() {
    if (std::is_same_v<T, bool>) return 'b';
    if (std::is_floating_point_v<T>) return 'f';
    if (std::is_integral_v<T>) return std::is_signed_v<T> ? 'i' : 'u';
    return 'V';
}

template <class T>
constexpr int32_t bytes_of() {
    if constexpr (std::is_void_v<T>) {
        return 0;
    } else {
        return sizeof(T);
    }
}

template <class T>
constexpr Parameter parameter() {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    return {std::is_pointer_v<T>, std::is_const_v<std::remove_pointer_t<T>>, kind_of<Pointee>(), bytes_of<Pointee>()};
}

template <auto function>
struct Exported;

template <class... Parameters, void (*function)(Parameters...)>
struct Exported<function> {
    static constexpr Parameter parameters[] = {parameter<Parameters>()..., Parameter{}};

    static void run(const void* const* arguments) { run(arguments, std::index_sequence_for<Parameters...>()); }

    template <size_t... index>
    static void run([[maybe_unused]] const void* const* arguments, std::index_sequence<index...>) {
        call_for_all_threads(*static_cast<const Parameters*>(arguments[index])...);
    }

    static void call_for_all_threads(Parameters... values) {
        start_thread();
        do function(values...);
        while (next_thread());
    }

    static constexpr Kernel kernel(const char* name) { return {name, run, parameters, sizeof...(Parameters)}; }
};

// A kernel's name found in the text may be inside a comment or an #if. Declaring `Absent name(Absent)` for each makes
// every name exist; choose() prefers the kernel, void name(...), if it is compiled.
struct Absent {};

template <>
struct Exported<nullptr> {
    static constexpr Kernel kernel(const char* name) { return {name, nullptr, nullptr, 0}; }
};

template <class... Parameters>
constexpr auto choose(void (*function)(Parameters...), int) {
    return function;
}
constexpr auto choose(Absent (*)(Absent), long) { return nullptr; }

}  // namespace simt
