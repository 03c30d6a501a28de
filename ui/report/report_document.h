#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "ui/figures/figure.h"

namespace kernelscape {

/** Of a section (2) or of a part of it (3). */
struct ReportHeading {
  int level = 2;
  QString text;
};

enum class ReportTone {
  Plain,
  Muted,   ///< what is said beside
  Notice,  ///< has to be read before the numbers: how trials were chosen
};

struct ReportParagraph {
  QString text;
  ReportTone tone = ReportTone::Plain;
};

/** The answer in large type. */
struct ReportHeadline {
  QString number;     ///< "239.5 GFLOPS"
  QString spread;     ///< "965.3 µs (961 µs to 970 µs)"
  QStringList facts;  ///< "confirmed, trial 10", "101 % of oneDNN 2.6.3"
};

/** Names and values: a set-up. */
struct ReportFacts {
  std::vector<std::pair<QString, QString>> facts;
};

struct ReportColumn {
  QString title;
  bool numeric = false;  ///< at the right
  bool code = false;     ///< in fixed width, its lines kept
};

struct ReportTable {
  QString caption;
  std::vector<ReportColumn> columns;
  std::vector<QStringList> rows;  ///< a text for each column
};

struct ReportCode {
  QString text;
};

using ReportBlock = std::variant<ReportHeading, ReportParagraph, ReportHeadline, ReportFacts, ReportTable,
                                 Figure, ReportCode>;

/** What a report says, whatever it is written as. Texts are as users and files wrote them: writers escape. */
struct ReportDocument {
  QString title;
  QString subtitle;
  std::vector<ReportBlock> blocks;
  /** Of each session that it should be of and is not, since it can't be read; the blocks say so as well. */
  std::vector<Error> left_out = {};
};

/** Whether two of these figures stand beside each other. */
inline bool is_half_wide(const Figure& figure) { return figure.size.width() * 2 <= figure_width; }

/**
 * A text as it may stand in a report: control characters and those that turn the direction of a line are
 * shown ("␛", "[U+202E]") instead of obeyed, and what is no character is U+FFFD. Line ends and tabs stay.
 */
QString printable_text(const QString& text);

}  // namespace kernelscape
