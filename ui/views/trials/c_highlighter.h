#pragma once

#include <QSyntaxHighlighter>

namespace kernelscape {

/** Colours C, CUDA C++ and OpenCL C as the emitters write them. */
class CHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& text) override;

 private:
  /** @return the place behind the comment, which may go on in the next line */
  qsizetype highlight_comment(const QString& text, qsizetype start, qsizetype search_from);
  qsizetype highlight_word(const QString& text, qsizetype start);
};

}  // namespace kernelscape
