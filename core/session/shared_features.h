#pragma once

#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape::session {

/**
 * Returns the features of a template's configurations: itervar and curve features, cached, and those of the
 * CSP of its constraints and of the device limits, whether these are enforced or not; CSP and knob features
 * are cheaper to compute than to cache. Callers in this process with the same template, task, target and
 * knobs share the cache while one of them holds it: the replays of a study compute each configuration once,
 * and each is billed its cost (RunFeatures). Thread-safe.
 */
space::FeatureSets shared_features(const schedule::ScheduledKernel& kernel);

/**
 * As shared_features(), but cached for the caller alone: a measured session pays with wall time for the rows
 * it requests, independent of earlier runs in this process.
 */
space::FeatureSets own_features(const schedule::ScheduledKernel& kernel);

}  // namespace kernelscape::session
