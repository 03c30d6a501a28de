#include "ui/widgets/code_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolTip>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/assembly_highlighter.h"
#include "ui/widgets/c_highlighter.h"

namespace kernelscape::widgets {
namespace {

constexpr int margin_padding = 8;
constexpr int tab_spaces = 8;
constexpr int link_bar_width = 3;
constexpr float link_tint = 0.22F;
constexpr float hint_tint = 0.10F;
constexpr float share_tint = 0.45F;
constexpr double min_share_text = 0.005;  ///< smaller shares would be shown as 0 %

class Margin : public QWidget {
 public:
  explicit Margin(CodeView& view) : QWidget(&view), view_(view) {}
  QSize sizeHint() const override { return {view_.margin_width(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { view_.paint_margin(*this, event->rect()); }

 private:
  CodeView& view_;
};

QColor tint_of(LineMark mark) {
  QColor tint = mark == LineMark::Added                                ? style::colours().accent
                : mark == LineMark::Removed                            ? style::colours().warning
                : mark == LineMark::Warning || mark == LineMark::Error ? style::colours().warning
                                                                       : style::colours().muted_text;
  tint.setAlphaF(mark == LineMark::Folded ? 0.10F : 0.18F);
  return tint;
}

QColor faint(QColor colour, float alpha) {
  colour.setAlphaF(alpha);
  return colour;
}

std::vector<int> in_order(std::vector<int> lines) {
  std::ranges::sort(lines);
  const auto doubled = std::ranges::unique(lines);
  lines.erase(doubled.begin(), doubled.end());
  return lines;
}

}  // namespace

CodeView::CodeView(CodeLanguage language, QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setFrameShape(QFrame::NoFrame);
  margin_ = new Margin(*this);
  if (language == CodeLanguage::C) {
    c_highlighter_ = new CHighlighter(document());
    highlighter_ = c_highlighter_;
  } else if (language == CodeLanguage::Assembly) {
    highlighter_ = new AssemblyHighlighter(document());
  }
  connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeView::place_margin);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int moved) {
    if (moved != 0) {
      margin_->scroll(0, moved);
    } else {
      margin_->update(0, area.y(), margin_->width(), area.height());
    }
  });
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &CodeView::follow_caret);
  viewport()->setMouseTracking(true);
  apply_theme();
}

void CodeView::set_dialect(codegen::Dialect dialect) {
  if (c_highlighter_) c_highlighter_->set_dialect(dialect);
}

void CodeView::set_code(const QString& code) { set_marked_code({code, {}, {}, {}}); }

void CodeView::set_marked_code(const MarkedCode& code) {
  labels_ = code.labels;
  marks_ = code.marks;
  if (c_highlighter_) c_highlighter_->set_comment_lines(code.starts_in_comment);
  linked_.clear();
  hinted_.clear();
  notes_.clear();
  shares_.clear();
  margin_->setToolTip({});
  {
    const QScopedValueRollback silence(silent_, true);
    setPlainText(code.text);
  }
  caret_line_ = textCursor().blockNumber();
  pointed_line_ = -1;
  apply_marks();
  place_margin();
}

void CodeView::set_linked_lines(std::vector<int> lines) {
  linked_ = in_order(std::move(lines));
  viewport()->update();
  margin_->update();
}

void CodeView::set_hinted_lines(std::vector<int> lines) {
  hinted_ = in_order(std::move(lines));
  viewport()->update();
}

void CodeView::set_line_notes(std::map<int, QString> notes) {
  notes_ = std::move(notes);
  viewport()->update();
  margin_->update();
}

void CodeView::set_line_shares(std::vector<double> shares, const QString& meaning) {
  shares_ = std::move(shares);
  margin_->setToolTip(shares_.empty() ? QString() : meaning);
  place_margin();
}

void CodeView::reveal_line(int line) {
  const QTextBlock block = document()->findBlockByNumber(line);
  if (!block.isValid()) return;
  const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
  if (place.top() >= 0 && place.bottom() <= viewport()->height()) return;
  const QTextCursor caret = textCursor();
  const QScopedValueRollback silence(silent_, true);
  setTextCursor(QTextCursor(block));
  centerCursor();
  const int top = verticalScrollBar()->value();
  setTextCursor(caret);
  verticalScrollBar()->setValue(top);
}

