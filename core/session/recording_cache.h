#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape::session {

/**
 * Opens the recorded space that a target names: "recorded:" with a file, or with the number or name of a
 * session of the database that is a recorded space or a replay of one.
 */
Result<std::shared_ptr<const trial::Recording>> open_recorded_target(const std::string& target,
                                                                     const store::Store& store);

/** Opened recordings by target: each is read once. Thread-safe. */
class RecordingCache {
 public:
  /** As open_recorded_target(). Other threads wait meanwhile, since they may need the same recording. */
  Result<std::shared_ptr<const trial::Recording>> open(const std::string& target, const store::Store& store);

  /** Adds a recording of a target that only the caller can read, such as another program's file. */
  void add(const std::string& target, std::shared_ptr<const trial::Recording> recording);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const trial::Recording>> recordings_;
};

}  // namespace kernelscape::session
