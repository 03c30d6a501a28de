#pragma once

#include <errno.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "tests/benchmarks/drift/process_tree.h"

namespace kernelscape::drift {

/** A control group of its own for a session, which limits its processor time; removed with this object. */
class CpuGroup {
 public:
  CpuGroup() = default;
  CpuGroup(const CpuGroup&) = delete;
  CpuGroup& operator=(const CpuGroup&) = delete;
  ~CpuGroup() {
    // Processes that have just ended still belong to the group for a moment.
    for (int attempt = 0; attempt < 20 && !folder_.empty(); ++attempt) {
      if (rmdir(folder_.c_str()) == 0 || errno != EBUSY) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  /**
   * Creates the group and moves a process into it, with the processes that it has started. Error: this
   * machine has no group that may be used.
   */
  Status add(pid_t process) {
    if (Status made = make(); !made) return made;
    std::vector<pid_t> all{process};
    append_descendants(process, all);
    for (const pid_t member : all) {
      if (!write(folder_ + "/cgroup.procs", std::to_string(member)) && member == process)
        return fail(ErrorCode::Environment, folder_ + "/cgroup.procs cannot be written");
    }
    return {};
  }
  /** Limits the processes of the group to so many processors. @param processors 0: no limit */
  void limit(double processors, double period_seconds) {
    const auto period = static_cast<std::int64_t>(1e6 * period_seconds);
    const auto quota = static_cast<std::int64_t>(1e6 * period_seconds * processors);
    if (version_ == 2) {
      write(folder_ + "/cpu.max", quota > 0 ? fmt::format("{} {}", quota, period) : "max");
    } else if (quota > 0) {
      write(folder_ + "/cpu.cfs_period_us", std::to_string(period));
      write(folder_ + "/cpu.cfs_quota_us", std::to_string(quota));
    } else {
      write(folder_ + "/cpu.cfs_quota_us", "-1");
    }
  }

 private:
  /** A folder of the group of this process, beside which or in which another may be made. */
  struct Place {
    std::string folder;
    int version = 0;
  };
  static std::string own_group(std::string_view controllers) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      const std::size_t begin = line.find(':');
      const std::size_t end = line.find(':', begin + 1);
      if (end == std::string::npos) continue;
      const std::string names = "," + line.substr(begin + 1, end - begin - 1) + ",";
      if (names == fmt::format(",{},", controllers) || (controllers == "cpu" && names.contains(",cpu,")))
        return line.substr(end + 1);
    }
    return "/";
  }
  /** Version 2 allows no processes in a group with groups: the new one is beside that of this process. */
  static std::vector<Place> places() {
    std::vector<Place> found;
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);) {
      std::istringstream words(line);
      std::string device;
      std::string mount;
      std::string type;
      std::string options;
      words >> device >> mount >> type >> options;
      if (type == "cgroup2")
        found.push_back({mount + std::filesystem::path(own_group("")).parent_path().string(), 2});
      else if (type == "cgroup" && ("," + options + ",").contains(",cpu,"))
        found.push_back({mount + own_group("cpu"), 1});
    }
    return found;
  }
  Status make() {
    std::string reason = "no control groups are mounted";
    for (const Place& place : places()) {
      const std::string folder = fmt::format("{}/kernelscape-drift-{}", place.folder, getpid());
      if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        reason = folder + " cannot be created";
        continue;
      }
      folder_ = folder;
      version_ = place.version;
      if (access((folder + (version_ == 2 ? "/cpu.max" : "/cpu.cfs_quota_us")).c_str(), W_OK) == 0) return {};
      reason = folder + " has no limit of processor time that may be written";
      rmdir(folder.c_str());
      folder_.clear();
    }
    return fail(ErrorCode::Environment, reason);
  }
  static bool write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    return static_cast<bool>(file.flush());
  }

  std::string folder_;
  int version_ = 2;
};

}  // namespace kernelscape::drift
