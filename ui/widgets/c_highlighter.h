#pragma once

#include <QSyntaxHighlighter>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"

namespace kernelscape {

/** Colours C, CUDA C++ or OpenCL C as the emitters write them. */
class CHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  /** Each dialect has words of its own: "local" is a keyword of OpenCL C and a name elsewhere. */
  void set_dialect(Dialect dialect) { dialect_ = dialect; }

  /** Of a text that is not one source from its start to its end: which lines start inside a comment. Empty:
   * each goes on where the line before it ended. */
  void set_comment_lines(std::vector<bool> inside) { comment_lines_ = std::move(inside); }

 protected:
  void highlightBlock(const QString& text) override;

 private:
  /** @return the place behind the comment, which may go on in the next line */
  qsizetype highlight_comment(const QString& text, qsizetype start, qsizetype search_from);
  qsizetype highlight_word(const QString& text, qsizetype start);
  bool starts_in_comment() const;

  Dialect dialect_ = Dialect::C;
  std::vector<bool> comment_lines_;
};

}  // namespace kernelscape
