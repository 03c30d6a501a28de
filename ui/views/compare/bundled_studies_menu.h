#pragma once

#include <QMenu>
#include <filesystem>
#include <vector>

#include "core/study/study.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::views {

/**
 * Estimates how long the study's kernels and its random controls take to measure on this machine, in seconds.
 * Returns 0 if the study uses only recordings.
 */
double measuring_seconds(const study::Definition& study);

/**
 * Lists the built-in studies by title, each with its cost: first those that replay recordings, then those
 * that measure kernels on this machine. The tool tip of a study is its question. The studies are read in the
 * background.
 */
class BundledStudiesMenu : public QMenu {
  Q_OBJECT

 public:
  explicit BundledStudiesMenu(QWidget* parent = nullptr);

 signals:
  /** Emitted when a study was chosen that takes minutes and measures nothing on this machine. */
  void replay_chosen(const std::filesystem::path& file);
  /**
   * Emitted when a study was chosen that measures for a long time, so that the user can review it before it
   * starts.
   */
  void measuring_chosen(const kernelscape::study::Definition& study);

 private:
  struct BundledStudy {
    std::filesystem::path file;
    study::Definition study;
    bool absent = false;  ///< none of its recordings is available
  };
  static std::vector<BundledStudy> read_bundled();
  void fill(const std::vector<BundledStudy>& bundled);
  void add_study(const BundledStudy& bundled);

  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
