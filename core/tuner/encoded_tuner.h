#pragma once

#include <string_view>

#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {

/** The setting of every tuner that selects how the space's factorizations are encoded, and its values. */
inline constexpr std::string_view encoding_setting = "encoding";
inline constexpr std::string_view factorization_encoding = "factorizations";  ///< the default

/** The setting `encoding`. */
struct EncodingSettings {
  bool levels = false;  ///< false: factorizations

  static SettingsOf<EncodingSettings> table();  ///< declares `encoding`
};

/**
 * Returns the tuner with the additional setting `encoding`. If the setting is "levels", the tuner searches an
 * EncodedSpace: its candidates are decoded, and its history and observations are encoded, so that all other
 * code sees only factorizations. Features of the loop nest are those of the decoded configurations; features
 * of the space are those of the levels.
 *
 * The tuner is used unchanged if the setting is "factorizations", if no knob becomes levels, or if the tuner
 * only samples members (the members of both spaces are the same, in the same order).
 */
Declaration with_encodings(Declaration tuner);

}  // namespace kernelscape::tuner
