#pragma once

#include <cstddef>
#include <optional>

#include "core/measure/measurer.h"

namespace kernelscape::session {

/**
 * Decides when a batch that ends early is finished. A measurer that holds candidates back completes all
 * running trials. With other measurers the batch ends after the next trial, or after a time limit.
 */
class GracefulEnd {
 public:
  /**
   * @param measurer must outlive this object
   * @param max_seconds the time limit: a device that prepares a large task takes longer
   */
  GracefulEnd(measure::Measurer& measurer, double max_seconds)
      : measurer_(measurer), max_seconds_(max_seconds) {}

  /**
   * Called after each collect.
   * @param wanted true if the batch is to end
   * @param running number of trials that are running
   * @param completed number of trials that this collect returned
   * @param now_seconds of the session
   * @return true: drop the rest now
   */
  bool reached(bool wanted, std::size_t running, std::size_t completed, double now_seconds);

 private:
  measure::Measurer& measurer_;
  double max_seconds_;
  bool held_back_ = false;
  std::optional<double> begun_seconds_;  ///< since when an end is wanted
};

}  // namespace kernelscape::session
