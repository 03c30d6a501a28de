#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/views/trials/why_text.h"

class QBoxLayout;
class QPushButton;
class QTableWidget;

namespace kernelscape {

class BoundBars;
class ThemedLabel;

/**
 * The numbers of a hot loop: cycles by resource, its instruction mix, what the processor counted, and a
 * button that asks for that.
 */
class WhyNumbers : public QScrollArea {
  Q_OBJECT

 public:
  explicit WhyNumbers(QWidget* parent = nullptr);

  /** Of one iteration. @param bound null: there is none, so that no bars are shown */
  void show_loop(const LoopBound* bound, const std::vector<InsightFact>& mix);
  /** Below the mix; empty: nothing was counted, and the table is hidden. */
  void show_counters(const std::vector<InsightFact>& counters);
  /**
   * At the button that asks for counters.
   * @param text why there are none, or not all of them; empty: there is nothing to say
   * @param possible the button does anything
   */
  void show_counting(const QString& text, bool possible);
  /** A sentence each, below all. */
  void show_notes(const QStringList& notes);

  BoundBars& bars() { return *bars_; }             ///< cycles by resource
  QTableWidget& mix() { return *mix_; }            ///< name and count
  QTableWidget& counted() { return *counted_; }    ///< name and value per call
  QPushButton& count_button() { return *count_; }  ///< asks for counters
  QString counting() const;                        ///< what stands at the button

 signals:
  /** The button was pressed. */
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
  ThemedLabel* counting_ = nullptr;
  QPushButton* count_ = nullptr;
  ThemedLabel* notes_ = nullptr;
};

}  // namespace kernelscape
