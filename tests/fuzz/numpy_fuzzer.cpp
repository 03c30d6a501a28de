#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/project/numpy_file.h"

/** Any bytes as a .npy file: an error, or exactly the elements that were asked for. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  for (std::uint64_t type = 0; type < project::element_type_count; ++type) {
    const auto elements = project::numpy_elements(file, static_cast<project::ElementType>(type), 6);
    if (elements && elements->size() != 6 * project::element_bytes(static_cast<project::ElementType>(type)))
      std::abort();
  }
  return 0;
}
