// SPDX-License-Identifier: Apache-2.0
// Owners in the memory of a GPU: operations in one line refuse indices outside the matrix, and name the first.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/ell_matrix.hpp"
#include "evenly/sparse/matrix.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/sparse/packed_matrix.hpp"
#include "support/messages.hpp"

namespace evenly::front_door {
namespace {

/// 3 rows, one of them empty, and 4 columns.
csr_matrix<float> whole() { return {3, 4, {0, 2, 2, 5}, {0, 3, 1, 2, 3}, {1, 2, 3, 4, 5}}; }

TEST(RefusalsOnCuda, OfColumnsOutsideTheMatrix) {
  const cuda gpu;
  for (const int column : {4, -1}) {
    auto on_host = whole();
    on_host.columns[3] = column;
    const auto a = on_host.to(gpu);
    const vector x(gpu, std::vector<float>{1, 2, 3, 4});
    const vector<float, cuda> y(gpu, 3);
    const std::string message = "entry 3 is in column " + std::to_string(column) +
                                " of a matrix of 4 columns: they are counted from 0";
    EXPECT_EQ(refusal_of([&] { a* x; }), message);
    EXPECT_EQ(refusal_of([&] { spmv(a, x, y, 2, 3, merge_path{}); }), message);
    EXPECT_EQ(refusal_of([&] { make_plan(a); }), message);
    EXPECT_EQ(refusal_of([&] { a* matrix<float>(4, 2).to(gpu); }), message);
    EXPECT_EQ(refusal_of([&] { transpose(a); }), message);
    EXPECT_EQ(refusal_of([&] { a + a; }), message);
    EXPECT_EQ(refusal_of([&] { a* whole().to(gpu); }), message);
    EXPECT_EQ(refusal_of([&] { check_matrix(a); }), message);
    EXPECT_EQ(refusal_of([&] { check_matrix(a.view(), gpu); }), message);
  }
  const auto right = whole().to(gpu);
  EXPECT_NO_THROW(check_matrix(right));
  EXPECT_EQ((right * vector(gpu, std::vector<float>{1, 1, 1, 1})).to_host(), (std::vector<float>{3, 0, 12}));
}

TEST(RefusalsOnCuda, OfOffsetsBeyondTheEntries) {
  const cuda gpu;
  auto on_host = whole();
  on_host.offsets.back() = 9;
  const auto a = on_host.to(gpu);
  EXPECT_EQ(refusal_of([&] { a* vector(gpu, std::vector<float>(4)); }),
            "the last row ends at 9, but there are 5 entries: offsets must be at most the number of entries");
}

/// The message with which the operations in one line refuse `on_host` on a GPU.
template <class A> std::string refusal_on_cuda(const A& on_host) {
  const cuda gpu;
  const auto a = on_host.to(gpu);
  const vector x(gpu, std::vector<float>(static_cast<std::size_t>(a.cols)));
  const vector<float, cuda> y(gpu, a.rows);
  const std::string message = refusal_of([&] { a* x; });
  EXPECT_EQ(refusal_of([&] { spmv(a, x, y, merge_path{}); }), message);
  EXPECT_EQ(refusal_of([&] { to_csr(a); }), message);
  EXPECT_EQ(refusal_of([&] { check_matrix(a); }), message);
  return message;
}

TEST(RefusalsOnCuda, OfOtherFormats) {
  const std::string place = " is in column 4 of a matrix of 4 columns";
  auto entries = to_coo(whole());
  entries.columns[3] = 4;
  EXPECT_EQ(refusal_on_cuda(entries),
            "entry 3 is in row 2 and column 4 of a matrix of 3 rows and 4 columns: both are counted from 0");
  auto slots = to_ell(whole()); // entry 1 of row 2 is in slot 5
  slots.columns[5] = 4;
  EXPECT_EQ(refusal_on_cuda(slots), "entry 1 of row 2" + place + ": they are counted from 0");
  auto narrow = to_narrow<half>(whole());
  narrow.columns[3] = 4;
  EXPECT_EQ(refusal_on_cuda(narrow), "entry 3" + place + ": they are counted from 0");
  auto blocks = to_bcsr<2, 3>(whole());
  blocks.columns[1] = 2;
  EXPECT_EQ(refusal_on_cuda(blocks),
            "block 1 is in block column 2 of a matrix of 2 block columns: they are counted from 0");
  auto columns = to_csc(whole());
  columns.row_of[2] = 3;
  EXPECT_EQ(refusal_on_cuda(columns), "entry 2 is in row 3 of a matrix of 3 rows: they are counted from 0");
  auto packed = to_packed(whole());
  packed.heads[0] = packed_head::of(3, 2, 0).bits;
  EXPECT_EQ(refusal_on_cuda(packed),
            "entry 1 is in column 6 of a matrix of 4 columns: packed columns are made by to_packed");
}

TEST(RefusalsOnCuda, OfGraphs) {
  const cuda gpu;
  const csr_matrix<float> edges{3, 3, {0, 2, 2, 4}, {0, 2, 1, 3}, {1, 2, 3, 4}};
  const std::string message = refusal_of([&] { graph(edges, cpu()); });
  EXPECT_EQ(refusal_of([&] { graph(edges, gpu); }), message);
  EXPECT_EQ(refusal_of([&] { bfs(edges.to(gpu), 0); }), refusal_of([&] { bfs(edges, 0); }));
  EXPECT_THROW(bfs(graph(csr_matrix<float>{1, 1, {0, 0}, {}, {}}, gpu), 1), invalid_argument);
}

} // namespace
} // namespace evenly::front_door
