#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/views/trials/why_text.h"

class QBoxLayout;
class QPushButton;
class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class BoundBars;

/**
 * Shows the advice on a kernel and the numbers of its hot loop: cycles by resource, its instruction mix, the
 * processor's counters, and a button that requests the counters.
 */
class WhyNumbers : public QScrollArea {
  Q_OBJECT

 public:
  explicit WhyNumbers(QWidget* parent = nullptr);

  /** Shows one iteration of a loop. @param bound null: not known; no bars are shown */
  void show_loop(const machine_code::LoopBound* bound, const std::vector<InsightFact>& mix);
  /** Shows the counters below the mix; empty: nothing was counted, and the table is hidden. */
  void show_counters(const std::vector<InsightFact>& counters);
  /**
   * Sets the state of the button that requests counters.
   * @param text why counters are missing; empty: none is
   * @param possible true: the button is enabled
   */
  void show_counting(const QString& text, bool possible);
  /**
   * Shows the advice on the kernel above everything else, one sentence each, the most important first.
   * @param sources where the rules are described, as tool tip
   */
  void show_advice(const QStringList& sentences, const QStringList& sources);
  /** Shows one sentence per note, below everything else. */
  void show_notes(const QStringList& notes);

  BoundBars& bars() { return *bars_; }             ///< cycles by resource
  QTableWidget& mix() { return *mix_; }            ///< name and count
  QTableWidget& counted() { return *counted_; }    ///< name and value per call
  QPushButton& count_button() { return *count_; }  ///< requests counters
  QString counting() const;                        ///< the text at the button
  QString advice() const;                          ///< the advice, a line each

 signals:
  /** Emitted when the button was pressed. */
  void count_requested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QTableWidget* make_table(const QString& name, const QStringList& titles);
  void fill(QTableWidget& table, const std::vector<InsightFact>& facts);
  void fit(QTableWidget& table) const;
  void arrange();
  void follow_looks();

  QBoxLayout* row_ = nullptr;
  BoundBars* bars_ = nullptr;
  QWidget* bound_ = nullptr;
  QTableWidget* mix_ = nullptr;
  QTableWidget* counted_ = nullptr;
  widgets::ThemedLabel* counting_ = nullptr;
  QPushButton* count_ = nullptr;
  widgets::ThemedLabel* advice_ = nullptr;
  widgets::ThemedLabel* notes_ = nullptr;
};

}  // namespace kernelscape::views