void CodeView::put_caret(int line) {
  const QTextBlock block = document()->findBlockByNumber(line);
  if (!block.isValid()) return;
  reveal_line(line);
  const QScopedValueRollback silence(silent_, true);
  setTextCursor(QTextCursor(block));
  caret_line_ = line;
}

/** Emits the line of the caret; selecting text by dragging chooses the lines that it passes. */
void CodeView::follow_caret() {
  const int line = textCursor().blockNumber();
  if (silent_ || line == caret_line_) return;
  caret_line_ = line;
  emit line_chosen(line);
}

void CodeView::follow_pointer(int line) {
  if (line == pointed_line_) return;
  pointed_line_ = line;
  emit line_hovered(line);
}

LineMark CodeView::mark_of(int line) const {
  const auto place = static_cast<std::size_t>(line);
  return place < marks_.size() ? marks_[place] : LineMark::None;
}

bool CodeView::find_next(const QString& text, bool backward) {
  if (text.isEmpty()) return false;
  const QTextDocument::FindFlags flags =
      backward ? QTextDocument::FindFlags(QTextDocument::FindBackward) : QTextDocument::FindFlags();
  if (find(text, flags)) return true;
  const QTextCursor before = textCursor();
  QTextCursor start = before;
  start.movePosition(backward ? QTextCursor::End : QTextCursor::Start);
  setTextCursor(start);
  if (find(text, flags)) return true;
  setTextCursor(before);
  return false;
}

void CodeView::apply_theme() {
  setFont(style::fixed_font_of(style::TextSize::Small));
  setTabStopDistance(fontMetrics().horizontalAdvance(QLatin1Char(' ')) * tab_spaces);
  if (highlighter_) highlighter_->rehighlight();
  apply_marks();
  place_margin();
}

void CodeView::apply_marks() {
  QList<QTextEdit::ExtraSelection> selections;
  QTextBlock block = document()->firstBlock();
  for (std::size_t line = 0; line < marks_.size() && block.isValid(); ++line, block = block.next()) {
    if (marks_[line] == LineMark::None) continue;
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(block);
    selection.format.setBackground(tint_of(marks_[line]));
    selection.format.setProperty(QTextFormat::FullWidthSelection, true);
    if (marks_[line] == LineMark::Folded) selection.format.setForeground(style::colours().muted_text);
    selections.append(selection);
  }
  setExtraSelections(selections);
}

QString CodeView::label_of(int line) const {
  return labels_.isEmpty() ? QString::number(line + 1) : labels_.value(line);
}

int CodeView::margin_width() const {
  const QFontMetrics metrics = fontMetrics();
  int widest = metrics.horizontalAdvance(QStringLiteral("999"));
  // The font has a fixed width: the longest label is the widest.
  if (labels_.isEmpty()) {
    widest = std::max(widest, metrics.horizontalAdvance(QString::number(blockCount())));
  } else {
    const auto longest = std::ranges::max_element(labels_, {}, &QString::size);
    widest = std::max(widest, metrics.horizontalAdvance(*longest));
  }
  return widest + 2 * margin_padding + share_width();
}

/** Returns the width of the bars at the left of the margin; 0: there are none. */
int CodeView::share_width() const {
  return shares_.empty() ? 0 : fontMetrics().horizontalAdvance(QStringLiteral("0.99 %")) + margin_padding;
}

/** Paints the bar of a line, with its percentage over it. */
void CodeView::paint_share(QPainter& painter, int line, const QRectF& place) const {
  const auto index = static_cast<std::size_t>(line);
  if (index >= shares_.size() || shares_[index] <= 0) return;
  const double largest = *std::ranges::max_element(shares_);
  const QRectF column(0, place.top(), share_width(), place.height());
  painter.fillRect(QRectF(0, place.top(), column.width() * shares_[index] / largest, place.height()),
                   faint(style::colours().accent, share_tint));
  if (shares_[index] < min_share_text) return;
  painter.setPen(style::colours().text);
  painter.drawText(column.adjusted(0, 0, -margin_padding / 2.0, 0), Qt::AlignRight | Qt::AlignVCenter,
                   style::format_percent(shares_[index]));
}

void CodeView::place_margin() {
  const int width = margin_width();
  setViewportMargins(width, 0, 0, 0);
  margin_->setGeometry(contentsRect().x(), contentsRect().y(), width, contentsRect().height());
  margin_->update();
}

