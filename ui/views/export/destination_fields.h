#pragma once

#include <QObject>
#include <QTimer>

#include "ui/views/export/export_plan.h"
#include "ui/workspace/jobs.h"

class QFormLayout;
class QLineEdit;
class QStringListModel;
class QWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** The form rows that say where an export is written, and what is there already. */
class DestinationFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param window parent of the file dialogs, and owner of this object */
  DestinationFields(QFormLayout& rows, QWidget& window);

  /** Sets the kind of export, which is written to a file or to a folder. */
  void set_kind(ExportKind kind) { kind_ = kind; }
  /** Sets the destination. */
  void set_path(const QString& path);
  /** Returns the path as typed; may be relative or empty. */
  QString path() const;
  /**
   * Suggests the name of the file or folder. The user's folder stays; the name follows the suggestions until
   * the user enters one.
   */
  void suggest(const QString& name);
  /** Looks at the destination soon, in the background; until then it is not usable. */
  void look_soon();
  /** Looks at the destination now, because something was written. */
  void look();
  bool usable() const { return destination_.usable; }  ///< something can be written there

 signals:
  /** Emitted when the path was edited. */
  void edited();
  /** Emitted after the destination was looked at. */
  void looked();

 private:
  void browse();
  void show_destination(Destination destination);

  QWidget& window_;
  ExportKind kind_ = ExportKind::BestConfiguration;
  Destination destination_;
  QString suggested_name_;
  QTimer timer_;
  workspace::JobTracker job_;
  QLineEdit* path_ = nullptr;
  QStringListModel* completions_ = nullptr;
  widgets::ThemedLabel* text_ = nullptr;
};

}  // namespace kernelscape::views
