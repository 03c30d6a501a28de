#include "core/tuner/tuner.h"

#include <algorithm>

namespace kernelscape::tuner {

std::vector<trial::SeriesValue> Tuner::series(std::size_t /*position*/) const { return {}; }

std::int64_t own_batch(const Declaration& tuner, std::int64_t builders) {
  return tuner.default_batch == batch_of_builders ? std::max<std::int64_t>(1, builders) : tuner.default_batch;
}

std::string own_batch_text(const Declaration& tuner) {
  return tuner.default_batch == batch_of_builders ? "builders" : std::to_string(tuner.default_batch);
}

}  // namespace kernelscape::tuner
