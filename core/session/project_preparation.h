#pragma once

#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/project/kernel_project.h"
#include "core/session/preparation.h"

namespace kernelscape {

// Sessions of users' own kernels.

/** What a task begins with that is the project of a stored session: "project:12". */
inline constexpr std::string_view project_task_prefix = "project:";

/**
 * The project that a request names: a project file, or that of a stored session; null where it names
 * something else. Reading compiles and runs nothing.
 */
Result<std::shared_ptr<const KernelProject>> requested_project(const TuningRequest& request,
                                                               const Store& store);

/** The project that a session was made from. Corrupt: it is not what the session's hash says. */
Result<std::shared_ptr<const KernelProject>> stored_project(const Store& store, const SessionRecord& record);

/**
 * Refused where the user has not said that this very content may be compiled and run; `trust` says it now,
 * and is remembered.
 */
Status require_trust(const KernelProject& project, bool trust);

/** A session of a project, ready to run: its content has to be trusted. */
Result<PreparedTuning> prepare_project(const TuningRequest& request, const Store& store,
                                       std::shared_ptr<const KernelProject> project,
                                       const SettingValues& settings);

/** A stored session of a project made ready to go on. Refused where its content is not trusted here. */
Result<PreparedTuning> prepare_stored_project(const Store& store, const SessionRecord& record,
                                              const TargetDescription& target);

/**
 * How the project differs from that of the newest session of the same name, a line each; empty where there is
 * none, or it is the same.
 */
std::vector<std::string> differences_from_last_session(const Store& store, const KernelProject& project);

}  // namespace kernelscape
