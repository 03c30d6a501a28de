#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/preparation.h"
#include "core/task/catalogue.h"
#include "ui/workspace/devices.h"

namespace kernelscape {

struct KernelProject;

/** What the form's choices lead to: found in the background while the user types. */
struct FormCheck {
  std::optional<Task> task;
  /** The user's own kernel that the task names: it has a source in place of templates. Null: none. */
  std::shared_ptr<const KernelProject> project;
  std::string project_hash;                  ///< of its content
  std::vector<std::string> project_notices;  ///< what its user should hear before a run
  std::optional<TargetDescription> target;
  std::vector<std::string> templates;  ///< that fit, the first is the default
  std::optional<SearchSpace> space;    ///< of the template as a whole
  std::optional<uint128> members;
  std::optional<uint128> restricted_members;
  std::optional<Error> task_error;
  std::optional<Error> target_error;
  std::optional<Error> template_error;
  std::optional<Error> space_error;  ///< of restrictions and limits
  std::optional<Error> measuring_error;
  std::optional<Error> tuner_error;  ///< what it lacks in this space

  /** The first thing that keeps it from starting. */
  const Error* problem() const;
};

/**
 * Looks everything up that a request names. Compiles a trivial kernel the first time: for a background job.
 * @param devices that were found before, so that a GPU is not probed again; may be null
 */
FormCheck check_form(const TuningRequest& request, const Result<Catalogue>& catalogue,
                     const std::filesystem::path& database, const DeviceSurvey* devices = nullptr);

}  // namespace kernelscape
