#pragma once

#include <QDialog>
#include <vector>

#include "ui/manual/page.h"

class QLineEdit;
class QListWidget;
class QStackedWidget;
class QTextBrowser;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape::manual {

/**
 * Shows the manual: pages by chapter, or search results, on the left; the page on the right. Links lead from
 * page to page; links out of the manual are opened by the desktop. Not modal.
 */
class Window : public QDialog {
  Q_OBJECT

 public:
  explicit Window(QWidget* parent = nullptr);

  /** Shows a page at a section, or at its beginning if there is no such section. */
  void show_place(const Place& place);
  /** Returns the place that is shown, with the anchor that was requested. */
  Place place() const;

  QLineEdit& search() { return *search_; }        ///< search words; empty: the pages are listed
  QTreeWidget& contents() { return *contents_; }  ///< chapters, pages, sections
  QListWidget& hits() { return *hits_; }          ///< sections that contain the words, best first
  QTextBrowser& page() { return *page_; }         ///< text of the current page

 public slots:
  /** Returns to the place shown before; does nothing if there is none. */
  void back();
  /** Shows the place from which back() was called; does nothing if there is none. */
  void forward();

 signals:
  /** The user clicked a link out of the manual; the desktop has to open it. */
  void left_to(const QString& address);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make_tools();
  void make_contents();
  void fill_contents();
  void find();
  void show_hit(int row);
  void show_item(const QTreeWidgetItem* item);
  void follow(const QString& link);
  void show_now();
  void select_in_contents();

  std::vector<Place> places_;  ///< places that were shown, in order
  std::size_t current_ = 0;    ///< index in places_
  std::vector<Hit> found_;
  QString shown_path_;  ///< path of the page that the browser shows
  QLineEdit* search_ = nullptr;
  QToolButton* back_ = nullptr;
  QToolButton* forward_ = nullptr;
  QStackedWidget* left_ = nullptr;
  QTreeWidget* contents_ = nullptr;
  QListWidget* hits_ = nullptr;
  QTextBrowser* page_ = nullptr;
};

}  // namespace kernelscape::manual
