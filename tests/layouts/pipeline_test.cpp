// SPDX-License-Identifier: Apache-2.0
// Plans that are made during the runs of a loop: in time, too late, or not at all.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/pad.hpp"
#include "evenly/layouts/pipeline.hpp"
#include "evenly/layouts/reorder.hpp"
#include "evenly/layouts/share.hpp"
#include "evenly/layouts/sort_threads.hpp"
#include "layouts/pipeline_laws.hpp"
#include "support/messages.hpp"

namespace evenly::layouts {
namespace {

using laws::broken_run;
using laws::changing_lists;
using laws::sum_in_order;

/// What builders pass, or wait at.
class gate {
 public:
  void open() { set(true); }
  void close() { set(false); }
  void pass() {
    std::unique_lock lock(guard_);
    ++came_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    ++passed_;
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }
  /// Waits until a builder has come so often.
  void await(int times) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return came_ >= times; });
  }
  void fail_by(const std::string& why) {
    const std::lock_guard lock(guard_);
    failure_ = why;
  }
  int passed() const {
    const std::lock_guard lock(guard_);
    return passed_;
  }

 private:
  void set(bool open) {
    {
      const std::lock_guard lock(guard_);
      is_open_ = open;
    }
    changed_.notify_all();
  }
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::string failure_;
  bool is_open_ = true;
  int came_ = 0, passed_ = 0;
};

/// sort_threads, made beyond a gate.
struct gated {
  static constexpr const char* name = "gated";
  std::shared_ptr<gate> at;
  template <class I> using prepared_arrays = typename sort_threads<>::template prepared_arrays<I>;

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective& objective) const {
    at->pass();
    return sort_threads<>{}.prepare(exec, p, shape, objective);
  }
};

/// A loop on cpu under sort_threads, by hand.
class gated_loop {
 public:
  explicit gated_loop(int turns = 1, std::int64_t threads = 1000)
      : turns_(turns), of_(threads, 3, 700), out_(static_cast<std::size_t>(threads)),
        pipeline_(cpu(2), cpu(1), of_.shape(), {}, gated{at_}) {
    for (int i = 0; i < 40; ++i) lists_.push_back(of_.list(i));
  }
  ~gated_loop() { at_->open(); } // else the builder never ends

