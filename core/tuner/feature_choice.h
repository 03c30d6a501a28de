#pragma once

#include <memory>
#include <string_view>

#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {

/**
 * The features that a surrogate learns from. Automatic is AutoTVM's default: Itervar if a loop nest exists,
 * otherwise Knob.
 */
enum class FeatureChoice : std::uint8_t { Automatic, Itervar, Curve, Knob, Csp };

/** The setting "features" of tuners with a surrogate. */
struct FeatureSettings {
  FeatureChoice features = FeatureChoice::Automatic;

  /** Returns the setting of tuners that support all choices. */
  static SettingsOf<FeatureSettings> table();
};

/**
 * Returns the features of the loop nest with the name "itervar" or "curve"; never null. InvalidArgument if no
 * loop nest is known.
 * @param way_out the error's hint: which setting to change to what
 */
Result<std::shared_ptr<const space::FeatureExtractor>> loop_nest_features(const Context& context,
                                                                          std::string_view tuner,
                                                                          std::string_view features,
                                                                          std::string_view way_out);

/**
 * Returns the variables of the space's CSP as features, with the variables of the target's limits if these
 * are known; never null.
 */
std::shared_ptr<const space::FeatureExtractor> csp_features(const Context& context);

/**
 * Returns the features that the context's settings choose; never null. InvalidArgument if they need a loop
 * nest and there is none.
 */
Result<std::shared_ptr<const space::FeatureExtractor>> chosen_features(const Context& context,
                                                                       std::string_view tuner);

/** Returns an error if the features that the settings choose are not available. */
Status check_features(const Context& context, std::string_view tuner);

}  // namespace kernelscape::tuner
