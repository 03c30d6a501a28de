#include "core/measure/machine_conditions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <system_error>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/measure/interruption.h"

namespace kernelscape::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_read_processors = 8;
constexpr std::size_t max_sensor_folders = 64;
// No machine has more.
constexpr double max_total = 1e12;
constexpr double max_clock_hertz = 2e10;
constexpr double max_celsius = 150;

/** Returns the number at the start of a text, if it is one in (0, max] or, with zero, in [0, max]. */
std::optional<double> number_at(std::string_view text, double max, bool zero) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0 || value > max) return std::nullopt;
  if (rest != text.data() + text.size() && *rest != ' ' && *rest != '\n' && *rest != '\t')
    return std::nullopt;
  return value > 0 || zero ? std::optional(value) : std::nullopt;
}

std::optional<double> number_in(const fs::path& file, double max, bool zero) {
  return number_at(base::read_system_file(file), max, zero);
}

/** Returns the number behind a word at the start of a line: 7 of "throttled_usec 7". */
std::optional<double> number_behind(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(word) && line.size() > word.size() && line[word.size()] == ' ')
      return number_at(line.substr(word.size()), max_total * 1e9, true);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

/** Reads the times of all processors: user, nice, system, idle, iowait, irq, softirq, steal; guests are in
 * user. */
void read_processor_times(const fs::path& root, MachineConditions& conditions) {
  constexpr std::size_t fields = 8;
  const std::string text = base::read_system_file(root / "proc/stat");
  std::string_view rest = text;
  if (!rest.starts_with("cpu ")) return;
  rest = rest.substr(4, std::min(rest.find('\n'), rest.size()) - 4);
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double total = 0;
  double last = 0;
  for (std::size_t field = 0; field < fields; ++field) {
    const std::optional<double> ticks = number_at(rest, max_total, true);
    if (!ticks) return;
    total += last = *ticks;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  conditions.total_processor_seconds = total / ticks_per_second;
  conditions.total_steal_seconds = last / ticks_per_second;
}

/** Reads the pressure of the processors: "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234", microseconds.
 */
std::optional<double> read_waiting_seconds(const fs::path& root) {
  constexpr std::string_view key = "total=";
  const std::string text = base::read_system_file(root / "proc/pressure/cpu");
  const std::size_t at = text.find(key);
  if (!text.starts_with("some ") || at == text.npos || at > text.find('\n')) return std::nullopt;
  const auto microseconds = number_at(std::string_view(text).substr(at + key.size()), max_total * 1e6, true);
  return microseconds ? std::optional(*microseconds * 1e-6) : std::nullopt;
}

/** Returns the folder of this process's cgroup with a limit of processors; empty: none is known. */
fs::path cgroup_folder(const fs::path& root) {
  const std::string text = base::read_system_file(root / "proc/self/cgroup");
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool version_2 = controllers.empty();
    if (!version_2 && controllers != "cpu,cpuacct" && controllers != "cpuacct,cpu" && controllers != "cpu")
      continue;
    const fs::path folder = root / "sys/fs/cgroup" / controllers;
    return folder / fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

/** Returns the longest time in which a limit of this cgroup or of one above it stopped the program. */
std::optional<double> read_quota_seconds(const fs::path& root) {
  const fs::path top = root / "sys/fs/cgroup";
  std::optional<double> longest;
  const auto take = [&](const fs::path& folder) {
    const std::string text = base::read_system_file(folder / "cpu.stat");
    std::optional<double> seconds;
    if (const auto microseconds = number_behind(text, "throttled_usec"))
      seconds = *microseconds * 1e-6;
    else if (const auto nanoseconds = number_behind(text, "throttled_time"))  // version 1
      seconds = *nanoseconds * 1e-9;
    if (seconds && *seconds <= max_total) longest = std::max(longest.value_or(0), *seconds);
  };
  fs::path folder = cgroup_folder(root);
  // In a container the path of the group may be one that its own tree does not have.
  take(top);
  for (int level = 0; level < 16 && !folder.empty() && folder != top && folder != folder.parent_path();
       ++level, folder = folder.parent_path())
    take(folder);
  return longest;
}

void read_processor_clocks(std::span<const int> processors, const fs::path& root,
                           MachineConditions& conditions) {
  const std::size_t step =
      std::max<std::size_t>(1, (processors.size() + max_read_processors - 1) / max_read_processors);
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < processors.size(); i += step) {
    const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu{}", processors[i]);
    constexpr double kilo = 1e3;
    const auto current = number_in(folder / "cpufreq/scaling_cur_freq", max_clock_hertz / kilo, false);
    const auto highest = number_in(folder / "cpufreq/cpuinfo_max_freq", max_clock_hertz / kilo, false);
    if (current) sum += *current * kilo, ++count;
    if (highest) conditions.max_hertz = std::max(conditions.max_hertz.value_or(0), *highest * kilo);
    for (const char* counter : {"core_throttle_count", "package_throttle_count"}) {
      const auto throttles = number_in(folder / "thermal_throttle" / counter, max_total, true);
      if (throttles)
        conditions.total_heat_throttles = std::max(conditions.total_heat_throttles.value_or(0), *throttles);
    }
  }
  if (count > 0) conditions.hertz = sum / count;
}

/** Returns the sub-folders of a folder whose names begin with a word. */
std::vector<fs::path> folders_in(const fs::path& folder, std::string_view word) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && folders.size() < max_sensor_folders; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(word)) folders.push_back(entry->path());
  }
  return folders;
}