  gate& at() { return *at_; }
  access_pipeline<cpu, gated, int>& pipeline() { return pipeline_; }
  index_list<int> list(int epoch) const {
    return index_list<int>(lists_[static_cast<std::size_t>(epoch)], static_cast<std::uint64_t>(epoch));
  }
  void begin(int epoch) {
    epoch_ = epoch;
    pipeline_.begin_epoch(list(epoch));
  }
  /// Runs once, and looks at the results.
  void run() {
    const std::vector<float> a = of_.values(++number_);
    pipeline_.run(a.data(), sum_in_order{3, turns_, out_.data()});
    EXPECT_EQ(out_, of_.right(cpu(2), lists_[static_cast<std::size_t>(epoch_)], a, turns_));
  }
  /// Until so many runs have been under a plan.
  void run_until_planned(int times) {
    const std::int64_t wanted = planned() + times;
    for (int i = 0; i < 5000 && planned() < wanted; ++i) {
      run();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(planned(), wanted) << pipeline_.why();
  }
  std::int64_t planned() const { return pipeline_.counts().planned; }

 private:
  int turns_;
  std::shared_ptr<gate> at_ = std::make_shared<gate>();
  changing_lists of_;
  std::vector<std::vector<int>> lists_;
  std::vector<float> out_;
  int epoch_ = 0, number_ = 0;
  access_pipeline<cpu, gated, int> pipeline_;
};

template <class Executor> void expect_laws(const Executor& exec, const changing_lists& of, int turns = 1) {
  const side_stream<Executor> builder(exec);
  const auto check = [&](const auto& layout) {
    for (const laws::loop_of_epochs& loop :
         {laws::loop_of_epochs{.turns = turns}, laws::loop_of_epochs{.turns = turns, .announces = true},
          laws::loop_of_epochs{.epochs = 12, .runs = 1, .turns = turns}, laws::loop_of_epochs{.epochs = 1}}) {
      access_pipeline<Executor, std::remove_cvref_t<decltype(layout)>, int> pipeline(exec, builder.get(),
                                                                                     of.shape(), {}, layout);
      EXPECT_EQ(broken_run(exec, pipeline, of, loop), "");
    }
  };
  check(none{});
  check(sort_threads<>{});
  check(reorder<first_access>{});
  check(duplicate{.fraction = 0.5});
  check(pad{});
  check(share<by_smallest>{});
  check(share<>{.packed = true});
  if (of.shape().threads == of.shape().elements) check(share<by_neighbours>{});
}

TEST(Pipeline, StoresWhatListsSay) {
  expect_laws(cpu(2), changing_lists(3000, 4, 2000));
  expect_laws(cpu(1), changing_lists(700, 3, 700));
  expect_laws(cpu(2), changing_lists(500, 2, 300), 300); // plans take less than runs: these are split
}
TEST(Pipeline, StoresWhatListsSayOnTheSimulatedGpu) { expect_laws(simt(), changing_lists(300, 3, 300)); }
TEST(Pipeline, TakesNothingAtAll) {
  expect_laws(cpu(2), changing_lists(0, 3, 5));
  expect_laws(cpu(2), changing_lists(70, 0, 5));
  expect_laws(cpu(2), changing_lists(1, 1, 1));
}

TEST(Pipeline, EndsBeforeItHasRun) {
  {
    gated_loop nothing;
  }
  gated_loop loop;
  loop.begin(0);
  loop.pipeline().announce(loop.list(1)); // no plan pays yet
  EXPECT_EQ(loop.pipeline().why(), "gated, not yet compared with another layout");
  EXPECT_EQ(loop.pipeline().counts().runs, 0);
}

TEST(Pipeline, RunsOnceUnderNone) {
  gated_loop loop;
  loop.begin(0);
  loop.run();
  EXPECT_EQ(loop.pipeline().counts().runs, 1);
  EXPECT_EQ(loop.planned(), 0);
}

TEST(Pipeline, GoesOnWhileTheBuilderIsSlow) {
  gated_loop loop(100); // so that runs under a plan are faster on a busy machine too
  loop.at().close();
  loop.begin(0);
  for (int i = 0; i < 20; ++i) loop.run();
  loop.at().await(1);
  EXPECT_EQ(loop.planned(), 0);
  EXPECT_EQ(loop.pipeline().why(), "gated: no plan has been made yet");
  loop.at().open();
  loop.run_until_planned(3); // it changes its mind in the middle
  EXPECT_EQ(loop.pipeline().counts().plans, 1);
  EXPECT_GT(loop.pipeline().times().build, 0);
  loop.run();
  EXPECT_GT(loop.pipeline().times().planned, 0);
  EXPECT_TRUE(contains(loop.pipeline().why(), "gated, planned during the runs: ")) << loop.pipeline().why();
}

/// Takes long where threads have been moved.
struct slow_when_moved {
  sum_in_order sums;
  template <class Block, class Load> void operator()(Block& block, std::int64_t job, const Load& load) const {
    if (job == 0 || (load.position != job && job % 100 == 0)) {
      const host_timing_event from;
      while (*elapsed_ms(from, host_timing_event()) < 0.2) {
      }
    }
    sums(block, job, load);
  }
};

TEST(Pipeline, GivesUpAPlanThatMakesRunsMuchSlower) {
  const changing_lists of(3000, 3, 700);
  const std::vector<int> p = of.list(0);
  const std::vector<float> a = of.values(1);
  std::vector<float> out(3000);
  access_pipeline<cpu, sort_threads<>, int> pipeline(cpu(1), cpu(1), of.shape(), {}, {});
  pipeline.begin_epoch(index_list<int>(p, 1));
  for (int i = 0; i < 5000 && pipeline.counts().planned < 2; ++i)
    pipeline.run(a.data(), slow_when_moved{{3, 1, out.data()}});
  ASSERT_EQ(pipeline.counts().planned, 2) << pipeline.why();
  for (int i = 0; i < 10; ++i) pipeline.run(a.data(), slow_when_moved{{3, 1, out.data()}});
  EXPECT_EQ(pipeline.counts().planned, 2);
  EXPECT_TRUE(contains(pipeline.why(), "none: a plan takes ")) << pipeline.why();
  EXPECT_GT(pipeline.times().planned, 2 * pipeline.times().plain);
  EXPECT_EQ(out, of.right(cpu(1), p, a, 1));
}

TEST(Pipeline, DropsAPlanWhoseEpochIsOver) {
  gated_loop loop;
  loop.at().close();
  loop.begin(0);
  loop.run();
  loop.at().await(1);
  loop.begin(1);
  loop.run(); // asks for one of its own
  loop.at().open();
  loop.run_until_planned(1);
  EXPECT_EQ(loop.pipeline().counts().dropped, 1);
  EXPECT_EQ(loop.pipeline().counts().plans, 1);
}

TEST(Pipeline, MakesNoPlanForAnEpochThatIsOverBeforeItIsBegun) {
  gated_loop loop;
  loop.at().close();
  for (int epoch = 0; epoch < 10; ++epoch) {
    loop.begin(epoch);
    loop.run();
    loop.at().await(1);
  }
  loop.at().open();
  loop.run_until_planned(1);
  EXPECT_EQ(loop.at().passed(), 2); // the first one's and the last one's
}

TEST(Pipeline, GoesOnWhenTheBuilderFails) {
  gated_loop loop;
  loop.at().fail_by("the graph has no end");
  loop.begin(0);
  for (int i = 0; i < 5000 && loop.pipeline().counts().failed == 0; ++i) {
    loop.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(loop.pipeline().why(),
            "none: a plan of gated failed: the graph has no end; runs continue without a plan");
  loop.at().fail_by("");
  for (int epoch : {1, 2}) { // it waits for an epoch, then tries again
    loop.begin(epoch);
    if (epoch == 1) loop.run();
  }
  EXPECT_TRUE(contains(loop.pipeline().why(), "the graph has no end"));
  loop.run_until_planned(1);
  EXPECT_TRUE(contains(loop.pipeline().why(), "gated, planned during the runs")) << loop.pipeline().why();
}

TEST(Pipeline, TriesLessAndLessOftenWhereItFails) {
  gated_loop loop;
  loop.at().fail_by("no");
  for (int epoch = 0; epoch < 40; ++epoch) {
    loop.begin(epoch);
    for (int i = 0; i < 3; ++i) loop.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the builder begins
    loop.pipeline().release(loop.list(epoch));
  }
  EXPECT_GE(loop.pipeline().counts().failed, 2);
  EXPECT_LE(loop.pipeline().counts().failed, 6);
}

/// Memory that ends.
class little_memory : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > 4096) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

TEST(Pipeline, GoesOnWhereThereIsNoMemoryForAPlan) {
  little_memory little;
  const changing_lists of(3000, 4, 2000);
  access_pipeline<cpu, sort_threads<>, int> pipeline(cpu(2), cpu(1, &little), of.shape(), {}, {});
  for (int i = 0; i < 100 && pipeline.counts().failed == 0; ++i) // until the builder is fast enough to begin
    ASSERT_EQ(broken_run(cpu(2), pipeline, of, {}), "");
  EXPECT_GT(pipeline.counts().failed, 0);
  EXPECT_EQ(pipeline.counts().plans, 0);
  EXPECT_EQ(pipeline.why(),
            "none: a plan of sort_threads failed: out of memory; runs continue without a plan");
}

/// A body that takes so long that splitting pays, if plans are made at once.
constexpr int many_turns = 3000;

/// Epochs of one run each, until one of them is to be split; returns its number, whose run has not been.
int begin_split_epoch(gated_loop& loop) {
  int epoch = 0;
  for (; epoch < 30; ++epoch) {
    loop.begin(epoch);
    if (loop.pipeline().choice().way == pipeline_way::split) return epoch;
    loop.run();
    loop.pipeline().release(loop.list(epoch));
  }
  return -1;
}

TEST(Pipeline, SplitsRunsWhereListsChangeInEveryIteration) {
  gated_loop loop(many_turns);
  ASSERT_GE(begin_split_epoch(loop), 0);
  EXPECT_GT(loop.pipeline().choice().share, 0);
  EXPECT_LT(loop.pipeline().choice().share, 1);
  EXPECT_TRUE(contains(loop.pipeline().why(), " of the jobs during the run of the others: "))
      << loop.pipeline().why();
  loop.run();
  EXPECT_EQ(loop.pipeline().counts().split + loop.pipeline().counts().late, 1);
}

TEST(Pipeline, RunsTheOthersWithoutAPlanThatComesTooLate) {
  gated_loop loop(many_turns);
  const int epoch = begin_split_epoch(loop);
  ASSERT_GE(epoch, 0);
  loop.at().close();
  loop.run();
  EXPECT_EQ(loop.pipeline().counts().late, 1);
  EXPECT_EQ(loop.pipeline().counts().split, 0);
  loop.at().open();
  for (int i = 0; i < 5000 && loop.pipeline().counts().split == 0; ++i) loop.run();
  EXPECT_GT(loop.pipeline().counts().split, 0); // it serves the runs after it
}

TEST(Pipeline, SaysWhyAnArmIsNotSplit) {
  const changing_lists of(600, 3, 600);
  access_pipeline<cpu, sort_threads<by_neighbours>, int> pipeline(cpu(2), cpu(1), of.shape(), {}, {});
  EXPECT_EQ(broken_run(cpu(2), pipeline, of, {.epochs = 12, .runs = 1, .turns = many_turns}), "");
  EXPECT_EQ(pipeline.counts().split, 0);
  EXPECT_EQ(pipeline.counts().failed, 0);
  EXPECT_TRUE(contains(pipeline.why(),
                       "; runs are not split: by_neighbours needs as many threads as elements, but there"))
      << pipeline.why();
}

TEST(Pipeline, HasThePlanOfAnAnnouncedList) {
  gated_loop loop(300);
  loop.begin(0);
  loop.run_until_planned(2);
  loop.pipeline().announce(loop.list(1));
  loop.at().await(2);
  for (int i = 0; i < 30; ++i) loop.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::int64_t before = loop.planned();
  loop.begin(1);
  loop.run(); // the first one is under it
  EXPECT_EQ(loop.planned(), before + 1);
  for (int i = 0; i < 30; ++i) loop.run();
  loop.pipeline().announce(loop.list(2));
  loop.begin(3); // another list than was announced
  for (int i = 0; i < 5000 && loop.pipeline().counts().plans < 3; ++i) loop.run();
  EXPECT_EQ(loop.pipeline().counts().plans, 3);
}

TEST(Pipeline, LetsGoOfAList) {
  gated_loop loop;
  loop.at().close();
  loop.begin(0);
  loop.run();
  loop.at().await(1);
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    loop.at().open();
  });
  loop.pipeline().release(loop.list(0)); // waits for the builder
  EXPECT_EQ(loop.at().passed(), 1);
  opens.join();
  EXPECT_EQ(message_of<invalid_argument>([&] { loop.run(); }), "P is missing: begin an epoch first");
}

