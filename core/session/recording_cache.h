#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape {

/**
 * The recorded space that a target names: "recorded:" with a file, else with the number or name of a session
 * of the database that is a recorded space, or a replay of one.
 */
Result<std::shared_ptr<const Recording>> open_recorded_target(const std::string& target, const Store& store);

/** Recordings that were opened, by their target: each is read once. Any thread may use it. */
class RecordingCache {
 public:
  /** As open_recorded_target(). Other threads wait meanwhile, which may want the same. */
  Result<std::shared_ptr<const Recording>> open(const std::string& target, const Store& store);

  /** For a target that only its caller can read: another program's file. */
  void add(const std::string& target, std::shared_ptr<const Recording> recording);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Recording>> recordings_;
};

}  // namespace kernelscape
