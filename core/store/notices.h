#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"
#include "core/trial/session_notice.h"

namespace kernelscape::store {

/** The notices of sessions: messages to the user that a running session stores. */
class Notices : public Repository {
 public:
  using Repository::Repository;

  /**
   * Stores a notice of a session. A text that is stored already stays one notice with its first time and
   * kind; a slow phase that goes on replaces the text of its earlier notice (trial::continues_phase()); a
   * text longer than max_notice_bytes is cut. Returns Refused if the session has max_session_notices, and
   * NotFound if the session does not exist.
   */
  Status add(SessionId id, const trial::SessionNotice& notice);
  /** Returns the notices in the order of their first occurrence; empty if the session does not exist. */
  Result<std::vector<trial::SessionNotice>> of(SessionId id) const;
};

}  // namespace kernelscape::store
