// SPDX-License-Identifier: Apache-2.0
// local_devices: the ranks of a group as threads of this process, each with an executor.
//
// For tests it is to ranks what simt is to threads. A seed changes the order in which messages are sent and received,
// and delays ranks. A rank that waits for ever is found as soon as no rank can continue: the message says which rank
// waits for which. A rank that runs but does not answer is found after options.wait_seconds.
//
// Ranks may write to each other's memory. With `reaches` = false they send messages instead, as ranks of MPI do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/cpu.hpp"

namespace evenly::distributed {

/// Options of local_devices.
struct local_options {
  std::uint64_t seed = 0;    ///< not 0: orders and delays of messages are drawn with this seed
  bool reaches = true;       ///< whether ranks may write to each other's memory
  double wait_seconds = 600; ///< how long a rank waits for one that runs
};

namespace detail {

/// The state that the ranks of a process share. All members are guarded by `guard`.
class local_ranks final : public rank_group {
 public:
  local_ranks(int size, const local_options& options)
      : size_(size), options_(options),
        boxes_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
        states_(static_cast<std::size_t>(size)) {}

  int size() const override { return size_; }
  int first() const override { return 0; }
  int count() const override { return size_; }
  void run(const std::function<void(communicator&)>& body) override;

  const local_options& options() const { return options_; }

  /// Copies a message into the box of rank `to`.
  void post(int from, const char* purpose, const outgoing& message) {
    const auto* const bytes = static_cast<const std::byte*>(message.data);
    letter sent{purpose, {}};
    if (message.bytes > 0) sent.bytes.assign(bytes, bytes + message.bytes);
    const std::lock_guard lock(guard_);
    throw_if_failed();
    box(from, message.to).push_back(std::move(sent));
    changed_.notify_all();
  }
  /// Waits for the next message of rank `message.from` to rank `to`.
  void receive(int to, const char* purpose, const incoming& message) {
    using namespace std::chrono;
    std::unique_lock lock(guard_);
    std::deque<letter>& from = box(message.from, to);
    state& mine = states_[static_cast<std::size_t>(to)];
    const auto limit =
        steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(options_.wait_seconds));
    while (from.empty()) {
      throw_if_failed();
      mine.purpose = purpose;
      mine.waits_for = message.from;
      if (!any_can_continue()) fail_waiting("no rank can continue: ");
      throw_if_failed();
      if (changed_.wait_until(lock, limit) == std::cv_status::timeout && from.empty())
        fail_waiting(evenly::detail::concat("after ", static_cast<std::int64_t>(options_.wait_seconds),
                                            " s of waiting: "));
    }
    mine.waits_for = -1;
    throw_if_failed();
    const letter found = std::move(from.front());
    from.pop_front();
    lock.unlock();
    if (std::strcmp(found.purpose, purpose) != 0 || found.bytes.size() != message.bytes)
      throw rank_failed(evenly::detail::concat("rank ", to, " expects ", message.bytes, " bytes of rank ",
                                               message.from, " (", purpose, "), which sent ",
                                               found.bytes.size(), " bytes (", found.purpose,
                                               "): all ranks must make the same calls in the same order"));
    if (message.bytes > 0) std::memcpy(message.data, found.bytes.data(), message.bytes);
  }

 private:
  struct letter {
    std::string purpose_text;
    std::vector<std::byte> bytes;
    const char* purpose = nullptr;
    letter(const char* why, std::vector<std::byte> what)
        : purpose_text(why), bytes(std::move(what)), purpose(purpose_text.c_str()) {}
    letter(letter&& other) noexcept
        : purpose_text(std::move(other.purpose_text)), bytes(std::move(other.bytes)),
          purpose(purpose_text.c_str()) {}
  };
  struct state {
    const char* purpose = nullptr;
    int waits_for = -1; ///< -1: the rank runs
    bool ended = false;
  };

  std::deque<letter>& box(int from, int to) {
    return boxes_[static_cast<std::size_t>(to) * static_cast<std::size_t>(size_) +
                  static_cast<std::size_t>(from)];
  }
  bool any_can_continue() {
    for (int r = 0; r < size_; ++r) {
      const state& of = states_[static_cast<std::size_t>(r)];
      if (!of.ended && (of.waits_for < 0 || !box(of.waits_for, r).empty())) return true;
    }
    return false;
  }
  /// Ends the group with a line that says which rank waits for which.
  void fail_waiting(std::string line) {
    bool any = false;
    for (int r = 0; r < size_; ++r) {
      const state& of = states_[static_cast<std::size_t>(r)];
      if (of.ended || of.waits_for < 0) continue;
      line += evenly::detail::concat(
          any ? ", " : "", "rank ", r, " waits for rank ", of.waits_for, " (", of.purpose,
          states_[static_cast<std::size_t>(of.waits_for)].ended ? "), which has ended" : ")");
      any = true;
    }
    failure_ = std::move(line);
    changed_.notify_all();
  }
  void throw_if_failed() const {
    if (!failure_.empty()) throw ended_by_another(failure_);
  }
  /// Thrown in a rank that ends because the group has failed.
  struct ended_by_another : rank_failed {
    using rank_failed::rank_failed;
  };

