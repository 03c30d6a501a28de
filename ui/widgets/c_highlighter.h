#pragma once

#include <QSyntaxHighlighter>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"

namespace kernelscape::widgets {

/** Colours C, CUDA C++ or OpenCL C as the emitters write them. */
class CHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  /**
   * Sets the dialect, since dialects have different keywords: "local" is a keyword of OpenCL C and an
   * identifier elsewhere.
   */
  void set_dialect(codegen::Dialect dialect) { dialect_ = dialect; }

  /**
   * Sets which lines start inside a comment, for text that is not one contiguous source. Empty: each line
   * continues the state of the previous one.
   */
  void set_comment_lines(std::vector<bool> inside) { comment_lines_ = std::move(inside); }

 protected:
  void highlightBlock(const QString& text) override;

 private:
  /** Colours a comment. @return the position after the comment, which may continue in the next line */
  qsizetype highlight_comment(const QString& text, qsizetype start, qsizetype search_from);
  qsizetype highlight_word(const QString& text, qsizetype start);
  bool starts_in_comment() const;

  codegen::Dialect dialect_ = codegen::Dialect::C;
  std::vector<bool> comment_lines_;
};

}  // namespace kernelscape::widgets
