#include "core/measure/vendor_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <variant>

#include "core/base/text.h"

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

constexpr std::array other_libraries{VendorLibrary::OneDnnAlternative, VendorLibrary::OpenBlas,
                                     VendorLibrary::Blis, VendorLibrary::Libxsmm};

/** Returns the words of KERNELSCAPE_BASELINES; nullopt: it is not set. */
std::optional<std::vector<std::string>> wanted_names() {
  const char* wanted = std::getenv("KERNELSCAPE_BASELINES");
  if (wanted == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& word : base::split_text(wanted, ','))
    if (const std::string_view name = base::trimmed(word); !name.empty()) names.emplace_back(name);
  return names;
}

bool is_name_of(VendorLibrary library, std::string_view name) {
  return base::lower_case(name) == base::lower_case(to_string(library));
}

/** Returns true if the environment allows a comparison with the library. */
bool is_wanted(VendorLibrary library) {
  const std::optional<std::vector<std::string>> names = wanted_names();
  return !names ||
         std::ranges::any_of(*names, [&](const std::string& name) { return is_name_of(library, name); });
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

std::vector<std::string> vendor_library_notices() {
  std::vector<std::string> names = wanted_names().value_or(std::vector<std::string>());
  std::erase_if(names, [](const std::string& name) {
    return std::ranges::any_of(other_libraries,
                               [&](VendorLibrary library) { return is_name_of(library, name); });
  });
  if (names.empty()) return {};
  std::vector<std::string> known;
  for (const VendorLibrary library : other_libraries) known.emplace_back(to_string(library));
  return {fmt::format("KERNELSCAPE_BASELINES names {}, which is not known: choose among {}",
                      base::join(names, ", "), base::join(known, ", "))};
}

}  // namespace kernelscape::measure
