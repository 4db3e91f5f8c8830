// SPDX-License-Identifier: Apache-2.0
// The queues of pools by themselves: histories of three threads, positions beyond 32 bits and near 63, full and empty
// again and again; and queues with a fault, which the laws find out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/simulator/detail/state.hpp"
#include "evenly/tasks/blocking_queue.hpp"
#include "evenly/tasks/lock_free_queue.hpp"
#include "evenly/tasks/scalable_queue.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "support/linearizable.hpp"
#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

/// A pool's queue for so many workers of one lane, in memory of the host, from position `first` on.
template <class Pool> struct queue_of {
  typename Pool::template view<int> view;
  std::vector<detail::task_word> memory;

  queue_of(int workers, int lanes, std::int64_t capacity, std::int64_t first) {
    const tasks::pool_shape shape{workers, 1, lanes, lanes, 64, capacity, 0};
    tasks::pool_memory sizes;
    Pool().template make<int>(sizes, shape);
    memory.resize((sizes.zeroed_bytes() + sizes.other_bytes()) / sizeof(detail::task_word) + 1);
    auto* const begin = reinterpret_cast<std::byte*>(memory.data());
    tasks::pool_memory at(begin, begin + sizes.zeroed_bytes());
    view = Pool().template make<int>(at, shape);
    if constexpr (requires { view.queue.full; }) {
      for (const auto& each : {view.queue.full, view.queue.free}) begin_at(each, first);
      return;
    } else {
      view.queue.head->value = view.queue.tail->value = first;
    }
    if constexpr (requires { view.queue.tickets; }) {
      const auto slots = std::uint64_t{1} << view.queue.shift, from = static_cast<std::uint64_t>(first);
      for (std::uint64_t i = 0; i < slots; ++i)
        view.queue.tickets[(from + i) % slots] = 2 * ((from + i) >> view.queue.shift);
    }
  }
  static void begin_at(const detail::number_queue& numbers, std::int64_t first) {
    const auto slots = std::uint64_t{1} << numbers.shift, from = static_cast<std::uint64_t>(first);
    numbers.head->value = numbers.tail->value = first;
    for (std::uint64_t i = 0; i < slots; ++i)
      numbers.slots[(from + i) % slots] = detail::number_queue::word(numbers.epoch_of(from + i), 0);
  }
  static void begin_at(const detail::number_ring& numbers, std::int64_t first) {
    const auto slots = std::uint64_t{1} << numbers.shift, from = static_cast<std::uint64_t>(first);
    numbers.head->value = numbers.tail->value = first;
    for (std::uint64_t i = 0; i < slots; ++i)
      numbers.slots[(from + i) % slots] = detail::number_ring::word(numbers.cycle_of(from + i) - 1, 0);
  }
  /// The number of tasks from which on a push may be refused: 0 if a pop that has not returned may hold a place.
  int refuses_from(int capacity) const {
    if constexpr (requires { view.queue.full; }) return 0;
    return capacity;
  }
  /// Tasks that it may hold for a moment beyond its capacity.
  int slack(int workers) const {
    if constexpr (requires { view.queue.tickets; }) return workers;
    return 0;
  }
};

/// Each block's thread does operations of the seed's choice.
template <class View> struct small_history {
  static constexpr bool is_copyable = true;
  View view;
  std::uint64_t seed;
  int operations;
  int* clock;
  std::vector<queue_operation>* log;

  template <class Block> void operator()(Block& block) const {
    const detail::task_run<int> run{};
    detail::task_worker<int, Block> me(block, run, 1, 0, 1);
    typename decltype(view.queue)::template handle<decltype(me)> queue(view.queue, me);
    detail::simt_random random{seed * 31 + static_cast<std::uint64_t>(block.index())};
    for (int i = 0; i < operations; ++i) {
      const int value = block.index() * 100 + i, begin = (*clock)++;
      if (random.below(2) == 0) {
        const bool in = queue.push(1, [&](int) { return value; }) == 1;
        log->push_back({in ? queue_call::push : queue_call::refused_push, value, begin, (*clock)++});
      } else {
        int popped = -1, got = 0;
        while ((got = queue.pop(1, [&](int, int task) { popped = task; })) == detail::contended)
          block.backoff();
        log->push_back({got > 0 ? queue_call::pop : queue_call::empty_pop, popped, begin, (*clock)++});
      }
    }
  }
};

