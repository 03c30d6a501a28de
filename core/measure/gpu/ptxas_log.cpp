#include "core/measure/gpu/ptxas_log.h"

#include <charconv>
#include <cstdint>
#include <limits>

namespace kernelscape::measure {
namespace {

/** Calls visit(line) for each line, without its end. */
template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/** Returns the text between the quotes after `label`, or nullopt. */
std::optional<std::string_view> quoted_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + label.size());
  const std::size_t end = line.find('\'');
  return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(0, end));
}

std::int64_t to_number(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool plausible = error == std::errc() && end == digits.data() + digits.size() && value >= 0 &&
                         value <= std::numeric_limits<std::int32_t>::max();
  return plausible ? value : 0;
}

/** Returns the number in "... NUMBER LABEL ..."; 0 if there is none. */
std::int64_t number_before(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return 0;
  const std::string_view before = line.substr(0, at);
  const std::size_t last_other = before.find_last_not_of("0123456789");
  return to_number(last_other == std::string_view::npos ? before : before.substr(last_other + 1));
}

}  // namespace

std::optional<trial::KernelResources> resources_of_ptxas_log(std::string_view log, std::string_view entry) {
  trial::KernelResources resources;
  bool of_entry = false;     // true within the entry's part of the log
  bool of_function = false;  // true if the next line describes the stack frame of the entry itself
  for_each_line(log, [&](std::string_view line) {
    constexpr std::string_view properties = "Function properties for ";
    if (const auto name = quoted_after(line, "Compiling entry function '")) {
      of_entry = *name == entry;
    } else if (const std::size_t at = line.find(properties); at != std::string_view::npos) {
      of_function = of_entry && line.substr(at + properties.size()) == entry;
    } else if (of_function) {
      resources.spilled_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
      of_function = false;
    } else if (of_entry && line.find("Used ") != std::string_view::npos) {
      resources.registers = static_cast<std::int32_t>(number_before(line, " registers"));
      resources.shared_bytes = number_before(line, " bytes smem");
    }
  });
  if (resources.registers == 0) return std::nullopt;
  return resources;
}

std::string without_compile_times(std::string_view log) {
  std::string kept;
  for_each_line(log, [&](std::string_view line) {
    if (line.find("Compile time = ") != std::string_view::npos) return;
    kept.append(line);
    kept += '\n';
  });
  return kept;
}

}  // namespace kernelscape::measure
