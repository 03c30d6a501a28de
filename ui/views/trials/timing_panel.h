#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

class QTableWidget;

namespace kernelscape {

class SampleStrip;
class ThemedLabel;

/** A trial's samples, drawn and as numbers, what measuring them cost, and the numbers that its tuner
 * reported. */
class TimingPanel : public QWidget {
  Q_OBJECT

 public:
  explicit TimingPanel(QWidget* parent = nullptr);

  /** Without samples (failed, build only) the strip is hidden. */
  void show_trial(const SourceData& source, const TrialDetails& details);

 private:
  QTableWidget* make_table(const QString& name, const QStringList& titles);
  void show_samples(const Measurement& measurement);
  void show_series(const TrialDetails& details);

  SampleStrip* strip_ = nullptr;
  ThemedLabel* facts_ = nullptr;
  QTableWidget* samples_ = nullptr;
  QTableWidget* series_ = nullptr;
  ThemedLabel* no_series_ = nullptr;
};

}  // namespace kernelscape
