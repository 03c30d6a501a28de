#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "ui/workspace/source.h"
#include "ui/workspace/trial_insight.h"

namespace kernelscape::views {

/** Keeps the insights of trials that were computed last, because each takes a build of its kernel. */
class InsightCache {
 public:
  /** The insight of a trial, with the counters that were measured since it was computed. */
  struct Entry {
    std::shared_ptr<const workspace::SourceOrigin> origin;
    std::int64_t trial = 0;
    std::shared_ptr<const workspace::TrialInsight> insight;
    std::optional<trial::CounterReading> counters = {};
  };

  /** Returns the insight of a trial; null if it is not kept. The next call of `add` may invalidate it. */
  const Entry* find(const workspace::SourceOrigin& origin, std::int64_t trial) const;
  /** Keeps an insight; drops the oldest one if there are too many. */
  void add(Entry entry);
  /** Keeps the counters of an insight; does nothing if the insight is not kept. */
  void set_counters(const workspace::TrialInsight& insight, const trial::CounterReading& counters);

 private:
  std::deque<Entry> entries_;  ///< the newest first
};

}  // namespace kernelscape::views
