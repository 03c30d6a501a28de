#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/session/machine_roofs.h"
#include "core/session/trial_roofline.h"
#include "ui/figures/roofline_figure.h"
#include "ui/views/explore/explore_page.h"

class QCheckBox;
class QComboBox;
class QProgressBar;
class QPushButton;

namespace kernelscape::widgets {
class WrappedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** The functions with which a RooflinePage measures; tests replace them. */
struct RooflineMeasuring {
  std::function<Result<trial::MachineCeilings>(store::Store&, const schedule::TargetDescription&, int threads,
                                               const session::StopRequest&)>
      ceilings = session::measure_ceilings;
  std::function<Result<trial::CounterReading>(store::Store&, store::SessionId, std::int64_t trial,
                                              const session::StopRequest&)>
      count = session::count_trial;
};

/**
 * Shows trials under the machine's roofs and answers whether the current trial is bound by compute or memory.
 */
class RooflinePage : public ExplorePage {
  Q_OBJECT

 public:
  explicit RooflinePage(workspace::Workspace& workspace, RooflineMeasuring measuring = {},
                        QWidget* parent = nullptr);
  ~RooflinePage() override;

  /**
   * Measures the ceilings that apply to the session's trials, in the background; waits for the device. Does
   * nothing while a measurement runs or if the session has no roofline.
   */
  void measure_ceilings_now();
  /**
   * Counts the current trial with the performance counters, in the background; waits for the device. Does
   * nothing without a current trial.
   */
  void count_current_trial();

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  QWidget* make_controls();
  void show_outcome(const figures::RooflineOutcome& outcome);
  /** Emitted to open the session in which a layer's best kernel was found. */
  void open_layer(qint64 layer);
  void show_place();
  void show_buttons();
  void enable(QPushButton& button, bool enabled);
  void stop_measuring();
  std::optional<std::int64_t> current_trial();

  RooflineMeasuring measuring_;
  QComboBox* level_box_ = nullptr;
  QCheckBox* layers_ = nullptr;  ///< layers of the session's network; hidden if the session belongs to none
  QPushButton* measure_ = nullptr;
  QPushButton* count_ = nullptr;
  QProgressBar* progress_ = nullptr;
  charts::RooflineChart* chart_ = nullptr;
  widgets::WrappedLabel* answer_ = nullptr;   ///< compute or memory bound, for the current trial
  widgets::WrappedLabel* details_ = nullptr;  ///< the counter values, which of them are missing, and notes
  figures::RooflineParts parts_;
  std::int64_t asked_row_ = -1;  ///< the current row when the figure was last made
  std::shared_ptr<session::StopRequest> stop_;
  workspace::JobTracker measuring_job_;  ///< measures ceilings or counters: both need the device
  workspace::JobTracker place_job_;
};

}  // namespace kernelscape::views
