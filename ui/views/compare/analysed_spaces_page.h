#pragma once

#include <QScrollArea>
#include <optional>
#include <vector>

#include "core/store/store.h"
#include "ui/figures/figure.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QGridLayout;

namespace kernelscape::views {

/** A recorded space that a study analyses, with the figures of its report. */
struct AnalysedSpace {
  store::SessionId session = 0;
  QString title;
  QString coverage;
  std::vector<figures::Figure> figures;
};

/**
 * Shows the figures of the recorded spaces that a study analyses, side by side: their errors, and how the
 * performance of their kernels is distributed. The spaces are read in the background.
 */
class AnalysedSpacesPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit AnalysedSpacesPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Shows the spaces of a study; does nothing if they are shown or being read. */
  void open(store::StudyId study);

 signals:
  /** Emitted by "Open in Explore". */
  void explore_requested(qint64 session);
  /** Emitted with a message of a chart for the notice bar. */
  void notified(const QString& text);

 private:
  void clear();
  void show_text(const QString& text);
  void show_spaces(const std::vector<AnalysedSpace>& spaces);
  void add_space(const AnalysedSpace& space, int column, int first_row);

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  std::optional<store::StudyId> study_;
  QGridLayout* grid_ = nullptr;
};

}  // namespace kernelscape::views
