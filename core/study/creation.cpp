#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/visible_text.h"
#include "core/exchange/importer.h"
#include "core/fleet/target.h"
#include "core/session/version.h"
#include "core/study/arm_settings.h"
#include "core/study/execution.h"
#include "core/study/tasks.h"

namespace kernelscape::study {
namespace {

/** Adds to the error the part of the study that it concerns. */
std::unexpected<Error> at(std::string_view what, Error error) {
  error.message = fmt::format("{}: {}", what, error.message);
  return std::unexpected(std::move(error));
}

Status check_tuners(const Definition& study) {
  for (const Arm& arm : study.arms) {
    const std::string what = fmt::format("tuner {} of the study", base::quoted_line(arm.name));
    if (const Result<tuner::SettingValues> settings = checked_arm_settings(study, arm); !settings)
      return at(what, settings.error());
  }
  return {};
}

/** Between tasks with different knobs, only models of features can be transferred. */
Status check_carried(const Definition& study) {
  for (const Arm& arm : study.arms) {
    if (!arm.chain_tasks) continue;
    const tuner::Declaration* tuner = TRY(tuner::find_tuner(arm.tuner));
    if (tuner->learns_from_features) continue;
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("it has other knobs than the task before it, and {} cannot use trials with other knobs",
                    base::quoted_line(arm.name)),
        R"(remove "chain_tasks", or use xgb, which learns from features)");
  }
  return {};
}

/** Looks up every task, and checks that its runs can end. */
Status check_targets(const store::Store& store, const Definition& study) {
  Tasks tasks(study);
  const std::vector<std::string> labels = task_labels(study);
  const trial::Budget& budget = study.budget;
  const bool ends = budget.trials > 0 || budget.minutes > 0 || budget.patience > 0;
  std::vector<space::Knob> knobs_before;
  for (std::size_t task = 0; task < study.tasks.size(); ++task) {
    const std::string what = fmt::format("task {} of the study, {}", task + 1, labels[task]);
    for (std::size_t arm = 0; arm < study.arms.size(); ++arm) {
      // All tuners share the task itself. Only a session to start with, what it learns from, the measuring
      // options, and whether device limits are constraints depend on the tuner.
      const Arm& own = study.arms[arm];
      PlannedRun run;
      run.task = task;
      run.arm = arm;
      const bool limited = session::enforces_limits(request_of(study, run));
      if (arm > 0 && own.warm_start == 0 && own.learn_from.empty() && !own.measuring && !limited) continue;
      const Result<PreparedRun> prepared = tasks.prepare(store, run, {});
      if (!prepared) return at(what, prepared.error());
      if (arm > 0) continue;
      const std::vector<space::Knob>& knobs = prepared->tuning.setup.space.knobs();
      if (task > 0 && knobs != knobs_before) {
        if (const Status carried = check_carried(study); !carried) return at(what, carried.error());
      }
      knobs_before = knobs;
    }
    if (!ends && !study.tasks[task].recorded()) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: its runs have no limit", what),
                  R"(set "trials" or "minutes"; only recorded spaces may be searched without a limit)");
    }
  }
  return {};
}

Status check_analysed(const Definition& study) {
  for (const std::string& file : study.analysed) {
    if (const auto recording = open_recorded_file(file); !recording)
      return at("to analyse", recording.error());
  }
  return {};
}

/**
 * Returns the number of devices, so that one round per device keeps all busy. For a fleet that is not
 * available now, each run reports that.
 */
int devices_for(const Definition& study) {
  if (study.tasks.empty() || !fleet::is_fleet_target(study.tasks.front().target)) return 1;
  const std::size_t devices = fleet::count_devices(study.tasks.front().target).value_or(1);
  return static_cast<int>(std::clamp<std::size_t>(devices, 1, study.tasks.size()));
}

/**
 * Returns the study with absolute files, without the optional tasks whose file is missing, and with its
 * controls.
 */
