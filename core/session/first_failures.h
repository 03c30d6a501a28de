#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/space/search_space.h"
#include "core/trial/failure_text.h"

namespace kernelscape::session {

/**
 * The failures of a session's trials until one succeeds. Trials may come in any order.
 *
 * Configurations that were refused before anything was built (INSTANTIATION_ERROR) do not count: their values
 * alone cause the failure, almost no time was spent on them, and they tell nothing about the kernel.
 */
class FirstFailures {
 public:
  /**
   * @param space of the session, must outlive this object
   * @param max_counted configurations that identical() counts at most, see Budget::identical_failures
   */
  FirstFailures(const space::SearchSpace& space, std::int64_t max_counted)
      : space_(space), max_counted_(max_counted) {}

  /** Returns true if add() still needs the message of a failed trial. */
  bool needs_message() const { return !succeeded_; }
  /**
   * Adds a trial.
   * @param message of a failed trial
   * @return the failure, if it is the first and no trial has succeeded before
   */
  std::optional<trial::FailureText> add(const space::Configuration& configuration,
                                        trial::ErrorCategory category, std::string_view message);
  /**
   * Returns the number of distinct configurations, at most `max_counted`, if all trials failed in the same
   * way; else 0.
   */
  std::int64_t identical() const { return succeeded_ || differ_ ? 0 : std::ssize(configurations_); }

 private:
  std::string signature_of(const space::Configuration& configuration,
                           const trial::FailureText& failure) const;

  const space::SearchSpace& space_;
  std::int64_t max_counted_;
  bool succeeded_ = false;
  bool differ_ = false;                   ///< two trials failed in different ways
  std::optional<std::string> signature_;  ///< of the first failure
  std::set<space::Configuration> configurations_;
};

}  // namespace kernelscape::session