template <class Pool> void expect_linearizable(int seeds) {
  for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 32) - 3, INT64_MAX - 40})
    for (const int capacity : {1, 2, 3})
      for (int seed = 1; seed <= seeds; ++seed) {
        simt_options options;
        options.seed = static_cast<std::uint64_t>(seed);
        options.switch_at_atomics = true;
        options.warp_size = 1;
        options.check_races = seed % 4 == 0;
        queue_of<Pool> queue(3, 1, capacity, first);
        std::vector<queue_operation> log;
        int clock = 0;
        launch(simt(options), {3, 1, true},
               small_history<decltype(queue.view)>{queue.view, options.seed, 4, &clock, &log});
        queue_history history(log, queue.refuses_from(capacity), capacity + queue.slack(3));
        ASSERT_EQ(log.size(), 12u);
        ASSERT_TRUE(history.is_linearizable())
            << "seed " << seed << ", capacity " << capacity << ": " << history.text();
      }
}

TEST(Linearizable, TellsHistoriesApart) {
  using enum queue_call;
  const auto is = [](std::vector<queue_operation> all) {
    return queue_history(std::move(all), 2, 2).is_linearizable();
  };
  EXPECT_TRUE(is({{push, 1, 0, 1}, {push, 2, 2, 3}, {pop, 1, 4, 5}, {pop, 2, 6, 7}, {empty_pop, 0, 8, 9}}));
  EXPECT_FALSE(is({{push, 1, 0, 1}, {push, 2, 2, 3}, {pop, 2, 4, 5}}));
  EXPECT_TRUE(is({{push, 1, 0, 3}, {push, 2, 1, 2}, {pop, 2, 4, 5}}));
  EXPECT_FALSE(is({{push, 1, 0, 1}, {empty_pop, 0, 2, 3}, {pop, 1, 4, 5}}));
  EXPECT_TRUE(is({{push, 1, 0, 3}, {empty_pop, 0, 2, 5}, {pop, 1, 6, 7}}));
  EXPECT_FALSE(is({{push, 1, 0, 1}, {refused_push, 2, 2, 3}}));
  EXPECT_TRUE(is({{push, 1, 0, 1}, {push, 2, 2, 3}, {refused_push, 3, 4, 5}}));
  EXPECT_FALSE(is({{push, 1, 0, 1}, {push, 2, 2, 3}, {push, 3, 4, 5}}));
}
TEST(TicketRing, IsLinearizable) { expect_linearizable<ticket_ring>(150); }
TEST(BlockingQueue, IsLinearizable) { expect_linearizable<blocking_queue>(150); }
TEST(LockFreeQueue, IsLinearizable) { expect_linearizable<lock_free_queue>(150); }
TEST(ScalableQueue, IsLinearizable) { expect_linearizable<scalable_queue>(150); }

/// Batches of several lanes, in and out; lanes of one launch push and others pop.
template <class View> struct fills_and_drains {
  static constexpr bool is_copyable = true;
  View view;
  int rounds;
  int* held; ///< [value]: whether it is in the queue
  int* wrong;
  int* balance;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const detail::task_run<int> run{};
    detail::task_worker<int, Block> me(block, run, block.size(), 0, 1);
    typename decltype(view.queue)::template handle<decltype(me)> queue(view.queue, me);
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      const int base = (block.index() * rounds + round) * 8;
      for (int i = me.warp.rank(); i < 8; i += me.warp.size()) count(base + i, 1);
      me.warp.sync();
      const int in = queue.push(8, [&](int i) { return base + i; });
      for (int i = in + me.warp.rank(); i < 8; i += me.warp.size()) count(base + i, -1);
      const int out = queue.pop(5, [&](int, int value) { count(value, -1); });
      sum += in - larger(out, 0);
    }
    if (me.leads()) atomic_ref(*balance).fetch_add(sum, order::relaxed{});
  }
  EVENLY_FN void count(int value, int by) const {
    if (atomic_ref(held[value]).fetch_add(by) != (by > 0 ? 0 : 1)) atomic_ref(*wrong).store(1);
  }
};