TEST(Pipeline, RefusesWhatNobodyCanRun) {
  gated_loop loop;
  EXPECT_EQ(message_of<invalid_argument>([&] { loop.run(); }), "P is missing: begin an epoch first");
  loop.begin(3);
  EXPECT_EQ(message_of<invalid_argument>([&] { loop.begin(3); }),
            "P is in epoch 3 already: a new epoch needs another number");
  const std::vector<int> bad(3000, 700);
  EXPECT_EQ(message_of<invalid_argument>([&] { loop.pipeline().begin_epoch(index_list<int>(bad, 4)); }),
            "P[0] = 700 (reference 0 of thread 0): there are 700 elements, numbered from 0");
  EXPECT_EQ(message_of<invalid_argument>([&] { loop.pipeline().announce(index_list<int>(bad, 4)); }),
            "P[0] = 700 (reference 0 of thread 0): there are 700 elements, numbered from 0");
  const std::vector<double> a(700);
  EXPECT_EQ(
      message_of<invalid_argument>([&] {
        std::vector<float> out(1000);
        loop.pipeline().run(a.data(), sum_in_order{3, 1, out.data()});
      }),
      "3000 indices and elements of 8 bytes, but the shape has 3000 references to elements of 4: pass the "
      "shape of this P and A");
  loop.run(); // P is that of epoch 3 still
}

