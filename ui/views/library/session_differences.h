#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/source.h"

namespace kernelscape::views {

/** A line of the table that compares two sessions. */
struct SessionDifference {
  QString what;
  QString first;
  QString second;
  bool outcome = false;  ///< true: an outcome; false: part of the set-up

  bool differs() const { return first != second; }  ///< Returns true if the line is to be marked.
};

/**
 * Returns the set-ups and outcomes of two sessions, line by line. Equal tuner settings and equal measuring
 * options are left out; knobs are included if their values differ between the best configurations.
 */
std::vector<SessionDifference> session_differences(const workspace::SourceData& first,
                                                   const workspace::SourceData& second);

}  // namespace kernelscape::views
