// SPDX-License-Identifier: Apache-2.0
// The lines of benches that count requests: what each request costs, and how many lanes take part.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "evenly/trace/counts.hpp"

namespace evenly::bench {

/// name_width: columns that names have.
inline void print_head_of_requests(int name_width) {
  std::printf("%-*s %17s %17s\n%-*s %8s %8s %8s %8s %8s\n", name_width, "", "sectors/request",
              "wavefronts/req.", name_width, "", "loads", "stores", "loads", "stores", "lanes");
}

inline void print_per_request(int name_width, const std::string& name, const trace_counts& counts) {
  const auto each = [](std::int64_t cost, std::int64_t requests) {
    return requests == 0 ? 0. : static_cast<double>(cost) / static_cast<double>(requests);
  };
  std::printf("%-*s %8.4g %8.4g %8.4g %8.4g %8.4g\n", name_width, name.c_str(),
              each(counts.global_load_sectors, counts.global_load_requests),
              each(counts.global_store_sectors, counts.global_store_requests),
              each(counts.storage_load_wavefronts, counts.storage_load_requests),
              each(counts.storage_store_wavefronts, counts.storage_store_requests),
              each(counts.request_lanes, counts.requests()));
}

} // namespace evenly::bench
