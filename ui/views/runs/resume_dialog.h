#pragma once

#include <QDialog>

#include "core/store/records.h"
#include "core/trial/budget.h"
#include "ui/workspace/workspace.h"

class QCheckBox;
class QDoubleSpinBox;
class QPushButton;
class QSpinBox;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** A finished session, as a dialog shows it. */
struct FinishedSession {
  store::SessionId id = 0;
  QString title;         ///< "resnet18/C6 nose"
  QString reason;        ///< why it ended: "500 trials"
  trial::Budget budget;  ///< its limits until now
  trial::BudgetUse use;  ///< the used part of the limits
  bool failed_identically = false;
};

/** Returns the description of an entry of the list of sessions. */
FinishedSession finished_session(const workspace::SessionEntry& session);
/** Returns the description of an open session. */
FinishedSession finished_session(const workspace::SourceData& source);

/**
 * Returns how the client of an ask-tell session resumes it, which the window cannot do; empty for a session
 * that no client measures.
 */
QString client_resume_text(const store::SessionRecord& record);

/**
 * Returns true if the session is finished and can continue with a larger budget: it was not imported, and no
 * client measures it.
 */
bool can_raise_budget(const workspace::SessionEntry& session);

/**
 * Returns a budget that lets a finished session continue: each limit that the session has reached is doubled,
 * except the target speed, which grows by a tenth. A limited session stays limited.
 */
trial::Budget larger_budget(const FinishedSession& session);

/**
 * Asks for the new budget of a finished session, and resumes the session with it. A limit of the session can
 * be raised, but not removed. Not modal; deletes itself when it is closed.
 */
class ResumeDialog : public QDialog {
  Q_OBJECT

 public:
  ResumeDialog(workspace::Workspace& workspace, FinishedSession session, QWidget* parent);

  /** Returns the budget of the fields. */
  trial::Budget budget() const;
  /** Returns why the session can't continue with the budget of the fields; empty: it can. */
  QString problem() const;

 signals:
  /** Emitted when the run that resumes the session was queued. */
  void resumed(kernelscape::store::SessionId id);

 private:
  void make_fields();
  void resume();
  void show_problem();

  workspace::Workspace& workspace_;
  FinishedSession session_;
  QSpinBox* trials_ = nullptr;
  QDoubleSpinBox* minutes_ = nullptr;
  QDoubleSpinBox* target_gflops_ = nullptr;
  QSpinBox* patience_ = nullptr;
  QCheckBox* keep_going_ = nullptr;
  widgets::ThemedLabel* problem_ = nullptr;
  QPushButton* resume_ = nullptr;
};

}  // namespace kernelscape::views
