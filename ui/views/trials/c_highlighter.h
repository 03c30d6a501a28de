#pragma once

#include <QSyntaxHighlighter>
#include <utility>
#include <vector>

namespace kernelscape {

/** Colours C, CUDA C++ and OpenCL C as the emitters write them. */
class CHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

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

  std::vector<bool> comment_lines_;
};

}  // namespace kernelscape
