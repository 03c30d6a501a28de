#include "core/measure/gpu/cuda_architecture.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/base/text.h"

namespace kernelscape::measure {
namespace {

constexpr std::int64_t kib = 1024;

constexpr std::array<CudaArchitecture, 14> architectures{{
    {.capability = 61, .threads = 2048, .blocks = 32, .shared_bytes = 96 * kib},
    {.capability = 70, .threads = 2048, .blocks = 32, .shared_bytes = 96 * kib},
    {.capability = 75, .threads = 1024, .blocks = 16, .shared_bytes = 64 * kib},
    {.capability = 80, .threads = 2048, .blocks = 32, .shared_bytes = 164 * kib},
    {.capability = 86, .threads = 1536, .blocks = 16, .shared_bytes = 100 * kib},
    {.capability = 87, .threads = 1536, .blocks = 16, .shared_bytes = 164 * kib},
    {.capability = 88, .threads = 1536, .blocks = 16, .shared_bytes = 100 * kib},
    {.capability = 89, .threads = 1536, .blocks = 24, .shared_bytes = 100 * kib},
    {.capability = 90, .threads = 2048, .blocks = 32, .shared_bytes = 228 * kib},
    {.capability = 100, .threads = 2048, .blocks = 32, .shared_bytes = 228 * kib},
    {.capability = 103, .threads = 2048, .blocks = 32, .shared_bytes = 228 * kib},
    {.capability = 110, .threads = 1536, .blocks = 24, .shared_bytes = 228 * kib},
    {.capability = 120, .threads = 1536, .blocks = 24, .shared_bytes = 100 * kib},
    {.capability = 121, .threads = 1536, .blocks = 24, .shared_bytes = 100 * kib},
}};

constexpr int first_with_variant = 90;

}  // namespace

std::span<const CudaArchitecture> known_cuda_architectures() { return architectures; }

std::optional<int> capability_of(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  if (!architecture.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = architecture.substr(prefix.size());
  int capability = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), capability);
  const std::string_view variant = rest.substr(static_cast<std::size_t>(end - rest.data()));
  const bool known_variant = variant.empty() || (variant == "a" && capability >= first_with_variant);
  if (error != std::errc() || capability < 10 || rest.front() == '0' || !known_variant) return std::nullopt;
  return capability;
}

std::string architecture_name(int capability, int compiler_major) {
  const bool has_variant = capability >= first_with_variant && (compiler_major == 0 || compiler_major >= 12);
  return fmt::format("sm_{}{}", capability, has_variant ? "a" : "");
}

std::string kernel_module_version(std::string_view text) {
  const auto line = text.substr(0, text.find('\n'));
  for (const std::string& word : base::split_text(line, ' ')) {
    const bool digits_and_dots = word.find_first_not_of("0123456789.") == std::string::npos;
    if (!word.empty() && digits_and_dots && word.find('.') != std::string::npos && word.front() != '.') {
      return word;
    }
  }
  return {};
}

}  // namespace kernelscape::measure
