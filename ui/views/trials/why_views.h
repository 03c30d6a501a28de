#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/views/trials/kernel_links.h"
#include "ui/workspace/trial_insight.h"

class QSplitter;
class QTabWidget;

namespace kernelscape::measure {
struct LineShares;
}  // namespace kernelscape::measure

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class CodePanel;
class InstructionPanel;
class StagePanel;
class WhyNumbers;

/**
 * The linked views of a kernel: a sentence, its numbers, its stages, the loop nest, the source and the
 * instructions. Lines that belong together are selected together. Views that do not fit side by side are
 * tabs.
 */
class WhyViews : public QWidget {
  Q_OBJECT

 public:
  explicit WhyViews(QWidget* parent = nullptr);

  /** Drops the kernel: its lines are no longer linked. */
  void clear() { insight_.reset(); }
  /**
   * Shows another kernel, except for its instructions.
   * @param insight must not be null @param room the size in which the views are arranged
   */
  void show_texts(std::shared_ptr<const workspace::TrialInsight> insight, QSize room);
  /** Shows the instructions of the kernel; the panel of the instructions emits `code_changed`. */
  void show_instructions();
  /** Shows the share of each line beside it. */
  void show_shares(const measure::LineShares& shares);
  /** Places every view where it fits; the open tab stays open if it is still a tab. */
  void arrange(QSize room);

  /** Selects linked lines in all views and scrolls them into view. */
  void select(const LinkedLines& lines) { select_from(lines, nullptr); }
  /** Selects the hot loop of the shown instructions and its lines. */
  void select_hot_loop();
  /** Asks for more height if needed, when the views that are shown now have their sizes. */
  void ask_for_height_soon();

  /** Returns the insight of the kernel; null: none is shown. */
  const std::shared_ptr<const workspace::TrialInsight>& insight() const { return insight_; }
  QString sentence() const;                                    ///< what bounds the loop
  StagePanel& stages() { return *stages_; }                    ///< the stages of the schedule
  CodePanel& nest() { return *nest_; }                         ///< the loop nest as it was emitted
  CodePanel& source() { return *source_; }                     ///< the kernel's source
  InstructionPanel& instructions() { return *instructions_; }  ///< the kernel's machine code
  WhyNumbers& numbers() { return *numbers_; }                  ///< cycles, mix, counters
  QTabWidget& tabs() { return *tabs_; }                        ///< the views that do not fit; may be empty

 signals:
  /** Emitted with a message for the notice bar: copied. */
  void notified(const QString& text);
  /**
   * Emitted when code is shown with less room than it takes to read it. @param more missing height in pixels
   */
  void height_wanted(int more);

 private:
  /** The arrangement of the views; compared to find out whether anything has to move. */
  struct Arrangement {
    int beside = 3;             ///< number of code views side by side
    bool numbers_above = true;  ///< false: the numbers are a tab
    bool stages = false;        ///< there are stages
    bool operator==(const Arrangement&) const = default;
  };

  void make_views();
  void make_splitters();
  void connect_code();
  void connect_stages();
  void connect_instructions();
  LinkedLines links_of_instruction(int line) const;
  void select_from(const LinkedLines& lines, const QWidget* origin);
  void hint(const LinkedLines& lines, const QWidget* origin);
  Arrangement fitting(QSize room) const;
  void ask_for_height();

  std::shared_ptr<const workspace::TrialInsight> insight_;
  std::optional<Arrangement> arrangement_;
  widgets::ThemedLabel* sentence_ = nullptr;
  QSplitter* rows_ = nullptr;
  QSplitter* columns_ = nullptr;
  QSplitter* stages_and_nest_ = nullptr;  ///< one above the other
  QTabWidget* tabs_ = nullptr;
  WhyNumbers* numbers_ = nullptr;
  StagePanel* stages_ = nullptr;
  CodePanel* nest_ = nullptr;
  CodePanel* source_ = nullptr;
  InstructionPanel* instructions_ = nullptr;
};

}  // namespace kernelscape::views
