#pragma once

#include <QMenu>
#include <filesystem>
#include <vector>

#include "core/study/study.h"
#include "ui/workspace/jobs.h"

namespace kernelscape {

/** Roughly what a study's kernels take on this machine; 0: it is of recordings alone. With its controls. */
double measuring_seconds(const StudyDefinition& study);

/**
 * The shipped studies by their titles, with how much each is: those that replay recordings, then those
 * that measure kernels on this machine. What each asks is its tool tip. They are read in the background.
 */
class ShippedStudiesMenu : public QMenu {
  Q_OBJECT

 public:
  explicit ShippedStudiesMenu(QWidget* parent = nullptr);

 signals:
  /** One that takes minutes and measures nothing was chosen. */
  void replay_chosen(const std::filesystem::path& file);
  /** One that measures for long was chosen: to be looked at first. */
  void measuring_chosen(const kernelscape::StudyDefinition& study);

 private:
  struct ShippedStudy {
    std::filesystem::path file;
    StudyDefinition study;
    bool absent = false;  ///< none of its recordings is at hand
  };
  static std::vector<ShippedStudy> read_shipped();
  void fill(const std::vector<ShippedStudy>& shipped);
  void add_study(const ShippedStudy& shipped);

  JobTracker job_;
};

}  // namespace kernelscape