// ---- runs without a plan, and times ----

/// out[job] = its first element; -1 where nothing is written.
struct store_first {
  float* out;
  template <class Block, class Load> void operator()(Block&, std::int64_t job, const Load& load) const {
    out[job] = load(0) * 2 + load(1);
  }
};

template <class Executor> void expect_some_jobs(const Executor& exec) {
  const changing_lists of(500, 2, 90);
  const std::vector<int> p = of.list(1);
  const std::vector<float> a = of.values(1);
  for (const position_range jobs : {position_range{0, 500}, {0, 0}, {0, 64}, {137, 499}, {500, 500}}) {
    std::vector<float> out(500, -1);
    for_some_jobs(exec, index_list<int>(p), of.shape(), jobs, a.data(), store_first{out.data()});
    for (std::int64_t t = 0; t < 500; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const float right = a[static_cast<std::size_t>(p[at])] * 2 + a[static_cast<std::size_t>(p[500 + at])];
      EXPECT_EQ(out[at], jobs.first <= t && t < jobs.last ? right : -1) << t;
    }
  }
}

TEST(ForSomeJobs, CallsTheBodyForThese) {
  expect_some_jobs(cpu(2));
  expect_some_jobs(simt());
}

TEST(ForSomeJobs, RefusesOthers) {
  const changing_lists of(500, 2, 90);
  const std::vector<int> p = of.list(1);
  const std::vector<float> a(90);
  const auto message = [&](position_range jobs) {
    return message_of<invalid_argument>(
        [&] { for_some_jobs(cpu(1), index_list<int>(p), of.shape(), jobs, a.data(), store_first{nullptr}); });
  };
  EXPECT_EQ(message({-1, 3}), "jobs from -1 to 3: there are 500");
  EXPECT_EQ(message({4, 3}), "jobs from 4 to 3: there are 500");
  EXPECT_EQ(message({0, 501}), "jobs from 0 to 501: there are 500");
}

