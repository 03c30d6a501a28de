#pragma once

#include <QWidget>
#include <array>
#include <optional>

#include "ui/workspace/jobs.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QTableWidget;

namespace kernelscape::charts {
class ProgressChart;
}  // namespace kernelscape::charts

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Compares two sessions: both curves in one chart, and a table of set-ups and outcomes in which the
 * differences are marked. Updates while the sessions run.
 */
class ComparisonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonPanel(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /**
   * Reads both sessions in the background. Sessions that are shown already are read again only if they
   * changed.
   */
  void compare(store::SessionId first, store::SessionId second);
  /** Returns the compared sessions; nullopt: none yet, or the panel was hidden since. */
  std::optional<std::array<store::SessionId, 2>> compared() const { return compared_; }

 signals:
  /** Emitted when the close button was clicked; the panel does not hide itself. */
  void closed();

 protected:
  void changeEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  using Pair = std::array<workspace::Source, 2>;

  QWidget* make_header();
  void load();
  void load_if_changed();
  void show_pair();
  void show_chart();
  void show_table();

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  std::optional<std::array<store::SessionId, 2>> compared_;
  std::array<std::optional<workspace::SessionEntry>, 2> seen_;  ///< the sessions as last read
  bool changed_meanwhile_ = false;
  Pair sources_;
  widgets::ThemedLabel* title_ = nullptr;
  QComboBox* along_ = nullptr;
  charts::ProgressChart* chart_;
  QTableWidget* table_;
};

}  // namespace kernelscape::views
