#include "core/base/system_error.h"

#include <cerrno>
#include <cstring>

namespace kernelscape::base {

std::string system_error_text(int error) {
  std::string text = std::strerror(error);
  if (error == EFBIG) text += ": beyond the file size limit (ulimit -f)";
  return text;
}

}  // namespace kernelscape::base
