#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** The pauses and interruptions of sessions. */
class Interruptions : public Repository {
 public:
  using Repository::Repository;

  /**
   * Records an interruption at session time `at_session_seconds`. @param kind "pause", "interruption", ...
   */
  Status append(SessionId id, double at_session_seconds, const std::string& kind);
  /** Returns the interruptions in the order in which they were appended. */
  Result<std::vector<SessionInterruption>> of(SessionId id) const;
};

}  // namespace kernelscape::store
