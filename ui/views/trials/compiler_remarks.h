#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace kernelscape::views {

/** A message of a compiler about a place in a source. */
struct CompilerRemark {
  int message_line = 0;  ///< line within the compiler's output, from 0
  QString file;          ///< as the compiler names it
  int line = 0;          ///< within the file, from 1
  QString text;          ///< "error: 'x' undeclared"

  bool operator==(const CompilerRemark&) const = default;
};

/**
 * Returns the lines of a compiler output that refer to a source line: "stencil.c:12:5: error: ..." of GCC and
 * Clang, "stencil.cu(12): error: ..." of NVRTC, or "error: stencil.cl:12:5: ..." of PoCL. Of a long output
 * only the beginning is read.
 */
std::vector<CompilerRemark> compiler_remarks(const QString& message);

/**
 * Maps a compiler's file and line to the line of a text, from 0, taking #line directives into account.
 * Returns nullopt for another file, or a line beyond the end.
 */
class LabelledLines {
 public:
  explicit LabelledLines(const QString& source);

  /** Returns the line of the text. @param line as the compiler counts it, from 1 */
  std::optional<int> find(const QString& file, int line) const;
  /**
   * Returns the line numbers that compilers use: the number within its file, or an empty label before the
   * first directive. Returns an empty list if there is no directive, because then lines count from the top.
   */
  QStringList labels() const;

 private:
  struct Stretch {
    QString file;    ///< empty: before the first directive
    int number = 1;  ///< number of its first line
    int first = 0;   ///< first line within the text
    int end = 0;     ///< one past the last line
  };
  std::vector<Stretch> stretches_;
};

/** Returns the remarks by line of a text; several remarks on one line are joined with line breaks. */
std::map<int, QString> notes_of_lines(const QString& source, const std::vector<CompilerRemark>& remarks);

}  // namespace kernelscape::views
