// SPDX-License-Identifier: Apache-2.0
// The only file that includes CUB, because its headers take most of the compile time.
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/detail/sort_bytes.hpp"
#include "evenly/primitives/detail/sort_bytes_by_cub.hpp"
#include "evenly/primitives/detail/sort_pairs_by_cub.hpp"

namespace evenly::detail {
inline namespace compiled {

void sort_bytes(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                const std::int32_t* numbers, unsigned char* keys_out, std::int32_t* numbers_out) {
  sort_bytes_by_cub(exec, count, bits, keys, numbers, keys_out, numbers_out);
}

void sort_bytes(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                const std::int64_t* numbers, unsigned char* keys_out, std::int64_t* numbers_out) {
  sort_bytes_by_cub(exec, count, bits, keys, numbers, keys_out, numbers_out);
}

#define EVENLY_COMPILED_SORT(Key, Value)                                                                     \
  cudaError_t sort_pairs(void* scratch, std::size_t& bytes, const Key* keys, const Value* values,            \
                         std::int64_t count, Key* keys_out, Value* values_out, int bits,                     \
                         cudaStream_t stream) {                                                              \
    return cub_sort<Key, Value>::run(scratch, bytes, keys, values, count, keys_out, values_out, bits,        \
                                     stream);                                                                \
  }
EVENLY_COMPILED_SORT(std::int32_t, std::int32_t)
EVENLY_COMPILED_SORT(std::int32_t, std::int64_t)
EVENLY_COMPILED_SORT(std::uint32_t, std::int32_t)
EVENLY_COMPILED_SORT(std::uint32_t, std::int64_t)
EVENLY_COMPILED_SORT(std::int64_t, std::int32_t)
EVENLY_COMPILED_SORT(std::int64_t, std::int64_t)
EVENLY_COMPILED_SORT(std::uint64_t, std::int32_t)
EVENLY_COMPILED_SORT(std::uint64_t, std::int64_t)

} // namespace compiled
} // namespace evenly::detail
