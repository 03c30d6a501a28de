#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/predictor/predictor_model.h"

namespace kernelscape {

/**
 * Brings the columns of rows to mean 0 and deviation 1 over the rows of training, and constant ones to 0.
 * What lies further off than ten deviations is brought there: a column that hardly varied in training would
 * else drown all others.
 */
struct RowScale {
  std::vector<float> means;   ///< by column; empty: rows stay as they are
  std::vector<float> scales;  ///< 1 / deviation, or 0; by column
  std::size_t kept = 0;       ///< columns before this one stay as they are

  /** @param rows whole rows, one after the other */
  void apply(std::span<float> rows) const;
  bool operator==(const RowScale&) const = default;
};

/** Whether a model of this kind has its rows scaled: the published one reads them as they are, and trees do
 * not care. */
bool scales_rows(PredictorKind kind);
/** Columns that stay as they are: the number of loops, which says how a row is to be read. */
std::size_t kept_columns(PredictorKind kind);

/**
 * Of the rows at these positions, of which there is at least one. A token's columns have one mean over all
 * loops of all rows, since a network reads them all alike.
 */
RowScale row_scale(const ModelShape& shape, std::span<const float> rows,
                   std::span<const std::size_t> positions);

/** Between performance in FLOP/s and what a model learns, which has mean 0 and deviation 1 in training. */
struct LabelScale {
  bool logarithmic = true;  ///< the logarithm of performance is learnt
  float mean = 0;
  float deviation = 1;

  float label(float fitness) const;   ///< @param fitness above 0
  float fitness(float learnt) const;  ///< the inverse: never falls where `learnt` rises
  bool operator==(const LabelScale&) const = default;
};

/** Of the performance of all samples of training, each above 0, at least one. */
LabelScale label_scale(bool logarithmic, std::span<const float> fitness);

}  // namespace kernelscape
