#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "core/analysis/filter/filter.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

class FilterChip;
class FilterEntry;
class FlowLayout;
class ThemedLabel;

/**
 * The workspace's filters as removable chips, an entry with completion for the next one, and how many trials
 * pass. What is written holds once typing has stopped; Enter makes a chip of it. Backspace in the empty
 * entry, or a double click on a chip, takes one back into it. A wrong text stays where it is: its wrong place
 * is underlined, the reason and the way out stand below.
 */
class FilterBar : public QWidget {
  Q_OBJECT

 public:
  explicit FilterBar(Workspace& workspace, QWidget* parent = nullptr);

  /** Where Ctrl+F goes. */
  void focus_entry();
  static constexpr int settle_milliseconds = 300;  ///< typing has stopped

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void apply_height();
  void show_source();
  void show_chips();
  void show_counts();
  void show_error(const std::optional<FilterError>& error);
  void show_hint(const QString& text);
  void hold_entry();
  void judge_entry();
  void add_entry();
  // By value: the chip or list that the text comes from goes away meanwhile.
  void take_back(QString filter);
  void remove(QString filter);
  FilterChip* make_chip(const QString& filter);

  Workspace& workspace_;
  FlowLayout* flow_ = nullptr;
  FilterEntry* entry_ = nullptr;
  ThemedLabel* counts_ = nullptr;
  ThemedLabel* error_ = nullptr;
  QList<FilterChip*> chips_;
  QStringList shown_;
  QTimer settle_;      ///< until what is written holds
  bool held_ = false;  ///< what is written, or was before it became wrong, holds
};

}  // namespace kernelscape
