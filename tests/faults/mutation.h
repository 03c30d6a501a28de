#pragma once

#include <string>

#include "core/base/random.h"
#include "core/trial/recording.h"

namespace kernelscape::faults {

/** A text file of any format with one to four changes: other values, missing or doubled parts, strange bytes.
 */
std::string mutated_text(Random& random, std::string text);

/** A recorded space's file with changes in its header and columns; its checksum mostly fits. */
std::string mutated_recording(Random& random, const Recording& recording);

}  // namespace kernelscape::faults