template <class Pool, class Executor> void expect_balance(const Executor& exec, int lanes, int rounds) {
  constexpr int workers = 4;
  for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 32) - 5, INT64_MAX - 100'000})
    for (const int capacity : {0, 1, 2, 3, 1000, 1024}) {
      queue_of<Pool> queue(workers, lanes, capacity, first);
      std::vector<int> held(static_cast<std::size_t>(workers * rounds * 8));
      int wrong = 0, balance = 0;
      launch(exec, {workers, lanes, true},
             fills_and_drains<decltype(queue.view)>{queue.view, rounds, held.data(), &wrong, &balance});
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(std::count(held.begin(), held.end(), 1), balance) << "pushed = popped + left";
      if constexpr (requires { queue.view.queue.head; }) {
        EXPECT_EQ(queue.view.queue.tail->value - queue.view.queue.head->value, balance);
      }
      EXPECT_LE(balance, capacity + queue.slack(workers * 8));
    }
}
template <class Pool> void expect_balances() {
  expect_balance<Pool>(cpu(), 1, 300);
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    simt_options options;
    options.seed = seed;
    options.switch_at_atomics = seed % 2 == 1;
    options.warp_size = 4;
    expect_balance<Pool>(simt(options), 4, 10);
  }
}
TEST(TicketRing, GivesOutWhatItGot) { expect_balances<ticket_ring>(); }
TEST(BlockingQueue, GivesOutWhatItGot) { expect_balances<blocking_queue>(); }
TEST(LockFreeQueue, GivesOutWhatItGot) { expect_balances<lock_free_queue>(); }
TEST(ScalableQueue, GivesOutWhatItGot) { expect_balances<scalable_queue>(); }

/// Calls steps(push, pop) on one thread. pop() returns -1 if the queue is empty.
template <class View, class Steps> struct runs_alone {
  static constexpr bool is_copyable = true;
  View view;
  Steps steps;

  template <class Block> void operator()(Block& block) const {
    const detail::task_run<int> run{};
    detail::task_worker<int, Block> me(block, run, 1, 0, 1);
    typename decltype(view.queue)::template handle<decltype(me)> queue(view.queue, me);
    steps([&](int value) { EXPECT_EQ(queue.push(1, [&](int) { return value; }), 1); },
          [&] {
            int value = -1;
            queue.pop(1, [&](int, int task) { value = task; });
            return value;
          });
  }
};
template <class View, class Steps> void run_alone(const View& view, const Steps& steps) {
  launch(cpu(1), {1, 1, true}, runs_alone<View, Steps>{view, steps});
}

/// Other workers stall after they have taken a ticket. The ring has 8 slots.
TEST(ScalableQueue, PassesStalledWorkers) {
  queue_of<scalable_queue> queue(3, 1, 4, 0);
  const detail::number_ring& ring = queue.view.queue.full;
  run_alone(queue.view, [&](const auto& push, const auto& pop) {
    push(1);
    ++ring.tail->value; // a push stalls
    push(2);
    EXPECT_EQ(pop(), 1);
    EXPECT_EQ(pop(), 2);
    EXPECT_EQ(pop(), -1);
    push(3);
    ++ring.head->value; // the pop of 3 stalls
    for (int i = 100; i < 140; ++i) {
      push(i);
      EXPECT_EQ(pop(), i);
    }
    EXPECT_EQ(pop(), -1);
  });
}
TEST(ScalableQueue, DoesNotFillASlotThatAPopHasPassed) {
  queue_of<scalable_queue> queue(3, 1, 4, 0);
  const detail::number_ring& ring = queue.view.queue.full;
  run_alone(queue.view, [&](const auto& push, const auto& pop) {
    push(1);
    ring.head->value = ring.tail->value = 8; // the pop of 1 stalls, and others pass
    ++ring.tail->value;                      // a push with ticket 8 stalls
    EXPECT_EQ(pop(), -1) << "it passes the first slot, where 1 still is";
    ring.slots[0] &= ~detail::number_ring::number_mask; // the pop of 1 goes on
    ring.tail->value = 8;                               // and the push
    push(2);
    EXPECT_EQ(pop(), 2);
  });
}
/// While a push stalls, pops take the tickets of later pushes that stall, too, but not forever.
TEST(ScalableQueue, IsEmptyAfterManyFailures) {
  queue_of<scalable_queue> queue(3, 1, 4, 0);
  const detail::number_ring& ring = queue.view.queue.full;
  run_alone(queue.view, [&](const auto& push, const auto& pop) {
    push(1);
    EXPECT_EQ(pop(), 1);
    ring.tail->value += 1000;
    EXPECT_EQ(pop(), -1);
    EXPECT_EQ(ring.head->value, 1 + ring.max_fails);
    push(2);
    EXPECT_GT(ring.threshold->value, 0);
  });
}

