// SPDX-License-Identifier: Apache-2.0
// One includer: together they would exceed the length of a header.
// The engine of the simulator: it runs the threads of blocks as fibres, checks them, and performs operations of warps.
#pragma once

#include <bit>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <link.h>
#include <memory>
#include <new>
#include <signal.h>
#include <source_location>
#include <string>
#include <thread>
#include <ucontext.h>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/simulator/detail/context.hpp"
#include "evenly/simulator/detail/fibre.hpp"
#include "evenly/simulator/detail/launch_state.hpp"
#include "evenly/simulator/detail/memory_races.hpp"
#include "evenly/simulator/detail/place.hpp"
#include "evenly/simulator/detail/race_check.hpp"
#include "evenly/simulator/detail/report.hpp"
#include "evenly/simulator/detail/state.hpp"
#include "evenly/trace/counted.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// place_numbers: numbers for places in the source, which the records of accesses to storage use.

namespace evenly::detail {

/// Assigns numbers to places. Two calls nearly always differ in their addresses in memory. Whether two
/// addresses belong to the same place (of two units) is checked once.
class place_numbers {
 public:
  [[gnu::always_inline]] std::uint32_t number_of(std::source_location at, std::source_location caller) {
    const std::uintptr_t first = bits(at), second = bits(caller);
    const entry& found = entries_[slot_of(first, second)];
    return found.at == first && found.caller == second ? found.number : find_in_table({at, caller});
  }
  const source_place& operator[](std::uint32_t number) const { return places_[number]; }

 private:
  struct entry {
    std::uintptr_t at = 0, caller = 0;
    std::uint32_t number = 0; ///< 0: no place
  };

  [[gnu::always_inline]] std::size_t slot_of(std::uintptr_t at, std::uintptr_t caller) const {
    return (at ^ caller >> 3) / 8 & (entries_.size() - 1);
  }
  /// Returns the entry of the place, or the free one where it belongs.
  entry& entry_of(const source_place& place) {
    const std::uintptr_t at = bits(place.at), caller = bits(place.caller);
    std::size_t i = slot_of(at, caller);
    while (entries_[i].number != 0 && (entries_[i].at != at || entries_[i].caller != caller))
      i = (i + 1) & (entries_.size() - 1);
    return entries_[i];
  }
  [[gnu::noinline]] std::uint32_t find_in_table(const source_place& place) {
    entry& found = entry_of(place);
    if (found.number != 0) return found.number;
    std::uint32_t number = 1;
    while (number < places_.size() && !same_place(places_[number], place)) ++number;
    if (number == places_.size()) places_.push_back(place);
    found = {bits(place.at), bits(place.caller), number};
    if (++used_ * 4 > entries_.size()) grow();
    return number;
  }
  void grow() {
    const std::vector<entry> before = std::exchange(entries_, std::vector<entry>(2 * entries_.size()));
    for (const entry& each : before) {
      if (each.number == 0) continue;
      std::size_t i = slot_of(each.at, each.caller);
      while (entries_[i].number != 0) i = (i + 1) & (entries_.size() - 1);
      entries_[i] = each;
    }
  }

  std::vector<entry> entries_ = std::vector<entry>(256); ///< a power of two, at most a quarter in use
  std::size_t used_ = 0;
  std::vector<source_place> places_{source_place{}};
};

// ---------------------------------------------------------------------------------------------------------------------
// simt_checks: what an engine checks when a thread accesses storage or memory.

/// The part of an engine that threads call while they run, and that runs no other thread.
class simt_checks {
 public:
  void touch(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element, access_kind kind,
             std::source_location where) {
    if (!job_->check_races) return;
    access_conflict conflict{};
    if (!me.block->races.access(byte, static_cast<std::uint32_t>(bytes), me.rank, kind,
                                places_.number_of(where, me.caller), conflict))
      refuse_access(me, conflict, bytes, element, kind, where);
  }

  /// Checks an access to memory through `what`: "traced memory" (block/block.hpp), or "a view"
  /// (execution/memory.hpp).
  void touch_memory(simt_thread& me, std::uint64_t address, std::size_t bytes, std::int64_t element,
                    bool writes, std::source_location where, const char* what) {
    if (!job_->memory) return;
    const memory_access mine = access_of(me, writes, false, where);
    memory_access other;
    if (!job_->memory->access(me.block->order, address, bytes, mine, other))
      throw simulation_error(report::memory_race(me, mine, other, element_of(element, what), bytes));
  }

