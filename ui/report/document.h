#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "ui/figures/figure.h"

namespace kernelscape::report {

/** Heading of a section (level 2) or of a subsection (level 3). */
struct Heading {
  int level = 2;
  QString text;
};

enum class Tone {
  Plain,
  Muted,   ///< additional information
  Notice,  ///< must be read before the numbers: how trials were chosen
};

struct Paragraph {
  QString text;
  Tone tone = Tone::Plain;
};

/** The main result, in large type. */
struct Headline {
  QString number;     ///< "239.5 GFLOPS"
  QString spread;     ///< "965.3 µs (961 µs to 970 µs)"
  QStringList facts;  ///< "confirmed, trial 10", "101 % of oneDNN 2.6.3"
};

/** Names and values, such as settings. */
struct Facts {
  std::vector<std::pair<QString, QString>> facts;
};

struct Column {
  QString title;
  bool numeric = false;  ///< aligned right
  bool code = false;     ///< monospaced, with its line breaks kept
};

struct Table {
  QString caption;
  std::vector<Column> columns;
  std::vector<QStringList> rows;  ///< one text per column
};

struct Code {
  QString text;
};

using Block = std::variant<Heading, Paragraph, Headline, Facts, Table, figures::Figure, Code>;

/**
 * Contents of a report, independent of its file format. Texts are unescaped, as written by users and files;
 * writers escape them.
 */
struct Document {
  QString title;
  QString subtitle;
  std::vector<Block> blocks;
  /** Errors of the requested sessions that can't be read; the blocks mention them as well. */
  std::vector<Error> left_out = {};
};

/** Returns true if two figures of this size fit side by side. */
inline bool is_half_wide(const figures::Figure& figure) {
  return figure.size.width() * 2 <= figures::figure_width;
}

/**
 * Returns a text in a form safe for reports: control characters and those that change the text direction are
 * replaced by visible ones ("␛", "[U+202E]"), and invalid characters by U+FFFD. Line ends and tabs stay.
 */
QString printable_text(const QString& text);

}  // namespace kernelscape::report
