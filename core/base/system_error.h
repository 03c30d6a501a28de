#pragma once

#include <string>

namespace kernelscape::base {

/**
 * Returns the text of an errno; for limits also how to raise them: "File too large: beyond the file size
 * limit (ulimit -f)".
 */
std::string system_error_text(int error);

}  // namespace kernelscape::base