  /// Called before and after an atomic operation (execution/atomic.hpp).
  void begin_atomic(simt_thread& me, const atomic_operation& what) {
    const auto address = reinterpret_cast<std::uintptr_t>(what.object);
    if (job_->trace)
      me.block->trace.access(me.rank, traced_kind(what), address, what.bytes, what.bytes, what.by.where);
    if (!job_->memory) return;
    const memory_access mine = access_of(me, what.kind != atomic_kind::load, true, what.by.where);
    memory_access other;
    if (what.by.in_view) job_->memory->use();
    if (!what.in_storage() && !job_->memory->access(me.block->order, address, what.bytes, mine, other))
      throw simulation_error(report::memory_race(me, mine, other,
                                                 what.by.in_view ? element_of(what.by.element, "a view")
                                                                 : "a traced value must be in traced memory",
                                                 what.bytes));
    job_->memory->release(me.block->order, me.rank, what);
  }
  void end_atomic(simt_thread& me, const atomic_operation& what) {
    if (job_->memory) job_->memory->acquire(me.block->order, me.rank, what);
  }

  /// Counts an access in pieces of `piece` bytes, in storage or memory, if the launch is traced.
  void count(simt_thread& me, traced_access kind, std::uint64_t address, std::size_t bytes,
             std::uint32_t piece, std::source_location where) {
    if (job_->trace) me.block->trace.access(me.rank, kind, address, bytes, piece, where);
  }
  /// Counts a load or store (execution/atomic.hpp) or an access to an element of a view. Accesses to the thread's
  /// own stack do not count.
  void count(simt_thread& me, const counted_access& what) {
    const auto address = reinterpret_cast<std::uintptr_t>(what.object);
    if (me.on->holds(address)) return;
    if (job_->trace)
      me.block->trace.access(me.rank, what.writes ? traced_access::global_store : traced_access::global_load,
                             address, what.bytes, what.piece, what.where);
    if (what.in_view) touch_memory(me, address, what.bytes, what.element, what.writes, what.where, "a view");
  }

  void out_of_range(const simt_thread& me, int element, int count, std::source_location where) {
    throw simulation_error(report::out_of_range(me, element, count, {where, me.caller}));
  }
  void outside_view(const simt_thread& me, std::int64_t element, std::size_t count,
                    std::source_location where) {
    throw simulation_error(report::outside_view(me, element, count, {where, me.caller}));
  }
  void outside_storage(const simt_thread& me, std::size_t end, std::source_location where) {
    throw simulation_error(report::outside_storage(me, end, job_->storage_bytes, {where, me.caller}));
  }

 private:
  [[noreturn, gnu::noinline]] void refuse_access(const simt_thread& me, const access_conflict& conflict,
                                                 std::size_t bytes, int element, access_kind kind,
                                                 std::source_location where) {
    throw simulation_error(
        report::access(me, conflict, places_[conflict.where], bytes, element, kind, {where, me.caller}));
  }
  static std::string element_of(std::int64_t element, const char* what) {
    return "element " + std::to_string(element) + " of " + what;
  }
  static traced_access traced_kind(const atomic_operation& what) {
    if (what.in_storage() || what.kind == atomic_kind::change) return traced_access::atomic;
    return what.kind == atomic_kind::load ? traced_access::atomic_load : traced_access::atomic_store;
  }
  static memory_access access_of(const simt_thread& me, bool writes, bool atomic,
                                 std::source_location where) {
    return {me.block->order.now(),
            {where, me.caller},
            me.block->index,
            static_cast<std::int16_t>(me.rank),
            writes,
            atomic};
  }

 protected:
  const simt_job* job_ = nullptr;
  place_numbers places_;
};

// ---------------------------------------------------------------------------------------------------------------------
// The code that may be abandoned in the middle: code of the kernel, as far as it is known to hold no lock of a library.
//
// malloc, the dynamic loader, the unwinder and std::cout lock data that the whole process shares. A jump out of one of
// them never frees the lock. All of them are in other objects than the kernel, unless the program is linked statically
// or has its own allocator. So code of the kernel's object may be abandoned if malloc is not in that object.

/// The machine code of a program or shared library: [begin, end).
struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }

  /// Returns the code around `address`; empty if there is none.
  static code_range around(std::uintptr_t address) {
    struct {
      std::uintptr_t address;
      code_range found;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
          auto& wanted = *static_cast<decltype(search)*>(data);
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& segment = object->dlpi_phdr[i];
            const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
            const code_range code{begin, begin + segment.p_memsz};
            if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !code.holds(wanted.address))
              continue;
            wanted.found = code;
            return 1;
          }
          return 0;
        },
        &search);
    return search.found;
  }
};

