#include <algorithm>
#include <numeric>

#include "core/predictor/model_trainer.h"

namespace kernelscape::predictor {

std::vector<std::size_t> draw_samples(const TrainingRows& rows, const TrainingSettings& settings,
                                      base::Random random) {
  std::vector<std::size_t> drawn = rows.training;
  if (!settings.oversampling) {
    random.shuffle(std::span(drawn));
    return drawn;
  }
  std::vector<float> labels;
  for (const std::size_t position : rows.training) labels.push_back(rows.labels[position]);
  std::vector<double> up_to = inverse_frequencies(labels, settings.oversampling_bins);
  std::partial_sum(up_to.begin(), up_to.end(), up_to.begin());
  for (std::size_t& position : drawn) {
    const auto found = std::ranges::upper_bound(up_to, random.uniform() * up_to.back());
    const auto index = static_cast<std::size_t>(found - up_to.begin());
    position = rows.training[std::min(index, up_to.size() - 1)];
  }
  return drawn;
}

}  // namespace kernelscape::predictor
