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

namespace kernelscape {

class CodePanel;
class SampleStrip;
class ThemedLabel;

/** Two kernels with their texts against each other. */
struct ShownPair {
  KernelPair pair;
  DifferenceText source;
  DifferenceText nest;  ///< without a line where a loop nest is not known
};

/** Makes both differences. */
ShownPair shown_pair(KernelPair pair);

/**
 * Two trials side by side, in a window of its own: what their numbers say, speeds, knobs, numbers of their
 * hot loops, samples, hot loops, sources and loop nests. It stays what it is when another trial is chosen.
 */
class KernelPairWindow : public QWidget {
  Q_OBJECT

 public:
  explicit KernelPairWindow(Workspace& workspace, QWidget* parent = nullptr);

  /** Makes, fills and shows one, which goes away when it is closed. @return never null */
  static KernelPairWindow* open(Workspace& workspace, const Source& source, std::int64_t row_a,
                                std::int64_t row_b, QWidget* parent);

  /** Reads and builds both in the background. Rows of the source; two different ones. */
  void compare(const Source& source, std::int64_t row_a, std::int64_t row_b);
  /** Shows what is known already. Not null. */
  void show_pair(std::shared_ptr<const ShownPair> shown);

  /** What stands in place of all of it: being read, or why it can't be; empty while two are shown. */
  QString state() const;
  QString sentences() const;                           ///< what the numbers say, a line each
  QTableWidget& table() { return *table_; }            ///< what, A and B
  QTabWidget& tabs() { return *tabs_; }                ///< hot loops, source, loop nest, samples
  CodePanel& source_difference() { return *source_; }  ///< from A's source to B's
  CodePanel& nest_difference() { return *nest_; }      ///< from A's loop nest to B's
  CodePanel& hot_loop_a() { return *hot_a_; }          ///< instructions of A's hot loop
  CodePanel& hot_loop_b() { return *hot_b_; }          ///< instructions of B's hot loop

 signals:
  /** Something to tell in passing: copied. */
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

  Workspace& workspace_;
  std::shared_ptr<const ShownPair> shown_;
  QStackedWidget* stack_ = nullptr;
  ThemedLabel* state_ = nullptr;
  ThemedLabel* first_sentence_ = nullptr;
  ThemedLabel* other_sentences_ = nullptr;
  ThemedLabel* notes_ = nullptr;
  QTableWidget* table_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  CodePanel* hot_a_ = nullptr;
  CodePanel* hot_b_ = nullptr;
  CodePanel* source_ = nullptr;
  CodePanel* nest_ = nullptr;
  ThemedLabel* samples_title_a_ = nullptr;
  ThemedLabel* samples_title_b_ = nullptr;
  SampleStrip* samples_a_ = nullptr;
  SampleStrip* samples_b_ = nullptr;
  JobTracker job_;
};

}  // namespace kernelscape
