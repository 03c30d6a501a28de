#pragma once

#include <QObject>
#include <utility>

#include "ui/frame/preferences/preferences.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/workspace.h"

class QStackedWidget;

namespace kernelscape::frame {

class FirstStartPage;
class RunFollower;

/** Offers the first start page to a user who has no sessions, and runs what the user chooses on the page. */
class FirstStart : public QObject {
  Q_OBJECT

 public:
  /** @param stack shows the page in place of a view, and owns the page @param parent owner of this object */
  FirstStart(workspace::Workspace& workspace, PreferencesFile& preferences, workspace::FileImport& imports,
             RunFollower& runs, QStackedWidget& stack, QObject* parent);

  FirstStartPage& page() { return *page_; }  ///< never null
  bool shown() const;                        ///< the page is shown in place of a view

  /** Shows the page in place of a view. */
  void show();
  /** Shows the page if the database is empty and the user has not dismissed the page before. */
  void offer();
  /** Remembers that the user has left the page, so that it is not offered again. */
  void leave();
  /**
   * Returns true once after the user chose to explore the built-in recorded space: the page promises to show
   * which knobs determine the speed when the space is imported.
   */
  bool take_knobs_promise() { return std::exchange(knobs_promised_, false); }

 signals:
  /** The page is shown; no view is current. */
  void opened();
  /** The user skipped the page, or chose something that is shown in the first view. */
  void dismissed();

 private:
  void start_first_run();
  void explore_bundled();

  workspace::Workspace& workspace_;
  PreferencesFile& preferences_;
  workspace::FileImport& imports_;
  RunFollower& runs_;
  QStackedWidget& stack_;
  FirstStartPage* page_;
  bool greeting_ = false;  ///< the page was shown, and the user has not chosen anything yet
  bool knobs_promised_ = false;
};

}  // namespace kernelscape::frame