/// The code that may be abandoned when a kernel overflows its stack.
class leavable_code {
 public:
  /// Finds the code of the kernel. Cheap if it is the same as that of the kernel before.
  void learn(std::uintptr_t kernel) {
    if (known_.holds(kernel)) return;
    known_ = code_range::around(kernel);
    const auto allocator = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "malloc"));
#if defined(EVENLY_THREAD_SANITIZER) // each function calls its runtime, which has malloc too
    runtime_ = code_range::around(allocator);
#elif !defined(EVENLY_ADDRESS_SANITIZER) // whose runtime may be a part of the program
    allocates_ = allocator == 0 || known_.holds(allocator);
#else
    static_cast<void>(allocator);
#endif
  }
  bool holds(std::uintptr_t address) const {
    return !allocates_ && (known_.holds(address) || runtime_.holds(address));
  }

 private:
  code_range known_;
  code_range runtime_;
  bool allocates_ = false;
};

// ---------------------------------------------------------------------------------------------------------------------
// Turns the fault at the end of a fibre's overflow into a call, by which the engine reports the overflow.
//
// The handler of SIGSEGV has a separate stack. If the running fibre has left its stack, or ran into the gap below it,
// the handler resumes execution at the top of the same stack, in `overflowed`; nothing returns to the frames below. If
// a library function ran, which may hold a lock, the process ends with one line instead. Any other
// fault goes to the handler that was installed before.

/// The handler's data about an operating-system thread.
struct overflow_watch {
  fibre* running = nullptr;             ///< null: not on a fibre
  void (*overflowed)(fibre&) = nullptr; ///< does not return
  void (*stuck)(const fibre&) =
      nullptr; ///< reports an overflow in code that cannot be abandoned; may be called at any point
  leavable_code kernel;
};

#if EVENLY_CATCHES_OVERFLOWS
/// Handles overflows on the calling operating-system thread during its lifetime.
class overflow_handling {
 public:
  explicit overflow_handling(overflow_watch& watch) : before_(current()) {
    static const bool installed = install();
    static_cast<void>(installed);
    thread_local const alternate_stack here;
    static_cast<void>(here);
    current() = &watch;
  }
  overflow_handling(const overflow_handling&) = delete;
  overflow_handling& operator=(const overflow_handling&) = delete;
  ~overflow_handling() { current() = before_; }

 private:
  /// The stack on which this thread handles signals, unless it has one already.
  class alternate_stack {
   public:
    alternate_stack() {
      stack_t has{};
      if (sigaltstack(nullptr, &has) != 0 || !(has.ss_flags & SS_DISABLE)) return;
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      const stack_t wanted{memory_.get(), 0, bytes};
      sigaltstack(&wanted, nullptr);
    }
    ~alternate_stack() {
      stack_t has{};
      if (!memory_ || sigaltstack(nullptr, &has) != 0 || has.ss_sp != memory_.get()) return;
      const stack_t none{nullptr, SS_DISABLE, 0};
      sigaltstack(&none, nullptr);
    }

   private:
    static constexpr std::size_t bytes = 64 * 1024;
    std::unique_ptr<std::byte[]> memory_;
  };

  /// A fault at most this far above the stack's end may come from a push, or from data below a function's stack
  /// pointer.
  static constexpr std::uintptr_t reach = 1024;

  static overflow_watch*& current() {
    static constinit thread_local overflow_watch* watch = nullptr;
    return watch;
  }
  static struct sigaction& previous() {
    static struct sigaction action{};
    return action;
  }

