#include <algorithm>
#include <array>
#include <charconv>

#include "core/machine_code/loop_bound.h"

namespace kernelscape::machine_code {
namespace {

// Ports: multiply-add, any vector, loads, stores; the same for 512 bits; issue width; latencies of
// multiply-add, add, shuffle, load; micro-operations in the cache of decoded instructions; slots of
// vdpbf16ps.
constexpr PortModel zen2{"Zen 2", "znver2", 2, 4, 2, 1, 1, 2, 1, 0.5, 5, 5, 3, 1, 7, 4096};
constexpr PortModel zen3{"Zen 3", "znver3", 2, 4, 2, 1, 1, 2, 1, 0.5, 6, 4, 3, 1, 7, 4096};
constexpr PortModel zen4{"Zen 4", "znver4", 2, 4, 2, 1, 1, 2, 1, 0.5, 6, 4, 3, 1, 7, 6912};
// With full 512-bit units; some laptop models have half of them, and are counted as Zen 4.
constexpr PortModel zen5{"Zen 5", "znver5", 2, 4, 2, 2, 2, 4, 2, 1, 8, 4, 3, 1, 7, 6144};
constexpr PortModel skylake{"Skylake", "skylake", 2, 3, 2, 1, 1, 1, 2, 1, 4, 4, 4, 1, 6, 1536};
constexpr PortModel skylake_server{"Skylake-SP", "skylake-avx512", 2, 3, 2, 1, 2, 2, 2, 1, 4, 4, 4, 1, 7,
                                   1536};
constexpr PortModel ice_lake{"Ice Lake", "icelake-server", 2, 3, 2, 2, 2, 2, 2, 1, 5, 4, 4, 1, 7, 2304};
constexpr PortModel sapphire_rapids{
    "Sapphire Rapids", "sapphirerapids", 2, 3, 3, 2, 2, 2, 2, 1, 6, 4, 3, 1, 7, 4096, 4};

/** A range first ... last of models in a family, with its port model. */
struct ModelRange {
  std::string_view vendor;
  int family;
  int first;
  int last;
  const PortModel* model;
  bool own;
};

constexpr std::string_view amd = "AuthenticAMD";
constexpr std::string_view intel = "GenuineIntel";
constexpr int any_model = 0xffff;

// The first matching range is used.
constexpr std::array model_ranges{
    ModelRange{amd, 0x17, 0x00, 0x2f, &zen2, false},  // Zen, whose units are half as wide
    ModelRange{amd, 0x17, 0x30, any_model, &zen2, true},
    ModelRange{amd, 0x19, 0x00, 0x0f, &zen3, true},
    ModelRange{amd, 0x19, 0x20, 0x5f, &zen3, true},
    ModelRange{amd, 0x19, 0x10, any_model, &zen4, true},
    ModelRange{amd, 0x1a, 0x00, 0x1f, &zen5, true},
    ModelRange{amd, 0x1a, 0x20, 0x3f, &zen4, false},
    ModelRange{amd, 0x1a, 0x40, 0x4f, &zen5, true},
    ModelRange{amd, 0x1a, 0x60, 0x6f, &zen4, false},
    ModelRange{amd, 0x1a, 0x70, 0x7f, &zen5, true},
    ModelRange{amd, 0x1a, 0x00, any_model, &zen5, false},
    ModelRange{amd, 0, 0, any_model, &zen3, false},
    ModelRange{intel, 6, 0x55, 0x55, &skylake_server, true},
    ModelRange{intel, 6, 0x6a, 0x6c, &ice_lake, true},
    ModelRange{intel, 6, 0x7d, 0x7e, &ice_lake, true},
    ModelRange{intel, 6, 0x8c, 0x8d, &ice_lake, false},
    ModelRange{intel, 6, 0xa7, 0xa7, &ice_lake, false},
    ModelRange{intel, 6, 0x4e, 0x4e, &skylake, true},
    ModelRange{intel, 6, 0x5e, 0x5e, &skylake, true},
    ModelRange{intel, 6, 0x8e, 0x8e, &skylake, true},
    ModelRange{intel, 6, 0x9e, 0x9e, &skylake, true},
    ModelRange{intel, 6, 0xa5, 0xa6, &skylake, true},
    ModelRange{intel, 6, 0x8f, 0x8f, &sapphire_rapids, true},
    ModelRange{intel, 6, 0xcf, 0xcf, &sapphire_rapids, true},
    ModelRange{intel, 6, 0x97, any_model, &sapphire_rapids, false},
    ModelRange{intel, 0, 0, any_model, &skylake, false},
    ModelRange{{}, 0, 0, any_model, &skylake, false},
};

/** Returns the value of the first line "key : value". */
std::string_view field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != line.npos) {
      const std::string_view name = line.substr(0, line.substr(0, colon).find_last_not_of(" \t") + 1);
      const std::size_t value = line.find_first_not_of(" \t", colon + 1);
      if (name == key) return value == line.npos ? std::string_view() : line.substr(value);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

int whole_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ProcessorIdentity parse_processor_identity(std::string_view cpuinfo) {
  return {.vendor = std::string(field(cpuinfo, "vendor_id")),
          .family = whole_number(field(cpuinfo, "cpu family")),
          .model = whole_number(field(cpuinfo, "model")),
          .name = std::string(field(cpuinfo, "model name"))};
}

ChosenPortModel port_model_of(const ProcessorIdentity& processor) {
  const auto fits = [&processor](const ModelRange& range) {
    return (range.vendor.empty() || range.vendor == processor.vendor) &&
           (range.family == 0 || range.family == processor.family) && processor.model >= range.first &&
           processor.model <= range.last;
  };
  const auto* found = std::ranges::find_if(model_ranges, fits);
  return found == model_ranges.end() ? ChosenPortModel{&skylake, false}
                                     : ChosenPortModel{found->model, found->own};
}

}  // namespace kernelscape::machine_code
