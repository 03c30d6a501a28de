#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Shows a trial's knobs beside those of the best trial; differences are marked. */
class KnobPanel : public QWidget {
  Q_OBJECT

 public:
  explicit KnobPanel(QWidget* parent = nullptr);

  /** Shows one row per knob of the space, whatever the trial's outcome. */
  void show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details);

 protected:
  bool event(QEvent* event) override;

 private:
  void apply_theme();

  widgets::ThemedLabel* summary_ = nullptr;
  QTableWidget* table_ = nullptr;
};

}  // namespace kernelscape::views