  static bool install() {
    struct sigaction mine{};
    mine.sa_sigaction = &handle;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&mine.sa_mask);
    return sigaction(SIGSEGV, &mine, &previous()) == 0;
  }

  static void handle(int signal, siginfo_t* info, void* state) {
    auto& machine = static_cast<ucontext_t*>(state)->uc_mcontext;
    const overflow_watch* watch = current();
    if (!watch || !watch->running || !has_left(*watch->running, stack_pointer(machine), info->si_addr))
      return pass_on(signal, info, state);
    fibre& on = *watch->running;
    if (!watch->kernel.holds(instruction(machine))) end_process(*watch);
    stack_slab::forget_frames(on.stack, on.stack_size);
    go_on_at_top(machine, on, watch->overflowed);
  }

  static bool has_left(const fibre& on, std::uintptr_t pointer, const void* fault) {
    const auto low = reinterpret_cast<std::uintptr_t>(on.stack);
    const auto at = reinterpret_cast<std::uintptr_t>(fault);
    return pointer < low || (pointer < low + reach && at < low && at >= low - stack_gap_bytes);
  }

  /// Ends the process without running other code of the program, which may wait for the lock.
  [[noreturn]] static void end_process(const overflow_watch& watch) {
    watch.stuck(*watch.running);
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  }

  static void pass_on(int signal, siginfo_t* info, void* state) {
    const struct sigaction& before = previous();
    if (before.sa_flags & SA_SIGINFO)
      before.sa_sigaction(signal, info, state);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
      sigaction(SIGSEGV, &before, nullptr); // the instruction faults again
    else
      before.sa_handler(signal);
  }

#if defined(__x86_64__)
  static std::uintptr_t stack_pointer(const mcontext_t& machine) {
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
  }
  static std::uintptr_t instruction(const mcontext_t& machine) {
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  }
  static void go_on_at_top(mcontext_t& machine, fibre& on, void (*function)(fibre&)) {
    const auto top = reinterpret_cast<std::uintptr_t>(on.stack) + on.stack_size;
    machine.gregs[REG_RSP] = static_cast<greg_t>((top & ~std::uintptr_t{15}) - 8); // as after a call
    machine.gregs[REG_RDI] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&on));
    machine.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(function));
    machine.gregs[REG_EFL] &= ~greg_t{0x400}; // strings are processed upwards
  }
#else // aarch64
  static std::uintptr_t stack_pointer(const mcontext_t& machine) { return machine.sp; }
  static std::uintptr_t instruction(const mcontext_t& machine) { return machine.pc; }
  static void go_on_at_top(mcontext_t& machine, fibre& on, void (*function)(fibre&)) {
    const auto top = reinterpret_cast<std::uintptr_t>(on.stack) + on.stack_size;
    machine.sp = top & ~std::uintptr_t{15};
    machine.regs[0] = reinterpret_cast<std::uintptr_t>(&on);
    machine.pc = reinterpret_cast<std::uintptr_t>(function);
  }
#endif

  overflow_watch* before_;
};
#else
/// Canaries report overflows when the thread ends.
struct overflow_handling {
  explicit overflow_handling(overflow_watch&) {}
};
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Warp operations: which lanes of a warp have arrived, whether they agree, and the operation itself.

/// Does a shuffle of the lanes of `mask`.
inline void exchange_values(simt_thread* lanes, lane_mask mask) {
  for (lane_mask rest = mask; rest; rest &= rest - 1) {
    simt_thread& to = lanes[std::countr_zero(rest)];
    std::memcpy(to.result, lanes[to.source].value, to.bytes);
  }
}

/// Does a ballot of the lanes of `mask`.
inline void count_votes(simt_thread* lanes, lane_mask mask) {
  lane_mask votes = 0;
  for (lane_mask rest = mask; rest; rest &= rest - 1)
    if (*static_cast<const bool*>(lanes[std::countr_zero(rest)].value)) votes |= rest & -rest;
  for (lane_mask rest = mask; rest; rest &= rest - 1)
    *static_cast<lane_mask*>(lanes[std::countr_zero(rest)].result) = votes;
}

/// Does the operation for the lanes of `mask`. `all_present`: they are all lanes of the warp.
inline void do_warp_operation(const simt_job& job, simt_thread& last, int warp, lane_mask mask,
                              bool all_present) {
  simt_block_state& block = *last.block;
  simt_thread* lanes = &block.thread(warp * job.shape.warp);
  if (job.trace) block.trace.warp_operation(warp, all_present);
  if (last.step == simt_step::warp_shuffle)
    exchange_values(lanes, mask);
  else if (last.step == simt_step::warp_ballot)
    count_votes(lanes, mask);
  else if (job.check_races) {
    block.races.warp_sync(warp, mask, all_present);
    block.order.warp_sync(warp * job.shape.warp, mask);
  }
}

