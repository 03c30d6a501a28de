#pragma once

#include <string>
#include <vector>

#include "core/analysis/columns.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/trial/random_resources.h"

namespace kernelscape {

inline base::Random printed_random() { return base::Random(testing::random_seed()); }

/** One knob of every kind, with names and texts that filters have to quote. */
inline space::SearchSpace space_of_all_kinds() {
  using Values = std::vector<space::KnobValue>;
  std::vector<space::Knob> knobs;
  knobs.push_back(*space::Knob::factorization("tile_oc", 64, 4));
  knobs.push_back(*space::Knob::permutation("order", {"ic", "oh", "oc"}));
  knobs.push_back(*space::Knob::ordinal(
      "step", Values{std::int64_t{0}, std::int64_t{1}, std::int64_t{512}, std::int64_t{1500}}));
  knobs.push_back(*space::Knob::ordinal("share", Values{0.1, 0.25, 0.5, 3.0}));
  knobs.push_back(*space::Knob::categorical("unroll", Values{true, false}));
  knobs.push_back(*space::Knob::categorical(
      "layout",
      Values{std::string("nchw"), std::string("3x3"), std::string("a \"b\" \\ `c`"), std::string("and"),
             std::string("valid"), std::string("tile_oc"), std::string("[1, x]"), std::string("[1,x]"),
             std::string("16"), std::string(""), std::string("NCHW")}));
  knobs.push_back(*space::Knob::categorical("mixed", Values{std::int64_t{1}, std::string("1"), true}));
  knobs.push_back(*space::Knob::categorical("odd `name` \\ [", Values{std::int64_t{-3}, std::int64_t{7}}));
  knobs.push_back(
      *space::Knob::categorical("ms", Values{std::int64_t{1} << 60, (std::int64_t{1} << 60) + 1}));
  knobs.push_back(*space::Knob::permutation("valid", {"a b", "x, y", "]"}));
  return *space::SearchSpace::make(std::move(knobs));
}

inline trial::Row random_trial_row(base::Random& random, std::int64_t number) {
  trial::Row row;
  row.number = number;
  row.batch = static_cast<std::int32_t>(number / 7);
  if (random.chance(0.4)) row.category = static_cast<trial::ErrorCategory>(1 + random.below(8));
  if (row.category == trial::ErrorCategory::NoError && random.chance(0.9)) {
    row.sample_count = static_cast<std::uint16_t>(1 + random.below(9));
    row.median_seconds = 1e-4 * static_cast<double>(1 + random.below(40));  // ties are frequent
    row.first_quartile_seconds = row.median_seconds * (0.5 + random.uniform() / 2);
    row.third_quartile_seconds = row.median_seconds * (1 + random.uniform());
    row.cut_short = random.chance(0.2);
    if (random.chance(0.3)) row.samples_saved = static_cast<std::uint16_t>(random.below(500));
  }
  if (random.chance(0.6)) row.resources = random_resources(random);
  row.build_seconds = 0.1 * static_cast<double>(random.below(8));
  row.run_seconds = random.uniform();
  row.finished_seconds = static_cast<double>(number) + random.uniform();
  return row;
}

inline space::Configuration random_choice(base::Random& random, const space::SearchSpace& space) {
  space::Configuration configuration;
  for (const space::Knob& knob : space.knobs())
    configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  return configuration;
}

inline trial::Table random_trials(base::Random& random, const space::SearchSpace& space, std::int64_t count) {
  trial::Table table(space.knobs().size());
  for (std::int64_t number = 0; number < count; ++number)
    table.append(random_trial_row(random, number), random_choice(random, space));
  return table;
}

}  // namespace kernelscape
