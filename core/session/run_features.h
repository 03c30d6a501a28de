#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/space/cached_features.h"

namespace kernelscape::session {

/**
 * The CPU time that a run is charged for feature rows which another run of this process computed already.
 * Rows are billed only while the tuner's time is charged. Thread-safe.
 */
class FeatureBill {
 public:
  void open() { open_.store(true, std::memory_order_relaxed); }  ///< starts charging the tuner's time
  /** Stops charging the tuner's time. @return CPU seconds billed since open() */
  double close() {
    open_.store(false, std::memory_order_relaxed);
    return seconds_.exchange(0, std::memory_order_relaxed);
  }
  bool is_open() const {
    return open_.load(std::memory_order_relaxed);
  }  ///< true while the tuner's time is charged
  void add(double seconds) { seconds_.fetch_add(seconds, std::memory_order_relaxed); }  ///< CPU time

 private:
  std::atomic<bool> open_ = false;
  std::atomic<double> seconds_ = 0;
};

/**
 * The features of one run, from a cache that runs share. When the run first requests a configuration, it is
 * billed the time that computing the row took, unless it computed the row itself and so spent that time: the
 * same configurations cost every run the same, independent of the order of the runs. Rows that do not fit
 * into the cache are computed, and paid for, each time. Thread-safe.
 */
class RunFeatures final : public space::FeatureExtractor {
 public:
  /** @param shared, bill not null */
  RunFeatures(std::shared_ptr<const space::CachedFeatures> shared, std::shared_ptr<FeatureBill> bill);

  std::string name() const override { return shared_->name(); }
  int version() const override { return shared_->version(); }
  const std::vector<std::string>& names() const override { return shared_->names(); }
  void write(const space::Configuration& configuration, std::span<float> row) const override;

 private:
  std::shared_ptr<const space::CachedFeatures> shared_;
  std::shared_ptr<FeatureBill> bill_;
  std::unique_ptr<std::atomic<bool>[]> asked_;  ///< by place: true if the run has paid for the row
};

/**
 * Returns the sets as one run pays for them: cached sets are wrapped in a RunFeatures; the others, which
 * every run computes itself, are unchanged.
 */
space::FeatureSets features_of_run(const space::FeatureSets& sets, const std::shared_ptr<FeatureBill>& bill);

}  // namespace kernelscape::session
