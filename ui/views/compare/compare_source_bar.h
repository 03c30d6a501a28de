#pragma once

#include <QWidget>
#include <filesystem>

#include "ui/views/compare/compare_status.h"

class QComboBox;
class QPushButton;

namespace kernelscape::study {
struct Definition;
}  // namespace kernelscape::study

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

Q_MOC_INCLUDE("core/study/study.h")

namespace kernelscape::views {

/**
 * Lets the user choose the study that is compared, make and run studies, and write the report. Shows the
 * progress of the chosen study.
 */
class CompareSourceBar : public QWidget {
  Q_OBJECT

 public:
  explicit CompareSourceBar(QWidget* parent = nullptr);

  /**
   * Offers the studies, and the chosen sessions if sessions are compared.
   * @param studies null: not read yet
   */
  void set_studies(const workspace::StudySummaries& studies, const workspace::CompareSource& source);
  /** Shows the progress of the compared study. */
  void set_progress(const StudyProgress& progress);
  /** Sets whether a report can be written. */
  void set_reportable(bool reportable);
  /** Opens the menu of built-in studies. */
  void open_bundled_studies();

 signals:
  /** The user chose a study. */
  void study_chosen(qint64 study);
  /** The user wants to make a study. */
  void new_requested();
  /** The user chose a built-in study that measures nothing on this machine. */
  void replay_chosen(const std::filesystem::path& file);
  /** The user chose a built-in study that measures on this machine. */
  void measuring_chosen(const kernelscape::study::Definition& study);
  /** The user wants to stop or resume the study. */
  void run_toggled();
  /** The user wants a report. */
  void report_requested();

 private:
  QComboBox* source_;
  widgets::ThemedLabel* state_;
  QPushButton* run_;
  QPushButton* bundled_;
  QPushButton* report_;
};

}  // namespace kernelscape::views