[[noreturn, gnu::noinline]] inline void refuse_mask(const simt_thread& me, lane_mask mask, lane_mask mine,
                                                    lane_mask present) {
  if (!(mask & mine)) throw simulation_error(report::call_of(me, mask) + " without being in the mask");
  throw simulation_error(report::call_of(me, mask) + ", but its warp has the lanes " + report::hex(present) +
                         " only");
}
[[noreturn, gnu::noinline]] inline void refuse_call(const simt_thread& me, lane_mask mask,
                                                    const simt_thread& other) {
  throw simulation_error(report::disagreement(me, mask, other));
}

[[noreturn, gnu::noinline]] inline void refuse_source(const simt_thread& me, lane_mask mask, int source,
                                                      std::source_location where) {
  throw simulation_error(report::name(me) + " shuffles from lane " + std::to_string(source) +
                         ", which is not in the mask " + report::hex(mask) +
                         report::place({where, me.caller}));
}

/// Lane `lane` has arrived at an operation of the lanes of `mask`, and waits there. The last lane does
/// the operation. Returns the lanes that may continue: `mask` or none. Throws simulation_error if lanes disagree.
inline lane_mask join_lanes(const simt_job& job, simt_thread& me, int lane, lane_mask mask) {
  simt_block_state& block = *me.block;
  const int base = me.rank - lane, warp = base / job.shape.warp;
  const lane_mask mine = lane_mask{1} << lane;
  const lane_mask present = first_lanes(smaller(job.shape.warp, job.shape.size - base));
  lane_mask& waiting = block.waiting_lanes[static_cast<std::size_t>(warp)];
  if (!(mask & mine) || mask & ~present) refuse_mask(me, mask, mine, present);
  me.mask = mask;
  me.party = &me;
  me.joined = 0;
  for (lane_mask rest = mask & waiting; rest; rest &= rest - 1) {
    simt_thread& other = block.thread(base + std::countr_zero(rest));
    if (other.mask != mask && !(other.mask & mine)) continue; // it waits for other lanes
    if (other.mask != mask || other.step != me.step ||
        (me.step == simt_step::warp_shuffle && other.bytes != me.bytes) || !same_place(other.where, me.where))
      refuse_call(me, mask, other);
    me.party = other.party;
    break;
  }
  me.party->joined |= mine;
  waiting |= mine;
  if (me.party->joined != mask) return 0;
  waiting &= ~mask;
  do_warp_operation(job, me, warp, mask, mask == present);
  return mask;
}

// ---------------------------------------------------------------------------------------------------------------------
// simt_engine: runs the threads of simulated blocks as fibres, one at a time, and knows where each thread waits.
//
// An engine runs one block, or all blocks of a co-resident launch, on the operating-system thread that calls run(). A
// thread runs until it calls a collective or backoff; then the engine switches to the next ready thread. If no thread
// is ready and some have not finished, none will ever be ready: this is the deadlock report.

class simt_engine : public simt_checks {
 public:
  explicit simt_engine(std::size_t stack_bytes) : fibres_(&run_thread, stack_bytes) {
    watch_.overflowed = &overflowed;
    watch_.stuck = &stuck_in_library;
  }
  simt_engine(const simt_engine&) = delete;
  simt_engine& operator=(const simt_engine&) = delete;

