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

namespace kernelscape {

/** A target of this machine. */
struct FoundDevice {
  TargetDescription target;
  std::int64_t free_memory_bytes = 0;  ///< 0: not known
  std::string holder = {};             ///< who measures on it now, in words; empty: it is free

  bool operator==(const FoundDevice&) const = default;
};

/** A platform of which this machine has no device that works. */
struct MissingPlatform {
  TargetKind kind = TargetKind::Cuda;
  std::string problem;
  std::string hint;

  bool operator==(const MissingPlatform&) const = default;
};

/** What a look at this machine found. */
struct DeviceSurvey {
  std::vector<FoundDevice> devices;  ///< the CPU first
  std::vector<MissingPlatform> missing = {};

  /** By the target's name; null: no such device was found. */
  const FoundDevice* find(std::string_view name) const;
  bool operator==(const DeviceSurvey&) const = default;
};

using DeviceFinder = std::function<DeviceSurvey()>;

/** The CPU, and the GPUs that a worker finds. Takes up to seconds: for a background job. */
DeviceSurvey find_devices();

/** The devices of this machine as the window knows them: looked for in the background, kept until the next
 * look.
 */
class Devices : public QObject {
  Q_OBJECT

 public:
  explicit Devices(DeviceFinder finder, QObject* parent = nullptr);

  /** Looks again; a look that is under way is enough. */
  void look();
  /** Only where nobody has looked yet. */
  void look_once();
  bool looking() const { return job_.busy(); }  ///< a look is under way
  /** Null: not looked yet. */
  const std::shared_ptr<const DeviceSurvey>& survey() const { return survey_; }

 signals:
  /** What was found, or whether a look is under way. */
  void changed();

 private:
  DeviceFinder finder_;
  JobTracker job_;
  std::shared_ptr<const DeviceSurvey> survey_;
};

}  // namespace kernelscape
