#include "ui/frame/sessions/report_requests.h"

#include <QFileDialog>

#include "core/study/execution.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {
namespace {

Result<report::Document> make_document(const std::filesystem::path& database, const ReportSubject& subject,
                                       const workspace::JobControl& control) {
  if (subject.predictors) return report::predictors_report_document(subject.predictors);
  store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  if (subject.study) {
    store = TRY(study::with_analysed_sessions(std::move(store), *subject.study));
    return report::study_report_document(store, *subject.study, control);
  }
  return report::sessions_report_document(store, subject.sessions, control);
}

/** Returns the name with characters that are invalid in file names replaced. */
QString file_name(QString name) {
  for (QChar& character : name) {
    if (!character.isLetterOrNumber()) character = QLatin1Char('-');
  }
  return name.isEmpty() ? QStringLiteral("report") : name;
}

}  // namespace

ReportRequests::ReportRequests(workspace::Workspace& workspace, QWidget& window)
    : QObject(&window), workspace_(workspace), window_(window) {}

void ReportRequests::ask(const ReportSubject& subject) {
  QFileDialog* dialog = files::make_file_dialog(&window_, tr("Write report"), file_name(subject.name),
                                                tr("Web page (*.html);;PDF (*.pdf)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("html"));
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.contains(QStringLiteral("*.pdf")) ? QStringLiteral("pdf")
                                                                      : QStringLiteral("html"));
  });
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, subject](const QString& path) { write(subject, path); });
  dialog->open();
}

void ReportRequests::ask_for_open_session() {
  const workspace::Source& source = workspace_.source();
  if (!source)
    return workspace_.notices().warn(
        tr("No session is open, so there is nothing to report. Open a session first."));
  const store::SessionRecord& record = source->record();
  const std::string name = record.name.empty() ? record.task_name : record.name;
  ask({.study = std::nullopt, .sessions = {record.id}, .name = QString::fromStdString(name)});
}

void ReportRequests::write(const ReportSubject& subject, const QString& path) {
  if (const Status known = report::check_report_path(path.toStdString()); !known)
    return workspace_.notices().fail(known.error());
  waiting_.emplace_back(subject, path);
  if (!job_.busy()) serve();
}

void ReportRequests::serve() {
  if (waiting_.empty()) return;
  const auto [subject, path] = std::move(waiting_.front());
  waiting_.pop_front();
  job_.start([database = workspace_.database(), subject = subject](
                 const workspace::JobControl& control) { return make_document(database, subject, control); },
             [this, path = path](const Result<report::Document>& document) {
               finish(path, document);
               serve();
             });
}

void ReportRequests::finish(const QString& path, const Result<report::Document>& document) {
  if (!document) return workspace_.notices().fail(document.error());
  store(path, *document, false);
}

void ReportRequests::store(const QString& path, const report::Document& document, bool force) {
  const Status stored = report::write_report(document, path.toStdString(), force, {workspace_.database()});
  if (!stored && stored.error().code == ErrorCode::Occupied)
    return files::ask_to_replace(window_, stored.error(),
                                 [this, path, document] { store(path, document, true); });
  if (!stored) return workspace_.notices().fail(stored.error());
  workspace_.notices().inform_of_file(tr("The report was written to %1").arg(path), path);
  for (const Error& error : document.left_out)
    workspace_.notices().warn(QString::fromStdString(error.message), QString::fromStdString(error.hint));
  emit written(path);
}

}  // namespace kernelscape::frame