  /// Runs blocks [first, first + count) of the job together; `position` is theirs in the launch. Records there the
  /// exception of the first failing thread, after all others are unwound. Returns early if another block of the launch
  /// fails.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    watch_.kernel.learn(reinterpret_cast<std::uintptr_t>(job.call));
    const overflow_handling handling(watch_);
    begin(job, launch, first, count, position);
    if (job.watches_atomics())
      watch_atomics_by({&before_atomic, &after_atomic, &count_access, &refuse_element, this});
    if (context& next = choose_next(); &next != &main_) leave_main(next);
    // At this point all threads have finished, or one has failed, or none can continue.
    if (live_ > 0 && !failure_ && !abandoned_)
      fail(simulation_error("deadlock: no thread can continue: " + report::describe(blocks_, block_count_)));
    abandon();
    count_operations_in(nullptr);
    watch_atomics_by({});
    fibres_.shrink(idle_fibres_kept);
    if (count_progress()) ++launch.progress;
    if (failure_) launch.note(position, stuck_, std::exchange(failure_, nullptr));
  }

  void sync(simt_thread& me, std::source_location where) {
    arrive_at(me, simt_step::sync, where);
    simt_block_state& block = *me.block;
    if (block.waiting == 0)
      block.sync_place = me.where;
    else if (!same_place(block.sync_place, me.where))
      block.apart = true;
    if (++block.waiting == job_->shape.size) complete_sync(block);
    suspend(me);
  }

  void warp_sync(simt_thread& me, lane_mask mask, std::source_location where) {
    wait_for_lanes(me, simt_step::warp_sync, mask, where);
  }
  /// Copies the `bytes` bytes at `value` of the lane `source` to `result`.
  void warp_shuffle(simt_thread& me, lane_mask mask, const void* value, void* result, std::size_t bytes,
                    int source, std::source_location where) {
    if (source < 0 || source >= 64 || !(mask >> source & 1)) refuse_source(me, mask, source, where);
    me.value = value;
    me.result = result;
    me.bytes = bytes;
    me.source = source;
    wait_for_lanes(me, simt_step::warp_shuffle, mask, where);
  }

  lane_mask warp_ballot(simt_thread& me, lane_mask mask, bool predicate, std::source_location where) {
    lane_mask votes = 0;
    me.value = &predicate;
    me.result = &votes;
    wait_for_lanes(me, simt_step::warp_ballot, mask, where);
    return votes;
  }

  /// Makes the thread's earlier accesses visible to other threads.
  void fence(simt_thread& me) {
    note_steps(me, steps_of_collective);
    if (job_->memory) me.block->order.fence(me.rank);
  }

  /// One iteration of a loop that waits for another block. `step`: backoff or grid_sync.
  void backoff(simt_thread& me, simt_step step, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = step;
    me.where = {where, me.caller};
    me.steps = 0;
    me.at_grid_sync = step == simt_step::grid_sync;
    if (std::exchange(me.polled_at, progress_) != progress_) me.polls = 0;
    if (++me.polls > idle_rounds_) after_idle_round(idle_rounds_ = me.polls);
    ready_.push_back(me);
    suspend(me);
  }

 private:
  struct abandoned {}; ///< unwinds a thread whose launch has failed
  static constexpr std::size_t idle_fibres_kept = 4096;
  static constexpr std::size_t rounds_until_deadlock = 10'000;
  static constexpr int steps_of_a_turn = 1000; ///< more than a waiting thread takes between two backoffs
  static constexpr int steps_of_load = 1;
  static constexpr int steps_of_collective = 10;

  void begin(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    job_ = &job;
    launch_ = &launch;
    position_ = position;
    adopt_current(main_);
    random_.state = job.seed + simt_random{static_cast<std::uint64_t>(first)}();
    abandoned_ = stuck_ = false;
    note_progress();
    live_ = static_cast<std::int64_t>(count) * job.shape.size;
    ready_.clear(static_cast<std::size_t>(live_));
    blocks_.resize(larger(blocks_.size(), static_cast<std::size_t>(count)));
    block_count_ = count;
    for (int i = 0; i < count; ++i) {
      std::unique_ptr<simt_block_state>& block = blocks_[static_cast<std::size_t>(i)];
      if (!block) block = std::make_unique<simt_block_state>();
      begin_block(*block, first + i);
    }
  }

  void begin_block(simt_block_state& block, int index) {
    const block_shape shape = job_->shape;
    block.engine = this;
    block.index = index;
    block.job = job_;
    block.live = shape.size;
    block.waiting = block.epoch = 0;
    block.apart = false;
    block.threads.resize(static_cast<std::size_t>(shape.size));
    for (int rank = 0; rank < shape.size; ++rank) {
      simt_thread& t = block.thread(rank);
      t.block = &block;
      t.seen = &block;
      t.on = nullptr;
      t.rank = rank;
      t.caller = {};
      t.at_grid_sync = false;
      t.step = simt_step::fresh;
      ready_.push_back(t);
    }
    block.waiting_lanes.assign(static_cast<std::size_t>(shape.warps()), 0);
    // The pattern is conspicuous as float, double and int, if it is read although races are not checked.
    block.storage.resize(ceil_div(job_->storage_bytes, sizeof(storage_line)));
    if (!block.storage.empty()) std::memset(block.storage.data(), 0xFE, job_->storage_bytes);
    if (job_->check_races) {
      block.races.begin(job_->storage_bytes, shape);
      block.order.begin(index, block.races);
    }
    if (job_->trace) block.trace.begin(index, shape);
  }

  /// Returns the next context: that of a ready thread, which gets a fibre if it has none, or that of run().
  context& choose_next() {
    if (ready_.size() == 0 || abandoned_ || failure_) return main_;
    if (job_->seed != 0) ready_.bring_forward(random_.below(ready_.size()));
    simt_thread& t = ready_.pop_front();
    return t.on ? *t.on : given_fibre(t);
  }
  [[gnu::noinline]] context& given_fibre(simt_thread& t) {
    try {
      t.on = &fibres_.take();
    } catch (const std::bad_alloc&) {
      fail(device_error(report::no_memory(live_, fibres_.stack_bytes())));
      return main_;
    }
    t.on->thread = &t;
    return *t.on;
  }

  /// Runs the fibre's thread to its end. Returns the context to continue with. Catches all exceptions.
  static context& run_thread(fibre& on) {
    simt_thread& me = *on.thread;
    simt_engine& engine = *me.block->engine;
    engine.go_on(me);
    try {
      engine.job_->call(engine.job_->kernel, me);
      if (engine.job_->trace && me.block->live == 1) me.block->trace.end(*engine.job_->trace);
    } catch (const abandoned&) {
    } catch (...) {
      if (!engine.failure_) engine.failure_ = std::current_exception();
    }
    return engine.finish(me);
  }

  context& finish(simt_thread& me) {
    fibre& on = *me.on;
    if (!on.slab->check_canary(on.number))
      fail(simulation_error(report::overflow(me, fibres_.stack_bytes())));
    if (failure_) launch_->announce(position_, stuck_);
    retire(me);
    fibres_.give_back(on);
    note_progress();
    return choose_next();
  }

  void retire(simt_thread& me) {
    me.step = simt_step::finished;
    me.on = nullptr;
    --me.block->live;
    --live_;
  }

  /// Called after an overflow, at the top of the fibre's stack, whose contents are lost.
  static void overflowed(fibre& on) {
    simt_thread& me = *on.thread;
    simt_engine& engine = *me.block->engine;
    engine.fail(simulation_error(report::overflow(me, engine.fibres_.stack_bytes())));
    engine.retire(me);
    engine.broken_ = &on;
    switch_context(on, engine.main_, true);
  }

  /// Called by a signal handler.
  static void stuck_in_library(const fibre& on) {
    const simt_thread& me = *on.thread;
    report::write_overflow_in_library(me, me.block->engine->fibres_.stack_bytes());
  }

  /// Runs other threads until this thread is ready and next.
  void suspend(simt_thread& me) {
    if (context& next = choose_next(); &next != me.on) switch_context(*me.on, next);
    if (abandoned_) throw abandoned{};
    go_on(me);
  }

  /// Records that this thread runs from here on.
  void go_on(simt_thread& me) {
    me.step = simt_step::running;
    watch_.running = me.on;
    if (job_->trace) count_operations_in(&me.block->trace.operations(me.rank));
  }
  static void before_atomic(void* self, const atomic_operation& what) {
    auto& engine = *static_cast<simt_engine*>(self);
    simt_thread& me = *engine.watch_.running->thread;
    if (engine.abandoned_ || std::uncaught_exceptions() > 0) return; // called by a destructor
    if (engine.job_->switch_at_atomics) engine.offer_turn(me, what.by.where);
    engine.begin_atomic(me, what);
  }
  static void after_atomic(void* self, const atomic_operation& what, bool changed) {
    auto& engine = *static_cast<simt_engine*>(self);
    simt_thread& me = *engine.watch_.running->thread;
    engine.end_atomic(me, what);
    if (!engine.job_->switch_at_atomics && !engine.job_->co_resident) return;
    if (changed)
      engine.note_progress();
    else
      engine.note_steps(me, steps_of_load);
  }
  static void count_access(void* self, const counted_access& what) {
    auto& engine = *static_cast<simt_engine*>(self);
    if (engine.abandoned_ || std::uncaught_exceptions() > 0) return; // called by a destructor
    engine.count(*engine.watch_.running->thread, what);
  }
  static void refuse_element(void* self, std::int64_t element, std::size_t count,
                             std::source_location where) {
    auto& engine = *static_cast<simt_engine*>(self);
    engine.outside_view(*engine.watch_.running->thread, element, count, where);
  }
  /// Runs other threads first; with a seed, half of the time.
  void offer_turn(simt_thread& me, std::source_location where) {
    if (job_->seed != 0 && random_.below(2) == 0) return;
    me.step = simt_step::atomic;
    me.where = {where, me.caller};
    ready_.push_back(me);
    suspend(me);
  }

  /// Unwinds all threads that have begun and not finished.
  void abandon() {
    abandoned_ = true;
    for (int i = 0; live_ > 0 && i < block_count_; ++i)
      for (simt_thread& t : blocks_[static_cast<std::size_t>(i)]->threads)
        if (t.on) leave_main(*t.on);
  }

  /// Runs the fibre `next`, and those that it switches to, until one comes back.
  void leave_main(context& next) {
    watch_.running = &static_cast<fibre&>(next);
    switch_context(main_, next);
    watch_.running = nullptr;
    if (broken_) fibres_.give_back_unfinished(*std::exchange(broken_, nullptr));
  }

  template <class Error> void fail(const Error& what) {
    if (!failure_) failure_ = std::make_exception_ptr(what);
    launch_->announce(position_, stuck_);
  }

  void arrive_at(simt_thread& me, simt_step step, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = step;
    me.where = {where, me.caller};
    me.at_grid_sync = false;
    note_steps(me, steps_of_collective);
  }

  [[gnu::noinline]] void complete_sync(simt_block_state& block) {
    if (block.apart) throw simulation_error("sync at different places: " + report::describe(block));
    block.waiting = 0;
    ++block.epoch;
    if (job_->check_races) {
      block.races.sync();
      block.order.sync();
    }
    if (job_->trace) block.trace.sync();
    for (int rank = job_->shape.size; rank-- > 0;) ready_.push_front(block.thread(rank));
  }

  bool count_progress() const { return launch_->watched.load(std::memory_order_relaxed); }
  void note_progress() {
    idle_rounds_ = 0;
    ++progress_;
    if (count_progress()) launch_->progress.fetch_add(1, std::memory_order_relaxed);
  }

  /// Threads may check together whether to wait on for blocks of a co-resident launch, or that began earlier. So steps
  /// that change nothing count as progress only beyond the number that such a check takes.
  void note_steps(simt_thread& me, int steps) {
    if ((me.steps += steps) < steps_of_a_turn) return;
    me.steps = 0;
    note_progress();
  }

  /// A thread has called backoff `rounds` times, as the first one, and no thread has done anything else.
  void after_idle_round(std::size_t rounds) {
    bool dead = rounds >= rounds_until_deadlock;
    if (job_->may_wait_outside) {
      if (launch_->is_decided_before(position_) || (dead && launch_->has_failed())) {
        abandoned_ = true;
        throw abandoned{};
      }
      std::this_thread::yield();
      dead = dead && (launch_->has_stuck() ||
                      patience_.is_over(*launch_, rounds == rounds_until_deadlock, job_->patience));
    }
    if (!dead) return;
    stuck_ = true;
    throw simulation_error(report::gave_up(blocks_, block_count_, *job_, rounds));
  }

  /// Waits for the lanes of `mask`. The last one does the operation for all.
  void wait_for_lanes(simt_thread& me, simt_step step, lane_mask mask, std::source_location where) {
    arrive_at(me, step, where);
    const int lane = me.rank % job_->shape.warp;
    const lane_mask all = join_lanes(*job_, me, lane, mask);
    if (all == lane_mask{1} << lane) {
      me.step = simt_step::running;
      return;
    }
    for (lane_mask rest = all; rest;) {
      const int last = 63 - std::countl_zero(rest);
      ready_.push_front(me.block->thread(me.rank - lane + last));
      rest &= ~(lane_mask{1} << last);
    }
    suspend(me);
  }

  simt_launch_state* launch_ = nullptr;
  context main_; ///< run() itself
  fibre_pool fibres_;
  simt_queue ready_;
  std::vector<std::unique_ptr<simt_block_state>> blocks_;
  int block_count_ = 0;   ///< of blocks_, in use
  std::int64_t live_ = 0; ///< threads that have not finished
  int position_ = 0;
  bool abandoned_ = false;
  bool stuck_ = false; ///< failure_ is that of a thread that gave up waiting
  std::exception_ptr failure_;
  overflow_watch watch_;
  fibre* broken_ = nullptr; ///< it has overflowed; main_ returns it to the pool
  simt_random random_;
  std::uint64_t progress_ = 0;  ///< number of actions other than backoff, of all threads
  std::size_t idle_rounds_ = 0; ///< maximum number of backoffs of a thread since then
  simt_patience patience_;
};

} // namespace evenly::detail
