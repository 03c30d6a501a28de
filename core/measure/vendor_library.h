#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/task.h"

namespace kernelscape::measure {

/** The libraries and algorithms that kernels of a device can be compared with. */
enum class VendorLibrary : std::uint8_t {
  OfDevice,           ///< oneDNN, cuBLAS or cuDNN, with the algorithm that the library chooses
  OneDnnAlternative,  ///< oneDNN, with the algorithm that it did not choose: Winograd or direct
  OpenBlas,
  Blis,
  Libxsmm
};
constexpr std::uint64_t vendor_library_count = 5;

/** Returns the name in messages and in KERNELSCAPE_BASELINES: "OpenBLAS". */
std::string_view to_string(VendorLibrary library);

/**
 * Returns the libraries that may be faster on a task than the device's own: none on a GPU or for other types
 * than f32. Whether they are installed is not known. If the environment variable KERNELSCAPE_BASELINES is
 * set, only those that it names, separated by commas, in any case of letters; an empty value names none.
 */
std::vector<VendorLibrary> other_vendor_libraries(const task::Task& task, std::string_view device);

/** Returns a sentence for users if KERNELSCAPE_BASELINES names libraries that are not known. */
std::vector<std::string> vendor_library_notices();

}  // namespace kernelscape::measure
