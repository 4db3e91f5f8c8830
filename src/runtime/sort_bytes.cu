// SPDX-License-Identifier: Apache-2.0
#include "evenly/primitives/detail/sort_bytes.hpp"
#include "evenly/primitives/detail/sort_bytes_by_cub.hpp"

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

} // namespace compiled
} // namespace evenly::detail
