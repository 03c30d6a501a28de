#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/fuzzy_match.h"

namespace kernelscape {

/** The commands that answer what was typed, the best first. */
class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;

  /** Replaces all commands; `search` has to follow. */
  void set_commands(std::vector<PaletteCommand> commands);
  /** Fuzzy, by score plus rank; only the best matches become rows. */
  void search(const QString& pattern);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  /** What stands in a row of the search's result. */
  const PaletteCommand& command(int row) const;
  /** Where the pattern matched that row's text, and how well. */
  const FuzzyMatch& match(int row) const { return shown_[static_cast<std::size_t>(row)].match; }

 private:
  struct Shown {
    std::size_t command = 0;
    FuzzyMatch match;
  };

  std::vector<PaletteCommand> commands_;
  std::vector<Shown> shown_;
};

/** Icon, text with the typed letters in bold, detail, shortcut. */
class PaletteDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace kernelscape
