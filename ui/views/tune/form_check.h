#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/preparation.h"
#include "core/task/catalogue.h"
#include "ui/workspace/devices.h"

namespace kernelscape::project {
struct KernelProject;
}  // namespace kernelscape::project

namespace kernelscape::views {

/** The result of checking the form, computed in the background while the user types. */
struct FormCheck {
  std::optional<task::Task> task;
  /**
   * The user's own kernel that the task names; it has a source instead of templates. Null: the task is not a
   * project.
   */
  std::shared_ptr<const project::KernelProject> project;
  std::string project_hash;                  ///< of its content
  std::vector<std::string> project_notices;  ///< notices that the user should read before a run
  std::optional<schedule::TargetDescription> target;
  std::vector<std::string> templates;       ///< templates that fit; the first is the default
  std::optional<space::SearchSpace> space;  ///< of the template, without restrictions
  std::optional<base::uint128> members;
  bool limits_known = false;                     ///< there are device limits, and they are known
  std::optional<base::uint128> limited_members;  ///< members within the limits, enforced or not
  std::optional<base::uint128> restricted_members;
  std::optional<double> failed_share;  ///< of the configurations of a recorded space
  std::optional<Error> task_error;
  std::optional<Error> target_error;
  std::optional<Error> template_error;
  std::optional<Error> space_error;  ///< error of the restrictions and limits
  std::optional<Error> measuring_error;
  std::optional<Error> tuner_error;  ///< why the tuner can't be used in this space

  /** Returns the first error that prevents the start. */
  const Error* problem() const;
};

/**
 * Checks everything that a request names. Compiles a trivial kernel the first time: for a background job.
 * @param devices found before, so that a GPU is not probed again; may be null
 */
FormCheck check_form(const session::TuningRequest& request, const Result<task::Catalogue>& catalogue,
                     const std::filesystem::path& database, const workspace::DeviceSurvey* devices = nullptr);

}  // namespace kernelscape::views
