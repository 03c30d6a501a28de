#include "ui/views/explore/session_box.h"

#include <QApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QStylePainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>

#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int popup_width = 60 * style::grid_pixels;
constexpr int popup_height = 50 * style::grid_pixels;

/** Returns "layer  resnet18/C6 nose  (500 trials)"; a name that equals the task's name is given once. */
QString source_text(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  const QString name =
      record.name.empty() ? QStringLiteral("#%1").arg(record.id) : models::session_title(session);
  const QString task = models::session_task_text(session);
  QStringList words{name};
  if (task != name) words.append(task);
  if (!record.tuner.empty()) words.append(QString::fromStdString(record.tuner));
  const std::int64_t trials = session.summary.status.trial_count;
  words.append(trials == 1 ? SessionBox::tr("(1 trial)")
                           : SessionBox::tr("(%1 trials)").arg(style::format_count(trials)));
  return words.join(QStringLiteral("  "));
}

/** Paints a row of the list in one line. */
class SourceDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideMiddle;
    const auto* model = qobject_cast<const models::SessionModel*>(index.model());
    if (model == nullptr) return;
    if (const workspace::SessionCollection* collection = model->collection(index)) {
      option->text +=
          QStringLiteral("  (%1, %2)")
              .arg(models::collection_count_text(*collection), QString::fromStdString(collection->device));
    } else if (const workspace::SessionEntry* session = model->session(index)) {
      const QString indent = model->is_member(index) ? QStringLiteral("     ") : QString();
      option->text = indent + source_text(*session);
    }
  }
};

}  // namespace

SessionBox::SessionBox(workspace::Workspace& workspace, QWidget* parent)
    : QComboBox(parent), workspace_(workspace), model_(workspace) {
  constexpr int shown_letters = 28;
  setAccessibleName(tr("Session"));
  // Also prevents the box from choosing the first row by itself.
  setPlaceholderText(tr("Choose a session"));
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(shown_letters);
  setModel(&model_);
  setModelColumn(models::SessionModel::NameColumn);
  make_popup();
  connect(this, &QComboBox::activated, this,
          [this](int row) { choose(model_.index(row, models::SessionModel::NameColumn)); });
  for (const auto signal : {&workspace::Workspace::sessions_changed, &workspace::Workspace::source_changed})
    connect(&workspace_, signal, this, &SessionBox::show_current);
  show_current();
}

void SessionBox::make_popup() {
  popup_ = new QFrame(this, Qt::Popup);
  popup_->setFrameShape(QFrame::StyledPanel);
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search name, task, shape, tuner, tags, note"));
  search_->setAccessibleName(tr("Search the sources"));
  search_->setClearButtonEnabled(true);
  search_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  list_ = new QListView;
  list_->setAccessibleName(tr("Sources"));
  list_->setModel(&model_);
  list_->setModelColumn(models::SessionModel::NameColumn);
  list_->setItemDelegate(new SourceDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(popup_);
  column->setContentsMargins(1, 1, 1, 1);
  column->setSpacing(0);
  column->addWidget(search_);
  column->addWidget(list_, 1);
  popup_->installEventFilter(this);
  search_->installEventFilter(this);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.set_search(text);
    list_->setCurrentIndex(model_.index(0, models::SessionModel::NameColumn));
  });
  connect(list_, &QListView::clicked, this, &SessionBox::choose);
}

void SessionBox::showPopup() {
  const QRect screen = this->screen()->availableGeometry();
  QRect place(mapToGlobal(QPoint(0, height())),
              QSize(std::max(width(), popup_width), std::min(popup_height, screen.height())));
  if (place.bottom() > screen.bottom()) place.moveBottom(screen.bottom());
  if (place.right() > screen.right()) place.moveRight(screen.right());
  popup_->setGeometry(place);
  popup_->show();
  search_->setFocus();
  const QModelIndex current = model_.index(currentIndex(), models::SessionModel::NameColumn);
  if (!current.isValid()) return;
  list_->setCurrentIndex(current);
  list_->scrollTo(current, QAbstractItemView::PositionAtCenter);
}

void SessionBox::hidePopup() { popup_->hide(); }

/** Ignores the wheel, so that scrolling over the box does not change the session. */
void SessionBox::wheelEvent(QWheelEvent* event) { event->ignore(); }

/** Shows the current session. A session in a closed collection has no row, so its title is shown. */
void SessionBox::show_current() {
  setCurrentIndex(workspace_.opened() ? model_.row_of(*workspace_.opened()) : -1);
  setToolTip(current_title());
  update();
}

QString SessionBox::current_title() const {
  if (!workspace_.opened()) return {};
  const auto& sessions = *workspace_.sessions();
  const auto found =
      std::ranges::find(sessions, *workspace_.opened(),
                        [](const workspace::SessionEntry& entry) { return entry.summary.record.id; });
  return found == sessions.end() ? QString() : source_text(*found);
}

void SessionBox::choose(const QModelIndex& index) {
  if (const workspace::SessionCollection* collection = model_.collection(index)) {
    const store::StudyId id = collection->summary.id;
    show_current();
    // If a key moved the selection to a collection, it is opened to show its sessions.
    if (!popup_->isVisible()) showPopup();
    model_.toggle(id);
    return list_->setCurrentIndex(
        model_.index(model_.row_of_collection(id), models::SessionModel::NameColumn));
  }
  const workspace::SessionEntry* session = model_.session(index);
  if (session == nullptr) return;
  const store::SessionId id = session->summary.record.id;
  if (popup_->isVisible()) hidePopup();
  emit session_chosen(id);
}

void SessionBox::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const QString title = current_title();
  painter.setPen(palette().color(QPalette::Text));
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  const QRect field =
      style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  option.currentText = fontMetrics().elidedText(title.isEmpty() ? placeholderText() : title, Qt::ElideMiddle,
                                                field.width() - style::grid_pixels);
  if (title.isEmpty()) option.palette.setBrush(QPalette::ButtonText, option.palette.placeholderText());
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

bool SessionBox::eventFilter(QObject* watched, QEvent* event) {
  // However the list was closed, the next search starts empty.
  if (watched == popup_ && event->type() == QEvent::Hide) {
    search_->clear();
    show_current();
  }
  if (watched != search_ || event->type() != QEvent::KeyPress) return QComboBox::eventFilter(watched, event);
  switch (static_cast<const QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape:
      hidePopup();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose(list_->currentIndex());
      return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      QApplication::sendEvent(list_, event);
      return true;
    default:
      return QComboBox::eventFilter(watched, event);
  }
}

}  // namespace kernelscape::views
