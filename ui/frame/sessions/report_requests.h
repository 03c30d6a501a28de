#pragma once

#include <QObject>
#include <deque>

#include "ui/report/document.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QWidget;

namespace kernelscape::figures {
struct ShownPredictors;
}  // namespace kernelscape::figures

namespace kernelscape::frame {

/** The subject of a report: a study, sessions, or predictors. */
struct ReportSubject {
  std::optional<store::StudyId> study;
  std::vector<store::SessionId> sessions;
  std::shared_ptr<const figures::ShownPredictors> predictors = {};
  QString name;  ///< of the report file, without suffix
};

/**
 * Writes reports: asks for a file, reads and computes in the background, renders on the window's thread, and
 * shows a notice with the path of the file.
 */
class ReportRequests : public QObject {
  Q_OBJECT

 public:
  ReportRequests(workspace::Workspace& workspace, QWidget& window);

  /** Asks the user for a file, without blocking, and writes the report to it. */
  void ask(const ReportSubject& subject);
  /** Asks for a file and writes a report of the open session; warns the user if no session is open. */
  void ask_for_open_session();
  /**
   * Queues a report; reports are written one after the other. Asks before it replaces a file that is not a
   * report.
   */
  void write(const ReportSubject& subject, const QString& path);
  bool busy() const { return job_.busy(); }  ///< a report is being read and computed

 signals:
  /** A report was written completely. Failures are reported as notices instead. */
  void written(const QString& path);

 private:
  void serve();
  void finish(const QString& path, const Result<report::Document>& document);
  void store(const QString& path, const report::Document& document, bool force);

  workspace::Workspace& workspace_;
  QWidget& window_;
  std::deque<std::pair<ReportSubject, QString>> waiting_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::frame
