#include "app/command_line/study_run.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/group_text.h"
#include "app/command_line/standard_output.h"
#include "app/command_line/stop_signals.h"
#include "app/command_line/study_display.h"
#include "app/command_line/study_text.h"
#include "app/command_line/study_verdicts.h"
#include "core/study/comparison_reader.h"

namespace kernelscape {
namespace {

/** Returns the command that resumes a study. */
std::string resume_command(StudyPurpose purpose, StudyId id) {
  return fmt::format("kernelscape {} --resume {}", purpose == StudyPurpose::DataSet ? "dataset" : "study",
                     id);
}

Status print_analysis(const Store& store, StudyId id, const StudyDefinition& study, bool as_json) {
  for (const SessionId session : TRY(analysed_sessions(store, study))) {
    const SessionSummary summary = TRY(store.session(session));
    const auto recording = TRY(store.recording(summary.record.recording));
    if (as_json) {
      print_json_line(recording_event(id, session, *recording));
    } else {
      print("\nsession {}, {}", session, recording_text(*recording));
    }
  }
  return {};
}

Status print_comparison(const Store& store, StudyId id, const StudyDefinition& study,
                        const StudyRunOptions& options) {
  const std::shared_ptr<const ComparedRuns> runs = TRY(ComparisonReader(store, id).read());
  const ComparisonTable table = comparison_table(*runs, baseline_arm(study));
  if (options.json) {
    for (const ComparisonRow& row : table.rows) print_json_line(comparison_row_event(id, *runs, table, row));
  } else {
    print("{}\n{}", planned_text(study, *runs), comparison_text(*runs, table, options.by_task));
  }
  return {};
}

TerminalText about_text(const StudyDefinition& study) {
  return study.about.empty() ? TerminalText() : write<Terminal>("{}\n\n", message_text(study.about));
}

Status print_data_set(const Store& store, StudyId id, const StudyDefinition& study, bool as_json) {
  const std::vector<DataSetTask> tasks = TRY(data_set_tasks(store, id));
  if (as_json) {
    for (const DataSetTask& task : tasks) print_json_line(data_set_task_event(id, task));
  } else {
    print("\n{}{}", about_text(study), data_set_text(tasks));
  }
  return {};
}

Status print_network(const Store& store, StudyId id, const StudyDefinition& study, bool as_json) {
  const NetworkOutcome outcome = TRY(network_outcome(store, id));
  if (as_json) {
    for (const NetworkLayerOutcome& layer : outcome.layers) print_json_line(network_layer_event(id, layer));
    print_json_line(network_event(id, outcome));
  } else {
    print("\n{}{}", about_text(study), network_text(outcome));
  }
  return {};
}

Status print_found(const Store& store, StudyId id, const StudyDefinition& study,
                   const StudyRunOptions& options) {
  if (study.purpose == StudyPurpose::DataSet) return print_data_set(store, id, study, options.json);
  if (study.purpose == StudyPurpose::Network) return print_network(store, id, study, options.json);
  if (study.purpose == StudyPurpose::Collection) return {};
  return study.analysed.empty() ? print_comparison(store, id, study, options)
                                : print_analysis(store, id, study, options.json);
}

/** Prints the next possible steps. */
TerminalText resume_hint_text(StudyId id, const StudyDefinition& study) {
  switch (study.purpose) {
    case StudyPurpose::DataSet:
      return write<Terminal>("\n`kernelscape train --data \"study {}\"` trains a predictor on it\n", id);
    case StudyPurpose::Network:
      return write<Terminal>("\n`kernelscape export --network {} --out FOLDER` exports its kernels\n", id);
    case StudyPurpose::Collection:
      return write<Terminal>(
          "study {} is a collection of imported sessions; `kernelscape sessions --collection {}` lists "
          "them\n",
          id, id);
    case StudyPurpose::Comparison:
      break;
  }
  return write<Terminal>(
      "\nthe workbench shows it in its Compare view; `kernelscape report --study {} --out x.html` makes "
      "a report\n",
      id);
}

void print_summary(const StudyOutcome& outcome, StudyPurpose purpose, bool as_json) {
  const StudyProgress& progress = outcome.progress;
  if (as_json) {
    print_json_line({{"event", "summary"},
                     {"study", outcome.id},
                     {"interrupted", outcome.interrupted},
                     {"runs", progress.runs},
                     {"done", progress.done},
                     {"failed", progress.failed},
                     {"elapsed_seconds", progress.elapsed_seconds}});
  } else if (outcome.interrupted) {
    print("\nstopped after {} of {} runs; `{}` resumes\n", progress.done, progress.runs,
          resume_command(purpose, outcome.id));
  }
}

std::string state_of(const StudySummary& study) {
  if (study.owner && study.owner->alive()) return "running";
  if (study.done_runs == study.record.run_count) return "done";
  return study.failed_runs > 0 ? "failed" : "stopped";
}

/** Returns the command that makes a new study. */
std::string_view making_command(std::optional<StudyPurpose> purpose) {
  return purpose == StudyPurpose::DataSet ? "kernelscape dataset --template NAME" : "kernelscape study FILE";
}

}  // namespace

Status print_stored_study(const Store& store, StudyId id, const StudyRunOptions& options) {
  const StudyDefinition study = TRY(stored_study(store, id));
  TRY(print_found(store, id, study, options));
  if (!options.json) print(resume_hint_text(id, study));
  return {};
}

Result<int> run_stored_study(Store& store, StudyId id, const StudyRunOptions& options) {
  const StopRequest& stop = stop_on_signals();
  keep_going_without_output();
  const StudyDefinition study = TRY(stored_study(store, id));
  if (study.purpose == StudyPurpose::Collection) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("study {} is a collection of imported sessions, which cannot be run", id),
                fmt::format("`kernelscape sessions --collection {}` lists them", id));
  }
  const StudyDisplaySetup setup{id, &study, store.path().string()};
  std::unique_ptr<StudyObserver> display =
      options.json ? make_study_json_display(setup) : make_study_text_display(setup);
  StudyOptions running;
  running.jobs = options.jobs;
  running.measure_pass = pass_on_this_machine;
  const Result<StudyOutcome> outcome = run_study(store.path(), id, running, *display, stop);
  display.reset();
  if (!outcome) return std::unexpected(outcome.error());
  TRY(print_stored_study(store, id, options));
  print_summary(*outcome, study.purpose, options.json);
  if (outcome->interrupted) return exit_interrupted;
  if (outcome->progress.failed == 0) return exit_done;
  return fail(ErrorCode::Environment,
              fmt::format("{} of {} runs failed", outcome->progress.failed, outcome->progress.runs),
              fmt::format("`{}` tries them again", resume_command(study.purpose, id)));
}

