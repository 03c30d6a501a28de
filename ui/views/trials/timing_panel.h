#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class SampleStrip;

/**
 * Shows a trial's samples as a drawing and as numbers, the cost of measuring them, and the numbers that its
 * tuner reported.
 */
class TimingPanel : public QWidget {
  Q_OBJECT

 public:
  explicit TimingPanel(QWidget* parent = nullptr);

  /** Shows a trial. The strip is hidden if there are no samples (failed, build only). */
  void show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details);

 private:
  QTableWidget* make_table(const QString& name, const QStringList& titles);
  void show_samples(const trial::Measurement& measurement);
  void show_series(const workspace::TrialDetails& details);

  SampleStrip* strip_ = nullptr;
  widgets::ThemedLabel* facts_ = nullptr;
  QTableWidget* samples_ = nullptr;
  QTableWidget* series_ = nullptr;
  widgets::ThemedLabel* no_series_ = nullptr;
};

}  // namespace kernelscape::views
