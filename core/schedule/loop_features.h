#pragma once

#include <memory>

#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape::schedule {

/**
 * AutoTVM's "itervar" features (Chen et al., Learning to Optimize Tensor Programs, appendix A;
 * GetItervarFeatureFlatten of its touch_extractor.cc). Per loop of the configuration's own order, outermost
 * first, loops of one iteration included, 36 numbers:
 *
 * - log2(1 + length), nest level from 1, log2(1 + topdown), log2(1 + bottomup);
 * - 11 of 0 or 1: how the loop is run (LoopAnnotation);
 * - log2(1 + n) of the float additions, multiplications and divisions right inside it: 1, 1, 0 of the
 *   innermost loop, 0 elsewhere;
 * - per tensor, by name: stride, mod (always -1), count, reuse, thread count, thread reuse (Touch), each as
 *   sign(x) * log2(1 + |x|).
 *
 * Then the values of the knobs that are no factorizations.
 */
std::shared_ptr<const space::FeatureExtractor> itervar_features(const ScheduledKernel& kernel);

/** Samples per relation in AutoTVM's own cost model; One-Shot Tuner uses 30. */
inline constexpr int default_curve_samples = 20;

/**
 * AutoTVM's "curve" or relation features (Learning to Optimize Tensor Programs, appendix A;
 * GetCurveSampleFeatureFlatten): how count, reuse and topdown grow together from loop to loop.
 *
 * Per tensor, by name: the sequences C of log2(count), R of log2(reuse) and T of log2(topdown) over the
 * loops, each with a 0 in front and then sorted by itself. For the relations C to R, R to C, C to T and T to
 * C, taken as x and y, and s = 0, ..., samples - 1: y[j] and s - x[j], j being the last place with s >= x[j]
 * - 1e-6. These are 8 * samples numbers per tensor. Then the values of the knobs that are no factorizations.
 *
 * @param samples points per relation, at least 1
 */
std::shared_ptr<const space::FeatureExtractor> curve_features(const ScheduledKernel& kernel,
                                                              int samples = default_curve_samples);

}  // namespace kernelscape::schedule
