#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/space/cached_features.h"

namespace kernelscape {

/**
 * What a run owes for rows of features that it was spared to compute, since another run in this process had
 * computed them: rows are billed while the tuner's time is charged, and only then. Any thread may add.
 */
class FeatureBill {
 public:
  void open() { open_.store(true, std::memory_order_relaxed); }  ///< the tuner's time is charged from here on
  /** Until here. @return CPU seconds owed since open() */
  double close() {
    open_.store(false, std::memory_order_relaxed);
    return seconds_.exchange(0, std::memory_order_relaxed);
  }
  bool is_open() const { return open_.load(std::memory_order_relaxed); }  ///< the tuner's time is charged
  void add(double seconds) { seconds_.fetch_add(seconds, std::memory_order_relaxed); }  ///< CPU time

 private:
  std::atomic<bool> open_ = false;
  std::atomic<double> seconds_ = 0;
};

/**
 * The features of one run, from a cache that runs share. The first time that the run asks for a configuration
 * it is billed what computing the row took, unless it computed it itself and so has spent the time: the same
 * configurations cost every run the same, whoever came first. Rows that the cache has no place for are
 * computed, and paid for, each time. Any thread may ask.
 */
class RunFeatures final : public FeatureExtractor {
 public:
  /** @param shared, bill not null */
  RunFeatures(std::shared_ptr<const CachedFeatures> shared, std::shared_ptr<FeatureBill> bill);

  std::string name() const override { return shared_->name(); }
  int version() const override { return shared_->version(); }
  const std::vector<std::string>& names() const override { return shared_->names(); }
  void write(const Configuration& configuration, std::span<float> row) const override;

 private:
  std::shared_ptr<const CachedFeatures> shared_;
  std::shared_ptr<FeatureBill> bill_;
  std::unique_ptr<std::atomic<bool>[]> asked_;  ///< by place: the run has paid for its row
};

/** The sets as one run pays for them: those that are cached through a RunFeatures, the others as they are,
 * which every run computes itself. */
FeatureSets features_of_run(const FeatureSets& sets, const std::shared_ptr<FeatureBill>& bill);

}  // namespace kernelscape
