#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/session_watch.h"

namespace kernelscape {

/** What a comparison of chosen rows is of. */
struct ComparableSessions {
  std::vector<SessionId> sessions;  ///< to be compared
  QString reason;                   ///< why nothing can be; empty: it can
};

/**
 * The chosen sessions, and those of the chosen collections of whose task, target and space another one of all
 * these is: a log has hundreds of tasks, and a task with one session compares nothing.
 * @param all sessions of the database, newest first; those of a collection follow in the order of its file
 */
ComparableSessions comparable_sessions(const std::vector<SessionEntry>& chosen,
                                       const std::vector<StudyId>& collections,
                                       const std::vector<SessionEntry>& all);

}  // namespace kernelscape
