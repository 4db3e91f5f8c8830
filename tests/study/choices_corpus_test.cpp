// SPDX-License-Identifier: Apache-2.0
// The corpus that automatic is trained on: no input twice, and matrices like those of applications in their families.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "generate/generators.hpp"
#include "study/study.hpp"

namespace evenly::study {
namespace {

TEST(ChoicesCorpus, HasNoInputTwice) {
  const auto all = choices_corpus(false);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(ChoicesCorpus, HasMatricesLikeThoseOfApplications) {
  const std::set<std::string> families{
      "banded-fem", "unstructured-fem", "lp",  "circuit", "sat", "chemistry", "k-nn",
      "web",        "citation",         "road"};
  std::map<std::string, int> inputs;
  int total = 0;
  for (const std::string& input : choices_corpus(false)) {
    const std::string family = choices_family(input);
    if (!families.contains(family)) continue;
    ++inputs[family];
    ++total;
    std::int64_t entries = 0;
    for (const auto& row : generate::generate_profile(input).filled) entries += row.size;
    EXPECT_GE(entries, 8'000) << input;
    EXPECT_LE(entries, 3'500'000) << input;
  }
  EXPECT_EQ(inputs.size(), families.size());
  EXPECT_GE(total, 100);
}

TEST(ChoicesCorpus, OtherInputsAreOfTheirGenerator) {
  EXPECT_EQ(choices_family("regular:rows=10,size=2"), "regular");
  EXPECT_EQ(choices_family("powerlaw:rows=10,avg=2,sd=1,max=4"), "powerlaw");
}

} // namespace
} // namespace evenly::study
