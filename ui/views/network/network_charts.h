#pragma once

#include <QWidget>
#include <vector>

#include "core/study/network_progress.h"
#include "ui/charts/curves/progress_data.h"
#include "ui/figures/figure.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QHBoxLayout;
class QSplitter;
class QTabBar;
class QToolButton;

namespace kernelscape::charts {
class ModelLatencyChart;
class NetworkCurveChart;
}  // namespace kernelscape::charts

namespace kernelscape::figures {
struct Kind;
}  // namespace kernelscape::figures

namespace kernelscape::views {

/**
 * Shows the charts of a network's study, which are made from the registry of figures in background jobs.
 * Charts that fit are shown side by side; otherwise each chart is a tab.
 */
class NetworkCharts : public QWidget {
  Q_OBJECT

 public:
  explicit NetworkCharts(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the network; null: there is nothing to show. The zoom is kept if the study is the same. */
  void set_network(const study::NetworkSource& network);
  const std::vector<charts::Chart*>& charts() const { return charts_; }  ///< in the order of the registry

  QSize minimumSizeHint() const override;

 signals:
  /** Emitted when a layer was clicked in a chart, with its position in the study. */
  void layer_activated(qint64 layer);
  /** Emitted with a message for the notice bar. */
  void notified(const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /** The charts of one tab: one or more. */
  struct Tab {
    QString name;
    std::vector<charts::Chart*> charts;
  };

  void add_chart(const figures::Kind& kind);
  void make_axis_buttons(QHBoxLayout& row);
  void show_curves();
  void compute();
  void show_figures(const std::vector<std::optional<figures::Figure>>& figures);
  void fit();
  void make_tabs();
  void show_tab();
  void toggle_maximised(charts::Chart* chart);

  workspace::Workspace& workspace_;
  study::NetworkSource network_;
  workspace::JobTracker job_;
  bool stale_ = false;  ///< a newer network waits for the job to end
  std::vector<const figures::Kind*> kinds_;
  std::vector<charts::Chart*> charts_;
  std::vector<Tab> tabs_;
  bool wide_ = false;
  charts::Chart* maximised_ = nullptr;
  charts::NetworkCurveChart* curve_ = nullptr;        ///< one of the charts
  charts::ModelLatencyChart* latency_ = nullptr;      ///< one of the charts
  charts::ProgressX x_ = charts::ProgressX::Seconds;  ///< of both
  std::vector<QToolButton*> axis_buttons_;
  QTabBar* tab_bar_ = nullptr;
  QSplitter* splitter_ = nullptr;
};

}  // namespace kernelscape::views
