#include <memory>
#include <utility>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"

namespace kernelscape::command_line {
namespace {

Status check_options(const ReportOptions& options) {
  if (options.sessions.empty() != options.study.empty()) return {};
  return fail(
      ErrorCode::InvalidArgument,
      options.study.empty() ? "there is nothing to report" : "a report covers sessions or a study, not both",
      "name sessions, such as kernelscape report 1 2 --out report.html, or a study with --study");
}

}  // namespace

Command add_report_command(CLI::App& program, ReportWriter write_report) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* app = program.add_subcommand(
      "report", "Write a report of sessions, a recorded space or a study as one HTML or PDF file");
  app->add_option("SESSION", options->sessions, "Numbers or names of sessions");
  app->add_option("--study", options->study, "A study, or the study of a network, by its number or name")
      ->type_name("STUDY");
  app->add_option("--out", options->out, "The output file; its suffix, .html or .pdf, selects the format")
      ->required()
      ->type_name("FILE");
  add_force_option(*app, options->force);
  add_database_option(*app, options->database);
  return {app, [options, write_report = std::move(write_report)]() -> Result<int> {
            TRY(check_options(*options));
            return write_report(*options);
          }};
}

}  // namespace kernelscape::command_line