/** Returns the highest temperature of the processors' sensors; other sensors, such as those of disks, do not
 * count. */
std::optional<double> read_celsius(const fs::path& root) {
  std::optional<double> hottest;
  const auto take = [&](const fs::path& file) {
    const auto thousandths = number_in(file, max_celsius * 1e3, false);
    if (thousandths) hottest = std::max(hottest.value_or(0), *thousandths * 1e-3);
  };
  const auto is_of_processor = [](std::string_view name, auto... words) {
    return (name.contains(words) || ...);
  };
  for (const fs::path& zone : folders_in(root / "sys/class/thermal", "thermal_zone")) {
    if (is_of_processor(base::read_system_file(zone / "type"), "x86_pkg", "cpu", "CPU", "soc"))
      take(zone / "temp");
  }
  for (const fs::path& sensor : folders_in(root / "sys/class/hwmon", "hwmon")) {
    if (!is_of_processor(base::read_system_file(sensor / "name"), "coretemp", "k10temp", "zenpower", "cpu"))
      continue;
    for (int input = 1; input <= 4; ++input) take(sensor / fmt::format("temp{}_input", input));
  }
  return hottest;
}

// --- explanations ---

using Readings = std::span<const MachineConditions>;
using ConditionOf = std::function<std::optional<double>(const MachineConditions&)>;

ConditionOf member(std::optional<double> MachineConditions::* value) {
  return [value](const MachineConditions& conditions) {
    const std::optional<double> known = conditions.*value;  // of a worker's message: any number is possible
    return known && *known >= 0 && *known <= max_total ? known : std::nullopt;
  };
}

ConditionOf gpu_member(double GpuConditions::* value) {
  return [value](const MachineConditions& conditions) {
    const double known = conditions.gpu.*value;
    return known > 0 && known <= max_total ? std::optional(known) : std::nullopt;
  };
}

