#include "app/report.h"

#include <fmt/format.h>

#include "app/chart_application.h"
#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"
#include "core/study/execution.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"

namespace kernelscape::app {
namespace {

Result<report::Document> make_document(const store::Store& store,
                                       const command_line::ReportOptions& options) {
  if (!options.study.empty()) {
    const store::StudyId id = TRY(store.studies().find(options.study));
    return report::study_report_document(store, id);
  }
  std::vector<store::SessionId> ids;
  std::vector<Error> damaged;
  for (const std::string& name : options.sessions) {
    const Result<store::SessionId> id = command_line::find_one_session(store, name);
    if (id)
      ids.push_back(*id);
    else if (id.error().code == ErrorCode::Corrupt && options.sessions.size() > 1)
      damaged.push_back({id.error().code,
                         fmt::format("session {} was left out: {}", name, id.error().message),
                         id.error().hint});
    else
      return std::unexpected(id.error());
  }
  return report::sessions_report_document(store, ids, figures::uncontrolled_job(), std::move(damaged));
}

/** It is of no database. */
Result<int> report_fleet(const command_line::ReportOptions& options) {
  TRY(base::check_output(TRY(report::report_output(options.out, options.force))));
  const ChartApplication application;
  TRY(report::write_report(report::fleet_report_document(options.fleet), options.out, options.force));
  if (!options.quiet) command_line::print("wrote {}\n", options.out);
  return command_line::exit_done;
}

}  // namespace

Result<int> run_report(const command_line::ReportOptions& options) {
  TRY(report::check_report_path(options.out));
  if (options.fleet) return report_fleet(options);
  store::Store store = TRY(command_line::open_store(options.database));
  if (!options.study.empty()) {
    const store::StudyId id = TRY(store.studies().find(options.study));
    store = TRY(study::with_analysed_sessions(std::move(store), id));
  }
  const std::vector<std::filesystem::path> sources{store.path()};
  TRY(base::check_output(TRY(report::report_output(options.out, options.force, sources))));
  const ChartApplication application;
  const report::Document document = TRY(make_document(store, options));
  TRY(report::write_report(document, options.out, options.force, sources));
  for (const Error& error : document.left_out) command_line::print_error(error);
  command_line::print("wrote {}\n", options.out);
  return document.left_out.empty() ? command_line::exit_done : command_line::exit_failed;
}

}  // namespace kernelscape::app
