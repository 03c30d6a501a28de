#pragma once

#include <string_view>

#include "core/tuner/typed_settings.h"

namespace kernelscape {

/** The setting of every tuner that says how the space's factorizations are encoded, and its values. */
inline constexpr std::string_view encoding_setting = "encoding";
inline constexpr std::string_view factorization_encoding = "factorizations";  ///< the default

/** That setting. */
struct EncodingSettings {
  bool levels = false;  ///< else factorizations

  static SettingsOf<EncodingSettings> table();  ///< `encoding`
};

/**
 * The tuner with the setting `encoding`. Where that is "levels", it searches an EncodedSpace: its candidates
 * are decoded, and its history and what it observes are encoded, so that nobody else knows another encoding
 * than factorizations. Features of the loop nest are those of the decoded configurations; those of the space
 * are those of the levels.
 *
 * Where it is "factorizations", where no knob becomes levels, and where the tuner only samples members (those
 * of one space are those of the other, in the same order), it is the tuner that was given.
 */
TunerDeclaration with_encodings(TunerDeclaration tuner);

}  // namespace kernelscape
