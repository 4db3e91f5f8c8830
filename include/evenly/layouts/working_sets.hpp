// SPDX-License-Identifier: Apache-2.0
// Threads by hierarchical clustering of their working sets, for references that are not a graph: threads do not stand
// for elements (Wu et al., PPoPP 2013, section 3.4, second clustering).
//
// Clustering is quadratic, so only a sample is clustered. At first each thread of the sample is a cluster; the two
// nearest clusters are merged until one is left. Clusters are near if their members have many elements in common on
// average (Jaccard's measure; average linkage by chains of nearest neighbours, Benzecri 1982). In the resulting order
// of the sample clusters are contiguous. Every thread is then placed at the thread of the sample with which it has most
// elements in common; threads without common elements come last.
//
// Cost: one thread of the host: the square of the sample, and a pass over P.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/layouts/graph_orders.hpp"
#include "evenly/layouts/orders.hpp"

namespace evenly::detail {

/// A tree of merges, the nearest clusters first, of items with pairwise similarities.
class join_tree {
 public:
  /// similar: [i * count + j], symmetric.
  join_tree(std::vector<float> similar, int count)
      : similar_(std::move(similar)), count_(count), size_(static_cast<std::size_t>(count), 1) {
    for (int i = 0; i < count; ++i) members_.push_back({i});
  }

  /// The items in an order in which each cluster is contiguous.
  std::vector<int> leaves() {
    std::vector<int> chain;
    for (int left = count_; left > 1;) {
      if (chain.empty()) chain.push_back(first_alive());
      const int last = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
      const int nearest = nearest_to(last, before);
      if (nearest != before) {
        chain.push_back(nearest);
        continue;
      }
      chain.resize(chain.size() - 2);
      join(before, last);
      --left;
    }
    return count_ > 0 ? members_[static_cast<std::size_t>(first_alive())] : std::vector<int>{};
  }

 private:
  float& at(int i, int j) {
    return similar_[static_cast<std::size_t>(i) * static_cast<std::size_t>(count_) +
                    static_cast<std::size_t>(j)];
  }
  bool alive(int i) const { return size_[static_cast<std::size_t>(i)] > 0; }
  int first_alive() const {
    return static_cast<int>(std::ranges::find_if(size_, [](int s) { return s > 0; }) - size_.begin());
  }
  /// The nearest cluster; in a tie `preferred`, so that chains end.
  int nearest_to(int i, int preferred) {
    int best = preferred;
    for (int j = 0; j < count_; ++j)
      if (j != i && alive(j) && (best < 0 || at(i, j) > at(i, best))) best = j;
    return best;
  }
  void join(int a, int b) {
    auto &of_a = members_[static_cast<std::size_t>(a)], &of_b = members_[static_cast<std::size_t>(b)];
    const auto many_a = static_cast<float>(of_a.size()), many_b = static_cast<float>(of_b.size());
    for (int j = 0; j < count_; ++j)
      at(a, j) = at(j, a) = (many_a * at(a, j) + many_b * at(b, j)) / (many_a + many_b);
    of_a.insert(of_a.end(), of_b.begin(), of_b.end());
    size_[static_cast<std::size_t>(b)] = 0;
  }

  std::vector<float> similar_;
  int count_;
  std::vector<int> size_; ///< 0: merged into another cluster
  std::vector<std::vector<int>> members_;
};

/// The threads of a sample that refer to each element.
class sampled_elements {
 public:
  template <class I>
  sampled_elements(const std::vector<I>& p, const layouts::access_shape& shape,
                   const std::vector<std::int64_t>& sample)
      : by_element_(static_cast<std::size_t>(shape.elements)), shared_(sample.size()) {
    for (std::size_t s = 0; s < sample.size(); ++s)
      for_each_element(p, shape, sample[s], [&](I element) {
        auto& of = by_element_[static_cast<std::size_t>(element)];
        if (of.empty() || of.back() != static_cast<int>(s)) of.push_back(static_cast<int>(s));
      });
  }
  template <class I, class Visit>
  static void for_each_element(const std::vector<I>& p, const layouts::access_shape& shape, std::int64_t t,
                               Visit visit) {
    for (std::int64_t r = 0; r < shape.references; ++r)
      visit(p[static_cast<std::size_t>(r * shape.threads + t)]);
  }
  /// Calls visit(s, count) for threads s of the sample; count is the number of references of thread t to elements of s.
  template <class I, class Visit>
  void for_each_sharer(const std::vector<I>& p, const layouts::access_shape& shape, std::int64_t t,
                       Visit visit) {
    for_each_element(p, shape, t, [&](I element) {
      for (const int s : by_element_[static_cast<std::size_t>(element)])
        if (shared_[static_cast<std::size_t>(s)]++ == 0) sharers_.push_back(s);
    });
    std::ranges::sort(sharers_);
    for (const int s : sharers_) visit(s, std::exchange(shared_[static_cast<std::size_t>(s)], 0));
    sharers_.clear();
  }

