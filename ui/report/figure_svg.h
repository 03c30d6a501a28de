#pragma once

#include <map>
#include <string>

#include "core/base/media/html.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/** A chart as an element of a page, whose style sheet has its colours. */
struct FigureSvg {
  HtmlText element;  ///< <svg>...</svg>, without a declaration and without a style
  /** Declarations of the classes by name, in the light theme and in the dark one. */
  std::map<std::string, std::pair<HtmlText, HtmlText>> classes;
};

/** On the window's thread. */
FigureSvg make_figure_svg(const Figure& figure);

}  // namespace kernelscape
