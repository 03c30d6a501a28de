#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/predictor/predictor_kind.h"
#include "core/surrogate/network/network.h"

namespace kernelscape {

/** Which model it is, and all that its numbers do not say. */
struct ModelShape {
  PredictorKind kind = PredictorKind::Tokens;
  NetworkShape network = {};  ///< of Trees the columns alone

  bool operator==(const ModelShape&) const = default;
};

/** InvalidArgument: sizes that do not fit each other, or that no setting allows. */
Status check_shape(const ModelShape& shape);

/** A model that predicts a number from a row of features. Immutable. */
class RegressionModel {
 public:
  /** Of a file or of training. InvalidArgument: a shape or numbers that are no such model, too many of them,
   * or some that are not finite. */
  static Result<std::shared_ptr<const RegressionModel>> from_numbers(const ModelShape& shape,
                                                                     std::span<const float> numbers);
  virtual ~RegressionModel() = default;

  /**
   * One value per row, which depends on nothing else. Any thread may ask.
   * @param rows values.size() * shape.network.columns numbers, one row after the other
   */
  virtual void predict(std::span<const float> rows, std::span<float> values) const = 0;
};

}  // namespace kernelscape
