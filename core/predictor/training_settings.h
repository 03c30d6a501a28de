#pragma once

#include <string>
#include <string_view>

#include "core/predictor/predictor_model.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/** All settings of a training as a JSON object, which names them and keeps their types. */
std::string training_settings_to_json(const SettingValues& settings);

/** Which model they ask for. */
PredictorKind model_kind(const SettingValues& settings);
/** That model, of rows as this program makes them. */
ModelShape model_shape(const SettingValues& settings);

}  // namespace kernelscape