 private:
  std::vector<std::vector<int>> by_element_;
  std::vector<int> shared_; ///< all zero between calls
  std::vector<int> sharers_;
};

} // namespace evenly::detail

namespace evenly::layouts {

struct by_working_sets {
  static constexpr const char* name = "by_working_sets";
  static constexpr order_of of = order_of::threads;
  static constexpr int max_sample = 8192;

  static constexpr std::int64_t max_references = std::int64_t{1} << 24; ///< limits the time on the host

  int sample = 512; ///< maximum threads
  std::uint64_t seed = 1;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    require(sample >= 1 && sample <= max_sample, [&] {
      return "sample = " + std::to_string(sample) + ": must be from 1 to " + std::to_string(max_sample);
    });
    require(p.count <= max_references, [&] {
      return "by_working_sets runs on one host thread and supports at most " +
             std::to_string(max_references) + " references, but there are " + std::to_string(p.count) +
             ": use by_smallest";
    });
    const std::vector<I> indices = to_host(exec, std::span<const I>(p.at, static_cast<std::size_t>(p.count)));
    const std::vector<std::int64_t> chosen = sampled(shape.threads);
    detail::sampled_elements elements(indices, shape, chosen);
    const std::vector<int> rank = ranks_of(indices, shape, chosen, elements);
    std::vector<int> cluster(static_cast<std::size_t>(shape.threads));
    for (std::int64_t t = 0; t < shape.threads; ++t) {
      int max = 0;
      cluster[static_cast<std::size_t>(t)] = static_cast<int>(chosen.size());
      elements.for_each_sharer(indices, shape, t, [&](int s, int count) {
        if (count <= max) return;
        max = count;
        cluster[static_cast<std::size_t>(t)] = rank[static_cast<std::size_t>(s)];
      });
    }
    std::vector<I> order(static_cast<std::size_t>(shape.threads));
    std::iota(order.begin(), order.end(), I{0});
    std::ranges::sort(order, {}, [&](I t) { return std::pair{cluster[static_cast<std::size_t>(t)], t}; });
    return to_executor(exec, order);
  }

 private:
  /// Distinct threads, in ascending order.
  std::vector<std::int64_t> sampled(std::int64_t threads) const {
    std::vector<std::int64_t> all;
    if (threads <= sample) {
      all.resize(static_cast<std::size_t>(threads));
      std::iota(all.begin(), all.end(), std::int64_t{0});
      return all;
    }
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(sample); ++i)
      all.push_back(static_cast<std::int64_t>(detail::scattered(detail::scattered(seed) ^ i) %
                                              static_cast<std::uint64_t>(threads)));
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
  }
  /// The position of each thread of the sample in the order of clusters.
  template <class I>
  static std::vector<int> ranks_of(const std::vector<I>& p, const access_shape& shape,
                                   const std::vector<std::int64_t>& chosen,
                                   detail::sampled_elements& elements) {
    const std::size_t count = chosen.size();
    std::vector<float> similar(count * count);
    for (std::size_t s = 0; s < count; ++s)
      elements.for_each_sharer(p, shape, chosen[s], [&](int sharer, int references) {
        const auto other = static_cast<std::size_t>(sharer);
        const auto common = static_cast<float>(references);
        const float half = common / (2 * static_cast<float>(shape.references) - common) / 2;
        similar[s * count + other] += half; // each of the two counts its own references
        similar[other * count + s] += half;
      });
    const std::vector<int> leaves = detail::join_tree(std::move(similar), static_cast<int>(count)).leaves();
    std::vector<int> rank(count);
    for (std::size_t i = 0; i < count; ++i) rank[static_cast<std::size_t>(leaves[i])] = static_cast<int>(i);
    return rank;
  }
};

} // namespace evenly::layouts
