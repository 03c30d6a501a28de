#include "core/tuner/feature_choice.h"

#include <fmt/format.h>

#include "core/space/csp_features.h"

namespace kernelscape::tuner {

SettingsOf<FeatureSettings> FeatureSettings::table() {
  return SettingsOf<FeatureSettings>().choice(
      "features", &FeatureSettings::features,
      {{"automatic", FeatureChoice::Automatic},
       {"itervar", FeatureChoice::Itervar},
       {"curve", FeatureChoice::Curve},
       {"knob", FeatureChoice::Knob},
       {"csp", FeatureChoice::Csp}},
      "features of the surrogate: of the loop nest (itervar, curve), the knobs' values, or all variables of "
      "the constraints (csp); automatic: itervar if a loop nest exists, otherwise knob",
      "AutoTVM, feature_type; csp: Heron, section 5");
}

Result<std::shared_ptr<const space::FeatureExtractor>> loop_nest_features(const Context& context,
                                                                          std::string_view tuner,
                                                                          std::string_view features,
                                                                          std::string_view way_out) {
  const auto& found = features == "curve" ? context.features.curve : context.features.itervar;
  if (found) return found;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("tuner {}: there are no {} features, because no loop nest of the configurations is known",
                  tuner, features),
      std::string(way_out));
}

std::shared_ptr<const space::FeatureExtractor> csp_features(const Context& context) {
  if (context.features.csp) return context.features.csp;
  return std::make_shared<space::CspFeatures>(context.space);
}

Result<std::shared_ptr<const space::FeatureExtractor>> chosen_features(const Context& context,
                                                                       std::string_view tuner) {
  const space::FeatureSets& sets = context.features;
  const FeatureChoice choice = read_settings<FeatureSettings>(context.settings).features;
  const char* const way_out = "set features to knob, csp or automatic";
  if (choice == FeatureChoice::Itervar) return loop_nest_features(context, tuner, "itervar", way_out);
  if (choice == FeatureChoice::Curve) return loop_nest_features(context, tuner, "curve", way_out);
  if (choice == FeatureChoice::Csp) return csp_features(context);
  if (choice == FeatureChoice::Automatic && sets.itervar) return sets.itervar;
  if (sets.knob) return sets.knob;
  return std::make_shared<space::KnobFeatures>(context.space);
}

Status check_features(const Context& context, std::string_view tuner) {
  const auto features = chosen_features(context, tuner);
  return features ? Status() : std::unexpected(features.error());
}

}  // namespace kernelscape::tuner
