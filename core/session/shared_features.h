#pragma once

#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape {

/**
 * The features of a template's configurations: itervar and curve, cached, and those of the CSP of its
 * constraints and of the target's limits, respected or not; these and knob features cost less than keeping
 * them. Whoever asks for the same template, task, target and knobs while another one in this process holds
 * them gets the same: the replays of a study compute each configuration once, and what that cost is billed to
 * all of them (RunFeatures). Any thread may ask.
 */
FeatureSets shared_features(const ScheduledKernel& kernel);

/**
 * The same, cached for the caller alone: a session that measures pays with wall time for the rows it asks
 * for, whatever ran in this process before it.
 */
FeatureSets own_features(const ScheduledKernel& kernel);

}  // namespace kernelscape
