#pragma once

#include <QWidget>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "core/session/trial_roofline.h"
#include "ui/views/trials/kernel_links.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/trial_insight.h"
#include "ui/workspace/workspace.h"

class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace kernelscape {

class CodePanel;
class InstructionPanel;
class StagePanel;
class ThemedLabel;
class WhyNumbers;

/** Which trial an insight is of, in words and numbers. */
struct InsightSubject {
  QString title;                      ///< "trial 288 of session 3, resnet18/C6"
  std::int64_t vector_registers = 0;  ///< of its target; 0: not known
  SessionId session = 0;              ///< 0: none that is stored
  std::int64_t trial = 0;             ///< its number in the session
  QString uncountable = {};           ///< why the processor can't count it; empty: it can be asked to
};

/** What counts a stored trial's kernel; a test has its own. */
using TrialCounting =
    std::function<Result<CounterReading>(Store&, SessionId, std::int64_t trial, const StopRequest&)>;

/**
 * Why a kernel is as fast as it is: what bounds its hot loop, the loop's numbers, and the stages, the loop
 * nest, the source and the instructions, in which what belongs together is selected together. The kernel is
 * built once more for it, when somebody looks. Views that have no room beside each other become tabs.
 */
class WhyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhyPanel(Workspace& workspace, TrialCounting counting = count_trial, QWidget* parent = nullptr);
  ~WhyPanel() override;

  /** Gives up the trial before; builds in the background now, or when the panel is shown. */
  void set_trial(const Source& source, const std::shared_ptr<const TrialDetails>& details);
  /** Shows what is known already. Not null. */
  void show_insight(std::shared_ptr<const TrialInsight> insight, const InsightSubject& subject);

  /** Null: none is shown. */
  const std::shared_ptr<const TrialInsight>& insight() const { return insight_; }
  /** What stands in place of all of it: being built, or why it can't be; empty while a kernel is shown. */
  QString state() const;
  QString sentence() const;                                    ///< what bounds the loop
  StagePanel& stages() { return *stages_; }                    ///< of its schedule, with their loops
  CodePanel& nest() { return *nest_; }                         ///< the loop nest as it was emitted
  CodePanel& source() { return *source_; }                     ///< the kernel's source
  InstructionPanel& instructions() { return *instructions_; }  ///< its machine code
  WhyNumbers& numbers() { return *numbers_; }                  ///< cycles, mix, counters
  QTabWidget& tabs() { return *tabs_; }  ///< what has no room beside the rest; may be empty
  /** Counts the shown kernel in the background; it waits for the device. Nothing where it can't be counted,
   * or while one is counted. */
  void count_now();
  /** Selects lines that belong together in all views, and scrolls them into view. */
  void select(const LinkedLines& lines);

 signals:
  /** Something to tell in passing: copied, saved. */
  void notified(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /** How the views stand; compared to see whether anything has to move. */
  struct Arrangement {
    int beside = 3;             ///< code views beside each other
    bool numbers_above = true;  ///< else a tab
    bool stages = false;        ///< there are any
    bool operator==(const Arrangement&) const = default;
  };
  /** An insight that was made, of this session's trial. */
  struct CachedInsight {
    std::shared_ptr<const SourceOrigin> origin;
    std::int64_t trial = 0;
    std::shared_ptr<const TrialInsight> insight;
    std::optional<CounterReading> counters = {};  ///< that were counted since
  };

  void make_content();
  void connect_views();
  void build();
  const CachedInsight* cached(const SourceOrigin& origin, std::int64_t trial) const;
  void keep(const CachedInsight& made);
  void show_state(const QString& text);
  void show_code();
  void show_counting();
  void take_counters(const std::shared_ptr<const TrialInsight>& counted,
                     const Result<CounterReading>& reading);
  void select_hot_loop();
  void select_from(const LinkedLines& lines, const QWidget* origin);
  void hint(const LinkedLines& lines, const QWidget* origin);
  Arrangement fitting() const;
  void arrange();
  void ask_where_to_save();
  void save_listing(const QString& path, bool force);
  void open_window();

  Workspace& workspace_;
  TrialCounting count_;
  Source trial_source_;
  std::shared_ptr<const TrialDetails> details_;
  bool done_ = true;                 ///< or under way
  std::deque<CachedInsight> cache_;  ///< the newest first
  std::shared_ptr<const TrialInsight> insight_;
  InsightSubject subject_;
  std::optional<CounterReading> counters_;  ///< of the insight that is shown
  QString counting_problem_;                ///< why it was not counted when it was asked for
  std::shared_ptr<StopRequest> stop_;       ///< of the counting
  std::optional<Arrangement> arrangement_;
  QStackedWidget* stack_ = nullptr;
  ThemedLabel* state_ = nullptr;
  ThemedLabel* sentence_ = nullptr;
  QSplitter* rows_ = nullptr;
  QSplitter* columns_ = nullptr;
  QSplitter* stages_and_nest_ = nullptr;  ///< one above the other
  QTabWidget* tabs_ = nullptr;
  WhyNumbers* numbers_ = nullptr;
  StagePanel* stages_ = nullptr;
  CodePanel* nest_ = nullptr;
  CodePanel* source_ = nullptr;
  InstructionPanel* instructions_ = nullptr;
  JobTracker job_;
  JobTracker save_job_;
  JobTracker counting_job_;
};

}  // namespace kernelscape