// --- the queue as it is printed ---

/// Algorithm 3 of Cederman & Tsigas (2008): a slot has a value, or 0 for NIL, and no epoch; head and tail lag behind.
/// What would run off the empty array ends at its end here.
struct printed_queue {
  static constexpr int room = 64, lazy = 2;
  std::int64_t* slots;
  std::int64_t* head;
  std::int64_t* tail;

  template <class Worker> class handle {
   public:
    handle(const printed_queue& of, const Worker&) : of_(of) {}

    template <class Get> int push(int, Get get) {
      for (;;) {
        const std::int64_t before = load(*of_.tail);
        std::int64_t at = before;
        while (load(of_.slots[at]) != 0) ++at;
        if (!swap(of_.slots[at], 0, get(0) + 1)) continue;
        if (at % lazy == 0) swap(*of_.tail, before, at);
        return 1;
      }
    }
    template <class Put> int pop(int, Put put) {
      for (;;) {
        const std::int64_t before = load(*of_.head);
        std::int64_t at = before, value = 0;
        while (at < room && (value = load(of_.slots[at])) == 0) ++at;
        if (at == room) return 0;
        if (!swap(of_.slots[at], value, 0)) continue;
        if (at % lazy == 0) swap(*of_.head, before, at);
        put(0, static_cast<int>(value - 1));
        return 1;
      }
    }

   private:
    static std::int64_t load(std::int64_t& word) { return atomic_ref(word).load(order::acquire{}); }
    static bool swap(std::int64_t& word, std::int64_t before, std::int64_t after) {
      return atomic_ref(word).compare_exchange(before, after, order::acq_rel{});
    }
    const printed_queue& of_;
  };
};
struct printed_view {
  printed_queue queue;
};

/// A slot that is NIL again behind a tail that lags takes a task, and no one looks for it there.
TEST(PrintedQueue, LosesTasksBehindALaggingTail) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    simt_options options;
    options.seed = seed;
    options.switch_at_atomics = true;
    options.warp_size = 1;
    std::vector<std::int64_t> words(printed_queue::room + 2);
    const printed_view view{{words.data(), &words[printed_queue::room], &words[printed_queue::room + 1]}};
    std::vector<queue_operation> log;
    int clock = 0;
    launch(simt(options), {3, 1, true}, small_history<printed_view>{view, seed, 4, &clock, &log});
    queue_history history(log, printed_queue::room, printed_queue::room);
    const std::int64_t head = words[printed_queue::room];
    const bool has_hidden =
        std::any_of(words.begin(), words.begin() + head, [](std::int64_t slot) { return slot != 0; });
    if (has_hidden) ++lost;
    if (has_hidden && !history.is_linearizable()) return;
  }
  ADD_FAILURE() << lost << " histories left a task before the head, and none of them said empty after that";
}

// --- pools with a fault ---

enum class fault { none, count_not_rolled_back, slot_never_freed, stale_tail, lost_task, task_twice };

