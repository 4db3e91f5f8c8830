// SPDX-License-Identifier: Apache-2.0
// The layout that the paper's guidelines choose, and the time of a run that the model predicts.
#include <gtest/gtest.h>

#include "evenly/layouts/choice/selector.hpp"

namespace evenly::layouts {
namespace {

TEST(FigureSix, ChoosesByReferences) {
  const paper_question md{.references = 12'288 * 128, .elements = 12'288, .working_set_bytes = 28'000};
  EXPECT_EQ(choice_of_paper(md), paper_choice::share);
  paper_question by_threads = md; // as it is printed
  by_threads.references = 12'288;
  EXPECT_EQ(choice_of_paper(by_threads), paper_choice::duplicate);
  paper_question large = md;
  large.working_set_bytes = 430'000;
  EXPECT_EQ(choice_of_paper(large), paper_choice::share_in_parts);
  EXPECT_EQ(choice_of_paper({.references = 1 << 22, .elements = 1 << 20, .one_pattern = true}),
            paper_choice::pad);
  EXPECT_EQ(choice_of_paper({.references = 200, .elements = 100, .one_pattern = true}),
            paper_choice::duplicate);
}

TEST(PredictedRun, IsNearWhatWasMeasured) {
  const double references = 4e6 * 128;
  const auto expect_near = [](double said, double measured) {
    EXPECT_GT(said, measured / 1.6);
    EXPECT_LT(said, measured * 1.6);
  };
  access_demand none{.references = references,
                     .lines = references,
                     .sectors = references,
                     .streamed_bytes = 4 * references,
                     .random_bytes = 64e6};
  expect_near(predicted_run(none, rates_of_h200), 7.08);
  none.references = none.lines = none.sectors = 5 * references;
  none.random_bytes = 320e6;
  expect_near(predicted_run(none, rates_of_h200), 61.6);
  access_demand ordered{.references = references,
                        .lines = references * 28 / 32,
                        .sectors = 15'625 * 728.0,
                        .streamed_bytes = 4 * references,
                        .random_bytes = 64e6};
  expect_near(predicted_run(ordered, rates_of_h200), 0.88);
}

TEST(PredictedRun, IsByWhatIsScarcest) {
  const access_rates one{.launch = 1000,
                         .reference = 1,
                         .line = 2,
                         .cached_sector = 3,
                         .memory_sector = 30,
                         .wavefront = 4,
                         .streamed_byte = 5,
                         .scattered_sector = 6,
                         .cache_bytes = 200,
                         .sorted_thread = 0,
                         .passed_reference = 0,
                         .moved_reference = 0,
                         .shared_reference = 0,
                         .sampled_reference = 0};
  const auto microseconds = [&](const access_demand& of) { return predicted_run(of, one) * 1e3 - 1; };
  EXPECT_NEAR(microseconds({}), 0, 1e-9);
  EXPECT_NEAR(microseconds({.references = 1e3}), 1, 1e-9);
  EXPECT_NEAR(microseconds({.references = 1e3, .lines = 1e3}), 2, 1e-9);
  EXPECT_NEAR(microseconds({.lines = 1e3, .sectors = 1e3, .random_bytes = 100}), 3, 1e-9);
  EXPECT_NEAR(microseconds({.lines = 1e3, .sectors = 1e3, .random_bytes = 200}), 16.5, 1e-9);
  EXPECT_NEAR(microseconds({.sectors = 1e3, .wavefronts = 1e3}), 4, 1e-9);
  EXPECT_NEAR(microseconds({.wavefronts = 1e3, .streamed_bytes = 1e3}), 5, 1e-9);
  EXPECT_NEAR(microseconds({.wavefronts = 1e3, .scattered = 1e3, .scattered_bytes = 200}), 7, 1e-9);
}

} // namespace
} // namespace evenly::layouts