std::optional<double> mean(Readings readings, const ConditionOf& value) {
  double sum = 0;
  int count = 0;
  for (const MachineConditions& one : readings)
    if (const auto known = value(one)) sum += *known, ++count;
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/** By how much a counter increased, and in which time. */
struct Increase {
  double amount = 0;
  double seconds = 0;
  double rate() const { return seconds > 0 ? amount / seconds : 0; }
};

/** Returns nullopt if the counter is not known or was reset. */
std::optional<Increase> increase(Readings readings, const ConditionOf& counter) {
  if (readings.size() < 2) return std::nullopt;
  const auto first = counter(readings.front());
  const auto last = counter(readings.back());
  const double seconds = readings.back().at_seconds - readings.front().at_seconds;
  if (!first || !last || *last < *first || !(seconds > 0)) return std::nullopt;
  return Increase{*last - *first, seconds};
}

/** Returns the increase of a counter as a share of that of another one, or of the time if there is none. */
std::optional<double> share_of(Readings readings, const ConditionOf& part, const ConditionOf& whole) {
  const auto some = increase(readings, part);
  if (!some) return std::nullopt;
  if (!whole) return some->rate();
  const auto all = increase(readings, whole);
  return all && all->amount > 0 ? std::optional(some->amount / all->amount) : std::nullopt;
}

double percent(double share) { return 100 * std::min(share, 1.0); }

/** Collects what was different during a slow phase. */
class Explanation {
 public:
  Explanation(Readings before, Readings during) : before_(before), during_(during) {
    if (!before.empty()) counted_.push_back(before.back());
    counted_.insert(counted_.end(), during.begin(), during.end());
  }

  void add_steal() {
    add_share("steal {:.0f} %", 0.02, member(&MachineConditions::total_steal_seconds),
              member(&MachineConditions::total_processor_seconds));
  }
  void add_waiting() {
    add_share("processes waited for a processor in {:.0f} % of the time", 0.1,
              member(&MachineConditions::total_waiting_seconds), {});
  }
  /** Names a clock that was lower than before, or than its highest if it is not known before. */
  void add_clock(const char* name, const ConditionOf& clock, const ConditionOf& highest) {
    constexpr double noticed = 0.93;
    constexpr double noticed_without_readings = 0.7;  // few processors reach their highest clock on all cores
    const auto now = mean(during_, clock);
    if (!now) return;
    known_ = true;
    const auto before = mean(before_, clock);
    const auto usual = before ? before : mean(during_, highest);
    if (usual && *now < (before ? noticed : noticed_without_readings) * *usual)
      texts_.push_back(fmt::format("{} at {:.2g} of {:.2g} GHz", name, *now * 1e-9, *usual * 1e-9));
  }
  void add_heat() {
    const ConditionOf count = member(&MachineConditions::total_heat_throttles);
    const auto now = increase(counted_, count);
    if (!now) return;
    known_ = true;
    if (now->amount < 0.5 || !is_more(now->rate(), rate_before(count))) return;
    const std::int64_t times = std::llround(now->amount);
    texts_.push_back(times == 1 ? "throttled once by heat"
                                : fmt::format("throttled {} times by heat", times));
  }
  void add_quota() {
    const ConditionOf seconds = member(&MachineConditions::total_quota_seconds);
    const auto now = increase(counted_, seconds);
    if (!now) return;
    known_ = true;
    if (now->amount >= 0.05 && is_more(now->rate(), rate_before(seconds)))
      texts_.push_back(fmt::format("the cgroup limited the processor for {:.1f} s", now->amount));
  }
  void add_temperature(const char* name, const ConditionOf& celsius) {
    constexpr double noticed = 8;
    const auto now = mean(during_, celsius);
    if (!now) return;
    known_ = true;
    const auto usual = mean(before_, celsius);
    if (usual && *now >= *usual + noticed)
      texts_.push_back(fmt::format("{} at {:.0f} instead of {:.0f} °C", name, *now, *usual));
  }
  /** Names the limits that were in force during the phase and not before it. */
  void add_clock_limits() {
    struct Limit {
      std::uint64_t bits;
      const char* text;
    };
    constexpr std::uint64_t power_limit = 0x04;
    constexpr Limit limits[] = {{0x20 | 0x40, "the GPU's clock limited by heat"},
                                {power_limit, "the GPU's clock limited by its power"},
                                {0x08 | 0x80, "the GPU's clock limited by its hardware or power supply"},
                                {0x02, "the GPU's clock limited by a setting of its driver"}};
    const auto all = [](Readings readings) {
      std::uint64_t bits = 0;
      for (const MachineConditions& one : readings) bits |= one.gpu.clock_limits;
      return bits;
    };
    const std::uint64_t now = all(during_);
    const std::uint64_t usual = all(before_);
    for (const Limit& limit : limits) {
      if ((now & limit.bits) == 0 || (usual & limit.bits) != 0) continue;
      texts_.emplace_back(limit.text);
      const auto watts = mean(during_, gpu_member(&GpuConditions::watts));
      if (limit.bits == power_limit && watts) texts_.back() += fmt::format(" ({:.0f} W)", *watts);
    }
  }

  std::optional<std::string> text() const {
    return known_ ? std::optional(base::join(texts_, ", ")) : std::nullopt;
  }

 private:
  static bool is_more(double now, double before) { return now > 1.5 * before; }
  double rate_before(const ConditionOf& value) const {
    const auto before = increase(before_, value);
    return before ? before->rate() : 0;
  }
  void add_share(const char* format, double noticed, const ConditionOf& part, const ConditionOf& whole) {
    const auto now = share_of(counted_, part, whole);
    if (!now) return;
    known_ = true;
    const auto before = share_of(before_, part, whole);
    if (*now < before.value_or(0) + noticed) return;
    std::string text = fmt::format(fmt::runtime(format), percent(*now));
    if (before && *before >= noticed / 2) text += fmt::format(" (before: {:.0f} %)", percent(*before));
    texts_.push_back(std::move(text));
  }

  Readings before_;
  Readings during_;
  std::vector<MachineConditions> counted_;  ///< during the phase, from the last reading before it
  std::vector<std::string> texts_;
  bool known_ = false;
};

}  // namespace

MachineConditions read_machine_conditions(std::span<const int> processors, const fs::path& root) {
  MachineConditions conditions{.at_seconds = steady_seconds()};
  read_processor_times(root, conditions);
  conditions.total_waiting_seconds = read_waiting_seconds(root);
  conditions.total_quota_seconds = read_quota_seconds(root);
  read_processor_clocks(processors, root, conditions);
  conditions.celsius = read_celsius(root);
  return conditions;
}

MachineConditions read_device_conditions(bool own_state, std::span<const int> processors) {
  return own_state ? MachineConditions{.at_seconds = steady_seconds()} : read_machine_conditions(processors);
}

std::optional<std::string> explain_slowness(Readings before, Readings during) {
  Explanation explanation(before, during);
  explanation.add_steal();
  explanation.add_clock("cores", member(&MachineConditions::hertz), member(&MachineConditions::max_hertz));
  explanation.add_heat();
  explanation.add_temperature("the processor", member(&MachineConditions::celsius));
  explanation.add_quota();
  explanation.add_waiting();
  explanation.add_clock("GPU", gpu_member(&GpuConditions::core_hertz),
                        gpu_member(&GpuConditions::max_core_hertz));
  explanation.add_clock("GPU memory", gpu_member(&GpuConditions::memory_hertz),
                        gpu_member(&GpuConditions::max_memory_hertz));
  explanation.add_clock_limits();
  explanation.add_temperature("the GPU", gpu_member(&GpuConditions::celsius));
  return explanation.text();
}

}  // namespace kernelscape::measure
