#include "core/fleet/device_class.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/gpu/device_name.h"

namespace kernelscape::fleet {
namespace {

constexpr double command_seconds = 10;
constexpr double temperature_seconds = 1;  // shorter than a lease, because no heartbeat is sent meanwhile
constexpr std::size_t fingerprint_digits = 8;

/**
 * Returns lower-case letters and digits with hyphens between words: a name that is valid in stream names and
 * on command lines.
 */
std::string slug(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

std::string first_line(const std::string& path) {
  const std::string text = base::read_system_file(path);
  return std::string(base::trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

/** Returns the beginning of a program's output on stdout and stderr; empty if the program does not start. */
std::string printed_by(std::vector<std::string> words, double seconds) {
  const auto folder = base::TemporaryFolder::make("fleet");
  if (!folder) return {};
  const measure::ExecTexts arguments(std::move(words));
  const measure::ExecTexts environment(measure::confined_environment(folder->path()));
  const measure::ConfinedCommand command{
      .arguments = arguments, .environment = environment, .folder = folder->path(), .limits = {}};
  measure::ConfinedOutcome outcome = measure::run_confined(command, seconds, -1);
  return outcome.start_error == 0 ? std::move(outcome.child.output) : std::string();
}

/** Returns the answer of nvidia-smi about a CUDA device; empty if it is unknown. */
std::string ask_nvidia(const schedule::TargetDescription& device, const std::string& question,
                       double seconds = command_seconds) {
  const auto name = measure::parse_device_name(device.name);
  if (device.kind != schedule::TargetKind::Cuda || !name) return {};
  const std::string printed = printed_by({"nvidia-smi", fmt::format("--id={}", name->number),
                                          "--query-gpu=" + question, "--format=csv,noheader,nounits"},
                                         seconds);
  const std::string line(base::trimmed(std::string_view(printed).substr(0, printed.find('\n'))));
  const bool number = !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
  return number ? line : std::string();
}

std::vector<std::string> cpu_hardware() {
  std::vector<std::string> hardware;
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double gibibytes = pages * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 0x1p30;
  // Machines of one kind reserve different amounts of memory.
  if (gibibytes > 0) hardware.push_back(fmt::format("memory {} GiB", 2 * std::lround(gibibytes / 2)));
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  if (const std::string clock = first_line(folder + "cpuinfo_max_freq"); !clock.empty())
    hardware.push_back(fmt::format("clock {} kHz", clock));
  if (const std::string governor = first_line(folder + "scaling_governor"); !governor.empty())
    hardware.push_back(fmt::format("governor {}", governor));
  return hardware;
}

std::vector<std::string> hardware_of(const schedule::TargetDescription& device) {
  if (device.kind == schedule::TargetKind::Cpu || device.host_device) return cpu_hardware();
  std::vector<std::string> hardware;
  for (const auto& [question, name] :
       {std::pair("clocks.max.sm", "clock {} MHz"), std::pair("clocks.max.memory", "memory clock {} MHz"),
        std::pair("power.limit", "power limit {} W")}) {
    if (const std::string answer = ask_nvidia(device, question); !answer.empty())
      hardware.push_back(fmt::format(fmt::runtime(name), answer));
  }
  return hardware;
}

std::string c_tool_chain(const schedule::TargetDescription& target) {
  utsname system{};
  uname(&system);
  return fmt::format("{}-{}", slug(target.compiler_version), slug(system.machine));
}

/** Returns the target without the number of the device, as it is the same for all devices of its class. */
schedule::TargetDescription without_number(schedule::TargetDescription target) {
  target.name = target.kind == schedule::TargetKind::Cpu
                    ? "cpu"
                    : fmt::format("{}:0", schedule::to_string(target.kind));
  return target;
}

bool is_plain(std::string_view word) {
  return std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_=.+").contains(c);
  });
}

}  // namespace

std::vector<std::string> native_flags_in(std::string_view printed) {
  for (const std::string& line : base::split_text(printed, '\n')) {
    const std::vector<std::string> words = base::split_text(base::trimmed(line), ' ');
    if (words.empty() || !words.front().ends_with("/cc1")) continue;
    std::vector<std::string> flags;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!is_plain(words[i])) continue;
      if (words[i].starts_with("-m")) flags.push_back(words[i]);
      if (words[i] == "--param" && i + 1 < words.size() && is_plain(words[i + 1])) {
        flags.push_back("--param=" + words[i + 1]);
      }
    }
    const bool named = std::ranges::any_of(flags, [](const std::string& flag) {
      return flag.starts_with("-march=") && flag != "-march=native";
    });
    return named ? flags : std::vector<std::string>();
  }
  return {};
}

bool is_native_flag(std::string_view flag) {
  return (flag.starts_with("-m") || flag.starts_with("--param=")) && is_plain(flag);
}

std::vector<std::string> native_flags_of(const std::string& compiler) {
  std::vector<std::string> words = measure::command_arguments(compiler);
  for (const char* word : {"-march=native", "-O3", "-E", "-v", "-x", "c", "/dev/null"})
    words.emplace_back(word);
  return native_flags_in(printed_by(std::move(words), command_seconds));
}

DeviceClass make_device_class(const schedule::TargetDescription& device, std::vector<std::string> hardware,
                              std::vector<std::string> native_flags) {
  DeviceClass made;
  made.target = without_number(device);
  made.hardware = std::move(hardware);
  made.native_flags = std::move(native_flags);
  schedule::TargetDescription named = made.target;
  // Classes keep the names that they had before descriptions had this extension: their native flags differ.
  std::erase(named.extensions, "avx512_bf16");
  std::string all = schedule::target_to_json(named);
  for (const auto* texts : {&made.hardware, &made.native_flags})
    for (const std::string& text : *texts) all += "\n" + text;
  made.id = fmt::format("{}-{}-{}-{}", slug(device.device), slug(device.isa), device.cores,
                        base::sha256(all).substr(0, fingerprint_digits));
  switch (device.kind) {
    case schedule::TargetKind::Cpu:
      made.tool_chain = c_tool_chain(device);
      // Without these options, only a compiler on such a processor can expand -march=native.
      if (made.native_flags.empty()) made.tool_chain += "@" + made.id;
      break;
    case schedule::TargetKind::Cuda:
      made.tool_chain = slug(fmt::format("{} {}", device.compiler, device.compiler_version));
      break;
    case schedule::TargetKind::OpenCl:
      made.tool_chain = "opencl@" + made.id;
      break;
  }
  return made;
}

DeviceClass classify_device(const schedule::TargetDescription& device) {
  const bool compiled_for_host = device.kind == schedule::TargetKind::Cpu;
  return make_device_class(device, hardware_of(device),
                           compiled_for_host ? native_flags_of(device.compiler) : std::vector<std::string>());
}

std::vector<std::string> tool_chains_of(const std::vector<schedule::TargetDescription>& tools) {
  std::vector<std::string> names;
  for (const schedule::TargetDescription& target : tools) {
    names.push_back(classify_device(target).tool_chain);
    if (target.kind == schedule::TargetKind::Cpu) names.push_back(c_tool_chain(target));
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::int64_t temperature_of(const schedule::TargetDescription& device) {
  return std::strtoll(ask_nvidia(device, "temperature.gpu", temperature_seconds).c_str(), nullptr, 10);
}

}  // namespace kernelscape::fleet
