#include "app/report.h"

#include <fmt/format.h>

#include <QApplication>
#include <array>
#include <clocale>
#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"
#include "core/study/study_execution.h"
#include "ui/report/report.h"
#include "ui/report/report_writers.h"
#include "ui/style/theme.h"

namespace kernelscape {
namespace {

/** The Qt application that charts need, without a display or a window. */
class ChartApplication {
 public:
  ChartApplication() {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt's messages about a login without a desktop, such as a missing XDG_RUNTIME_DIR, do not matter for a
    // report.
    const QtMessageHandler usual =
        qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
    application_ = std::make_unique<QApplication>(argument_count_, arguments_.data());
    // Qt takes the locale of the environment, whose decimal comma would end numbers that are read.
    std::setlocale(LC_NUMERIC, "C");
    qInstallMessageHandler(usual);
    apply_theme(*application_, ThemeChoice::Light);
  }

 private:
  std::array<char, 12> name_{"kernelscape"};
  std::array<char*, 2> arguments_{name_.data(), nullptr};
  int argument_count_ = 1;
  std::unique_ptr<QApplication> application_;
};

Result<ReportDocument> make_document(const Store& store, const ReportOptions& options) {
  if (!options.study.empty()) {
    const StudyId id = TRY(store.find_study(options.study));
    return study_report_document(store, id);
  }
  std::vector<SessionId> ids;
  std::vector<Error> damaged;
  for (const std::string& name : options.sessions) {
    const Result<SessionId> id = find_one_session(store, name);
    if (id)
      ids.push_back(*id);
    else if (id.error().code == ErrorCode::Corrupt && options.sessions.size() > 1)
      damaged.push_back({id.error().code,
                         fmt::format("session {} was left out: {}", name, id.error().message),
                         id.error().hint});
    else
      return std::unexpected(id.error());
  }
  return sessions_report_document(store, ids, uncontrolled_job(), std::move(damaged));
}

/** It is of no database. */
Result<int> report_fleet(const ReportOptions& options) {
  TRY(check_output(TRY(report_output(options.out, options.force))));
  const ChartApplication application;
  TRY(write_report(fleet_report_document(options.fleet), options.out, options.force));
  if (!options.quiet) print("wrote {}\n", options.out);
  return exit_done;
}

}  // namespace

Result<int> run_report(const ReportOptions& options) {
  TRY(check_report_path(options.out));
  if (options.fleet) return report_fleet(options);
  Store store = TRY(open_store(options.database));
  if (!options.study.empty()) {
    const StudyId id = TRY(store.find_study(options.study));
    store = TRY(with_analysed_sessions(std::move(store), id));
  }
  const std::vector<std::filesystem::path> sources{store.path()};
  TRY(check_output(TRY(report_output(options.out, options.force, sources))));
  const ChartApplication application;
  const ReportDocument document = TRY(make_document(store, options));
  TRY(write_report(document, options.out, options.force, sources));
  for (const Error& error : document.left_out) print_error(error);
  print("wrote {}\n", options.out);
  return document.left_out.empty() ? exit_done : exit_failed;
}

}  // namespace kernelscape
