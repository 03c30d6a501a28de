#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/predictor/kind.h"
#include "core/surrogate/network/network.h"

namespace kernelscape::predictor {

/** The kind of a model, and its sizes: all that its parameters do not contain. */
struct ModelShape {
  Kind kind = Kind::Tokens;
  surrogate::NetworkShape network = {};  ///< for Trees, only the columns are set

  bool operator==(const ModelShape&) const = default;
};

/** Returns InvalidArgument if the sizes do not fit each other, or if no setting allows them. */
Status check_shape(const ModelShape& shape);

/** A model that predicts a number from a row of features. Immutable. */
class RegressionModel {
 public:
  /**
   * Creates a model from the parameters of a file or of training. Returns InvalidArgument if shape and
   * parameters do not form a model, if there are too many parameters, or if some are not finite.
   */
  static Result<std::shared_ptr<const RegressionModel>> from_numbers(const ModelShape& shape,
                                                                     std::span<const float> numbers);
  virtual ~RegressionModel() = default;

  /**
   * Predicts one value per row; a value depends only on its row. May be called from any thread.
   * @param rows values.size() * shape.network.columns numbers, one row after the other
   */
  virtual void predict(std::span<const float> rows, std::span<float> values) const = 0;
};

}  // namespace kernelscape::predictor
