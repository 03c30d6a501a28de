#pragma once

#include <QWidget>
#include <memory>

#include "ui/views/trials/difference_text.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/kernel_pair.h"
#include "ui/workspace/workspace.h"

class QStackedWidget;
class QTabWidget;
class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class CodePanel;
class SampleStrip;

/** Two kernels with the differences of their texts. */
struct ShownPair {
  workspace::KernelPair pair;
  DifferenceText source;
  DifferenceText nest;  ///< has no lines if a loop nest is not known
};

/** Computes both differences. */
ShownPair shown_pair(workspace::KernelPair pair);

/**
 * A separate window that shows two trials side by side: conclusions from their numbers, speeds, knobs,
 * numbers of their hot loops, samples, hot loops, sources and loop nests. It does not change when another
 * trial is chosen.
 */
class KernelPairWindow : public QWidget {
  Q_OBJECT

 public:
  explicit KernelPairWindow(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Creates, fills and shows a window, which deletes itself when it is closed. @return never null */
  static KernelPairWindow* open(workspace::Workspace& workspace, const workspace::Source& source,
                                std::int64_t row_a, std::int64_t row_b, QWidget* parent);

  /** Reads and builds both kernels in the background. The arguments are two different rows of the source. */
  void compare(const workspace::Source& source, std::int64_t row_a, std::int64_t row_b);
  /** Shows kernels that are known already. Must not be null. */
  void show_pair(std::shared_ptr<const ShownPair> shown);

  /**
   * Returns the text shown in place of the contents: the kernels are being read, or why they can't be; empty
   * while two kernels are shown.
   */
  QString state() const;
  QString sentences() const;                           ///< the conclusions from the numbers, one per line
  QTableWidget& table() { return *table_; }            ///< columns: name, A and B
  QTabWidget& tabs() { return *tabs_; }                ///< hot loops, source, loop nest, samples
  CodePanel& source_difference() { return *source_; }  ///< from A's source to B's
  CodePanel& nest_difference() { return *nest_; }      ///< from A's loop nest to B's
  CodePanel& hot_loop_a() { return *hot_a_; }          ///< instructions of A's hot loop
  CodePanel& hot_loop_b() { return *hot_b_; }          ///< instructions of B's hot loop

 signals:
  /** Emitted with a message for the notice bar: copied. */
  void notified(const QString& text);

 protected:
  bool event(QEvent* event) override;

 private:
  void make_head(QWidget& content);
  void make_tabs();
  QWidget* make_samples_page();
  void show_state(const QString& text);
  void show_table();
  void show_hot_loops();
  void show_differences();
  void show_samples();
  void apply_theme();

  workspace::Workspace& workspace_;
  std::shared_ptr<const ShownPair> shown_;
  QStackedWidget* stack_ = nullptr;
  widgets::ThemedLabel* state_ = nullptr;
  widgets::ThemedLabel* first_sentence_ = nullptr;
  widgets::ThemedLabel* other_sentences_ = nullptr;
  widgets::ThemedLabel* notes_ = nullptr;
  QTableWidget* table_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  CodePanel* hot_a_ = nullptr;
  CodePanel* hot_b_ = nullptr;
  CodePanel* source_ = nullptr;
  CodePanel* nest_ = nullptr;
  widgets::ThemedLabel* samples_title_a_ = nullptr;
  widgets::ThemedLabel* samples_title_b_ = nullptr;
  SampleStrip* samples_a_ = nullptr;
  SampleStrip* samples_b_ = nullptr;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
