#pragma once

#include <string>

namespace kernelscape {

/** What an errno says; of limits, how they are raised: "File too large: beyond the file size limit (ulimit
 * -f)". */
std::string system_error_text(int error);

}  // namespace kernelscape
