// SPDX-License-Identifier: Apache-2.0
// What visits atoms, on simt.
#include "measure/bench_simt.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_simt_bench(const expand_problem&, const bench_options&);
template std::unique_ptr<bench> make_simt_bench(const update_problem&, const bench_options&);

} // namespace evenly::cli
