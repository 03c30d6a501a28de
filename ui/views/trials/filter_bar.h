#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "core/analysis/filter/filter.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::widgets {
class FlowLayout;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class FilterChip;
class FilterEntry;

/**
 * Shows the workspace's filters as removable chips, an entry with completion for the next filter, and how
 * many trials pass. The text in the entry is applied as soon as typing stops; Enter makes it a chip.
 * Backspace in the empty entry, or a double click on a chip, moves a chip back into the entry. An invalid
 * text stays in the entry: its wrong place is underlined, and the reason and a hint are shown below.
 */
class FilterBar : public QWidget {
  Q_OBJECT

 public:
  explicit FilterBar(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Moves the keyboard focus to the entry; called for Ctrl+F. */
  void focus_entry();
  static constexpr int settle_milliseconds = 300;  ///< after this pause typing counts as finished

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
  void show_error(const std::optional<analysis::FilterError>& error);
  void show_hint(const QString& text);
  void hold_entry();
  void judge_entry();
  void add_entry();
  // By value: the chip or list that owns the text may be destroyed meanwhile.
  void take_back(QString filter);
  void remove(QString filter);
  FilterChip* make_chip(const QString& filter);

  workspace::Workspace& workspace_;
  widgets::FlowLayout* flow_ = nullptr;
  FilterEntry* entry_ = nullptr;
  widgets::ThemedLabel* counts_ = nullptr;
  widgets::ThemedLabel* error_ = nullptr;
  QList<FilterChip*> chips_;
  QStringList shown_;
  QTimer settle_;      ///< delays applying the text of the entry
  bool held_ = false;  ///< the text of the entry, or its last valid version, is applied
};

}  // namespace kernelscape::views
