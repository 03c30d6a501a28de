#include "core/measure/cpu/energy_counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/read_file.h"
#include "core/base/text.h"

namespace kernelscape::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view zone_prefix = "intel-rapl:";  // AMD's processors have zones of this name too
constexpr double microjoules_per_joule = 1e6;
constexpr int first_energy_descriptor = 64;  // beyond those that a trial's process replaces

std::optional<std::uint64_t> energy_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

/** Returns the folders of the zones, in the order of their names; empty if the system has none. */
std::set<fs::path> zones_below(const fs::path& root) {
  std::set<fs::path> zones;
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(zone_prefix)) zones.insert(entry->path());
  return zones;
}

/** Returns true for a package, and for the memory of one; other zones are parts of packages, or contain them.
 */
bool is_counted_zone(std::string_view name) { return name.starts_with("package") || name == "dram"; }

/** Opens a file for reading, at a number that other descriptors do not get. */
UniqueFd open_high(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return UniqueFd();
  return UniqueFd(fcntl(file.get(), F_DUPFD_CLOEXEC, first_energy_descriptor));
}

std::optional<std::uint64_t> read_counter(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t bytes = pread(descriptor, text.data(), text.size(), 0);
  return bytes > 0 ? energy_number({text.data(), static_cast<std::size_t>(bytes)}) : std::nullopt;
}

}  // namespace

EnergyCounters EnergyCounters::open(const fs::path& root) {
  EnergyCounters opened;
  for (const fs::path& zone : zones_below(root)) {
    std::string name(base::trimmed(base::read_system_file((zone / "name").string())));
    if (!is_counted_zone(name)) continue;
    const auto range = energy_number(base::read_system_file((zone / "max_energy_range_uj").string()));
    const fs::path counter = zone / "energy_uj";
    UniqueFd file = open_high(counter);
    const int error = errno;
    if (file.valid() && range && read_counter(file.get())) {
      opened.counters_.push_back({std::move(name), *range, std::move(file)});
    } else if (opened.problem_.empty()) {
      opened.problem_ = file.valid() ? fmt::format("{} is no energy counter", counter.string())
                                     : fmt::format("{} cannot be read: {}; by default only root may read it",
                                                   counter.string(), std::strerror(error));
    }
  }
  if (opened.available())
    opened.problem_.clear();
  else if (opened.problem_.empty())
    opened.problem_ = fmt::format("the system has no energy counters (RAPL) in {}", root.string());
  std::ranges::sort(opened.counters_, {}, [](const Counter& counter) { return counter.file.get(); });
  return opened;
}

std::vector<std::string> EnergyCounters::names() const {
  std::vector<std::string> names;
  for (const Counter& counter : counters_) names.push_back(counter.name);
  return names;
}

std::vector<int> EnergyCounters::descriptors() const {
  std::vector<int> descriptors;
  for (const Counter& counter : counters_) descriptors.push_back(counter.file.get());
  return descriptors;
}

EnergyCounters::Reading EnergyCounters::read() const {
  Reading reading;
  for (const Counter& counter : counters_) {
    const std::optional<std::uint64_t> value = read_counter(counter.file.get());
    if (!value) return {};
    reading.push_back(*value);
  }
  return reading;
}

double EnergyCounters::joules(const Reading& before, const Reading& after) const {
  if (before.size() != counters_.size() || after.size() != counters_.size() || counters_.empty())
    return std::numeric_limits<double>::quiet_NaN();
  double microjoules = 0;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto first = static_cast<double>(before[i]);
    const auto last = static_cast<double>(after[i]);
    microjoules += last >= first ? last - first : last + static_cast<double>(counters_[i].range) - first;
  }
  return microjoules / microjoules_per_joule;
}

}  // namespace kernelscape::measure
