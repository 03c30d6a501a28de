#include "core/tuner/advice.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/tuner/tuner.h"

namespace kernelscape::tuner {
namespace {

// The extent of the studies: data/recorded/README.md, and the public recordings.
constexpr std::uint64_t max_small_members = 1'000;
constexpr std::uint64_t max_studied_members = 17'956;
constexpr std::size_t max_studied_knobs = 15;
/// That of the studied space is .74.
constexpr double min_failing_share = 0.5;
/// gp learns nothing from its first four trials, and no table begins before five.
constexpr std::int64_t min_studied_trials = 5;
constexpr std::int64_t large_budget = 500;

/** A study and the searches that it speaks of. */
struct Evidence {
  bool (*applies)(const SearchFacts&);
  std::string_view study;
  std::string_view page;
  std::string_view reason;
};

bool whole_space_fits(const SearchFacts& facts) {
  return facts.members && facts.trials > 0 && *facts.members <= static_cast<base::uint128>(facts.trials);
}

bool beyond_studies(const SearchFacts& facts) {
  return (facts.members && *facts.members > max_studied_members) || facts.knobs > max_studied_knobs;
}

bool beyond_small_spaces(const SearchFacts& facts) {
  if (facts.knobs > max_studied_knobs) return true;
  // A space whose members cannot be counted is not small.
  return facts.members ? *facts.members > max_small_members : facts.knobs > 0;
}

bool mostly_fails(const SearchFacts& facts) { return facts.failed_share.value_or(0) >= min_failing_share; }

bool searches_long(const SearchFacts& facts) {
  // A space whose members cannot be counted may be larger than the studied ones.
  return facts.trials >= large_budget && facts.members && !beyond_studies(facts);
}

/** All studies found gp ahead. They differ in spaces and numbers, and in what they leave undecided. */
constexpr std::array evidence{
    Evidence{.applies = [](const SearchFacts& facts) { return facts.has_sources; },
             .study = "transfer-layers",
             .page = "core/tuner/README.md#learning-from-related-spaces",
             .reason =
                 "on eleven recorded layers, of which it learnt from the ten others, it had 0.984 ± 0.006 "
                 "of the optimum after 10 trials, and 0.953 ± 0.012 without learning from them"},
    Evidence{.applies = whole_space_fits,
             .study = "gp-recorded",
             .page = "data/studies/README.md#which-tuner",
             .reason = "the budget covers the whole space, so that every tuner ends with the "
                       "best configuration, but on twelve recorded spaces it was the first of "
                       "nine tuners at 95 % of the optimum, after 7 (4 to 9) trials"},
    Evidence{.applies = mostly_fails,
             .study = "failing-space",
             .page = "data/studies/README.md#where-most-configurations-fail",
             .reason = "on the one recorded space where most configurations fail it had the "
                       "highest score of twelve tuners, 0.85, but adatune, xgb, heron and opevo "
                       "were ahead of random search as well"},
    Evidence{.applies = searches_long,
             .study = "whole-multiplication",
             .page = "data/studies/README.md#a-whole-space-of-tilings",
             .reason = "on a recorded space of 14,112 tilings it needed 0.34 x (0.16 to 0.72) the trials of "
                       "random search to 95 % of the optimum, but after 500 trials all tuners except grid "
                       "were within the noise"},
    Evidence{.applies = beyond_small_spaces,
             .study = "all-tuners-public",
             .page = "data/studies/README.md#on-public-recordings",
             .reason = "on three public recordings of GPU kernels it had the highest score of "
                       "nine tuners, 0.93 (0.84 to 0.98), before adatune, 0.65 (0.52 to 0.74), which "
                       "over three spaces no test can confirm"},
    Evidence{.applies = [](const SearchFacts&) { return true; },
             .study = "gp-recorded",
             .page = "data/studies/README.md#which-tuner",
             .reason = "on twelve recorded spaces it needed 0.47 x (0.31 to 0.64) the trials "
                       "of opevo, the next best of nine tuners, to 95 % of the optimum; tuners "
                       "were not compared on real kernels"}};

/** Returns what the studies do not say of a search; empty: nothing. */
std::string_view limit_of(const SearchFacts& facts) {
  if (facts.trials > 0 && facts.trials < min_studied_trials)
    return "; no study compares tuners after fewer than five trials";
  if (beyond_studies(facts))
    return "; no study compares tuners on more than 17,956 configurations or 15 knobs";
  return {};
}

}  // namespace

std::string TunerAdvice::sentence() const { return fmt::format("Take {}: {}.", tuner, reason); }

TunerAdvice advise_tuner(const SearchFacts& facts) {
  std::size_t first = 0;
  while (!evidence[first].applies(facts)) ++first;
  const Evidence& found = evidence[first];
  return {.tuner = std::string(default_tuner),
          .reason = fmt::format("{}{}", found.reason, limit_of(facts)),
          .study = std::string(found.study),
          .page = std::string(found.page)};
}

}  // namespace kernelscape::tuner
