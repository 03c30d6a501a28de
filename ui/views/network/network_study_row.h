#pragma once

#include <QWidget>
#include <optional>

#include "ui/workspace/study_list.h"

class QAction;
class QComboBox;
class QPushButton;

namespace kernelscape::views {

class NetworkActions;

/** Lets the user choose the study of a network that is shown, and has the buttons of the actions on it. */
class NetworkStudyRow : public QWidget {
  Q_OBJECT

 public:
  /** @param actions shown as buttons; they outlive this object */
  explicit NetworkStudyRow(const NetworkActions& actions, QWidget* parent = nullptr);

  /**
   * Offers the set-up and the studies.
   * @param studies null: they were not read yet
   * @param shown the selected study, even if its position changed; nullopt: the set-up
   */
  void set_studies(const workspace::StudySummaries& studies, std::optional<store::StudyId> shown);
  /** Selects a study; nullopt: the set-up. */
  void select(std::optional<store::StudyId> study);

 signals:
  /** Emitted when the user chose a study. */
  void study_chosen(kernelscape::store::StudyId study);
  /** Emitted when the user chose the set-up. */
  void set_up_chosen();

 private:
  void make_buttons(const NetworkActions& actions);
  void show_run(const QAction& run);
  void choose(int index);

  QComboBox* study_box_;
  QPushButton* run_button_;
};

}  // namespace kernelscape::views
