#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class CategorySign;

/** Shows "341 GFLOPS, trial 288": how fast a trial is, or how it failed. */
class TrialHeadline : public QWidget {
  Q_OBJECT

 public:
  explicit TrialHeadline(QWidget* parent = nullptr);

  /** Shows GFLOPS or calls per second of a valid trial, the error category of a failed one. */
  void show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details);
  /** Returns the result and the facts as shown, in two lines. */
  QString text() const;

 private:
  CategorySign* sign_ = nullptr;
  widgets::ThemedLabel* result_ = nullptr;
  widgets::ThemedLabel* trial_ = nullptr;
  widgets::ThemedLabel* facts_ = nullptr;
};

/** Returns "341 GFLOPS", or calls per second if the FLOPs are not known. */
QString speed_text(const workspace::SourceData& source, double seconds);

}  // namespace kernelscape::views
