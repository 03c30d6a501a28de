#include "core/measure/cpu/machine_state.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/base/processors.h"
#include "core/base/quantile.h"
#include "core/base/read_file.h"
#include "core/measure/interruption.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {
namespace {

constexpr double noticed_share = 0.2;  // fraction of a processor

struct ProcessTimes {
  std::string name;
  std::int64_t ticks = 0;
};

double read_number(const std::string& path) {
  std::istringstream file(base::read_system_file(path));
  double value = 0;
  file >> value;
  return value;
}

/** Parses name and CPU ticks of /proc/PID/stat; the name may contain spaces and brackets. */
ProcessTimes parse_stat(const std::string& text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  ProcessTimes result{.name = text.substr(open + 1, close - open - 1)};
  const char* rest = text.c_str() + close + 1;
  constexpr int user_field = 11;  // fields are counted from the state, which follows the name
  while (*rest == ' ') ++rest;
  for (int field = 0; field < user_field && *rest != '\0'; ++field) {
    while (*rest != '\0' && *rest != ' ') ++rest;
    while (*rest == ' ') ++rest;
  }
  char* end = nullptr;
  result.ticks = std::strtoll(rest, &end, 10);
  result.ticks += std::strtoll(end, nullptr, 10);
  return result;
}

std::map<long, ProcessTimes> all_processes() {
  std::map<long, ProcessTimes> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    long id = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (problem != std::errc() || rest != name.data() + name.size() || id == getpid()) continue;
    // Empty if the process has ended meanwhile.
    const std::string text = base::read_system_file(entry->path() / "stat");
    if (!text.empty()) processes[id] = parse_stat(text);
  }
  return processes;
}

std::vector<BusyProcess> busy_between(const std::map<long, ProcessTimes>& before,
                                      const std::map<long, ProcessTimes>& after, double seconds) {
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::vector<BusyProcess> busy;
  for (const auto& [id, times] : after) {
    const auto earlier = before.find(id);
    if (earlier == before.end()) continue;
    const double share =
        static_cast<double>(times.ticks - earlier->second.ticks) / ticks_per_second / seconds;
    if (share >= noticed_share)
      busy.push_back({.process_id = id, .name = times.name, .processor_share = share});
  }
  std::ranges::stable_sort(busy, std::greater{}, &BusyProcess::processor_share);
  return busy;
}

double throttle_count(int processor) {
  return read_number(
      fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", processor));
}

double frequency_share(int processor) {
  const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/", processor);
  const double current = read_number(folder + "scaling_cur_freq");
  const double highest = read_number(folder + "cpuinfo_max_freq");
  return current > 0 && highest > 0 ? current / highest : 1;
}

double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  double seconds = 0;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  return seconds;
}

/** Returns the processor seconds of this program and of the children that it has waited for. */
double own_processor_seconds() { return processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN); }

/**
 * Returns the seconds in which some program, or a neighbour of this virtual machine, used the given
 * processors; 0 if the system does not report it.
 */
double used_seconds(const std::vector<int>& processors) {
  std::istringstream file(base::read_system_file("/proc/stat"));
  double ticks = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double wait = 0;
    double interrupts = 0;
    double soft_interrupts = 0;
    double stolen = 0;
    fields >> name >> user >> nice >> system >> idle >> wait >> interrupts >> soft_interrupts >> stolen;
    const auto is_named = [&](int processor) { return name == fmt::format("cpu{}", processor); };
    if (std::ranges::any_of(processors, is_named))
      ticks += user + nice + system + interrupts + soft_interrupts + stolen;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/**
 * Returns the number of processors that this program kept busy since the last call, if that was at most some
 * minutes ago; else 0. Needed for successive sessions: the one-minute load average still contains the load of
 * the previous session.
 */
double own_load_since_last_call() {
  static std::mutex mutex;
  static double last_seconds = 0;
  static std::optional<std::chrono::steady_clock::time_point> last_call;
  const std::lock_guard lock(mutex);
  const double seconds = own_processor_seconds();
  constexpr double longest_seconds = 300;
  const double elapsed = last_call ? seconds_since(*last_call) : 0;
  const double load = elapsed > 0 && elapsed <= longest_seconds ? (seconds - last_seconds) / elapsed : 0;
  last_seconds = seconds;
  last_call = std::chrono::steady_clock::now();
  return load;
}

/**
 * Returns the seconds of a fixed amount of dependent arithmetic, about 2 ms, which depends only on the
 * processor.
 */
double reference_work_seconds() {
  const auto start = std::chrono::steady_clock::now();
  volatile double seed = 1;  // so that the work is neither done at compile time nor omitted
  double value = seed;
  for (int i = 0; i < 500'000; ++i) value = value * 0.999999 + 0.000001;
  seed = value;
  return seconds_since(start);
}

}  // namespace

MachineReadings read_machine_state() {
  MachineReadings readings;
  const std::vector<int> processors = base::usable_processors();
  readings.processors = static_cast<int>(processors.size());
  readings.load_average = read_number("/proc/loadavg");
  readings.own_load = own_load_since_last_call();
  const double throttled_before = throttle_count(processors.front());
  const auto before = all_processes();
  const double used_before = used_seconds(processors);
  const double own_before = processor_seconds(RUSAGE_SELF);
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> seconds;
  while (seconds_since(start) < 0.2) seconds.push_back(reference_work_seconds());
  const double others =
      used_seconds(processors) - used_before - (processor_seconds(RUSAGE_SELF) - own_before);
  readings.other_load = std::max(0.0, others / seconds_since(start));
  readings.busy_processes = busy_between(before, all_processes(), seconds_since(start));
  readings.throttled = throttle_count(processors.front()) > throttled_before;
  readings.frequency_share = frequency_share(processors.front());
  const double median = base::quantile(seconds, 0.5);
  readings.reference_spread = median > 0 ? (base::quantile(seconds, 0.95) - median) / median : 0;
  return readings;
}

std::vector<MachineNotice> describe_readings(const MachineReadings& readings) {
  std::vector<MachineNotice> notices;
  const auto add = [&](std::string text) {
    notices.push_back({.of_process = false, .text = std::move(text)});
  };
  if (readings.load_average - readings.own_load > 0.5 * readings.processors)
    add(fmt::format("the machine was loaded: load average {:.1f} on {} processors", readings.load_average,
                    readings.processors));
  for (std::size_t i = 0; i < std::min<std::size_t>(readings.busy_processes.size(), 3); ++i) {
    const BusyProcess& process = readings.busy_processes[i];
    notices.push_back({.of_process = true,
                       .text = fmt::format("{} (process {}) kept {:.0f} % of a processor busy", process.name,
                                           process.process_id, 100 * process.processor_share)});
  }
  if (readings.throttled) add("the processor was throttled because it was too hot");
  if (readings.frequency_share < 0.7)
    add(fmt::format("the processor ran at {:.0f} % of its highest frequency under load",
                    100 * readings.frequency_share));
  if (readings.reference_spread > 0.05)
    add(fmt::format("timings were unsteady: the same work took up to {:.0f} % longer than usual",
                    100 * readings.reference_spread));
  return notices;
}

bool used_by_others(const MachineReadings& readings) {
  return readings.other_load > std::max(0.5, 0.05 * readings.processors);
}

}  // namespace kernelscape::measure