TEST(Marks, AreApartByWhatIsBetween) {
  const auto from = timing_event(cpu(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_GE(elapsed_ms(from, timing_event(cpu(1))).value_or(0), 3);
}

TEST(Beside, IsTheSameWithoutATrace) {
  trace counts;
  const simt exec({.warp_size = 8, .trace = &counts});
  const side_stream<simt> other(exec);
  EXPECT_EQ(other.get().options().warp_size, 8);
  EXPECT_EQ(other.get().options().trace, nullptr);
}

// ---- ways, from times ----

TEST(HiddenShare, TakesAsLongAsTheOthersRun) {
  EXPECT_EQ(hidden_share({.plain = 5, .overlapped = 6, .build = 6}), 0.5);
  EXPECT_EQ(hidden_share({.plain = 5, .overlapped = 6, .build = 18}), 0.25);
  EXPECT_EQ(hidden_share({.plain = 5, .overlapped = 6, .build = 0}), 1);
  EXPECT_EQ(hidden_share({}), 0);
  for (const double build : {0.1, 1.0, 30.0}) {
    const pipeline_times of{.plain = 7, .overlapped = 8, .build = build};
    const double s = hidden_share(of);
    EXPECT_NEAR((1 - s) * of.overlapped, s * build, 1e-12);
  }
}

TEST(ChooseWay, ByWhatTakesLeast) {
  const pipeline_times of{.plain = 10, .overlapped = 12, .build = 24, .planned = 2};
  const pipeline_choice many = choose_way(of, 10, true); // two runs without: 24 + 8 * 2
  EXPECT_EQ(many.way, pipeline_way::late);
  EXPECT_EQ(many.epoch_ms, 40);
  EXPECT_EQ(many.share, 1);
  const pipeline_choice one = choose_way(of, 1, true);
  EXPECT_EQ(one.way, pipeline_way::split);
  EXPECT_NEAR(one.share, 1.0 / 3, 1e-12);
  EXPECT_NEAR(one.epoch_ms, 8 + 2.0 / 3, 1e-12);
  EXPECT_EQ(choose_way(of, 1, false).way, pipeline_way::plain);
  EXPECT_EQ(choose_way(of, 1, false).epoch_ms, 10);
  const pipeline_choice ahead = choose_way(of, 1, true, 24); // the plan is there
  EXPECT_EQ(ahead.way, pipeline_way::late);
  EXPECT_EQ(ahead.epoch_ms, 2);
}

TEST(ChooseWay,
     TakesNoProfitFromRunsBesideTheBuilder) { // though the first run, which is timed alone, was slow
  const pipeline_times of{.plain = 10, .overlapped = 5, .build = 1000, .planned = 2};
  EXPECT_EQ(choose_way(of, 10, true).way, pipeline_way::plain);
  EXPECT_EQ(choose_way(of, 10, false).way, pipeline_way::plain);
}

TEST(PlannedTrial, IsLostByTheFasterOfTwoRuns) {
  planned_trial lost, won;
  lost.note(3);
  EXPECT_FALSE(lost.is_over());
  EXPECT_FALSE(lost.is_lost(1)); // not yet
  lost.note(2);
  EXPECT_TRUE(lost.is_lost(1));
  EXPECT_EQ(lost.fastest_ms(), 2);
  won.note(3);
  won.note(1.4);
  EXPECT_TRUE(won.is_over());
  EXPECT_FALSE(won.is_lost(1));
  planned_trial short_runs; // too short for precise times
  short_runs.note(0.02);
  short_runs.note(0.02);
  EXPECT_FALSE(short_runs.is_lost(0.005));
  planned_trial ended;
  ended.end();
  EXPECT_FALSE(ended.is_lost(1));
}

TEST(ChooseWay, ShutsOffWhereNothingPays) {
  EXPECT_EQ(choose_way({.plain = 10, .overlapped = 10, .build = 1, .planned = 9.9}, 500, true).way,
            pipeline_way::plain); // a tie
  EXPECT_EQ(choose_way({.plain = 10, .overlapped = 10, .build = 1000, .planned = 1}, 10, true).way,
            pipeline_way::plain);
  EXPECT_EQ(choose_way({.plain = 10, .overlapped = 30, .build = 60, .planned = 9}, 5, true).way,
            pipeline_way::plain); // runs are slow while a plan is built
  EXPECT_EQ(choose_way({}, 0, true).way, pipeline_way::plain);
}

} // namespace
} // namespace evenly::layouts
