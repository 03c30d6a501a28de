#pragma once

#include <string>

#include "core/base/random.h"
#include "core/trial/recording.h"

namespace kernelscape::faults {

/** A text file of any format with one to four changes: other values, missing or doubled parts, strange bytes.
 */
std::string mutated_text(base::Random& random, std::string text);

/** A recorded space's file with changes in its header and columns; its checksum mostly fits. */
std::string mutated_recording(base::Random& random, const trial::Recording& recording);

}  // namespace kernelscape::faults
