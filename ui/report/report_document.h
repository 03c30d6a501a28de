#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "ui/figures/figure.h"

namespace kernelscape {

/** Heading of a section (level 2) or of a subsection (level 3). */
struct ReportHeading {
  int level = 2;
  QString text;
};

enum class ReportTone {
  Plain,
  Muted,   ///< additional information
  Notice,  ///< must be read before the numbers: how trials were chosen
};

struct ReportParagraph {
  QString text;
  ReportTone tone = ReportTone::Plain;
};

/** The main result, in large type. */
struct ReportHeadline {
  QString number;     ///< "239.5 GFLOPS"
  QString spread;     ///< "965.3 µs (961 µs to 970 µs)"
  QStringList facts;  ///< "confirmed, trial 10", "101 % of oneDNN 2.6.3"
};

/** Names and values, such as settings. */
struct ReportFacts {
  std::vector<std::pair<QString, QString>> facts;
};

struct ReportColumn {
  QString title;
  bool numeric = false;  ///< aligned right
  bool code = false;     ///< monospaced, with its line breaks kept
};

struct ReportTable {
  QString caption;
  std::vector<ReportColumn> columns;
  std::vector<QStringList> rows;  ///< one text per column
};

struct ReportCode {
  QString text;
};

using ReportBlock = std::variant<ReportHeading, ReportParagraph, ReportHeadline, ReportFacts, ReportTable,
                                 Figure, ReportCode>;

/**
 * Contents of a report, independent of its file format. Texts are unescaped, as written by users and files;
 * writers escape them.
 */
struct ReportDocument {
  QString title;
  QString subtitle;
  std::vector<ReportBlock> blocks;
  /** Errors of the requested sessions that can't be read; the blocks mention them as well. */
  std::vector<Error> left_out = {};
};

/** Returns true if two figures of this size fit side by side. */
inline bool is_half_wide(const Figure& figure) { return figure.size.width() * 2 <= figure_width; }

/**
 * Returns a text in a form safe for reports: control characters and those that change the text direction are
 * replaced by visible ones ("␛", "[U+202E]"), and invalid characters by U+FFFD. Line ends and tabs stay.
 */
QString printable_text(const QString& text);

}  // namespace kernelscape
