#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "core/base/text.h"
#include "tests/gpu/child.h"
#include "tests/gpu/summary.h"

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

constexpr double query_seconds = 30;

/** What stands behind the first "NAME:" or "NAME=" of a file; empty where it has none. */
std::string line_value(const char* file, std::string_view name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t at = line.find_first_of(":=");
    if (at == std::string::npos) continue;
    std::string value = line.substr(line.find_first_not_of(" \t\"", at + 1));
    while (!value.empty() && (value.back() == '"' || value.back() == ' ')) value.pop_back();
    return value;
  }
  return {};
}

std::string first_line(const char* file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/** Rows of `nvidia-smi --query-gpu`, by field; null where there is no such program. A row that is none is
 * what it said. */
json query_fields(const std::vector<std::string>& fields) {
  const std::string program = find_program("nvidia-smi", {"/usr/local/nvidia/bin", "/usr/lib/wsl/lib"});
  if (program.empty()) return nullptr;
  json rows = json::array();
  run_child({program, "--query-gpu=" + base::join(fields, ","), "--format=csv,noheader"},
            {.seconds = query_seconds,
             .environment = {{"LD_LIBRARY_PATH", ""}},
             .on_line = [&](std::string_view line) {
               const std::vector<std::string> values = base::split_text(line, ',');
               json row = json::object();
               for (std::size_t i = 0; i < values.size() && i < fields.size(); ++i)
                 row[fields[i]] =
                     values[i].substr(std::min(values[i].size(), values[i].find_first_not_of(' ')));
               if (values.size() != fields.size()) row = {{"said", std::string(line)}};
               rows.push_back(std::move(row));
             }});
  return rows;
}

/** The same; where it does not know one of the fields, as they come and go with drivers, the first of them
 * alone. */
json query(std::vector<std::string> fields) {
  constexpr std::size_t known_everywhere = 5;
  json rows = query_fields(fields);
  const auto is_refusal = [](const json& row) { return row.contains("said"); };
  if (rows.is_null() || std::ranges::none_of(rows, is_refusal)) return rows;
  fields.resize(std::min(fields.size(), known_everywhere));
  return query_fields(fields);
}

}  // namespace

json gpu_state() {
  return query({"index", "clocks.sm", "clocks.mem", "temperature.gpu", "power.draw",
                "clocks_throttle_reasons.active"});
}

json describe_machine(const Settings& settings) {
  utsname system{};
  uname(&system);
  json machine;
  machine["system"] = line_value("/etc/os-release", "PRETTY_NAME");
  machine["kernel"] = fmt::format("{} {}", system.release, system.machine);
  machine["C library"] = gnu_get_libc_version();
  machine["processor"] = line_value("/proc/cpuinfo", "model name");
  machine["cores"] = std::thread::hardware_concurrency();
  machine["memory"] = line_value("/proc/meminfo", "MemTotal");
  machine["driver module"] = first_line("/proc/driver/nvidia/version");
  machine["archive"] = first_line((settings.home / "VERSION").c_str());
  machine["work"] = settings.work.string();
  machine["GPUs"] = query({"index", "name", "driver_version", "memory.total", "clocks.max.sm",
                           "clocks.max.mem", "clocks.applications.graphics", "power.limit",
                           "mig.mode.current", "persistence_mode", "compute_mode", "ecc.mode.current"});
  if (machine["GPUs"].is_null()) machine["GPUs"] = "nvidia-smi is not on the PATH";
  return machine;
}

}  // namespace kernelscape::gpu_proof
