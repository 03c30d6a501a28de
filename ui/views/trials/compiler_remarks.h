#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace kernelscape {

/** What a compiler said of a place in a source. */
struct CompilerRemark {
  int message_line = 0;  ///< of its message, from 0
  QString file;          ///< as the compiler calls it
  int line = 0;          ///< of the file, from 1
  QString text;          ///< "error: 'x' undeclared"

  bool operator==(const CompilerRemark&) const = default;
};

/**
 * The lines of a message that say something of a line: "stencil.c:12:5: error: ...", as GCC and Clang write
 * it, "stencil.cu(12): error: ..." of NVRTC, or "error: stencil.cl:12:5: ..." of PoCL. Of a long message
 * those at its beginning.
 */
std::vector<CompilerRemark> compiler_remarks(const QString& message);

/**
 * Which line of a text, from 0, a compiler calls so: #line directives count. Nothing: it is of another file,
 * or beyond the end.
 */
class SourceLines {
 public:
  explicit SourceLines(const QString& source);

  /** The line of the text. @param line as the compiler counts it, from 1 */
  std::optional<int> find(const QString& file, int line) const;
  /** What compilers call each line: its number in its file, nothing before the first directive. Empty where
   * there is none: lines count as they stand. */
  QStringList labels() const;

 private:
  struct Stretch {
    QString file;    ///< empty: before the first directive
    int number = 1;  ///< of its first line
    int first = 0;   ///< line of the text
    int end = 0;     ///< one past the last
  };
  std::vector<Stretch> stretches_;
};

/** What was said of the lines of a text, all that was said of one below each other. */
std::map<int, QString> notes_of_lines(const QString& source, const std::vector<CompilerRemark>& remarks);

}  // namespace kernelscape
