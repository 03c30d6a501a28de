#pragma once

#include <QMainWindow>
#include <QSize>
#include <memory>

#include "ui/charts/chart.h"
#include "ui/views/action_registry.h"
#include "ui/workspace/workspace.h"

class QDockWidget;

Q_MOC_INCLUDE("core/session/preparation.h")

namespace kernelscape::figures {
struct ShownPredictors;
}  // namespace kernelscape::figures

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::views {

/** The objects that a view shares with the window; they live as long as the window. */
struct ViewContext {
  workspace::Workspace& workspace;
  ActionRegistry& actions;
};

/**
 * A view of the window: Tune, Explore, Library, ... It has its own dock area, whose layout is stored with a
 * version and can be reset. A view listens to the workspace; it does not know other views.
 */
class View : public QMainWindow, public charts::Place {
  Q_OBJECT

 public:
  /**
   * Makes a view.
   * @param name "Tune"
   * @param icon_name for icon()
   * @param layout_version to be raised when docks are added or removed
   */
  View(ViewContext context, const QString& name, QString icon_name, int layout_version);

  const QString& name() const { return name_; }            ///< also the name in `view_requested`: "Tune"
  const QString& icon_name() const { return icon_name_; }  ///< for icon()

  /**
   * Returns the state of the docks with the layout's version. A view that was never shown returns the layout
   * that it was given, if any; a view with folded docks returns the layout before folding.
   */
  QByteArray layout() const;
  /** Restores a layout. Returns false and changes nothing if the layout is of another version. */
  bool restore_layout(const QByteArray& layout);
  /** Moves the docks back to where they were when the view was made. */
  void reset_layout();

  /** the view is too small: its docks are tabs of one place */
  bool folded() const { return folded_; }

  /** Returns the task, target, device, session and date of the current source. */
  QString provenance() const override;

  /** Moves the keyboard focus to the filter, for Ctrl+F; the default does nothing. */
  virtual void focus_filter() {}
  /** Exports what the view shows, for Ctrl+E; the default asks the window for the session's export. */
  virtual void export_current() { emit export_requested(); }
  /**
   * Requests the report of what the view shows.
   * @return false: the view shows the current source, which the window reports
   */
  virtual bool report_current() { return false; }

 signals:
  /** Emitted to show another view, by name: "Explore". */
  void view_requested(const QString& name);
  /** Emitted to fill the Tune form with this request (duplicate as new run, measure again). */
  void run_requested(const kernelscape::session::TuningRequest& request);
  /** Emitted to set the target of the Tune form and keep its other settings. */
  void target_requested(const QString& target);
  /** Emitted to show a page of the manual, or its section: "core/fleet/README.md#security". */
  void manual_requested(const QString& page);
  /** Emitted to show the dialog that exports results of the current source. */
  void export_requested();
  /** Emitted to write the report of a study. */
  void report_requested(qint64 study);
  /** Emitted to write the report of a predictor, or of two side by side. */
  void predictors_report_requested(
      const std::shared_ptr<const kernelscape::figures::ShownPredictors>& predictors);
  /** Emitted with a message for the notice bar. */
  void notified(const QString& text);

 protected:
  /**
   * Adds a dock with an object name and an accessible name; its toggle action is in the View menu.
   * @param preferred its size until the user changes it
   */
  QDockWidget* add_dock(const QString& title, QWidget* content, Qt::DockWidgetArea area, QSize preferred);
  /** Stores the default layout of reset_layout(). To be called after all docks were added. */
  void remember_default_layout();
  /**
   * Sets the widget in the middle of the docks. It scrolls if it has less room than it needs, so that nothing
   * is cut or covered.
   */
  void set_content(QWidget* content);
  /**
   * Sets the size below which, in width or height, docks fold into tabs of one place on the left.
   * @param size at the usual text size; a larger text needs more. Empty: docks never fold
   */
  void set_roomy_size(QSize size) { roomy_size_ = size; }
  /** Shows a dock; if docks are folded, raises its tab. */
  static void show_dock(QDockWidget& dock);
  /**
   * Grows a dock below or above the content, as far as the content leaves room, until `return_height()`. Does
   * nothing while a dock has grown, so that a user who makes the dock lower again is not overruled, nor
   * for docks that float, stand at a side, or are folded.
   */
  void lend_height(QDockWidget& dock, int pixels);
  /** Gives a dock that has grown its usual height again. */
  void return_height();
  /** Returns the height that a dock was grown to; 0: it has its usual height. */
  int lent_height(const QDockWidget& dock) const { return &dock == grown_ ? grown_height_ : 0; }
  /** Called before a dock grows and after it shrinks, so that the content can adapt its minimum size. */
  virtual void make_room() {}

  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  /** Hides floating docks, which would otherwise stay on the screen when the view is hidden. */
  void hideEvent(QHideEvent* event) override;
  void showEvent(QShowEvent* event) override;

  workspace::Workspace& workspace() { return context_.workspace; }  ///< lives as long as the window
  ActionRegistry& actions() { return context_.actions; }            ///< the actions of the whole window

 private:
  QList<QDockWidget*> own_docks() const;
  void apply_preferred_sizes();
  void restore_keeping_hidden(const QByteArray& layout);
  void restore_sizes();
  bool has_room() const;
  void remember_roomy_layout();
  void fit_docks();
  void fold_docks();
  void unfold_docks();

  ViewContext context_;
  QString name_;
  QString icon_name_;
  int layout_version_;
  QByteArray default_layout_;
  QByteArray wanted_layout_;  ///< its sizes are restored when the view is shown for the first time
  QSize roomy_size_;
  QByteArray roomy_layout_;  ///< layout of the docks when they last fitted
  bool folded_ = false;
  bool shown_ = false;
  bool settled_ = false;  ///< the view has its first size, and its stored layout
  QList<QDockWidget*> hidden_floating_;
  QDockWidget* grown_ = nullptr;  ///< the dock that has grown; null: none
  int grown_height_ = 0;
  int usual_height_ = 0;  ///< height of the dock before it grew
};

}  // namespace kernelscape::views
