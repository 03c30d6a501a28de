#pragma once

#include <memory>
#include <string_view>

#include "core/predictor/model.h"
#include "core/schedule/template.h"
#include "core/space/features.h"

namespace kernelscape::predictor {

/** Returns the FeatureExtractor::name() of the rows that this kind of model reads. */
std::string_view features_of(Kind kind);
/** Returns the FeatureExtractor::version() of these rows in this program. */
int features_version(Kind kind);
/**
 * Returns the extractor of these rows for the configurations of a kernel. Returns Refused if the rows have no
 * room for the kernel's loops or knobs.
 */
Result<std::shared_ptr<const space::FeatureExtractor>> predictor_features(
    Kind kind, const schedule::ScheduledKernel& kernel);
/** Returns the layout of the rows, without the sizes of a network. */
surrogate::NetworkShape shape_of_rows(Kind kind);

}  // namespace kernelscape::predictor
