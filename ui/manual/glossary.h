#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

class QHeaderView;
class QPoint;

namespace kernelscape {

/** A word of the program's, explained. */
struct GlossaryEntry {
  QString term;
  QStringList others;  ///< further words for it, as table headers write them
  QString text;        ///< Markdown
};

/** All words in alphabetical order, from ui/manual/glossary.md. Read once; any thread may ask. */
const std::vector<GlossaryEntry>& glossary();

/**
 * What a table's header or a label is about; units, goals, what stands in brackets and whose it is do not
 * count: "Time to 95 %" is explained as "time to", "Tau · a predictor" as "tau".
 * @return null: it is not in the glossary
 */
const GlossaryEntry* explained(const QString& label);

/**
 * Explains the headers of every table of the program: a tool tip where the table has none of its own, and
 * the glossary's text for Shift+F1 (what's this). One for the application.
 */
class HeaderExplainer : public QObject {
  Q_OBJECT

 public:
  explicit HeaderExplainer(QObject* parent = nullptr);

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace kernelscape
