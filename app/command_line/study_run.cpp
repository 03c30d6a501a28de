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

namespace kernelscape::command_line {
namespace {

/** Returns the command that resumes a study. */
std::string resume_command(study::Purpose purpose, store::StudyId id) {
  return fmt::format("kernelscape {} --resume {}", purpose == study::Purpose::DataSet ? "dataset" : "study",
                     id);
}

Status print_analysis(const store::Store& store, store::StudyId id, const study::Definition& study,
                      bool as_json) {
  for (const store::SessionId session : TRY(study::analysed_sessions(store, study))) {
    const store::SessionSummary summary = TRY(store.sessions().get(session));
    const auto recording = TRY(store.recordings().get(summary.record.recording));
    if (as_json) {
      print_json_line(recording_event(id, session, *recording));
    } else {
      print("\nsession {}, {}", session, recording_text(*recording));
    }
  }
  return {};
}

Status print_comparison(const store::Store& store, store::StudyId id, const study::Definition& study,
                        const StudyRunOptions& options) {
  const std::shared_ptr<const analysis::ComparedRuns> runs = TRY(study::ComparisonReader(store, id).read());
  const analysis::ComparisonTable table = analysis::comparison_table(*runs, study::baseline_arm(study));
  if (options.json) {
    for (const analysis::ComparisonRow& row : table.rows)
      print_json_line(comparison_row_event(id, *runs, table, row));
  } else {
    print("{}\n{}", planned_text(study, *runs), comparison_text(*runs, table, options.by_task));
  }
  return {};
}

base::TerminalText about_text(const study::Definition& study) {
  return study.about.empty() ? base::TerminalText()
                             : base::write<base::Terminal>("{}\n\n", message_text(study.about));
}

Status print_data_set(const store::Store& store, store::StudyId id, const study::Definition& study,
                      bool as_json) {
  const std::vector<study::DataSetTask> tasks = TRY(study::data_set_tasks(store, id));
  if (as_json) {
    for (const study::DataSetTask& task : tasks) print_json_line(data_set_task_event(id, task));
  } else {
    print("\n{}{}", about_text(study), data_set_text(tasks));
  }
  return {};
}

Status print_network(const store::Store& store, store::StudyId id, const study::Definition& study,
                     bool as_json) {
  const study::NetworkOutcome outcome = TRY(study::network_outcome(store, id));
  if (as_json) {
    for (const study::NetworkLayerOutcome& layer : outcome.layers)
      print_json_line(network_layer_event(id, layer));
    print_json_line(network_event(id, outcome));
  } else {
    print("\n{}{}", about_text(study), network_text(outcome));
  }
  return {};
}

Status print_found(const store::Store& store, store::StudyId id, const study::Definition& study,
                   const StudyRunOptions& options) {
  if (study.purpose == study::Purpose::DataSet) return print_data_set(store, id, study, options.json);
  if (study.purpose == study::Purpose::Network) return print_network(store, id, study, options.json);
  if (study.purpose == study::Purpose::Collection) return {};
  return study.analysed.empty() ? print_comparison(store, id, study, options)
                                : print_analysis(store, id, study, options.json);
}

/** Prints the next possible steps. */
base::TerminalText resume_hint_text(store::StudyId id, const study::Definition& study) {
  switch (study.purpose) {
    case study::Purpose::DataSet:
      return base::write<base::Terminal>(
          "\n`kernelscape train --data \"study {}\"` trains a predictor on it\n", id);
    case study::Purpose::Network:
      return base::write<base::Terminal>(
          "\n`kernelscape export --network {} --out FOLDER` exports its kernels\n", id);
    case study::Purpose::Collection:
      return base::write<base::Terminal>(
          "study {} is a collection of imported sessions; `kernelscape sessions --collection {}` lists "
          "them\n",
          id, id);
    case study::Purpose::Comparison:
      break;
  }
  return base::write<base::Terminal>(
      "\nthe workbench shows it in its Compare view; `kernelscape report --study {} --out x.html` makes "
      "a report\n",
      id);
}

void print_summary(const study::Outcome& outcome, study::Purpose purpose, bool as_json) {
  const study::Progress& progress = outcome.progress;
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

std::string state_of(const store::StudySummary& study) {
  if (study.owner && study.owner->alive()) return "running";
  if (study.done_runs == study.record.run_count) return "done";
  return study.failed_runs > 0 ? "failed" : "stopped";
}

/** Returns the command that makes a new study. */
std::string_view making_command(std::optional<study::Purpose> purpose) {
  return purpose == study::Purpose::DataSet ? "kernelscape dataset --template NAME"
                                            : "kernelscape study FILE";
}

}  // namespace

Status print_stored_study(const store::Store& store, store::StudyId id, const StudyRunOptions& options) {
  const study::Definition study = TRY(study::stored_study(store, id));
  TRY(print_found(store, id, study, options));
  if (!options.json) print(resume_hint_text(id, study));
  return {};
}

Result<int> run_stored_study(store::Store& store, store::StudyId id, const StudyRunOptions& options) {
  const session::StopRequest& stop = stop_on_signals();
  keep_going_without_output();
  const study::Definition study = TRY(study::stored_study(store, id));
  if (study.purpose == study::Purpose::Collection) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("study {} is a collection of imported sessions, which cannot be run", id),
                fmt::format("`kernelscape sessions --collection {}` lists them", id));
  }
  const StudyDisplaySetup setup{id, &study, store.path().string()};
  std::unique_ptr<study::Observer> display =
      options.json ? make_study_json_display(setup) : make_study_text_display(setup);
  study::Options running;
  running.jobs = options.jobs;
  running.network_measurements = study::network_measurements();
  running.round_measurement = study::make_round_measurement;
  const Result<study::Outcome> outcome = study::run_study(store.path(), id, running, *display, stop);
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

Result<int> print_stored_studies(const store::Store& store, std::optional<study::Purpose> purpose,
                                 bool as_json) {
  std::vector<Error> unreadable;
  const std::vector<store::StudySummary> studies = TRY(store.studies().all(&unreadable));
  for (const Error& problem : unreadable) print_note(describe(problem));
  TextTable table({"study", "name", "purpose", "runs", "done", "failed", "state", "created"});
  std::int64_t listed = 0;
  for (const store::StudySummary& study : studies) {
    const store::StudyRecord& record = study.record;
    const study::Purpose its_purpose = study::purpose_of(record);
    // Collections are listed with the sessions.
    if (purpose ? its_purpose != *purpose : its_purpose == study::Purpose::Collection) continue;
    ++listed;
    if (as_json) {
      print_json_line({{"study", record.id},
                       {"name", record.name},
                       {"purpose", study::to_string(its_purpose)},
                       {"created_utc", record.created_utc},
                       {"runs", record.run_count},
                       {"done", study.done_runs},
                       {"failed", study.failed_runs},
                       {"state", state_of(study)}});
      continue;
    }
    table.add({std::to_string(record.id), record.name, std::string(study::to_string(its_purpose)),
               std::to_string(record.run_count), std::to_string(study.done_runs),
               std::to_string(study.failed_runs), state_of(study), record.created_utc});
  }
  if (as_json) return exit_done;
  if (listed == 0 && unreadable.empty()) {
    print("no {} in {}; `{}` makes one\n", purpose == study::Purpose::DataSet ? "data sets" : "studies",
          store.path().string(), making_command(purpose));
  } else if (listed > 0) {
    print(table.text());
  }
  return exit_done;
}

Result<int> delete_stored_study(store::Store& store, store::StudyId id) {
  const store::StudySummary study = TRY(store.studies().get(id));
  TRY(store.studies().remove(id));
  print("deleted study {} ({}) with the sessions of its {} runs\n", id, study.record.name,
        study.record.run_count);
  return exit_done;
}

Result<store::StudyId> find_study_for(const store::Store& store, const std::string& id_or_name,
                                      study::Purpose purpose) {
  const store::StudyId id = TRY(store.studies().find(id_or_name));
  const store::StudySummary study = TRY(store.studies().get(id));
  const study::Purpose found = study::purpose_of(study.record);
  if (found == purpose) return id;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("study {} is no {}: it is a {}", id, study::to_string(purpose), study::to_string(found)),
      "`kernelscape study --list` says what each one is");
}

}  // namespace kernelscape::command_line
