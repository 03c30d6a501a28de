#pragma once

#include <span>
#include <string_view>

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Where the window shows a figure. */
enum class FigurePlace : std::uint8_t {
  Tune,           ///< a chart of its own
  TuneModel,      ///< one of the panel of what the tuner reported
  Explore,        ///< on a page that goes on with its data
  CompareCurves,  ///< each of Compare's is made from its row here
  CompareCosts,
  CompareTasks,
  Chosen,  ///< where another row's figure is, as a choice of the user
};

/** The part of a report that a figure stands in. */
enum class ReportPart : std::uint8_t { None, Course, Model, Outcomes, Space, Knobs, Comparison, Tasks };

/** A kind of figure. A new one needs a row in registry.cpp and a function that makes its figures. */
struct FigureKind {
  std::string_view name;
  FigurePlace place;
  ReportPart part;
  std::unique_ptr<Chart> (*make_chart)();
  MakeFigures* make;

  /**
   * Every figure of this kind that the source has something for; from any thread. A cancelled one gives what
   * nobody looks at.
   */
  std::vector<Figure> figures(const FigureSource& source, const JobControl& control) const;
};

/** In the order in which they are read. */
std::span<const FigureKind> figure_kinds();
/** Those that the window shows at one place, in the same order. */
std::vector<const FigureKind*> figure_kinds(FigurePlace place);

}  // namespace kernelscape
