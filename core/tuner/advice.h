#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/int128.h"

namespace kernelscape::tuner {

/** What is known of a search before it starts. */
struct SearchFacts {
  std::optional<base::uint128> members = {};  ///< feasible configurations; nullopt: unknown
  std::size_t knobs = 0;                      ///< of the space; 0: unknown
  std::int64_t trials = 0;                    ///< budget; 0: no limit, or unknown
  std::optional<double> failed_share = {};    ///< of the configurations that were measured; nullopt: unknown
  bool has_sources = false;                   ///< there are trials of related spaces to learn from
};

/** Which tuner to choose for a search, and the study that says so. */
struct TunerAdvice {
  std::string tuner;  ///< a name of the registry
  std::string
      reason;         ///< the middle of a sentence, with the numbers of the study and the limits of the claim
  std::string study;  ///< the built-in study that measured this
  std::string page;   ///< page of the manual and section: "data/studies/README.md#which-tuner"

  /** Returns the advice as one sentence, without the page. */
  std::string sentence() const;
};

/**
 * Returns the tuner that the built-in studies support for a search. The first study that applies decides:
 * that of sources, of a budget for the whole space, of failing configurations, of large budgets, and of
 * spaces of a similar size. Where no study applies, the reason says so.
 */
TunerAdvice advise_tuner(const SearchFacts& facts);

}  // namespace kernelscape::tuner
