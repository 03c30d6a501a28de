#include "ui/widgets/code_view.h"

#include <QPaintEvent>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/widgets/assembly_highlighter.h"
#include "ui/widgets/c_highlighter.h"

namespace kernelscape {
namespace {

constexpr int margin_padding = 8;
constexpr int tab_spaces = 8;

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
  QColor tint = mark == LineMark::Added     ? colours().accent
                : mark == LineMark::Removed ? colours().warning
                                            : colours().muted_text;
  tint.setAlphaF(mark == LineMark::Folded ? 0.10F : 0.18F);
  return tint;
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
  apply_theme();
}

void CodeView::set_dialect(Dialect dialect) {
  if (c_highlighter_) c_highlighter_->set_dialect(dialect);
}

void CodeView::set_code(const QString& code) { set_marked_code({code, {}, {}, {}}); }

void CodeView::set_marked_code(const MarkedCode& code) {
  labels_ = code.labels;
  marks_ = code.marks;
  if (c_highlighter_) c_highlighter_->set_comment_lines(code.starts_in_comment);
  setPlainText(code.text);
  apply_marks();
  place_margin();
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
  setFont(fixed_font_of(TextSize::Small));
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
    if (marks_[line] == LineMark::Folded) selection.format.setForeground(colours().muted_text);
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
  // Of fixed width: the longest label is the widest.
  if (labels_.isEmpty()) {
    widest = std::max(widest, metrics.horizontalAdvance(QString::number(blockCount())));
  } else {
    const auto longest = std::ranges::max_element(labels_, {}, &QString::size);
    widest = std::max(widest, metrics.horizontalAdvance(*longest));
  }
  return widest + 2 * margin_padding;
}

void CodeView::place_margin() {
  const int width = margin_width();
  setViewportMargins(width, 0, 0, 0);
  margin_->setGeometry(contentsRect().x(), contentsRect().y(), width, contentsRect().height());
  margin_->update();
}

void CodeView::paint_margin(QWidget& margin, const QRect& area) {
  QPainter painter(&margin);
  painter.fillRect(area, colours().window);
  painter.setFont(font());
  painter.setPen(colours().muted_text);
  QTextBlock block = firstVisibleBlock();
  while (block.isValid()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > area.bottom()) break;
    const QRectF line(margin_padding, place.top(), margin.width() - 2 * margin_padding, place.height());
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, label_of(block.blockNumber()));
    block = block.next();
  }
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  place_margin();
}

bool CodeView::event(QEvent* event) {
  const bool handled = QPlainTextEdit::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply_theme();
  return handled;
}

}  // namespace kernelscape
