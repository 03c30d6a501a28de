#pragma once

#include <memory>

#include "ui/charts/landscape/variable_plane_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** The input of a figure of two variables. */
struct VariablePlaneQuery {
  Shown shown;
  RowSet selection;
  QString x = {};  ///< names of the variables; if the space lacks one of them, two others are chosen
  QString y = {};
};

/** The parts of the result that do not depend on new trials. */
struct VariablePlaneParts {
  SessionId session = 0;
  std::shared_ptr<const SpaceVariables> variables;
  std::shared_ptr<const RegionMembers> members;
  VariableId x = 0;
  VariableId y = 0;
  std::shared_ptr<const ValidRegion> region;

  /** Returns the variable's name in the constraints, or the name of its knob's element. */
  QString name_of(VariableId variable) const;
};

struct VariablePlaneOutcome {
  VariablePlaneParts parts;
  FigureOf<VariablePlaneData> figure;
};

/**
 * Returns two variables against speed, over the values of feasible configurations (Heron, figure 11). For
 * background jobs; the result of a cancelled job is to be discarded.
 * @param before parts of an earlier outcome, of any query; parts that are still valid are reused
 */
VariablePlaneOutcome variable_plane_of(const VariablePlaneQuery& query, const VariablePlaneParts& before,
                                       const JobControl& control);

}  // namespace kernelscape
