// SPDX-License-Identifier: Apache-2.0
// A peer whose results are wrong, and which fails in double precision: for peers_test.py.
#include <stdexcept>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

struct wrong {
  template <class Value> prepared_peer operator()(const vector_product<Value>& p, int) const {
    return {[p] {
      if (sizeof(Value) == 8) throw std::runtime_error("no double precision today");
      if (p.a.rows > 0) p.y[0] = 1e30F;
    }};
  }
  template <class Value> prepared_peer operator()(const dense_product<Value>& p, int) const {
    return {[p] {
      for (std::int64_t i = 0; i < p.c.extent(); ++i) p.c.data[i] = 1e30F;
    }};
  }
  template <class Value> prepared_peer operator()(const sparse_product<Value>& p, int) const {
    return {[] {}, [p] { p.c->offsets.assign(static_cast<std::size_t>(p.a.rows) + 1, 0); }};
  }
  prepared_peer operator()(const graph_search& p, int) const {
    return {[] {}, [p] { p.values->assign(static_cast<std::size_t>(p.edges.rows), 0); }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::wrong, "0")
