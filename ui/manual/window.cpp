#include "ui/manual/window.h"

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

#include "ui/manual/text.h"
#include "ui/style/theme.h"

namespace kernelscape::manual {
namespace {

constexpr int path_role = Qt::UserRole;
constexpr int anchor_role = Qt::UserRole + 1;

QTreeWidgetItem* item_of(const QString& text, const Place& place) {
  auto* item = new QTreeWidgetItem({text});
  item->setData(0, path_role, place.path);
  item->setData(0, anchor_role, place.anchor);
  return item;
}

QTreeWidgetItem* page_item(const Page& page) {
  QTreeWidgetItem* item = item_of(page.title, {page.path, {}});
  for (const Section& section : page.sections) {
    if (section.level == 2) item->addChild(item_of(section.heading, {page.path, section.anchor}));
  }
  return item;
}

}  // namespace

Window::Window(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Manual"));
  resize(125 * style::grid_pixels, 90 * style::grid_pixels);
  auto* layout = new QVBoxLayout(this);
  make_tools();
  make_contents();
  page_ = new Text(this);
  page_->setAccessibleName(tr("Page of the manual"));
  auto* splitter = new QSplitter(this);
  splitter->addWidget(left_);
  splitter->addWidget(page_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({35 * style::grid_pixels, 90 * style::grid_pixels});
  layout->addWidget(splitter);
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { follow(link.toString()); });
  connect(this, &Window::left_to, this,
          [](const QString& address) { QDesktopServices::openUrl(QUrl(address)); });
  show_place({QStringLiteral("README.md"), {}});
}

void Window::make_tools() {
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
  connect(back_, &QToolButton::clicked, this, &Window::back);
  connect(forward_, &QToolButton::clicked, this, &Window::forward);
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
  connect(search_, &QLineEdit::textChanged, this, &Window::find);
  connect(search_, &QLineEdit::returnPressed, this, [this] { show_hit(0); });
  line->addWidget(search_, 1);
  static_cast<QBoxLayout*>(layout())->addLayout(line);
}

void Window::make_contents() {
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
  connect(hits_, &QListWidget::currentRowChanged, this, &Window::show_hit);
}

void Window::fill_contents() {
  for (const Chapter& chapter : manual_chapters()) {
    auto* top = new QTreeWidgetItem({chapter.title});
    top->setFlags(Qt::ItemIsEnabled);
    for (const Page& page : chapter.pages) top->addChild(page_item(page));
    contents_->addTopLevelItem(top);
    top->setExpanded(true);
  }
}

void Window::find() {
  const QString words = search_->text().trimmed();
  found_ = search_manual(words);
  const QSignalBlocker quiet(hits_);
  hits_->clear();
  for (const Hit& hit : found_)
    hits_->addItem(QStringLiteral("%1 · %2\n%3").arg(hit.title, hit.page, hit.excerpt));
  if (found_.empty() && !words.isEmpty()) {
    auto* nothing = new QListWidgetItem(tr("No section contains all of these words"), hits_);
    nothing->setFlags(Qt::NoItemFlags);
  }
  left_->setCurrentIndex(words.isEmpty() ? 0 : 1);
}

void Window::show_hit(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= found_.size()) return;
  show_place(found_[static_cast<std::size_t>(row)].place);
}

void Window::show_item(const QTreeWidgetItem* item) {
  if (item == nullptr) return;
  const QString path = item->data(0, path_role).toString();
  if (!path.isEmpty()) show_place({path, item->data(0, anchor_role).toString()});
}

void Window::show_place(const Place& place) {
  if (manual_page(place.path) == nullptr) return;
  if (places_.empty() || places_[current_] != place) {
    // The places ahead are discarded, as in a browser.
    places_.resize(places_.empty() ? 0 : current_ + 1);
    places_.push_back(place);
    current_ = places_.size() - 1;
  }
  show_now();
}

Place Window::place() const { return places_[current_]; }

void Window::show_now() {
  const Place& place = places_[current_];
  const Page* page = manual_page(place.path);
  auto* text = static_cast<Text*>(page_);
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

void Window::select_in_contents() {
  const QSignalBlocker quiet(contents_);
  const Place& place = places_[current_];
  QTreeWidgetItem* best = nullptr;
  for (QTreeWidgetItemIterator item(contents_); *item != nullptr; ++item) {
    if ((*item)->data(0, path_role).toString() != place.path) continue;
    const bool exact = (*item)->data(0, anchor_role).toString() == place.anchor;
    if (best == nullptr || exact) best = *item;
  }
  if (best != nullptr) contents_->setCurrentItem(best);
}

void Window::back() {
  if (current_ == 0) return;
  --current_;
  show_now();
}

void Window::forward() {
  if (current_ + 1 >= places_.size()) return;
  ++current_;
  show_now();
}

void Window::follow(const QString& link) {
  if (link.contains(QLatin1String("://"))) {
    emit left_to(link);
    return;
  }
  const Place target = resolve_link(place().path, link);
  if (!target.path.isEmpty()) return show_place(target);
  QToolTip::showText(QCursor::pos(),
                     tr("%1 is a file of the source tree, not a page of the manual").arg(link), page_);
}

void Window::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  // Deferred until the page has its final width, and its sections their positions.
  QMetaObject::invokeMethod(this, &Window::show_now, Qt::QueuedConnection);
}

void Window::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  if (page_ == nullptr || places_.empty()) return;
  shown_path_.clear();
  show_now();
}

}  // namespace kernelscape::manual
