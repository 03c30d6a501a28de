#include "core/analysis/pareto.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/text.h"

namespace kernelscape::analysis {
namespace {

/** Words of names of quantities of which more is better, beside those that end with "flops". */
constexpr std::array<std::string_view, 8> more_words{"throughput", "bandwidth", "efficiency",  "accuracy",
                                                     "occupancy",  "speedup",   "utilization", "hit"};

/** Returns the words of a name: "l2_hit rate" has three. */
std::vector<std::string> words_of(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == '_' || c == '.'; }, ' ');
  return base::split_text(name, ' ');
}

/** Returns a value of which less is better. */
double cost_of(double value, Better better) { return better == Better::Less ? value : -value; }

}  // namespace

Better usual_direction(const Column& column) {
  switch (column.measured.value_or(trial::Measured::Trial)) {
    case trial::Measured::Gflops:
    case trial::Measured::Bandwidth:
    case trial::Measured::Occupancy:
    case trial::Measured::Speed:
      return Better::More;
    default:
      break;
  }
  if (!column.metric) return Better::Less;
  const std::string unit = base::lower_case(column.unit);
  const std::string name = base::lower_case(column.name);
  const bool rate = unit.ends_with("/s") || unit.ends_with("ops") || name.ends_with("/s");
  const std::vector<std::string> words = words_of(name);
  const bool more = std::ranges::any_of(words, [](const std::string& word) {
    return word.ends_with("flops") || std::ranges::find(more_words, word) != more_words.end();
  });
  return rate || more ? Better::More : Better::Less;
}

std::vector<std::size_t> pareto_front(const Objective& x, const Objective& y) {
  if (x.values.size() != y.values.size())
    throw std::invalid_argument("two objectives with different numbers of values");
  struct Point {
    double x;
    double y;
    std::size_t position;
  };
  std::vector<Point> points;
  for (std::size_t i = 0; i < x.values.size(); ++i)
    if (!std::isnan(x.values[i]) && !std::isnan(y.values[i]))
      points.push_back({cost_of(x.values[i], x.better), cost_of(y.values[i], y.better), i});
  std::ranges::sort(points, [](const Point& a, const Point& b) {
    return std::tie(a.x, a.y, a.position) < std::tie(b.x, b.y, b.position);
  });
  std::vector<std::size_t> front;
  const Point* last = nullptr;
  for (const Point& point : points) {
    const bool equal = last != nullptr && point.x == last->x && point.y == last->y;
    if (last != nullptr && !equal && !(point.y < last->y)) continue;
    front.push_back(point.position);
    last = &point;
  }
  return front;
}

std::vector<double> objective_values(const TrialColumns& columns, const trial::Snapshot& trials,
                                     std::span<const std::int64_t> rows, std::size_t column) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::int64_t row : rows)
    values.push_back(trials.row(row).category == trial::ErrorCategory::NoError
                         ? columns.value(trials, row, column)
                         : std::numeric_limits<double>::quiet_NaN());
  return values;
}

}  // namespace kernelscape::analysis
