#include "ui/frame/palette/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/frame/palette/palette_model.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

constexpr int widest = 720;
constexpr int tallest = 520;
constexpr int page = 10;

}  // namespace

CommandPalette::CommandPalette(QWidget* parent)
    : QFrame(parent),
      entry_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new PaletteModel(this)) {
  setAccessibleName(tr("Commands"));
  setFocusProxy(entry_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  column->setSpacing(style::grid_pixels);
  entry_->setPlaceholderText(tr("Search actions, sessions and tasks"));
  entry_->setAccessibleName(tr("Search or command"));
  entry_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  entry_->setClearButtonEnabled(true);
  list_->setModel(model_);
  list_->setItemDelegate(new PaletteDelegate(list_));
  list_->setAccessibleName(tr("Matching commands"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(entry_);
  column->addWidget(list_, 1);
  connect(entry_, &QLineEdit::textChanged, this, &CommandPalette::search);
  connect(list_, &QListView::clicked, this, &CommandPalette::run_current);
  entry_->installEventFilter(this);
  parent->installEventFilter(this);
  hide();
}

void CommandPalette::open_with(std::vector<PaletteCommand> commands) {
  focus_before_ = window()->focusWidget();
  model_->set_commands(std::move(commands));
  {
    const QSignalBlocker blocker(entry_);
    entry_->clear();
  }
  search();
  show();
  raise();
  entry_->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::place() {
  const QSize room = parentWidget()->size();
  const int width = std::min(widest, room.width() - 4 * style::grid_pixels);
  const int rows = std::max(1, model_->rowCount()) * std::max(1, list_->sizeHintForRow(0));
  const int wanted = entry_->sizeHint().height() + rows + 4 * style::grid_pixels;
  const int height = std::min({tallest, room.height() - 12 * style::grid_pixels, wanted});
  setGeometry((room.width() - width) / 2, 6 * style::grid_pixels, width, height);
}

void CommandPalette::search() {
  model_->search(entry_->text(), last_used_);
  const bool searching = !entry_->text().trimmed().isEmpty();
  const bool repeats = model_->rowCount() > 0 && model_->command(0).text == last_used_;
  list_->setCurrentIndex(searching || repeats ? model_->index(0) : QModelIndex());
  list_->scrollToTop();
  place();
}

bool CommandPalette::handle_key(int key) {
  const int row = list_->currentIndex().row();
  const int last = model_->rowCount() - 1;
  const auto go_to = [&](int wanted) {
    list_->setCurrentIndex(model_->index(std::clamp(wanted, 0, std::max(0, last))));
  };
  switch (key) {
    case Qt::Key_Down:
      go_to(row == last ? 0 : row + 1);
      return true;
    case Qt::Key_Up:
      go_to(row <= 0 ? last : row - 1);
      return true;
    case Qt::Key_PageDown:
      go_to(row + page);
      return true;
    case Qt::Key_PageUp:
      go_to(row - page);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      run_current();
      return true;
    case Qt::Key_Escape:
      close_palette();
      return true;
    default:
      return false;
  }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
  if (watched == entry_ && event->type() == QEvent::KeyPress) {
    const auto& key = static_cast<const QKeyEvent&>(*event);
    return handle_key(key.key());
  }
  // A popup of the entry takes the focus temporarily; that must not close the palette.
  if (watched == entry_ && event->type() == QEvent::FocusOut && isVisible()) {
    const auto reason = static_cast<const QFocusEvent&>(*event).reason();
    if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason) hide();
  }
  return QFrame::eventFilter(watched, event);
}

void CommandPalette::run_current() {
  const int row = list_->currentIndex().row();
  if (row < 0) return;
  // The command may reopen the palette, or destroy the objects it was made from.
  const PaletteCommand& command = model_->command(row);
  const std::function<void()> run = command.run;
  if (!command.last) last_used_ = command.text;
  close_palette();
  run();
}

void CommandPalette::close_palette() {
  hide();
  if (focus_before_) focus_before_->setFocus();
  focus_before_.clear();
}

void CommandPalette::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), style::colours().window);
  painter.setPen(style::colours().focus_ring);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace kernelscape::frame
