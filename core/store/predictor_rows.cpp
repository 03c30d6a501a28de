#include "core/store/predictor_rows.h"

#include <stdexcept>

namespace kernelscape::store {

std::string_view to_string(PredictorState state) {
  switch (state) {
    case PredictorState::Training:
      return "training";
    case PredictorState::Interrupted:
      return "interrupted";
    case PredictorState::Done:
      return "done";
    case PredictorState::Failed:
      return "failed";
  }
  throw std::invalid_argument("an unknown state of a predictor");
}

}  // namespace kernelscape::store
