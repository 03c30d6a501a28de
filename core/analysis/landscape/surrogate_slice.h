#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/landscape/believed_cell.h"
#include "core/analysis/landscape/heat_map.h"
#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

struct LearntSpace;

/** Two knobs whose values vary; all others keep the values of a configuration. */
struct SliceKnobs {
  space::Configuration base;  ///< a member of the space
  std::size_t x = 0;          ///< index of a knob
  std::size_t y = 0;          ///< of another knob, or the same one as `x`: then only one knob varies

  bool operator==(const SliceKnobs&) const = default;
};

/** Predictions and measurements of the configurations of a slice. */
struct SurrogateSlice {
  std::vector<std::uint32_t> x_indices;  ///< values of the knob x, ascending
  std::vector<std::uint32_t> y_indices;  ///< values of the knob y; one if only one knob varies
  /** One line of x_indices for each of y_indices. `members` is 0 if the configuration is infeasible. */
  std::vector<BelievedCell> predictions;
  std::vector<HeatCell> measured;  ///< trials of exactly this configuration, in the order of `predictions`
};

/**
 * Predicts performance along one or two knobs with the model of the tuner gp, trained once on the trials of a
 * session. Copies share the model; it is used by one thread at a time.
 */
class SliceModel {
 public:
  /** Maximum number of values of a knob in a slice of one knob, and along each axis of a slice of two. */
  static constexpr std::size_t max_values = 256;
  static constexpr std::size_t max_plane_values = 32;

  /**
   * Trains the model. Returns Refused for fewer than five valid trials, and if `keep_going` returned false.
   * @param flops of the task; 0: unknown
   */
  static Result<SliceModel> learn(const space::SearchSpace& space, const trial::Snapshot& trials,
                                  double flops, const std::function<bool()>& keep_going);

  /**
   * Predicts a slice. Of a knob with more values than the maximum, values at equal distances are used, and
   * the base's own. Returns Refused if `keep_going` returned false.
   * @param trials the session's trials, to which more may have been added since the training
   * @param performance by row of `trials` @param rows of `trials` to compare with
   */
  Result<SurrogateSlice> slice(const SliceKnobs& knobs, const trial::Snapshot& trials,
                               const PerformanceColumn& performance, std::span<const std::int64_t> rows,
                               const std::function<bool()>& keep_going) const;

  std::int64_t valid() const;        ///< trials of the session with a time
  std::int64_t learnt_from() const;  ///< trials among these that are in the model

 private:
  space::SearchSpace space_;
  std::shared_ptr<const LearntSpace> learnt_;

  SliceModel(space::SearchSpace space, std::shared_ptr<const LearntSpace> learnt);
};

}  // namespace kernelscape::analysis
