#include "ui/frame/palette/palette_model.h"

#include <QPainter>
#include <algorithm>

#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

constexpr std::size_t max_shown = 100;
constexpr int palette_icon_size = 16;
constexpr int number_score = 1000;  ///< higher than any score of matching text
constexpr int whole_text_score = 500;
constexpr int subject_score = 100;
constexpr qsizetype shortest_subject_word = 3;  ///< shorter words occur in too many names

/** Returns true if a word of the subject begins with `word`. */
bool begins_a_word(const QString& subject, const QString& word) {
  for (qsizetype at = subject.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
       at = subject.indexOf(word, at + 1, Qt::CaseInsensitive)) {
    if (at == 0 || !subject[at - 1].isLetterOrNumber()) return true;
  }
  return false;
}

/** Returns what is added to the score of a command's text. */
int additional_score(const PaletteCommand& command, const QString& pattern, const QStringList& words) {
  int score = command.rank;
  if (!command.number.isEmpty() && words.contains(command.number)) score += number_score;
  const bool whole = command.text.compare(pattern.trimmed(), Qt::CaseInsensitive) == 0;
  if (whole) score += whole_text_score;
  if (command.last && !whole) score -= number_score;
  const bool named = std::ranges::any_of(words, [&](const QString& word) {
    return word.size() >= shortest_subject_word && begins_a_word(command.subject, word);
  });
  return named ? score + subject_score : score;
}

/** Draws a text letter by letter, with the matched letters in bold. @return x position of its end */
int draw_matched(QPainter& painter, const QRect& area, const QString& text,
                 const std::vector<qsizetype>& positions) {
  const QFont plain = painter.font();
  QFont bold = plain;
  bold.setBold(true);
  int left = area.left();
  for (qsizetype begin = 0; begin < text.size();) {
    const bool matched = std::ranges::binary_search(positions, begin);
    qsizetype end = begin + 1;
    while (end < text.size() && std::ranges::binary_search(positions, end) == matched) ++end;
    painter.setFont(matched ? bold : plain);
    const QString piece = text.mid(begin, end - begin);
    painter.drawText(QRect(left, area.top(), area.right() - left, area.height()), Qt::AlignVCenter, piece);
    left += painter.fontMetrics().horizontalAdvance(piece);
    begin = end;
  }
  painter.setFont(plain);
  return left;
}

}  // namespace

void PaletteModel::set_commands(std::vector<PaletteCommand> commands) { commands_ = std::move(commands); }

void PaletteModel::search(const QString& pattern, const QString& last_used) {
  beginResetModel();
  shown_.clear();
  const QStringList words = pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    auto match = fuzzy_match(pattern, commands_[i].text);
    if (!match) continue;
    // Without a search text the order of the commands counts, and not the lengths of their texts.
    if (words.isEmpty()) match->score = commands_[i].text == last_used ? number_score : 0;
    match->score += additional_score(commands_[i], pattern, words);
    shown_.push_back({i, std::move(*match)});
  }
  std::ranges::stable_sort(shown_, std::ranges::greater{},
                           [](const Shown& shown) { return shown.match.score; });
  if (shown_.size() > max_shown) shown_.resize(max_shown);
  endResetModel();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

const PaletteCommand& PaletteModel::command(int row) const {
  return commands_[shown_[static_cast<std::size_t>(row)].command];
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const PaletteCommand& shown = command(index.row());
  if (role == Qt::DisplayRole) return shown.text;
  if (role == Qt::AccessibleTextRole)
    return QStringLiteral("%1, %2 %3").arg(shown.text, shown.detail, shown.shortcut);
  return {};
}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {0, option.fontMetrics.height() + 2 * style::grid_pixels};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto* model = qobject_cast<const PaletteModel*>(index.model());
  if (model == nullptr) return;
  const PaletteCommand& command = model->command(index.row());
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  if (selected) painter->fillRect(option.rect, style::colours().selection);
  const QRect inner = option.rect.adjusted(2 * style::grid_pixels, 0, -2 * style::grid_pixels, 0);
  command.icon.paint(
      painter,
      QRect(inner.left(), inner.center().y() - palette_icon_size / 2, palette_icon_size, palette_icon_size),
      Qt::AlignCenter, selected ? QIcon::Selected : QIcon::Normal);
  const QColor muted = selected ? style::colours().selection_text : style::colours().muted_text;
  painter->setFont(option.font);
  painter->setPen(muted);
  painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, command.shortcut);
  const int shortcut_width =
      command.shortcut.isEmpty()
          ? 0
          : option.fontMetrics.horizontalAdvance(command.shortcut) + 2 * style::grid_pixels;
  QRect line = inner.adjusted(palette_icon_size + style::grid_pixels, 0, -shortcut_width, 0);
  painter->setPen(selected ? style::colours().selection_text : style::colours().text);
  line.setLeft(draw_matched(*painter, line, command.text, model->match(index.row()).positions) +
               2 * style::grid_pixels);
  painter->setPen(muted);
  if (line.width() > 0)
    painter->drawText(line, Qt::AlignVCenter,
                      option.fontMetrics.elidedText(command.detail, Qt::ElideRight, line.width()));
  painter->restore();
}

}  // namespace kernelscape::frame
