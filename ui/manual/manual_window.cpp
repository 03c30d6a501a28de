#include "ui/manual/manual_window.h"

#include <QAction>
#include <QBoxLayout>
#include <QDesktopServices>
#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>
#include <QUrl>
#include <algorithm>

#include "ui/manual/manual_text.h"
#include "ui/style/theme.h"

namespace kernelscape {
namespace {

constexpr int path_role = Qt::UserRole;
constexpr int anchor_role = Qt::UserRole + 1;

QTreeWidgetItem* item_of(const QString& text, const ManualPlace& place) {
  auto* item = new QTreeWidgetItem({text});
  item->setData(0, path_role, place.path);
  item->setData(0, anchor_role, place.anchor);
  return item;
}

QTreeWidgetItem* page_item(const ManualPage& page) {
  QTreeWidgetItem* item = item_of(page.title, {page.path, {}});
  for (const ManualSection& section : page.sections) {
    if (section.level == 2) item->addChild(item_of(section.heading, {page.path, section.anchor}));
  }
  return item;
}

}  // namespace

ManualWindow::ManualWindow(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Manual"));
  resize(125 * grid_pixels, 90 * grid_pixels);
  auto* layout = new QVBoxLayout(this);
  make_tools();
  make_contents();
  page_ = new ManualText(this);
  page_->setAccessibleName(tr("Page of the manual"));
  auto* splitter = new QSplitter(this);
  splitter->addWidget(left_);
  splitter->addWidget(page_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({35 * grid_pixels, 90 * grid_pixels});
  layout->addWidget(splitter);
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { follow(link.toString()); });
  connect(this, &ManualWindow::left_to, this,
          [](const QString& address) { QDesktopServices::openUrl(QUrl(address)); });
  show_place({QStringLiteral("README.md"), {}});
}

void ManualWindow::make_tools() {
  auto* line = new QHBoxLayout;
  const auto button = [&](Qt::ArrowType arrow, const QString& name, const QKeySequence& keys) {
    auto* made = new QToolButton(this);
    made->setArrowType(arrow);
    made->setAutoRaise(true);
    made->setAccessibleName(name);
    made->setToolTip(QStringLiteral("%1 (%2)").arg(name, keys.toString(QKeySequence::NativeText)));
    made->setShortcut(keys);
    line->addWidget(made);
    return made;
  };
  back_ = button(Qt::LeftArrow, tr("Back"), QKeySequence(QStringLiteral("Alt+Left")));
  forward_ = button(Qt::RightArrow, tr("Forward"), QKeySequence(QStringLiteral("Alt+Right")));
  connect(back_, &QToolButton::clicked, this, &ManualWindow::back);
  connect(forward_, &QToolButton::clicked, this, &ManualWindow::forward);
  search_ = new QLineEdit(this);
  search_->setPlaceholderText(tr("Search the manual"));
  search_->setAccessibleName(tr("Search the manual"));
  search_->setClearButtonEnabled(true);
  auto* find_action = new QAction(this);
  find_action->setShortcut(QKeySequence::Find);
  addAction(find_action);
  connect(find_action, &QAction::triggered, this, [this] {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
  });
  connect(search_, &QLineEdit::textChanged, this, &ManualWindow::find);
  connect(search_, &QLineEdit::returnPressed, this, [this] { show_hit(0); });
  line->addWidget(search_, 1);
  static_cast<QBoxLayout*>(layout())->addLayout(line);
}

void ManualWindow::make_contents() {
  left_ = new QStackedWidget(this);
  contents_ = new QTreeWidget(left_);
  contents_->setHeaderHidden(true);
  contents_->setAccessibleName(tr("Contents of the manual"));
  hits_ = new QListWidget(left_);
  hits_->setWordWrap(true);
  hits_->setAccessibleName(tr("Search results"));
  left_->addWidget(contents_);
  left_->addWidget(hits_);
  fill_contents();
  connect(contents_, &QTreeWidget::currentItemChanged, this,
          [this](const QTreeWidgetItem* item) { show_item(item); });
  connect(hits_, &QListWidget::currentRowChanged, this, &ManualWindow::show_hit);
}

void ManualWindow::fill_contents() {
  for (const ManualChapter& chapter : manual_chapters()) {
    auto* top = new QTreeWidgetItem({chapter.title});
    top->setFlags(Qt::ItemIsEnabled);
    for (const ManualPage& page : chapter.pages) top->addChild(page_item(page));
    contents_->addTopLevelItem(top);
    top->setExpanded(true);
  }
}

void ManualWindow::find() {
  const QString words = search_->text().trimmed();
  found_ = search_manual(words);
  const QSignalBlocker quiet(hits_);
  hits_->clear();
  for (const ManualHit& hit : found_)
    hits_->addItem(QStringLiteral("%1 · %2\n%3").arg(hit.title, hit.page, hit.excerpt));
  if (found_.empty() && !words.isEmpty()) {
    auto* nothing = new QListWidgetItem(tr("No section contains all of these words"), hits_);
    nothing->setFlags(Qt::NoItemFlags);
  }
  left_->setCurrentIndex(words.isEmpty() ? 0 : 1);
}

void ManualWindow::show_hit(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= found_.size()) return;
  show_place(found_[static_cast<std::size_t>(row)].place);
}

