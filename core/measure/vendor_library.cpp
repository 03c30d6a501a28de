#include "core/measure/vendor_library.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <variant>

namespace kernelscape::measure {
namespace {

/** Winograd's algorithm is for small kernels that move by one; oneDNN has it for 3x3. */
bool may_use_winograd(const task::Convolution& convolution) {
  const auto all = [](const std::vector<std::int64_t>& values, std::int64_t wanted) {
    return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
  };
  return !convolution.transposed && convolution.groups == 1 && convolution.kernel.size() == 2 &&
         all(convolution.kernel, 3) && all(convolution.stride, 1) && all(convolution.dilation, 1);
}

/** Returns true if the environment allows a comparison with the library. */
bool is_wanted(VendorLibrary library) {
  const char* wanted = std::getenv("KERNELSCAPE_BASELINES");
  if (wanted == nullptr) return true;
  return std::ranges::any_of(std::views::split(std::string_view(wanted), ','),
                             [&](auto&& word) { return std::ranges::equal(word, to_string(library)); });
}

}  // namespace

std::string_view to_string(VendorLibrary library) {
  switch (library) {
    case VendorLibrary::OfDevice:
      return "the device's library";
    case VendorLibrary::OneDnnAlternative:
      return "Winograd";
    case VendorLibrary::OpenBlas:
      return "OpenBLAS";
    case VendorLibrary::Blis:
      return "BLIS";
    case VendorLibrary::Libxsmm:
      return "libxsmm";
  }
  return {};
}

std::vector<VendorLibrary> other_vendor_libraries(const task::Task& task, std::string_view device) {
  using enum VendorLibrary;
  std::vector<VendorLibrary> libraries;
  if (device != "cpu" || !task.op || task::operand_types(*task.op) != task::OperandTypes{}) return libraries;
  if (const auto* convolution = std::get_if<task::Convolution>(&task.definition)) {
    if (may_use_winograd(*convolution)) libraries = {OneDnnAlternative};
  } else if (std::holds_alternative<task::MatrixMultiplication>(task.definition)) {
    libraries = {OpenBlas, Blis, Libxsmm};
  }
  std::erase_if(libraries, [](VendorLibrary library) { return !is_wanted(library); });
  return libraries;
}

}  // namespace kernelscape::measure
