#pragma once

#include <QObject>
#include <memory>

#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_insight.h"

class QWidget;

namespace kernelscape::workspace {
class Notices;
}  // namespace kernelscape::workspace

namespace kernelscape::views {

/** The machine code of a kernel between the lines of its source, to be written to a file. */
struct Listing {
  std::shared_ptr<const workspace::TrialInsight> insight;
  std::shared_ptr<const machine_code::MachineCode> code;  ///< one of the insight's codes
  QString title;                                          ///< "trial 288 of session 3, resnet18/C6"
};

/** Asks where to save listings, and writes them in the background. */
class ListingFile : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the dialogs, and owner of this object */
  ListingFile(workspace::Notices& notices, QWidget& window);

  /** Asks for a file, and writes the listing to it. Asks before it replaces a file that is no listing. */
  void save(const Listing& listing);

 signals:
  /** Emitted after a listing was written. Failures become notices. */
  void saved(const QString& path);

 private:
  void write(const Listing& listing, const QString& path, bool force);

  workspace::Notices& notices_;
  QWidget& window_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
