#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/gpu/gpu_target.h"
#include "core/schedule/target.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::workspace {

/** A target of this machine. */
struct FoundDevice {
  schedule::TargetDescription target;
  std::int64_t free_memory_bytes = 0;  ///< 0: not known
  std::string holder = {};             ///< text that names the process that measures on the device now;
                                       ///< empty: it is free

  bool operator==(const FoundDevice&) const = default;
};

/** A platform for which this machine has no working device. */
struct MissingPlatform {
  schedule::TargetKind kind = schedule::TargetKind::Cuda;
  std::string problem;
  std::string hint;

  bool operator==(const MissingPlatform&) const = default;
};

/** The result of a device search on this machine. */
struct DeviceSurvey {
  std::vector<FoundDevice> devices;  ///< the CPU first
  std::vector<MissingPlatform> missing = {};

  /** Returns the device with this target name, or null if no such device was found. */
  const FoundDevice* find(std::string_view name) const;
  bool operator==(const DeviceSurvey&) const = default;
};

using DeviceFinder = std::function<DeviceSurvey()>;

/**
 * Finds the CPU, and the GPUs that a worker process reports. Takes up to seconds: to be called in a
 * background job.
 */
DeviceSurvey find_devices();

/**
 * Holds the devices of this machine for the window. Searches for them in the background, and keeps the result
 * until the next search.
 */
class Devices : public QObject {
  Q_OBJECT

 public:
  explicit Devices(DeviceFinder finder, QObject* parent = nullptr);

  /** Starts a new search, unless a search is already in progress. */
  void look();
  /** Starts a search only if none was started yet. */
  void look_once();
  bool looking() const { return job_.busy(); }  ///< a search is in progress
  /** Returns the result of the last search, or null before the first search ends. */
  const std::shared_ptr<const DeviceSurvey>& survey() const { return survey_; }

 signals:
  /** The result changed, or a search began. */
  void changed();

 private:
  DeviceFinder finder_;
  JobTracker job_;
  std::shared_ptr<const DeviceSurvey> survey_;
};

}  // namespace kernelscape::workspace
