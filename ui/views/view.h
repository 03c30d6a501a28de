#pragma once

#include <QMainWindow>
#include <QSize>
#include <memory>

#include "ui/charts/chart.h"
#include "ui/views/action_registry.h"
#include "ui/workspace/workspace.h"

class QDockWidget;

Q_MOC_INCLUDE("core/session/preparation.h")

namespace kernelscape {

struct ShownPredictors;
struct TuningRequest;

/** What a view is made with: shared, alive as long as the window. */
struct ViewContext {
  Workspace& workspace;
  ActionRegistry& actions;
};

/**
 * One of the places of the window: Tune, Explore, Library. It has a dock area of its own, whose layout is
 * kept under a version and can be reset. A view listens to the workspace; it knows no other view.
 */
class View : public QMainWindow, public ChartPlace {
  Q_OBJECT

 public:
  /** @param name "Tune" @param icon_name for icon() @param layout_version raised when docks come or go */
  View(ViewContext context, const QString& name, QString icon_name, int layout_version);

  const QString& name() const { return name_; }            ///< also what `view_requested` names: "Tune"
  const QString& icon_name() const { return icon_name_; }  ///< for icon()

  /**
   * State of its docks, with the layout's version; of a view that was never shown what it was given, if any,
   * and of one whose docks are folded how they stood before.
   */
  QByteArray layout() const;
  /** False where the layout is of another version: nothing changes. */
  bool restore_layout(const QByteArray& layout);
  /** Docks go back to where they stood when the view was made. */
  void reset_layout();

  /** Too little room: its docks are the tabs of one place, until there is more. */
  bool folded() const { return folded_; }

  /** Of the current source: task, target, device, session and date. */
  QString provenance() const override;

  /** Where Ctrl+F goes; the default does nothing. */
  virtual void focus_filter() {}
  /** What Ctrl+E exports from here; the default asks the window for the session's export. */
  virtual void export_current() { emit export_requested(); }
  /** Asks for the report of what it shows. @return false: that is the current source, which the window
   * reports */
  virtual bool report_current() { return false; }

 signals:
  /** Another view is wanted, by name: "Explore". */
  void view_requested(const QString& name);
  /** The Tune form is to be filled with this (duplicate as new run, measure again). */
  void run_requested(const kernelscape::TuningRequest& request);
  /** The Tune form is to run what it has on this target. */
  void target_requested(const QString& target);
  /** A page of the manual is to be read: "core/fleet/README.md". */
  void manual_requested(const QString& page);
  /** The dialog that takes results of the current source home. */
  void export_requested();
  /** The report of a study. */
  void report_requested(qint64 study);
  /** The report of a predictor, or of two beside each other. */
  void predictors_report_requested(const std::shared_ptr<const kernelscape::ShownPredictors>& predictors);
  /** Something to tell in passing. */
  void notified(const QString& text);

 protected:
  /**
   * Adds a dock with an object name and an accessible name; its toggle stands in the View menu.
   * @param preferred its size as long as nobody changes it
   */
  QDockWidget* add_dock(const QString& title, QWidget* content, Qt::DockWidgetArea area, QSize preferred);
  /** To be called once all docks stand where they belong: what reset_layout() goes back to. */
  void remember_default_layout();
  /** In the middle of the docks. It scrolls where it has less room than it needs: nothing is cut or covered.
   */
  void set_content(QWidget* content);
  /**
   * With less room, as wide or as high, docks fold: each is a tab of one place on the left.
   * @param size at the usual size of text; a larger one needs more. Empty: they never fold
   */
  void set_roomy_size(QSize size) { roomy_size_ = size; }
  /** Brings a dock to sight; where docks are folded it stands before the others. */
  static void show_dock(QDockWidget& dock);

  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  /** Floating docks of a hidden view would stay on the screen. */
  void hideEvent(QHideEvent* event) override;
  void showEvent(QShowEvent* event) override;

  Workspace& workspace() { return context_.workspace; }   ///< alive as long as the window
  ActionRegistry& actions() { return context_.actions; }  ///< those of the whole window

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
  QByteArray roomy_layout_;  ///< how docks stood when they last had room
  bool folded_ = false;
  bool shown_ = false;
  bool settled_ = false;  ///< has its first size, and the layout it was left with
  QList<QDockWidget*> hidden_floating_;
};

}  // namespace kernelscape
