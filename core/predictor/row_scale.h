#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/predictor/model.h"

namespace kernelscape::predictor {

/**
 * Scales the columns of rows to mean 0 and standard deviation 1 over the training rows, and sets constant
 * columns to 0. Clamps values to ten standard deviations, since a column that hardly varied in training would
 * otherwise dominate all others.
 */
struct RowScale {
  std::vector<float> means;   ///< by column; empty: rows remain unchanged
  std::vector<float> scales;  ///< 1 / deviation, or 0; by column
  std::size_t kept = 0;       ///< columns before this index remain unchanged

  /** Scales rows in place. @param rows whole rows, one after the other */
  void apply(std::span<float> rows) const;
  bool operator==(const RowScale&) const = default;
};

/**
 * Returns true if the rows of this kind of model are scaled. The published code's models read unscaled rows,
 * and trees do not depend on the scale.
 */
bool scales_rows(Kind kind);
/**
 * Returns the number of leading columns that remain unchanged: the number of loops, which determines how a
 * row is interpreted.
 */
std::size_t kept_columns(Kind kind);

/**
 * Computes the scale from the rows at `positions`, of which there must be at least one. The columns of a
 * token have one mean over all loops of all rows, since a network reads all tokens alike.
 */
RowScale row_scale(const ModelShape& shape, std::span<const float> rows,
                   std::span<const std::size_t> positions);

/**
 * Converts between performance in FLOP/s and the label that a model learns, which has mean 0 and standard
 * deviation 1 in training.
 */
struct LabelScale {
  bool logarithmic = true;  ///< true: the model learns the logarithm of performance
  float mean = 0;
  float deviation = 1;

  float label(float fitness) const;  ///< Returns the label of a fitness. @param fitness above 0
  float fitness(
      float learnt) const;  ///< Returns the inverse of label(), which never decreases when `learnt` increases
  bool operator==(const LabelScale&) const = default;
};

/** Computes the scale from the performance of all training samples: at least one, and each above 0. */
LabelScale label_scale(bool logarithmic, std::span<const float> fitness);

}  // namespace kernelscape::predictor
