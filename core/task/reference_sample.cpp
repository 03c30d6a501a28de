#include "core/task/reference_sample.h"

#include <algorithm>
#include <utility>

#include "core/base/random.h"
#include "core/task/evaluation.h"
#include "core/task/reference.h"

namespace kernelscape::task {
namespace {

constexpr int points_per_border = 256;
constexpr std::int64_t remainder_width = 16;  ///< a tile's remainder lies within this many last elements

class PointSampler {
 public:
  PointSampler(const TensorOperator& op, std::uint64_t seed)
      : random_(base::Random(seed).fork("reference sample")) {
    for (const TensorAxis& axis : op.axes) {
      if (!axis.reduction) extents_.push_back(axis.extent);
    }
  }

  std::vector<std::int64_t> draw() {
    add_corners();
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) add_borders(axis);
    while (units_.size() < static_cast<std::size_t>(min_sample_positions)) {
      const std::size_t missing = static_cast<std::size_t>(min_sample_positions) - units_.size();
      for (std::size_t i = 0; i < missing; ++i) add(random_values());
      std::ranges::sort(units_);
      units_.erase(std::ranges::unique(units_).begin(), units_.end());
    }
    return std::move(units_);
  }

 private:
  std::vector<std::int64_t> random_values() {
    std::vector<std::int64_t> values;
    for (const std::int64_t extent : extents_)
      values.push_back(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(extent))));
    return values;
  }

  void add(const std::vector<std::int64_t>& values) {
    std::int64_t unit = 0;
    for (std::size_t i = 0; i < values.size(); ++i) unit = unit * extents_[i] + values[i];
    units_.push_back(unit);
  }

  void add_corners() {
    for (std::size_t corner = 0; corner < (std::size_t{1} << extents_.size()); ++corner) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < extents_.size(); ++i)
        values.push_back(((corner >> i) & 1U) != 0 ? extents_[i] - 1 : 0);
      add(values);
    }
  }

  void add_borders(std::size_t axis) {
    const std::int64_t extent = extents_[axis];
    const auto near_end = static_cast<std::uint64_t>(std::min(extent, remainder_width));
    for (int i = 0; i < points_per_border; ++i) {
      for (const bool last : {false, true}) {
        std::vector<std::int64_t> values = random_values();
        values[axis] = last ? extent - 1 : 0;
        add(values);
      }
      std::vector<std::int64_t> values = random_values();
      values[axis] = extent - 1 - static_cast<std::int64_t>(random_.below(near_end));
      add(values);
    }
  }

  base::Random random_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> units_;
};

}  // namespace

std::vector<SamplePoint> sample_points(const TensorOperator& op, std::uint64_t seed) {
  const EvaluationPlan plan = plan_evaluation(op, true);
  std::vector<SamplePoint> points;
  for (const std::int64_t unit : PointSampler(op, seed).draw()) {
    std::int64_t position = plan.origin[EvaluationPlan::output_quantity];
    std::int64_t rest = unit;
    for (std::size_t i = plan.unit_axes.size(); i-- > 0;) {
      const std::size_t axis = plan.unit_axes[i];
      position += rest % plan.extents[axis] * plan.steps[axis][EvaluationPlan::output_quantity];
      rest /= plan.extents[axis];
    }
    points.push_back({unit, position});
  }
  std::ranges::sort(points, {}, &SamplePoint::position);
  return points;
}

}  // namespace kernelscape::task