void CodeView::paint_margin(QWidget& margin, const QRect& area) {
  QPainter painter(&margin);
  painter.fillRect(area, style::colours().window);
  painter.setFont(font());
  painter.setPen(style::colours().muted_text);
  QTextBlock block = firstVisibleBlock();
  while (block.isValid()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > area.bottom()) break;
    paint_share(painter, block.blockNumber(), place);
    const QRectF line(margin_padding, place.top(), margin.width() - 2 * margin_padding, place.height());
    if (std::ranges::binary_search(linked_, block.blockNumber()))
      painter.fillRect(QRectF(margin.width() - link_bar_width, place.top(), link_bar_width, place.height()),
                       style::colours().marked);
    painter.setPen(notes_.contains(block.blockNumber()) ? style::colours().warning
                                                        : style::colours().muted_text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, label_of(block.blockNumber()));
    block = block.next();
  }
}

void CodeView::tint_lines(const std::vector<int>& lines, const QColor& tint, const QRect& area) {
  if (lines.empty()) return;
  QPainter painter(viewport());
  const int first = firstVisibleBlock().blockNumber();
  for (auto line = std::ranges::lower_bound(lines, first); line != lines.end(); ++line) {
    const QTextBlock block = document()->findBlockByNumber(*line);
    if (!block.isValid()) return;
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > area.bottom()) return;
    painter.fillRect(QRectF(0, place.top(), viewport()->width(), place.height()), tint);
  }
}

void CodeView::paint_notes(const QRect& area) {
  if (notes_.empty()) return;
  QPainter painter(viewport());
  QFont slanted = font();
  slanted.setItalic(true);
  painter.setFont(slanted);
  painter.setPen(style::colours().warning);
  const qreal gap = 2 * fontMetrics().horizontalAdvance(QLatin1Char('m'));
  for (auto note = notes_.lower_bound(firstVisibleBlock().blockNumber()); note != notes_.end(); ++note) {
    const QTextBlock block = document()->findBlockByNumber(note->first);
    if (!block.isValid()) return;
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > area.bottom()) return;
    const qreal width = block.layout()->lineCount() > 0 ? block.layout()->lineAt(0).naturalTextWidth() : 0;
    const qreal left = place.left() + width + gap;
    const QRectF room(left, place.top(), viewport()->width() - left - gap, place.height());
    const QString text = note->second.section(QLatin1Char('\n'), 0, 0);
    if (room.width() > 4 * gap)
      painter.drawText(
          room, Qt::AlignLeft | Qt::AlignVCenter,
          painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
  }
}

void CodeView::paintEvent(QPaintEvent* event) {
  tint_lines(hinted_, faint(style::colours().muted_text, hint_tint), event->rect());
  tint_lines(linked_, faint(style::colours().marked, link_tint), event->rect());
  QPlainTextEdit::paintEvent(event);
  paint_notes(event->rect());
}

/** Emits `line_chosen` also for a click on the line of the caret, since another line may be linked now. */
void CodeView::mousePressEvent(QMouseEvent* event) {
  {
    const QScopedValueRollback silence(silent_, true);
    QPlainTextEdit::mousePressEvent(event);
  }
  if (event->button() != Qt::LeftButton) return;
  caret_line_ = textCursor().blockNumber();
  const int line = caret_line_;
  emit line_chosen(line);
  if (mark_of(line) == LineMark::Folded) emit line_activated(line);
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
  QPlainTextEdit::mouseMoveEvent(event);
  if (event->buttons() == Qt::NoButton)
    follow_pointer(cursorForPosition(event->position().toPoint()).blockNumber());
}

void CodeView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool activates =
      key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Plus || key == Qt::Key_Minus;
  const bool listened = isSignalConnected(QMetaMethod::fromSignal(&CodeView::line_activated));
  if (activates && listened && (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == 0) {
    emit line_activated(textCursor().blockNumber());
    event->accept();
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  place_margin();
}

bool CodeView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) follow_pointer(-1);
  if (event->type() == QEvent::ToolTip && !notes_.empty()) {
    const auto& help = *static_cast<QHelpEvent*>(event);
    const auto note = notes_.find(cursorForPosition(help.pos()).blockNumber());
    QToolTip::showText(help.globalPos(), note == notes_.end() ? QString() : note->second, viewport());
    return true;
  }
  return QPlainTextEdit::viewportEvent(event);
}

bool CodeView::event(QEvent* event) {
  const bool handled = QPlainTextEdit::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply_theme();
  return handled;
}

}  // namespace kernelscape::widgets
