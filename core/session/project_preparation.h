#pragma once

#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/project/kernel_project.h"
#include "core/session/preparation.h"

namespace kernelscape::session {

// Sessions of users' own kernels.

/** Prefix of a task that names the project of a stored session: "project:12". */
inline constexpr std::string_view project_task_prefix = "project:";

/**
 * Returns the project that a request names, by a project file or a stored session; null if the request names
 * something else. Compiles and runs nothing.
 */
Result<std::shared_ptr<const project::KernelProject>> requested_project(const TuningRequest& request,
                                                                        const store::Store& store);

/**
 * Returns the project that a session was created from. Error: Corrupt if the project does not match the
 * session's hash.
 */
Result<std::shared_ptr<const project::KernelProject>> stored_project(const store::Store& store,
                                                                     const store::SessionRecord& record);

/**
 * Returns Refused if the user has not allowed exactly this content to be compiled and run. With `trust` the
 * user allows it now, and this is remembered.
 */
Status require_trust(const project::KernelProject& project, bool trust);

/** Prepares a session of a project, whose content must be trusted. */
Result<PreparedTuning> prepare_project(const TuningRequest& request, const store::Store& store,
                                       std::shared_ptr<const project::KernelProject> project,
                                       const tuner::SettingValues& settings);

/**
 * Prepares a stored session of a project to be resumed. Error: Refused if its content is not trusted on this
 * machine.
 */
Result<PreparedTuning> prepare_stored_project(const store::Store& store, const store::SessionRecord& record,
                                              const schedule::TargetDescription& target);

/**
 * Returns the differences between a project and that of the newest session of the same name, one line each;
 * empty if there is no such session, or no difference.
 */
std::vector<std::string> differences_from_last_session(const store::Store& store,
                                                       const project::KernelProject& project);

}  // namespace kernelscape::session
