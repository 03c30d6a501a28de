#pragma once

#include <cstddef>
#include <memory>

#include "core/schedule/kernel_summary.h"
#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape {

/**
 * How the rows of token_features() are laid out, whatever the task and template: the number of loops (1 to
 * `loops`), `loops` times `loop_columns` numbers of which those after the number are 0, then the task's
 * numbers, then the knobs' with those of KernelSummary in front.
 */
struct TokenRow {
  static constexpr std::size_t loops = 24;  ///< most
  static constexpr std::size_t loop_columns = 46;
  static constexpr std::size_t task_columns = 31;
  static constexpr std::size_t knobs = 24;  ///< most numbers of knobs
  static constexpr std::size_t knob_columns = KernelSummary::columns + knobs;
  static constexpr std::size_t columns = 1 + loops * loop_columns + task_columns + knob_columns;
};

/** FeatureExtractor::version() of token_features() and of one_shot_features(). */
inline constexpr int token_features_version = 1;
inline constexpr int one_shot_features_version = 1;

/** Whether a row has room for a kernel's loops and knobs; Refused, naming the template, where it has not. */
Status fits_token_row(const ScheduledKernel& kernel);

/**
 * "tokens": a kernel as a sentence, its loops being the words, for a network that reads sequences. Rows are
 * as long and mean the same for every task of a template; see TokenRow.
 *
 * - Per loop, outermost first: the 36 numbers of itervar_features(), then ten of 0 or 1: which axis it runs
 *   along (n or b, g, f, z, y, x, rc or k, rz, ry, rx).
 * - Of the task as the schedule sees it: log2 of FLOP, log2(1 + extent) of these ten axes (0 where there is
 *   none), log2(1 + v) of stride, padding and dilation along z, y and x, log2 of the bytes of inputs and
 *   output and of FLOP per byte, of the bytes of an element of each, and 0 or 1: integers, a transposed
 *   convolution, operands stored transposed.
 * - Of the knobs: the numbers of KernelSummary; factors and the values of ordinals from the left, all else
 * from the right, knob by knob, so that a task which lacks a choice that others have keeps its tiles where
 * theirs are. Each as sign(v) * log2(1 + |v|), a text by its place in its knob's list.
 *
 * @throws std::logic_error as LoopTouches does, and where fits_token_row() refuses
 */
std::shared_ptr<const FeatureExtractor> token_features(const ScheduledKernel& kernel);

/** Numbers of a row of one_shot_features(). */
inline constexpr std::size_t one_shot_columns = 748;

/**
 * "one-shot": the inputs of One-Shot Tuner's published code. 720 of curve_features() with 30 samples; 20 of
 * all knobs as KnobFeatures has them, right-aligned behind zeros, the first left out where there are more; 8
 * of the shapes of the second input and the output, in elements, aligned in the same way.
 *
 * @throws std::logic_error as LoopTouches does
 */
std::shared_ptr<const FeatureExtractor> one_shot_features(const ScheduledKernel& kernel);

}  // namespace kernelscape
