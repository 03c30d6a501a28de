#pragma once

#include <cstddef>
#include <memory>

#include "core/schedule/kernel_summary.h"
#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape::schedule {

/**
 * The layout of the rows of token_features(), the same for every task and template: the number of loops (1 to
 * `loops`); `loops` times `loop_columns` numbers, of which those after the last loop are 0; the task's
 * numbers; the numbers of KernelSummary and then those of the knobs.
 */
struct TokenRow {
  static constexpr std::size_t loops = 24;  ///< maximum number of loops
  static constexpr std::size_t loop_columns = 46;
  static constexpr std::size_t task_columns = 31;
  static constexpr std::size_t knobs = 24;  ///< maximum number of values of knobs
  static constexpr std::size_t knob_columns = KernelSummary::columns + knobs;
  static constexpr std::size_t columns = 1 + loops * loop_columns + task_columns + knob_columns;
};

/** FeatureExtractor::version() of token_features() and of one_shot_features(). */
inline constexpr int token_features_version = 1;
inline constexpr int one_shot_features_version = 1;

/**
 * Returns ok if a row has room for a kernel's loops and knobs; otherwise Refused, with the template's name.
 */
Status fits_token_row(const ScheduledKernel& kernel);

/**
 * Returns the features "tokens": a kernel as a sentence whose words are its loops, for a network that reads
 * sequences. The length and the meaning of a row are the same for every task of a template; see TokenRow.
 *
 * - Per loop, outermost first: the 36 numbers of itervar_features(), then ten values of 0 or 1: the axis that
 *   it runs along (n or b, g, f, z, y, x, rc or k, rz, ry, rx).
 * - Of the task as the schedule sees it: log2 of FLOP, log2(1 + extent) of these ten axes (0 if an axis is
 *   absent), log2(1 + v) of stride, padding and dilation along z, y and x, log2 of the bytes of inputs and
 *   output and of FLOP per byte, of the bytes of an element of each, and 0 or 1: integers, a transposed
 *   convolution, operands stored transposed.
 * - Of the knobs: the numbers of KernelSummary; factors and the values of ordinals from the left, all others
 *   from the right, knob by knob, so that the tiles of a task that lacks a choice keep the positions that
 *   they have in other tasks. Each as sign(v) * log2(1 + |v|), a text by its position in its knob's list.
 *
 * @throws std::logic_error as LoopTouches does, and if fits_token_row() refuses
 */
std::shared_ptr<const space::FeatureExtractor> token_features(const ScheduledKernel& kernel);

/** Number of values per row of one_shot_features(). */
inline constexpr std::size_t one_shot_columns = 748;

/**
 * Returns the features "one-shot": the inputs of One-Shot Tuner's published code. 720 of curve_features()
 * with 30 samples; 20 of all knobs as in KnobFeatures, right-aligned behind zeros, the first omitted if there
 * are more; 8 of the shapes of the second input and the output, in elements, aligned in the same way.
 *
 * @throws std::logic_error as LoopTouches does
 */
std::shared_ptr<const space::FeatureExtractor> one_shot_features(const ScheduledKernel& kernel);

}  // namespace kernelscape::schedule
