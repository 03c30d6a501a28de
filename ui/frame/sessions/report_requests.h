#pragma once

#include <QObject>
#include <deque>

#include "ui/report/report_document.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QWidget;

namespace kernelscape {

struct ShownPredictors;

/** What a report is of. */
struct ReportSubject {
  std::optional<StudyId> study;
  std::vector<SessionId> sessions;
  std::shared_ptr<const ShownPredictors> predictors = {};
  QString name;  ///< of the file, without suffix
};

/**
 * Writes reports: asks for a file, reads and computes in the background, draws on the window's thread, and
 * says where it is.
 */
class ReportRequests : public QObject {
  Q_OBJECT

 public:
  ReportRequests(Workspace& workspace, QWidget& window);

  /** Asks for a file first; nothing waits for the answer. */
  void ask(const ReportSubject& subject);
  /** One after the other; asks again before one replaces what is no report. */
  void write(const ReportSubject& subject, const QString& path);
  bool busy() const { return job_.busy(); }  ///< a report is being read and computed

 signals:
  /** A report is complete on disk; failures are told as notices instead. */
  void written(const QString& path);

 private:
  void serve();
  void finish(const QString& path, const Result<ReportDocument>& document);
  void store(const QString& path, const ReportDocument& document, bool force);

  Workspace& workspace_;
  QWidget& window_;
  std::deque<std::pair<ReportSubject, QString>> waiting_;
  JobTracker job_;
};

}  // namespace kernelscape
