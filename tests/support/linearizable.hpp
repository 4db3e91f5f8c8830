// SPDX-License-Identifier: Apache-2.0
// Whether a small history of operations on a queue could have been made one after the other (Wing & Gong 1993): each
// takes effect at one moment between its call and its return, first in, first out, with true answers.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace evenly {

enum class queue_call { push, refused_push, pop, empty_pop };

struct queue_operation {
  queue_call what;
  int value; ///< pushed or popped
  int begin; ///< when it was called, and when it returned
  int end;
};

class queue_history {
 public:
  /// A push may be refused where there are `capacity` values or more, and has to be where there are `max`.
  queue_history(std::vector<queue_operation> operations, int capacity, int max)
      : operations_(std::move(operations)), capacity_(capacity), max_(max) {}

  bool is_linearizable() {
    std::deque<int> queue;
    return goes_on(0, queue);
  }

  std::string text() const {
    static const char* const names[] = {"push", "refused push", "pop", "empty pop"};
    std::string all;
    for (const queue_operation& o : operations_)
      all += std::string(names[static_cast<int>(o.what)]) + " " + std::to_string(o.value) + " [" +
             std::to_string(o.begin) + ", " + std::to_string(o.end) + "]; ";
    return all;
  }

 private:
  /// Whether the operations that are not in `done` can follow, given what the others have left in the queue.
  bool goes_on(std::uint64_t done, std::deque<int>& queue) {
    if (done == (std::uint64_t{1} << operations_.size()) - 1) return true;
    if (!seen_.insert({done, {queue.begin(), queue.end()}}).second) return false;
    int first_end = INT32_MAX;
    for (std::size_t i = 0; i < operations_.size(); ++i)
      if (!(done >> i & 1)) first_end = operations_[i].end < first_end ? operations_[i].end : first_end;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (done >> i & 1 || operations_[i].begin > first_end) continue;
      std::deque<int> next = queue;
      if (applies(operations_[i], next) && goes_on(done | std::uint64_t{1} << i, next)) return true;
    }
    return false;
  }
  bool applies(const queue_operation& o, std::deque<int>& queue) const {
    const int size = static_cast<int>(queue.size());
    switch (o.what) {
    case queue_call::push:
      queue.push_back(o.value);
      return size < max_;
    case queue_call::refused_push:
      return size >= capacity_;
    case queue_call::empty_pop:
      return size == 0;
    case queue_call::pop:
      break;
    }
    if (size == 0 || queue.front() != o.value) return false;
    queue.pop_front();
    return true;
  }

  std::vector<queue_operation> operations_;
  int capacity_;
  int max_;
  std::set<std::pair<std::uint64_t, std::vector<int>>> seen_;
};

} // namespace evenly
