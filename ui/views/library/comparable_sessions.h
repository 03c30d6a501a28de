#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/session_watch.h"

namespace kernelscape::views {

/** The sessions that a comparison of the chosen rows contains. */
struct ComparableSessions {
  std::vector<store::SessionId> sessions;  ///< the sessions to compare
  QString reason;                          ///< why no comparison is possible; empty: it is possible
};

/**
 * Returns the chosen sessions, and those sessions of the chosen collections that share task, target and space
 * with another of all these sessions: a log has hundreds of tasks, and a task with only one session gives no
 * comparison.
 * @param all sessions of the database, newest first; the sessions of a collection are in the order of its
 * file
 */
ComparableSessions comparable_sessions(const std::vector<workspace::SessionEntry>& chosen,
                                       const std::vector<store::StudyId>& collections,
                                       const std::vector<workspace::SessionEntry>& all);

}  // namespace kernelscape::views
