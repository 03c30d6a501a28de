#pragma once

#include <QDialog>
#include <vector>

#include "ui/manual/manual_page.h"

class QLineEdit;
class QListWidget;
class QStackedWidget;
class QTextBrowser;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape {

/**
 * The manual: pages by chapter on the left, or what was searched; the page on the right. Links lead from page
 * to page, those out of the manual are opened by the desktop. Not modal.
 */
class ManualWindow : public QDialog {
  Q_OBJECT

 public:
  explicit ManualWindow(QWidget* parent = nullptr);

  /** Shows a page at a section; where there is none of that name, at its beginning. */
  void show_place(const ManualPlace& place);
  /** What is shown; the anchor is that which was asked for. */
  ManualPlace place() const;

  QLineEdit& search() { return *search_; }        ///< words; empty: the pages are listed
  QTreeWidget& contents() { return *contents_; }  ///< chapters, pages, sections
  QListWidget& hits() { return *hits_; }          ///< sections that have the words, best first
  QTextBrowser& page() { return *page_; }         ///< the text of the place

 public slots:
  /** To what was shown before; nothing where there is none. */
  void back();
  /** To where one went back from; nothing where there is none. */
  void forward();

 signals:
  /** A link that leads out of the manual, to be opened by the desktop. */
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

  std::vector<ManualPlace> places_;  ///< that were shown, in order
  std::size_t current_ = 0;          ///< in places_
  std::vector<ManualHit> found_;
  QString shown_path_;  ///< whose text the browser has
  QLineEdit* search_ = nullptr;
  QToolButton* back_ = nullptr;
  QToolButton* forward_ = nullptr;
  QStackedWidget* left_ = nullptr;
  QTreeWidget* contents_ = nullptr;
  QListWidget* hits_ = nullptr;
  QTextBrowser* page_ = nullptr;
};

}  // namespace kernelscape
