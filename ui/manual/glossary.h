#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

class QHeaderView;
class QPoint;

namespace kernelscape::manual {

/** A term of the program with its explanation. */
struct GlossaryEntry {
  QString term;
  QStringList others;  ///< further names of the term, as in table headers
  QString text;        ///< Markdown
};

/**
 * Returns all terms in alphabetical order, from ui/manual/glossary.md. The file is read once; may be called
 * from any thread.
 */
const std::vector<GlossaryEntry>& glossary();

/**
 * Returns the glossary entry for a table header or a label. Units, goals, text in brackets, and the name
 * after " · " are ignored: "Time to 95 %" is explained as "time to", "Kendall's tau · a predictor" as
 * "kendall's tau".
 * @return null if the glossary has no such entry
 */
const GlossaryEntry* explained(const QString& label);

/**
 * Explains the headers of every table of the program: by a tool tip if the table has none, and by the
 * glossary entry for Shift+F1 (what's this). One instance per application.
 */
class HeaderExplainer : public QObject {
  Q_OBJECT

 public:
  explicit HeaderExplainer(QObject* parent = nullptr);

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace kernelscape::manual
