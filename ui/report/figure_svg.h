#pragma once

#include <map>
#include <string>

#include "core/base/media/html.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/** A chart as an element of a page; its colours are in the style sheet of the page. */
struct FigureSvg {
  HtmlText element;  ///< <svg>...</svg>, without a declaration and without a style
  /** CSS declarations by class name, for the light theme and the dark theme. */
  std::map<std::string, std::pair<HtmlText, HtmlText>> classes;
};

/** Converts a figure to SVG. Must be called on the window's thread. */
FigureSvg make_figure_svg(const Figure& figure);

}  // namespace kernelscape