  void run_rank(int rank, const std::function<void(communicator&)>& body);

  int size_;
  local_options options_;
  std::vector<std::deque<letter>> boxes_; ///< [to * size + from]
  std::vector<state> states_;
  std::string failure_;
  bool is_refusal_ = false; ///< the failure is an invalid_argument
  bool inputs_differ_ = false;
  std::mutex guard_;
  std::condition_variable changed_;
  std::mutex running_; ///< one run at a time
};

class local_communicator final : public communicator {
 public:
  local_communicator(local_ranks& ranks, int rank)
      : communicator(rank, ranks.size()), ranks_(ranks),
        random_(ranks.options().seed * 1000003 + static_cast<std::uint64_t>(rank)) {}

  bool reaches() const override { return ranks_.options().reaches; }
  void exchange(const char* purpose, std::span<const outgoing> out, std::span<const incoming> in) override {
    for (const std::size_t i : order(out.size())) {
      delay();
      ranks_.post(rank(), purpose, out[i]);
    }
    for (const std::size_t i : order(in.size())) {
      delay();
      ranks_.receive(rank(), purpose, in[i]);
    }
  }

 private:
  std::vector<std::size_t> order(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (ranks_.options().seed != 0) std::shuffle(numbers.begin(), numbers.end(), random_);
    return numbers;
  }
  void delay() {
    if (ranks_.options().seed == 0) return;
    for (auto turns = random_() % 4; turns > 0; --turns) std::this_thread::yield();
    if (random_() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  local_ranks& ranks_;
  std::mt19937_64 random_;
};

inline void local_ranks::run_rank(int rank, const std::function<void(communicator&)>& body) {
  std::string why;
  bool refusal = false, differ = false;
  try {
    local_communicator here(*this, rank);
    body(here);
  } catch (const ended_by_another&) {
  } catch (const different_inputs& e) {
    why = e.what();
    refusal = differ = true;
  } catch (const invalid_argument& e) {
    why = e.what();
    refusal = true;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
    why = "an exception that is no std::exception";
  }
  const std::lock_guard lock(guard_);
  states_[static_cast<std::size_t>(rank)].ended = true;
  states_[static_cast<std::size_t>(rank)].waits_for = -1;
  if (!why.empty() && failure_.empty()) {
    failure_ =
        size_ == 1 || differ ? why : evenly::detail::concat("rank ", rank, " of ", size_, " failed: ", why);
    is_refusal_ = refusal;
    inputs_differ_ = differ;
  }
  bool all_ended = true;
  for (const state& of : states_) all_ended = all_ended && of.ended;
  if (failure_.empty() && !all_ended && !any_can_continue()) fail_waiting("no rank can continue: ");
  changed_.notify_all();
}

inline void local_ranks::run(const std::function<void(communicator&)>& body) {
  const std::lock_guard one(running_);
  for (state& of : states_) of = {};
  failure_.clear();
  is_refusal_ = inputs_differ_ = false;
  std::vector<std::thread> threads;
  for (int r = 1; r < size_; ++r) threads.emplace_back([&, r] { run_rank(r, body); });
  run_rank(0, body);
  for (std::thread& each : threads) each.join();
  if (failure_.empty()) return;
  for (std::deque<letter>& each : boxes_) each.clear();
  if (inputs_differ_) throw different_inputs(failure_);
  if (is_refusal_) throw invalid_argument(failure_);
  throw rank_failed(failure_);
}

} // namespace detail

/// A group of one rank on the calling thread.
template <executor Executor = cpu> world<Executor> alone(const Executor& exec = Executor()) {
  return {std::make_shared<detail::local_ranks>(1, local_options{}), {exec}};
}

/// A group of executors.size() ranks: threads of this process, each with its executor.
///
/// - Errors: invalid_argument if there is no executor.
template <executor Executor>
world<Executor> local_devices(std::vector<Executor> executors, const local_options& options = {}) {
  require(!executors.empty(), [] { return "ranks = 0: a group has at least one rank"; });
  auto ranks = std::make_shared<detail::local_ranks>(static_cast<int>(executors.size()), options);
  return {std::move(ranks), std::move(executors)};
}
/// The same with `ranks` copies of one executor. By default the cores are distributed among the ranks.
inline world<cpu> local_devices(int ranks, const local_options& options = {}) {
  require(ranks >= 1,
          [&] { return evenly::detail::concat("ranks = ", ranks, ": a group has at least one rank"); });
  const int threads = larger(cpu().threads() / ranks, 1);
  return local_devices(std::vector<cpu>(static_cast<std::size_t>(ranks), cpu(threads)), options);
}
template <executor Executor>
world<Executor> local_devices(int ranks, const Executor& exec, const local_options& options = {}) {
  require(ranks >= 1,
          [&] { return evenly::detail::concat("ranks = ", ranks, ": a group has at least one rank"); });
  return local_devices(std::vector<Executor>(static_cast<std::size_t>(ranks), exec), options);
}

} // namespace evenly::distributed
