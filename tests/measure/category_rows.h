#pragma once

#include <QTest>

#include "core/trial/measurement.h"

namespace kernelscape::testing {

/**
 * Columns of a test that expects a category and a word of its message; what is returned adds a row.
 * @param first the column that holds the row's name
 */
inline auto category_rows(const char* first) {
  QTest::addColumn<QString>(first);
  QTest::addColumn<int>("category");
  QTest::addColumn<QString>("says");
  return [](const char* name, trial::ErrorCategory category, const char* says) {
    QTest::newRow(name) << QString(name) << static_cast<int>(category) << QString(says);
  };
}

}  // namespace kernelscape::testing
