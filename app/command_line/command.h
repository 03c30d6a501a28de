#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "app/command_line/report_options.h"
#include "app/command_line/serve_options.h"
#include "core/base/result.h"

namespace kernelscape::command_line {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_wrong_usage = 2;
constexpr int exit_interrupted = 130;

/** A subcommand: CLI11 parses its options, then `run` is called. */
struct Command {
  CLI::App* app = nullptr;
  std::function<Result<int>()> run;  ///< returns the exit code, or an error that main prints
};

// Each function adds a command and is in a separate file. In the order of the help.
Command add_devices_command(CLI::App& program);  ///< targets of this machine and their state
Command add_tasks_command(CLI::App& program);    ///< the catalogue of tasks and networks
/** Adds the command for the layers of a network, which may come from an ONNX model. */
Command add_network_command(CLI::App& program);
Command add_tuners_command(CLI::App& program);      ///< the tuning algorithms with their hyperparameters
Command add_templates_command(CLI::App& program);   ///< the templates and what they fit
Command add_space_command(CLI::App& program);       ///< the search space of a template for a task
Command add_new_kernel_command(CLI::App& program);  ///< writes a project of a user's own kernel to start from
Command add_tune_command(CLI::App& program);        ///< searches for the fastest kernel of a task
/** Adds the command that measures every configuration of a space, or a random sample. */
Command add_sweep_command(CLI::App& program);
/** Adds the command that proposes configurations to a client, which measures them and reports results. */
Command add_ask_tell_command(CLI::App& program);
Command add_resume_command(CLI::App& program);    ///< resumes a session; budgets can be raised
Command add_sessions_command(CLI::App& program);  ///< lists the sessions of the database, newest first
Command add_show_command(CLI::App& program);      ///< the setup and the results of a session
Command add_why_command(CLI::App& program);       ///< a trial's hot loop and its bounds
Command add_delete_command(CLI::App& program);    ///< deletes a session with its trials
Command add_best_command(CLI::App& program);      ///< the best kernel of a task over all sessions, per target
/** Adds the command that writes a session's kernel, configuration or trials in one of the export formats. */
Command add_export_command(CLI::App& program);
Command add_import_command(CLI::App& program);  ///< reads another tuner's log or a recorded space
/** Adds the command that writes a report of sessions, a recorded space or a study as HTML or PDF. */
Command add_report_command(CLI::App& program, ReportWriter write_report);
/** Adds the command that shows sessions and studies live in a browser. */
Command add_serve_command(CLI::App& program, PageServer serve_pages);
/** Adds the command that measures many tasks of a template as training data of predictors. */
Command add_dataset_command(CLI::App& program);
Command add_train_command(CLI::App& program);  ///< trains a predictor that one-shot searches with
/** Adds the command that lists, describes, evaluates, exports, imports and deletes predictors. */
Command add_predictors_command(CLI::App& program);
Command add_study_command(CLI::App& program);  ///< compares tuners: each on every task, several times
/**
 * Adds the command for fleets: machines that measure together through a Redis server. It can also simulate a
 * fleet and report the simulation.
 */
Command add_fleet_command(CLI::App& program, ReportWriter write_report);

}  // namespace kernelscape::command_line
