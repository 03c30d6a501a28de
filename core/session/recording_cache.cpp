#include "core/session/recording_cache.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/exchange/validation.h"
#include "core/session/preparation.h"

namespace kernelscape::session {

Result<std::shared_ptr<const trial::Recording>> open_recorded_target(const std::string& target,
                                                                     const store::Store& store) {
  if (!is_recorded_target(target) || target.size() == recorded_target_prefix.size()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("target \"{}\" names no recorded space", target),
                "write recorded:FILE, or recorded: with the name or number of a recorded space");
  }
  const std::string name = target.substr(recorded_target_prefix.size());
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) {
    exchange::ValidatedRecording passed = TRY(exchange::open_recording(name));
    return std::move(passed.recording);
  }
  const Result<store::SessionId> id = store.sessions().find(name);
  if (!id) {
    return fail(
        id.error().code,
        fmt::format("there is no recorded space \"{}\": no such file, and {}", name, id.error().message),
        id.error().hint);
  }
  const store::SessionSummary session = TRY(store.sessions().get(*id));
  if (session.record.recording != 0) return store.recordings().get(session.record.recording);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("session {} is no recorded space: its trials were {}", *id,
                          store::to_string(session.record.kind)),
              fmt::format("make one of it: `kernelscape export {} --format recorded --out FILE.ksrec`", *id));
}

Result<std::shared_ptr<const trial::Recording>> RecordingCache::open(const std::string& target,
                                                                     const store::Store& store) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = recordings_.find(target); known != recordings_.end()) return known->second;
  Result<std::shared_ptr<const trial::Recording>> recording = open_recorded_target(target, store);
  if (recording) recordings_.emplace(target, *recording);
  return recording;
}

void RecordingCache::add(const std::string& target, std::shared_ptr<const trial::Recording> recording) {
  const std::scoped_lock lock(mutex_);
  recordings_.insert_or_assign(target, std::move(recording));
}

}  // namespace kernelscape::session