void ManualWindow::show_item(const QTreeWidgetItem* item) {
  if (item == nullptr) return;
  const QString path = item->data(0, path_role).toString();
  if (!path.isEmpty()) show_place({path, item->data(0, anchor_role).toString()});
}

void ManualWindow::show_place(const ManualPlace& place) {
  if (manual_page(place.path) == nullptr) return;
  if (places_.empty() || places_[current_] != place) {
    // The places ahead are discarded, as in a browser.
    places_.resize(places_.empty() ? 0 : current_ + 1);
    places_.push_back(place);
    current_ = places_.size() - 1;
  }
  show_now();
}

ManualPlace ManualWindow::place() const { return places_[current_]; }

void ManualWindow::show_now() {
  const ManualPlace& place = places_[current_];
  const ManualPage* page = manual_page(place.path);
  auto* text = static_cast<ManualText*>(page_);
  if (shown_path_ != place.path) {
    text->show_markdown(page->markdown, place.path);
    shown_path_ = place.path;
  }
  text->scroll_to_heading(place.anchor);
  back_->setEnabled(current_ > 0);
  forward_->setEnabled(current_ + 1 < places_.size());
  setWindowTitle(tr("Manual: %1").arg(page->title));
  select_in_contents();
}

void ManualWindow::select_in_contents() {
  const QSignalBlocker quiet(contents_);
  const ManualPlace& place = places_[current_];
  QTreeWidgetItem* best = nullptr;
  for (QTreeWidgetItemIterator item(contents_); *item != nullptr; ++item) {
    if ((*item)->data(0, path_role).toString() != place.path) continue;
    const bool exact = (*item)->data(0, anchor_role).toString() == place.anchor;
    if (best == nullptr || exact) best = *item;
  }
  if (best != nullptr) contents_->setCurrentItem(best);
}

void ManualWindow::back() {
  if (current_ == 0) return;
  --current_;
  show_now();
}

void ManualWindow::forward() {
  if (current_ + 1 >= places_.size()) return;
  ++current_;
  show_now();
}

void ManualWindow::follow(const QString& link) {
  if (link.contains(QLatin1String("://"))) {
    emit left_to(link);
    return;
  }
  const ManualPlace target = resolve_link(place().path, link);
  if (!target.path.isEmpty()) return show_place(target);
  QToolTip::showText(QCursor::pos(),
                     tr("%1 is a file of the source tree, not a page of the manual").arg(link), page_);
}

void ManualWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  // Deferred until the page has its final width, and its sections their positions.
  QMetaObject::invokeMethod(this, &ManualWindow::show_now, Qt::QueuedConnection);
}

void ManualWindow::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  if (page_ == nullptr || places_.empty()) return;
  shown_path_.clear();
  show_now();
}

}  // namespace kernelscape