Result<Definition> as_stored(Definition study) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  for (Task& task : study.tasks) task.target = resolve_recorded_target(task.target, folder);
  for (Arm& arm : study.arms)
    for (std::string& source : arm.learn_from) source = resolve_recorded_target(source, folder);
  for (std::string& file : study.analysed) file = resolve_file(file, folder).string();
  const std::vector<std::string> notices = leave_out_missing(study);
  if (study.tasks.empty() && !notices.empty()) {
    return fail(
        ErrorCode::NotFound,
        fmt::format("study {} has no available task: {}", base::quoted_line(study.name), notices.front()),
        "obtain the files, or name other recorded spaces");
  }
  add_controls(study);
  const bool in_rounds = !study.scheduler.empty() || study.first_trials > 0;
  if (in_rounds && study.layers_at_once == 1) study.layers_at_once = devices_for(study);
  return study;
}

std::string file_of(const Task& task) { return task.target.substr(session::recorded_target_prefix.size()); }

}  // namespace

std::vector<std::string> leave_out_missing(Definition& study) {
  std::vector<std::string> notices;
  std::erase_if(study.tasks, [&](const Task& task) {
    std::error_code error;
    if (!task.optional || !task.recorded() || std::filesystem::exists(file_of(task), error)) return false;
    notices.push_back(fmt::format("{} is missing: the study continues without it", file_of(task)));
    return true;
  });
  return notices;
}

Result<store::StudyId> create_study(store::Store& store, const Definition& asked) {
  if (asked.purpose == Purpose::Collection) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a collection, which has no runs", base::quoted_line(asked.name)),
                "`kernelscape import FILE` creates collections from files with several tasks");
  }
  const Definition study = TRY(as_stored(asked));
  TRY(check_study(study));
  TRY(check_tuners(study));
  TRY(check_targets(store, study));
  TRY(check_analysed(study));
  store::StudyRecord record;
  record.name = study.name;
  record.program_version = session::program_version;
  record.study_json = study_to_json(study);
  record.run_count = std::ssize(plan_runs(study));
  return store.studies().create(record);
}

Purpose purpose_of(const store::StudyRecord& record) {
  const Result<Definition> study = study_from_json(record.study_json, {}, first_study_rules);
  return study ? study->purpose : Purpose::Comparison;
}

Result<Definition> stored_study(const store::Store& store, store::StudyId id) {
  const store::StudySummary summary = TRY(store.studies().get(id));
  Result<Definition> study = study_from_json(summary.record.study_json, {}, first_study_rules);
  if (!study) return at(fmt::format("study {}", id), study.error());
  return study;
}

Status add_analysed_sessions(store::Store& store, const Definition& study) {
  for (const std::string& file : study.analysed) {
    std::ignore = TRY(exchange::store_recording(store, TRY(open_recorded_file(file))));
  }
  return {};
}

Result<std::vector<store::SessionId>> analysed_sessions(const store::Store& store, const Definition& study) {
  std::vector<store::SessionId> sessions;
  for (const std::string& file : study.analysed) {
    const std::shared_ptr<const trial::Recording> recording = TRY(open_recorded_file(file));
    const std::optional<store::SessionId> session = TRY(exchange::stored_recording(store, *recording));
    if (!session)
      return fail(
          ErrorCode::NotFound,
          fmt::format("the database {} does not contain the recorded space {}", store.path().string(), file),
          "import the file");
    sessions.push_back(*session);
  }
  return sessions;
}

Result<store::Store> with_analysed_sessions(store::Store store, store::StudyId id) {
  const Definition study = TRY(stored_study(store, id));
  for (const std::string& file : study.analysed) {
    const std::shared_ptr<const trial::Recording> recording = TRY(open_recorded_file(file));
    if (TRY(exchange::stored_recording(store, *recording))) continue;
    {
      store::Store writer = TRY(store::Store::open(store.path(), store::OpenMode::Existing));
      TRY(add_analysed_sessions(writer, study));
    }
    return store::Store::open(store.path(), store::OpenMode::ReadOnly);
  }
  return store;
}

}  // namespace kernelscape::study
