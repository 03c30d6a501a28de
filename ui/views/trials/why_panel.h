#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

#include "core/session/trial_roofline.h"
#include "ui/views/trials/insight_cache.h"
#include "ui/views/trials/why_views.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/workspace.h"

class QStackedWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class ListingFile;

/** The trial that an insight belongs to, as text and numbers. */
struct InsightSubject {
  QString title;                      ///< "trial 288 of session 3, resnet18/C6"
  std::int64_t vector_registers = 0;  ///< of the trial's target; 0: not known
  store::SessionId session = 0;       ///< 0: not a stored session
  std::int64_t trial = 0;             ///< trial number in the session
  QString uncountable = {};           ///< why the processor can't count the kernel; empty: it can
};

/** The function that counts a stored trial's kernel; tests replace it. */
using TrialCounting = std::function<Result<trial::CounterReading>(
    store::Store&, store::SessionId, std::int64_t trial, const session::StopRequest&)>;

/**
 * Shows why a kernel is as fast as it is: what bounds its hot loop, the loop's numbers, and linked views of
 * the stages, the loop nest, the source and the instructions. The kernel is built once more for this, when
 * the panel is visible. Views that do not fit side by side become tabs.
 */
class WhyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhyPanel(workspace::Workspace& workspace, TrialCounting counting = session::count_trial,
                    QWidget* parent = nullptr);
  ~WhyPanel() override;

  /** Drops the previous trial. Builds the kernel in the background now, or when the panel is shown. */
  void set_trial(const workspace::Source& source,
                 const std::shared_ptr<const workspace::TrialDetails>& details);
  /** Shows an insight that is known already. Must not be null. */
  void show_insight(std::shared_ptr<const workspace::TrialInsight> insight, const InsightSubject& subject);

  /** Returns the insight; null: none is shown. */
  const std::shared_ptr<const workspace::TrialInsight>& insight() const { return views_->insight(); }
  /**
   * Returns the text shown in place of the contents: the kernel is being built, or why it can't be; empty
   * while a kernel is shown.
   */
  QString state() const;
  QString sentence() const { return views_->sentence(); }  ///< the sentence that says what bounds the loop
  StagePanel& stages() { return views_->stages(); }        ///< the stages of the schedule, with their loops
  CodePanel& nest() { return views_->nest(); }             ///< the loop nest as it was emitted
  CodePanel& source() { return views_->source(); }         ///< the kernel's source
  InstructionPanel& instructions() { return views_->instructions(); }  ///< the kernel's machine code
  WhyNumbers& numbers() { return views_->numbers(); }                  ///< cycles, mix, counters
  QTabWidget& tabs() { return views_->tabs(); }  ///< the views that do not fit beside the rest; may be empty
  /**
   * Counts the shown kernel in the background; waits for the device. Does nothing if the kernel can't be
   * counted, or while one is being counted.
   */
  void count_now();
  /** Selects linked lines in all views and scrolls them into view. */
  void select(const LinkedLines& lines) { views_->select(lines); }

 signals:
  /** Emitted with a message for the notice bar: copied, saved. */
  void notified(const QString& text);
  /**
   * Emitted when code is shown with less room than it takes to read it. @param more missing height in pixels
   */
  void height_wanted(int more);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void connect_views();
  void build();
  void show_state(const QString& text);
  void show_code();
  void show_counting();
  void show_shares_and_advice();
  void take_counters(const std::shared_ptr<const workspace::TrialInsight>& counted,
                     const Result<trial::CounterReading>& reading);
  void save_listing();
  void open_window();

  workspace::Workspace& workspace_;
  TrialCounting count_;
  workspace::Source trial_source_;
  std::shared_ptr<const workspace::TrialDetails> details_;
  bool done_ = true;  ///< finished or in progress
  InsightCache cache_;
  InsightSubject subject_;
  std::optional<trial::CounterReading> counters_;  ///< of the shown insight
  QString counting_problem_;                       ///< why the last counting failed
  std::shared_ptr<session::StopRequest> stop_;     ///< stops the counting
  QStackedWidget* stack_ = nullptr;
  widgets::ThemedLabel* state_ = nullptr;
  WhyViews* views_ = nullptr;
  ListingFile* listing_ = nullptr;
  workspace::JobTracker job_;
  workspace::JobTracker counting_job_;
};

}  // namespace kernelscape::views
