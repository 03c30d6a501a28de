#pragma once

#include <QDialog>
#include <utility>
#include <vector>

#include "core/exchange/join.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QFormLayout;
class QLineEdit;
class QPushButton;

namespace kernelscape::widgets {
class WrappedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Joins sessions of one kernel on one device into one recorded space. Asks for its name, and for the values
 * of parameters that some of the sessions lack. Not modal.
 */
class JoinDialog : public QDialog {
  Q_OBJECT

 public:
  /** @param sessions in the order in which they are joined */
  JoinDialog(workspace::Workspace& workspace, std::vector<workspace::SessionEntry> sessions,
             QWidget* parent = nullptr);

  /** Returns the name of the joined space. */
  QLineEdit& name() { return *name_; }
  /** Returns the fields of the parameters that some sessions lack; empty until the sessions are read. */
  const std::vector<std::pair<std::string, QLineEdit*>>& missing() const { return missing_; }
  /** Returns the button that joins. It is disabled while the sessions are read or joined. */
  QPushButton& join_button() { return *join_; }
  /** Returns why the sessions cannot be joined; empty until that is known. */
  QString problem() const;

 signals:
  /** The joined space was stored as a session. */
  void joined(kernelscape::store::SessionId session);

 private:
  std::vector<store::SessionId> ids() const;
  void read_sessions();
  void add_missing(const std::vector<std::string>& names);
  void join();
  void show_problem(const Error& error);

  workspace::Workspace& workspace_;
  std::vector<workspace::SessionEntry> sessions_;
  std::vector<std::pair<std::string, QLineEdit*>> missing_;
  QLineEdit* name_;
  QFormLayout* form_;
  widgets::WrappedLabel* problem_;
  QPushButton* join_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
