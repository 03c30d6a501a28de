#include "core/tuner/tuner.h"

namespace kernelscape {

std::vector<SeriesValue> Tuner::series(std::size_t /*position*/) const { return {}; }

}  // namespace kernelscape
