#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

namespace kernelscape {

class ThemedLabel;
class CategorySign;

/** "341 GFLOPS, trial 288": how good a trial is, or how it failed. */
class TrialHeadline : public QWidget {
  Q_OBJECT

 public:
  explicit TrialHeadline(QWidget* parent = nullptr);

  /** GFLOPS or calls per second of a valid trial, the category of a failed one. */
  void show_trial(const SourceData& source, const TrialDetails& details);
  /** Result and facts, as shown, in two lines. */
  QString text() const;

 private:
  CategorySign* sign_ = nullptr;
  ThemedLabel* result_ = nullptr;
  ThemedLabel* trial_ = nullptr;
  ThemedLabel* facts_ = nullptr;
};

/** "341 GFLOPS", or calls per second where no FLOPs are known. */
QString speed_text(const SourceData& source, double seconds);

}  // namespace kernelscape
