#include "core/predictor/row_scale.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::predictor {
namespace {

constexpr float max_deviations = 10;

/** Running mean and variance (Welford). */
struct RunningMoments {
  std::size_t count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double off = value - mean;
    mean += off / static_cast<double>(count);
    squares += off * (value - mean);
  }
  double deviation() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
};

void set_scale(RowScale& scale, std::size_t column, const RunningMoments& moments) {
  // The rounding error of a constant is not a deviation.
  const bool constant = moments.deviation() <= 1e-6 * std::fabs(moments.mean) || moments.deviation() < 1e-20;
  scale.means[column] = static_cast<float>(moments.mean);
  scale.scales[column] = constant ? 0.0F : static_cast<float>(1 / moments.deviation());
}

std::size_t loops_of(std::span<const float> row, const surrogate::TokenLayout& layout) {
  return static_cast<std::size_t>(std::clamp(row[0], 0.0F, static_cast<float>(layout.loops)));
}

}  // namespace

void RowScale::apply(std::span<float> rows) const {
  const std::size_t columns = means.size();
  if (columns == 0) return;
  for (; !rows.empty(); rows = rows.subspan(columns)) {
    for (std::size_t column = kept; column < columns; ++column) {
      const float off = (rows[column] - means[column]) * scales[column];
      rows[column] = std::clamp(off, -max_deviations, max_deviations);
    }
  }
}

bool scales_rows(Kind kind) { return kind == Kind::Tokens || kind == Kind::Perceptron; }

std::size_t kept_columns(Kind kind) { return kind == Kind::Tokens ? 1 : 0; }

RowScale row_scale(const ModelShape& shape, std::span<const float> rows,
                   std::span<const std::size_t> positions) {
  if (!scales_rows(shape.kind)) return {};
  const std::size_t columns = shape.network.columns;
  const surrogate::TokenLayout layout = shape.network.tokens;
  const bool tokens = shape.kind == Kind::Tokens;
  const std::size_t first_alone = tokens ? 1 + layout.loops * layout.loop_columns : 0;

  std::vector<RunningMoments> of_loops(tokens ? layout.loop_columns : 0);
  std::vector<RunningMoments> alone(columns - first_alone);
  for (const std::size_t position : positions) {
    const std::span<const float> row = rows.subspan(position * columns, columns);
    for (std::size_t loop = 0; tokens && loop < loops_of(row, layout); ++loop) {
      for (std::size_t i = 0; i < layout.loop_columns; ++i)
        of_loops[i].add(row[1 + loop * layout.loop_columns + i]);
    }
    for (std::size_t i = 0; i < alone.size(); ++i) alone[i].add(row[first_alone + i]);
  }

  RowScale scale{std::vector<float>(columns), std::vector<float>(columns), kept_columns(shape.kind)};
  for (std::size_t column = scale.kept; column < first_alone; ++column)
    set_scale(scale, column, of_loops[(column - 1) % layout.loop_columns]);
  for (std::size_t i = 0; i < alone.size(); ++i) set_scale(scale, first_alone + i, alone[i]);
  return scale;
}

float LabelScale::label(float fitness) const {
  const double value = logarithmic ? std::log(static_cast<double>(fitness)) : static_cast<double>(fitness);
  return static_cast<float>((value - mean) / deviation);
}

float LabelScale::fitness(float learnt) const {
  constexpr double max_logarithm = 80;  // limit for the range of a float, 5e34 FLOP/s
  const double value = static_cast<double>(mean) + static_cast<double>(deviation) * learnt;
  // Unlike std::clamp, this keeps NaN.
  return static_cast<float>(logarithmic ? std::exp(value > max_logarithm ? max_logarithm : value) : value);
}

LabelScale label_scale(bool logarithmic, std::span<const float> fitness) {
  RunningMoments moments;
  for (const float value : fitness) moments.add(logarithmic ? std::log(static_cast<double>(value)) : value);
  LabelScale scale{logarithmic, static_cast<float>(moments.mean), static_cast<float>(moments.deviation())};
  if (!(scale.deviation > 1e-6F * std::fabs(scale.mean))) scale.deviation = 1;
  return scale;
}

}  // namespace kernelscape::predictor
