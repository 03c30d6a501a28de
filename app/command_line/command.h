#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_wrong_usage = 2;
constexpr int exit_interrupted = 130;

/** A subcommand: its options are parsed by CLI11, then it runs. */
struct Command {
  CLI::App* app = nullptr;
  std::function<Result<int>()> run;  ///< the exit code, or an error that main prints
};

// One file each, in the order of the help.
Command add_devices_command(CLI::App& program);
Command add_tasks_command(CLI::App& program);
Command add_tuners_command(CLI::App& program);
Command add_templates_command(CLI::App& program);
Command add_space_command(CLI::App& program);
Command add_tune_command(CLI::App& program);
Command add_sweep_command(CLI::App& program);
Command add_resume_command(CLI::App& program);
Command add_sessions_command(CLI::App& program);
Command add_show_command(CLI::App& program);
Command add_delete_command(CLI::App& program);
Command add_best_command(CLI::App& program);
Command add_export_command(CLI::App& program);
Command add_import_command(CLI::App& program);
Command add_report_command(CLI::App& program);
Command add_study_command(CLI::App& program);

}  // namespace kernelscape
