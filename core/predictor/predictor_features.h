#pragma once

#include <memory>
#include <string_view>

#include "core/predictor/predictor_model.h"
#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape {

/** FeatureExtractor::name() of the rows that a model of this kind reads. */
std::string_view features_of(PredictorKind kind);
/** FeatureExtractor::version() of these rows in this program. */
int features_version(PredictorKind kind);
/** These rows of a kernel's configurations. Refused where they have no room for its loops or knobs. */
Result<std::shared_ptr<const FeatureExtractor>> predictor_features(PredictorKind kind,
                                                                   const ScheduledKernel& kernel);
/** Where what stands in them, without sizes of a network. */
NetworkShape shape_of_rows(PredictorKind kind);

}  // namespace kernelscape
