#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "ui/workspace/trial_details.h"

class QLabel;
class QSplitter;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class CodePanel;
class OccupancyBar;

/** Shows which resources of its device a GPU kernel uses, what limits it, and the compiler's output. */
class ResourcePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ResourcePanel(QWidget* parent = nullptr);

  /** Shows a trial. Does nothing if no trial of the source has resources. */
  void show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details);

  OccupancyBar& occupancy() { return *occupancy_; }  ///< theoretical occupancy of the trial's kernel
  CodePanel& log() { return *log_; }                 ///< the compiler's output of the trial's build
  /** Returns the facts as shown: "registers of a thread: 64 of at most 255". */
  QStringList facts() const;

 signals:
  /** Emitted with a message for the notice bar: the log was copied. */
  void notified(const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_facts();

  std::vector<QLabel*> names_;
  std::vector<QLabel*> values_;
  OccupancyBar* occupancy_ = nullptr;
  QSplitter* splitter_ = nullptr;
  CodePanel* log_ = nullptr;
};

}  // namespace kernelscape::views
