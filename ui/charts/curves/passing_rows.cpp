#include "ui/charts/curves/passing_rows.h"

#include <QCoreApplication>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

QString passing_words(const char* text) { return QCoreApplication::translate("PassingRows", text); }

}  // namespace

QString passing_text(const PassingRows& passing, std::int64_t trials) {
  if (!passing.filters()) return {};
  const std::int64_t count = passing.rows->count();
  const QString words = count == 1 ? passing_words("%1 of %2 trials passes the filter")
                                   : passing_words("%1 of %2 trials pass the filter");
  return words.arg(style::format_count(count), style::format_count(trials));
}

QString nothing_passes_notice(const PassingRows& passing, std::int64_t trials) {
  if (!passing.filters() || trials == 0 || !passing.rows->none()) return {};
  return passing_text(passing, trials) + QLatin1Char('\n') +
         passing_words("Remove a filter chip, or change the filter text (Ctrl+F).");
}

}  // namespace kernelscape::charts
