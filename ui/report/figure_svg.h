#pragma once

#include <map>
#include <string>

#include "core/base/media/html.h"
#include "ui/report/document.h"

namespace kernelscape::report {

/** A chart as an element of a page; its colours are in the style sheet of the page. */
struct FigureSvg {
  base::HtmlText element;  ///< <svg>...</svg>, without a declaration and without a style
  /** CSS declarations by class name, for the light theme and the dark theme. */
  std::map<std::string, std::pair<base::HtmlText, base::HtmlText>> classes;
};

/** Converts a figure to SVG. Must be called on the window's thread. */
FigureSvg make_figure_svg(const figures::Figure& figure);

}  // namespace kernelscape::report
