#pragma once

#include <memory>
#include <string_view>

#include "core/tuner/typed_settings.h"

namespace kernelscape {

/** What a surrogate learns from. Automatic is AutoTVM's default: Itervar where a loop nest exists, else Knob.
 */
enum class FeatureChoice : std::uint8_t { Automatic, Itervar, Curve, Knob, Csp };

/** The setting "features" of tuners with a surrogate. */
struct FeatureSettings {
  FeatureChoice features = FeatureChoice::Automatic;

  /** Of tuners that may learn from all of them. */
  static SettingsOf<FeatureSettings> table();
};

/**
 * The features of the loop nest by their name, "itervar" or "curve"; never null. InvalidArgument where no
 * loop nest is known.
 * @param way_out the error's hint: which setting to change to what
 */
Result<std::shared_ptr<const FeatureExtractor>> loop_nest_features(const TunerContext& context,
                                                                   std::string_view tuner,
                                                                   std::string_view features,
                                                                   std::string_view way_out);

/** The variables of the space's CSP as features, the target's limits among them where these are known; never
 * null. */
std::shared_ptr<const FeatureExtractor> csp_features(const TunerContext& context);

/** The features that the context's settings choose; never null. InvalidArgument where they need a loop nest
 * and there is none. */
Result<std::shared_ptr<const FeatureExtractor>> chosen_features(const TunerContext& context,
                                                                std::string_view tuner);

/** Whether there are the features that the settings choose. */
Status check_features(const TunerContext& context, std::string_view tuner);

}  // namespace kernelscape
