#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/source.h"

namespace kernelscape {

/** A line of the table that shows two sessions beside each other. */
struct SessionDifference {
  QString what;
  QString first;
  QString second;
  bool outcome = false;  ///< else of the set-up

  bool differs() const { return first != second; }  ///< the line is to be marked
};

/**
 * Set-ups and outcomes of two sessions, line by line. Equal settings of a tuner and equal measuring options
 * are left out; knobs stand where their values differ in the best configurations.
 */
std::vector<SessionDifference> session_differences(const SourceData& first, const SourceData& second);

}  // namespace kernelscape
