#include "core/session/project_preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/kernel/project_family.h"
#include "core/project/trust.h"
#include "core/project/trusted_version.h"
#include "core/session/preparation_parts.h"
#include "core/session/setup.h"

namespace kernelscape::session {
namespace {

constexpr std::uintmax_t max_judged_bytes = 16U << 20U;

/** Whether the text names a file that is a project's. */
bool names_project_file(const std::string& task) {
  std::error_code failed;
  if (!task.ends_with(".json") || !std::filesystem::is_regular_file(task, failed)) return false;
  const Result<std::string> text = base::read_text_file(task, max_judged_bytes);
  return text && project::is_project(*text);
}

/** A project has neither templates nor limits of one. */
Status check_project_options(const TuningRequest& request) {
  const auto refuse = [](std::string_view option, std::string_view reason) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {}", option, reason),
                fmt::format("leave {} out", option));
  };
  if (!request.template_name.empty())
    return refuse("--template", "a project of your own kernel has a source instead");
  if (request.measuring.beyond_limits) return refuse("--beyond-limits", "a project has no device limits");
  return {};
}

/** What the family measures, with all of a setup that does not come from a request. */
Setup setup_of(const kernel::ProjectFamily& family, std::shared_ptr<const project::KernelProject> project,
               const schedule::TargetDescription& target, space::SearchSpace space) {
  Setup setup{.space = std::move(space)};
  setup.task = family.task();
  setup.target = target;
  setup.target.extensions.clear();  // no template of ours uses them
  if (project->program) {
    // The program's commands name what builds it.
    setup.target.compiler.clear();
    setup.target.compiler_version.clear();
    setup.target.flags.clear();
  }
  setup.project = std::move(project);
  return setup;
}

void add_program_notices(const project::KernelProject& project, std::vector<std::string>& notices) {
  const project::ProgramNumber& objective = project.program->objective;
  if (!project::is_time_unit(objective.unit) && !project::is_rate_unit(objective.unit))
    notices.push_back(fmt::format("{} in {} is ranked as if it were {}", base::quoted_line(objective.name),
                                  base::quoted_line(objective.unit),
                                  objective.higher_is_better ? "a rate: its reciprocal is shown as seconds"
                                                             : "a time: it is shown as seconds"));
  if (project.program->check.commands.empty())
    notices.emplace_back("there is no check command: every result of the program counts as right");
}

/** A line is a notice; of many the first. */
void add_differences(const std::vector<std::string>& differences, std::vector<std::string>& notices) {
  constexpr std::size_t max_lines = 16;
  std::vector<std::string> lines;
  for (const std::string& difference : differences) {
    for (std::string& line : base::split_text(difference, '\n')) lines.push_back(std::move(line));
  }
  std::erase_if(lines, [](const std::string& line) { return base::trimmed(line).empty(); });
  const std::size_t left_out = lines.size() - std::min(lines.size(), max_lines);
  lines.resize(lines.size() - left_out);
  if (left_out > 0) lines.push_back(fmt::format("... and {} more lines", left_out));
  notices.insert(notices.end(), lines.begin(), lines.end());
}

}  // namespace

Result<std::shared_ptr<const project::KernelProject>> requested_project(const TuningRequest& request,
                                                                        const store::Store& store) {
  if (request.task.starts_with(project_task_prefix)) {
    const store::SessionId id = TRY(store.sessions().find(request.task.substr(project_task_prefix.size())));
    return stored_project(store, TRY(store.sessions().get(id)).record);
  }
  if (!names_project_file(request.task)) return nullptr;
  return std::make_shared<const project::KernelProject>(
      TRY(project::read_project(request.task, request.outside_files)));
}

Result<std::shared_ptr<const project::KernelProject>> stored_project(const store::Store& store,
                                                                     const store::SessionRecord& record) {
  const std::string json = TRY(store.sessions().project_json(record.id));
  auto project = std::make_shared<project::KernelProject>(TRY(project::project_from_json(json)));
  if (project::content_hash(*project) != record.project_hash)
    return fail(
        ErrorCode::Corrupt,
        fmt::format("the project of session {} is not the one that the session was made from", record.id),
        "the session can be viewed; start a new session from the project's file");
  return std::shared_ptr<const project::KernelProject>(std::move(project));
}

