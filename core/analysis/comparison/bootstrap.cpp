#include "core/analysis/comparison/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/random.h"

namespace kernelscape::analysis {
namespace {

double value_in_order(std::vector<double>& values, std::size_t position) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::ranges::nth_element(values, place);
  return *place;
}

void replace_not_numbers(std::vector<double>& values, double by) {
  for (double& value : values)
    if (std::isnan(value)) value = by;
}

/** Computes the statistic of each resample of a sample. */
template <typename Statistic>
std::optional<ConfidenceInterval> resampled_interval(std::span<const double> samples,
                                                     const BootstrapOptions& options,
                                                     const Statistic& statistic) {
  const Resamples resamples(options, 0, samples.size());
  std::vector<double> found;
  std::vector<double> drawn(samples.size());
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    std::ranges::transform(resamples.positions(resample), drawn.begin(),
                           [&](std::uint32_t position) { return samples[position]; });
    found.push_back(statistic(std::span<double>(drawn)));
  }
  return percentile_interval(std::move(found), samples.size(), -std::numeric_limits<double>::infinity());
}

}  // namespace

double expanded_tail(std::size_t samples) {
  const auto n = static_cast<double>(samples);
  const double deviations =
      std::sqrt(n / (n - 1)) * student_quantile_95(static_cast<std::int64_t>(samples) - 1);
  return std::erfc(deviations / std::numbers::sqrt2) / 2;
}

std::optional<ConfidenceInterval> percentile_interval(std::vector<double> values, std::size_t samples,
                                                      double least) {
  if (samples < 2 || values.empty()) return {};
  const auto last = static_cast<double>(values.size() - 1);
  const auto position = static_cast<std::size_t>(std::floor(expanded_tail(samples) * last));
  std::vector<double> upper = values;
  replace_not_numbers(values, least);
  replace_not_numbers(upper, std::numeric_limits<double>::infinity());
  return ConfidenceInterval{value_in_order(values, position),
                            value_in_order(upper, upper.size() - 1 - position)};
}

Resamples::Resamples(const BootstrapOptions& options, std::uint64_t stream, std::size_t size) : size_(size) {
  if (size == 0) return;
  constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;  // makes streams of similar seeds differ
  base::Random random(options.seed + apart * (stream + 1));
  positions_.resize(options.resamples * size);
  for (std::uint32_t& position : positions_) position = static_cast<std::uint32_t>(random.below(size));
}

std::span<const std::uint32_t> Resamples::positions(std::size_t resample) const {
  return std::span(positions_).subspan(resample * size_, size_);
}

std::optional<ConfidenceInterval> bootstrap_mean_interval(std::span<const double> samples,
                                                          const BootstrapOptions& options) {
  return resampled_interval(samples, options, [](std::span<const double> drawn) {
    double sum = 0;
    for (const double value : drawn) sum += value;
    return sum / static_cast<double>(drawn.size());
  });
}

std::optional<ConfidenceInterval> bootstrap_median_interval(std::span<const double> samples,
                                                            const BootstrapOptions& options) {
  return resampled_interval(samples, options, median_with_infinities);
}

double median_with_infinities(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace kernelscape::analysis
