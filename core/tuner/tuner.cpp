#include "core/tuner/tuner.h"

#include <algorithm>

namespace kernelscape {

std::vector<SeriesValue> Tuner::series(std::size_t /*position*/) const { return {}; }

std::int64_t own_batch(const TunerDeclaration& tuner, std::int64_t builders) {
  return tuner.default_batch == batch_of_builders ? std::max<std::int64_t>(1, builders) : tuner.default_batch;
}

std::string own_batch_text(const TunerDeclaration& tuner) {
  return tuner.default_batch == batch_of_builders ? "builders" : std::to_string(tuner.default_batch);
}

}  // namespace kernelscape
