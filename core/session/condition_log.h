#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/machine_conditions.h"
#include "core/trial/speed_track.h"

namespace kernelscape::session {

/**
 * The conditions of the machine while trials were measured, to explain slow phases. They are not stored: a
 * session that is resumed begins with an empty log, and only the explanations are kept, in its notices.
 */
class ConditionLog {
 public:
  /** Returns true if a second has passed since the last reading. @param now_seconds of any steady clock */
  bool due(double now_seconds) const { return readings_.empty() || now_seconds >= next_seconds_; }
  /**
   * Adds a reading.
   * @param row number of trials that had arrived: the next one was being measured
   * @param slow false: old readings may be dropped
   */
  void add(double now_seconds, std::int64_t row, measure::MachineConditions conditions, bool slow);
  /**
   * Explains a slow phase.
   * @param usual_from first row after the phase before it
   * @return empty if nothing is known
   */
  std::string explain(const trial::SlowPhase& phase, std::int64_t usual_from) const;

 private:
  std::vector<std::int64_t> rows_;
  std::vector<measure::MachineConditions> readings_;  ///< one for each of `rows_`
  double next_seconds_ = 0;
};

}  // namespace kernelscape::session
