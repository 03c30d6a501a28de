#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

class QTableWidget;

namespace kernelscape {

class ThemedLabel;

/** A trial's knobs beside those of the best trial; what differs is marked. */
class KnobPanel : public QWidget {
  Q_OBJECT

 public:
  explicit KnobPanel(QWidget* parent = nullptr);

  /** One row per knob of the space, whatever the trial's outcome. */
  void show_trial(const SourceData& source, const TrialDetails& details);

 protected:
  bool event(QEvent* event) override;

 private:
  void apply_theme();

  ThemedLabel* summary_ = nullptr;
  QTableWidget* table_ = nullptr;
};

}  // namespace kernelscape
