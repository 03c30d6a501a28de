#pragma once

#include <QSyntaxHighlighter>

namespace kernelscape::widgets {

/** Colours assembly as GCC and clang write it: directives, labels, instructions, registers, numbers. */
class AssemblyHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& text) override;
};

}  // namespace kernelscape::widgets