Status require_trust(const project::KernelProject& project, bool trust_now) {
  const std::string hash = project::content_hash(project);
  if (project::is_trusted(hash)) return {};
  if (trust_now) return project::trust_project(project);
  if (project.program) {
    std::vector<std::string> lines = project::program_lines(*project.program);
    for (const std::string& line : project::permission_lines(project.program->permissions))
      lines.push_back("it " + line);
    return fail(ErrorCode::Refused,
                fmt::format("the program {} with {} files would run: {}; its content {} is not trusted yet",
                            base::quoted_line(project.name), project.includes.size(), fmt::join(lines, "; "),
                            hash.substr(0, 16)),
                "read its files, then add --trust: it applies to exactly this content");
  }
  std::string runs =
      fmt::format("{} ({})", base::quoted_line(project.source_name), base::quoted_line(project.kernel_name));
  if (!project.includes.empty()) runs += fmt::format(", {} included files", project.includes.size());
  const project::AnswerKind answer = project.data.answer.kind;
  if (answer == project::AnswerKind::Kernel || answer == project::AnswerKind::Function)
    runs += fmt::format(", the reference {}", base::quoted_line(project.data.answer.reference.entry));
  if (!project.flags.empty()) {
    std::vector<std::string> flags;
    for (const std::string& flag : project.flags) flags.push_back(base::one_line(flag));
    runs += fmt::format(", built with {}", fmt::join(flags, " "));
  }
  return fail(ErrorCode::Refused,
              fmt::format("the project {} would be compiled and run: {}; its content {} is not trusted yet",
                          base::quoted_line(project.name), runs, hash.substr(0, 16)),
              "read these files, then add --trust: it applies to exactly this content");
}

Result<PreparedTuning> prepare_project(const TuningRequest& request, const store::Store& store,
                                       std::shared_ptr<const project::KernelProject> project,
                                       const tuner::SettingValues& settings) {
  TRY(check_project_options(request));
  const auto need = project->program ? measure::CompilerNeed::Optional : measure::CompilerNeed::Required;
  const schedule::TargetDescription target = TRY(resolve_target(request.target, need, request.architecture));
  const auto family = TRY(kernel::ProjectFamily::make(project, target));
  space::SearchSpace space = TRY(restrict_space(family->space(), request.restrictions));
  Setup setup = setup_of(*family, std::move(project), target, std::move(space));
  setup.settings = settings;
  setup.options = request.measuring;
  TRY(apply_request(request, store, setup));
  // The last check of the user's input: trust is not requested for content that cannot run anyway.
  TRY(require_trust(*setup.project, request.trust));
  PreparedTuning tuning{std::move(setup), family};
  TRY(take_predictor(store, tuning));
  TRY(check_tuner(tuning.setup));
  tuning.notices = family->notices();
  if (tuning.setup.project->program)
    add_program_notices(*tuning.setup.project, tuning.notices);
  else if (family->data()->answer.kind == project::AnswerKind::FirstValid)
    tuning.notices.emplace_back(
        "there is no reference: outputs are compared with those of the first valid configuration, which may "
        "be wrong");
  add_differences(differences_from_last_session(store, *tuning.setup.project), tuning.notices);
  return tuning;
}

Result<PreparedTuning> prepare_stored_project(const store::Store& store, const store::SessionRecord& record,
                                              const schedule::TargetDescription& target) {
  const auto project = TRY(stored_project(store, record));
  TRY(require_trust(*project, false));
  const auto family = kernel::ProjectFamily::make(project, target);
  if (!family) return only_viewed(record.id, describe(family.error()));
  const Result<space::SearchSpace> stored = space::space_from_json(record.space_json);
  Setup setup = setup_of(**family, project, target,
                         stored ? restored_space(*stored, (*family)->space()) : (*family)->space());
  setup.name = record.name;
  setup.tuner = record.tuner;
  setup.batch_size = record.batch_size;
  setup.seed = record.seed;
  setup.real_measurements = record.real_measurements;
  if (const Status values = restore_values(store, record, setup); !values)
    return only_viewed(record.id, describe(values.error()));
  const std::vector<std::string> differences = setup_differences(record, setup);
  if (!differences.empty()) return only_viewed(record.id, fmt::format("{}", fmt::join(differences, "; ")));
  return PreparedTuning{std::move(setup), *family};
}

std::vector<std::string> differences_from_last_session(const store::Store& store,
                                                       const project::KernelProject& project) {
  const auto sessions = store.sessions().list();
  if (!sessions) return {};
  const std::string hash = project::content_hash(project);
  for (const store::SessionSummary& session : *sessions) {
    const store::SessionRecord& record = session.record;
    if (record.project_hash.empty() || record.task_name != project.name) continue;
    if (record.project_hash == hash) return {};
    const auto before = stored_project(store, record);
    if (!before) return {};
    std::vector<std::string> lines = project::project_differences(**before, project);
    lines.insert(lines.begin(), fmt::format("the project differs from that of session {}:", record.id));
    return lines;
  }
  return {};
}

}  // namespace kernelscape::session
