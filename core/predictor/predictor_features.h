#pragma once

#include <memory>
#include <string_view>

#include "core/predictor/predictor_model.h"
#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape {

/** Returns the FeatureExtractor::name() of the rows that this kind of model reads. */
std::string_view features_of(PredictorKind kind);
/** Returns the FeatureExtractor::version() of these rows in this program. */
int features_version(PredictorKind kind);
/**
 * Returns the extractor of these rows for the configurations of a kernel. Returns Refused if the rows have no
 * room for the kernel's loops or knobs.
 */
Result<std::shared_ptr<const FeatureExtractor>> predictor_features(PredictorKind kind,
                                                                   const ScheduledKernel& kernel);
/** Returns the layout of the rows, without the sizes of a network. */
NetworkShape shape_of_rows(PredictorKind kind);

}  // namespace kernelscape
