#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "core/exchange/export_formats.h"
#include "core/session/session_report.h"

namespace kernelscape {
namespace {

struct ExportOptions {
  std::string session;
  std::string format;
  std::string out;
  std::optional<std::int64_t> trial;
  std::string filter;
  std::vector<std::string> columns;
  bool force = false;
  bool raw = false;
  std::string database;
};

std::string export_format_help() {
  std::string text;
  for (const ExportFormat& format : export_formats())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", format.name, format.summary);
  return text;
}

Result<int> run_export(const ExportOptions& options) {
  const ExportFormat* format = TRY(find_export_format(options.format));
  const Store store = TRY(open_store(options.database));
  const SessionId id = TRY(store.find_session(options.session));
  ExportRequest request{.store = store, .session = id};
  request.trial = options.trial;
  request.filter = options.filter;
  request.columns = options.columns;
  request.raw = options.raw;
  request.path = options.out;
  request.force = options.force;
  if (format->one_trial && !request.trial) {
    const SessionReport report = TRY(make_session_report(store, id));
    request.trial = report.best_trial;
  }
  std::vector<std::string> notices;
  request.notices = &notices;
  const Status exported = export_session(*format, request);
  // Its reader has seen enough.
  if (!exported && request.path == "-" && standard_output_error() == EPIPE) return exit_done;
  TRY(exported);
  for (const std::string& notice : notices) print_note(notice);
  if (request.path != "-") print("wrote {}\n", request.path);
  return exit_done;
}

}  // namespace

Command add_export_command(CLI::App& program) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* app = program.add_subcommand("export", "Take a session's kernel, configuration or trials home");
  app->add_option("SESSION", options->session, "Its number or name")->required();
  app->add_option("--format", options->format, export_format_help())->required()->type_name("FORMAT");
  app->add_option("--out", options->out, "A file, or the kernel's folder; - is standard output")
      ->required()
      ->type_name("PATH");
  app->add_option("--trial", options->trial, "Which trial (default: the best one)")
      ->type_name("N")
      ->check(whole_in_range(0, most_trials));
  app->add_option("--where", options->filter,
                  "Of formats with many trials: only those that pass, such as \"gflops > 100\"")
      ->type_name("FILTER");
  app->add_option("--columns", options->columns, "csv: only these columns, in this order")
      ->delimiter(',')
      ->type_name("A,B");
  app->add_flag(
      "--raw", options->raw,
      "csv: texts that begin like a spreadsheet's formula stay as they are, for programs; without it an "
      "apostrophe stands before them");
  add_force_option(*app, options->force);
  add_database_option(*app, options->database);
  return {app, [options] { return run_export(*options); }};
}

}  // namespace kernelscape
