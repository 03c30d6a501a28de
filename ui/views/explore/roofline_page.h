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

namespace kernelscape {

class WrappedLabel;

/** What a RooflinePage measures with; a test has its own. */
struct RooflineMeasuring {
  std::function<Result<MachineCeilings>(Store&, const TargetDescription&, int threads, const StopRequest&)>
      ceilings = measure_ceilings;
  std::function<Result<CounterReading>(Store&, SessionId, std::int64_t trial, const StopRequest&)> count =
      count_trial;
};

/** Trials under the machine's roofs: is it compute or memory that the current one waits for? */
class RooflinePage : public ExplorePage {
  Q_OBJECT

 public:
  explicit RooflinePage(Workspace& workspace, RooflineMeasuring measuring = {}, QWidget* parent = nullptr);
  ~RooflinePage() override;

  /** Measures the ceilings that the session's trials stand under, in the background; it waits for the device.
   * Nothing while it measures, or without a session that has a roofline. */
  void measure_ceilings_now();
  /** Counts the current trial in the background; it waits for the device. Nothing without one. */
  void count_current_trial();

  bool has_content(const ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  QWidget* make_controls();
  void show_outcome(const RooflineOutcome& outcome);
  /** The session in which a layer's best kernel was found. */
  void open_layer(qint64 layer);
  void show_place();
  void show_buttons();
  void enable(QPushButton& button, bool enabled);
  void stop_measuring();
  std::optional<std::int64_t> current_trial();

  RooflineMeasuring measuring_;
  QComboBox* level_box_ = nullptr;
  QCheckBox* layers_ = nullptr;  ///< of the session's network; hidden where it is of none
  QPushButton* measure_ = nullptr;
  QPushButton* count_ = nullptr;
  QProgressBar* progress_ = nullptr;
  RooflineChart* chart_ = nullptr;
  WrappedLabel* answer_ = nullptr;   ///< compute or memory, of the current trial
  WrappedLabel* details_ = nullptr;  ///< what was counted, what is missing, what to know of it
  RooflineParts parts_;
  std::int64_t asked_row_ = -1;  ///< that the figure was last made with
  std::shared_ptr<StopRequest> stop_;
  JobTracker measuring_job_;  ///< ceilings, or counters: both take the device
  JobTracker place_job_;
};

}  // namespace kernelscape
