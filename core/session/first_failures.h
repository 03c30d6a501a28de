#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/space/search_space.h"
#include "core/trial/failure_text.h"

namespace kernelscape {

/**
 * The failures of a session's trials until one succeeds. Trials may come in any order.
 *
 * Configurations that were refused before anything was built (INSTANTIATION_ERROR) do not count: their own
 * values decide it, next to nothing was spent on them, and they say nothing of the kernel.
 */
class FirstFailures {
 public:
  /** @param space of the session, outlives this @param max_counted configurations that identical() tells
   * apart, see Budget::identical_failures */
  FirstFailures(const SearchSpace& space, std::int64_t max_counted)
      : space_(space), max_counted_(max_counted) {}

  /** Whether a failed trial's message still matters to add(). */
  bool needs_message() const { return !succeeded_; }
  /**
   * Takes a trial. @param message of a failed one
   * @return the failure, if it is the first and nothing has succeeded before
   */
  std::optional<FailureText> add(const Configuration& configuration, ErrorCategory category,
                                 std::string_view message);
  /** Distinct configurations, at most `max_counted`, if all trials failed in the same way; else 0. */
  std::int64_t identical() const { return succeeded_ || differ_ ? 0 : std::ssize(configurations_); }

 private:
  std::string signature_of(const Configuration& configuration, const FailureText& failure) const;

  const SearchSpace& space_;
  std::int64_t max_counted_;
  bool succeeded_ = false;
  bool differ_ = false;                   ///< two trials failed in different ways
  std::optional<std::string> signature_;  ///< of the first failure
  std::set<Configuration> configurations_;
};

}  // namespace kernelscape