template <fault Fault> struct faulty_ring {
  static constexpr tasks::task_order order = tasks::task_order::fifo;
  static constexpr tasks::task_progress progress = tasks::task_progress::blocking;
  static constexpr bool linearizable = false;

  template <class T> struct queue : detail::ring_queue<T> {
    template <class Worker> class handle : public detail::ring_queue<T>::template handle<Worker> {
     public:
      using base = typename detail::ring_queue<T>::template handle<Worker>;
      handle(const queue& of, const Worker& worker) : base(of, worker), of_(of), me_(worker) {}

      template <class Get> int push(int count, Get get) {
        if (Fault == fault::lost_task && count > 1) return base::push(count - 1, get) + 1;
        const int pushed = base::push(count, get);
        if (Fault == fault::stale_tail && pushed > 1 && me_.leads()) --of_.tail->value;
        return pushed;
      }
      template <class Put> int pop(int max, Put put) {
        if (Fault == fault::count_not_rolled_back && me_.leads() && of_.in->value > 0) of_.in->value -= 1;
        const int popped = base::pop(max, put);
        if (popped > 0 && Fault == fault::slot_never_freed && me_.leads())
          for (std::int64_t i = 0; i < std::int64_t{1} << of_.shift; ++i)
            if (of_.tickets[i] % 2 == 0 && of_.tickets[i] > 0) --of_.tickets[i];
        if (Fault == fault::task_twice && popped > 1) put(0, last(put, popped));
        return popped;
      }

     private:
      template <class Put> T last(Put, int) const { return of_.slots[of_.slot_of(of_.head->value - 1)]; }
      const queue& of_;
      const Worker& me_;
    };
  };
  template <class T> using view = detail::queue_view<queue<T>>;
  template <class T> static constexpr std::int64_t tuned_capacity(bool, std::int64_t) { return 16; }
  template <class T> view<T> make(tasks::pool_memory& memory, const tasks::pool_shape& shape) const {
    view<T> made{};
    static_cast<detail::ring_queue<T>&>(made.queue) = ticket_ring().make<T>(memory, shape).queue;
    made.queue.shift = 6; // room for 16 tasks, and a push of 12 by each of 4 workers
    return made;
  }
};

/// A worker that finds nothing once is gone, with the tokens that it has.
struct leaves_early : ticket_ring {
  template <class T> struct view : ticket_ring::view<T> {
    template <class Worker> class exchange : public ticket_ring::view<T>::template exchange<Worker> {
     public:
      using base = typename ticket_ring::view<T>::template exchange<Worker>;
      exchange(const view& pool, Worker& worker, const typename view::slots& places)
          : base(pool, worker, places), ring_(pool.queue) {}
      template <class Stack> bool obtain(Stack& stack) {
        if (stack.empty() && has_run_ && ring_.in->value <= 0) return false;
        has_run_ = true;
        return base::obtain(stack);
      }

     private:
      const detail::ring_queue<T>& ring_;
      bool has_run_ = false;
    };
  };
  template <class T> view<T> make(tasks::pool_memory& memory, const tasks::pool_shape& shape) const {
    return {ticket_ring().make<T>(memory, shape)};
  }
};

/// Whether some run breaks a law, or is reported.
template <class Pool> bool is_found_out() {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    simt_options options;
    options.seed = seed;
    options.warp_size = 4;
    options.check_races = false;
    constexpr int nodes = 1000; // far more than there are slots
    std::vector<int> waiting(nodes), runs(nodes), workers(nodes);
    waiting[0] = 1;
    int wrong = 0;
    try {
      const task_report report = run_tasks(
          simt(options), Pool{}, std::vector<int>{0},
          counted_tree<tasks::each_thread>{nodes, 3, waiting.data(), runs.data(), workers.data(), &wrong, -1},
          blocks_of(2, 8));
      if (wrong != 0 || report.left() != 0 || report.run != nodes) return true;
    } catch (const simulation_error&) {
      return true;
    }
  }
  return false;
}

TEST(FaultyPools, AreFoundOut) {
  EXPECT_FALSE(is_found_out<faulty_ring<fault::none>>());
  EXPECT_TRUE(is_found_out<faulty_ring<fault::count_not_rolled_back>>());
  EXPECT_TRUE(is_found_out<faulty_ring<fault::slot_never_freed>>());
  EXPECT_TRUE(is_found_out<faulty_ring<fault::stale_tail>>());
  EXPECT_TRUE(is_found_out<faulty_ring<fault::lost_task>>());
  EXPECT_TRUE(is_found_out<faulty_ring<fault::task_twice>>());
  EXPECT_TRUE(is_found_out<leaves_early>());
}

} // namespace
} // namespace evenly
