#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/fuzzy_match.h"

namespace kernelscape::frame {

/** List model of the commands that match the search pattern, best first. */
class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;

  /** Replaces all commands; the caller has to call `search` next. */
  void set_commands(std::vector<PaletteCommand> commands);
  /**
   * Finds matching commands with fuzzy search, ordered by score plus rank; only the best matches become rows.
   * An empty pattern lists the command with the text `last_used` first.
   */
  void search(const QString& pattern, const QString& last_used);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  /** Returns the command in a row of the search results. */
  const PaletteCommand& command(int row) const;
  /** Returns the matched positions and the score of a row's text. */
  const FuzzyMatch& match(int row) const { return shown_[static_cast<std::size_t>(row)].match; }

 private:
  struct Shown {
    std::size_t command = 0;
    FuzzyMatch match;
  };

  std::vector<PaletteCommand> commands_;
  std::vector<Shown> shown_;
};

/** Paints a command: icon, text with the matched letters in bold, detail, shortcut. */
class PaletteDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace kernelscape::frame