Result<int> print_stored_studies(const Store& store, std::optional<StudyPurpose> purpose, bool as_json) {
  std::vector<Error> unreadable;
  const std::vector<StudySummary> studies = TRY(store.studies(&unreadable));
  for (const Error& problem : unreadable) print_note(describe(problem));
  TextTable table({"study", "name", "purpose", "runs", "done", "failed", "state", "created"});
  std::int64_t listed = 0;
  for (const StudySummary& study : studies) {
    const StudyRecord& record = study.record;
    const StudyPurpose its_purpose = purpose_of(record);
    // Collections are listed with the sessions.
    if (purpose ? its_purpose != *purpose : its_purpose == StudyPurpose::Collection) continue;
    ++listed;
    if (as_json) {
      print_json_line({{"study", record.id},
                       {"name", record.name},
                       {"purpose", to_string(its_purpose)},
                       {"created_utc", record.created_utc},
                       {"runs", record.run_count},
                       {"done", study.done_runs},
                       {"failed", study.failed_runs},
                       {"state", state_of(study)}});
      continue;
    }
    table.add({std::to_string(record.id), record.name, std::string(to_string(its_purpose)),
               std::to_string(record.run_count), std::to_string(study.done_runs),
               std::to_string(study.failed_runs), state_of(study), record.created_utc});
  }
  if (as_json) return exit_done;
  if (listed == 0 && unreadable.empty()) {
    print("no {} in {}; `{}` makes one\n", purpose == StudyPurpose::DataSet ? "data sets" : "studies",
          store.path().string(), making_command(purpose));
  } else if (listed > 0) {
    print(table.text());
  }
  return exit_done;
}

Result<int> delete_stored_study(Store& store, StudyId id) {
  const StudySummary study = TRY(store.study(id));
  TRY(store.delete_study(id));
  print("deleted study {} ({}) with the sessions of its {} runs\n", id, study.record.name,
        study.record.run_count);
  return exit_done;
}

Result<StudyId> find_study_for(const Store& store, const std::string& id_or_name, StudyPurpose purpose) {
  const StudyId id = TRY(store.find_study(id_or_name));
  const StudySummary study = TRY(store.study(id));
  const StudyPurpose found = purpose_of(study.record);
  if (found == purpose) return id;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("study {} is no {}: it is a {}", id, to_string(purpose), to_string(found)),
              "`kernelscape study --list` says what each one is");
}

}  // namespace kernelscape
