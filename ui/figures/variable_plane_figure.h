#pragma once

#include <memory>

#include "ui/charts/landscape/variable_plane_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The input of a figure of two variables. */
struct VariablePlaneQuery {
  Shown shown;
  analysis::RowSet selection;
  QString x = {};  ///< names of the variables; if the space lacks one of them, two others are chosen
  QString y = {};
};

/** The parts of the result that do not depend on new trials. */
struct VariablePlaneParts {
  store::SessionId session = 0;
  std::shared_ptr<const analysis::SpaceVariables> variables;
  std::shared_ptr<const analysis::RegionMembers> members;
  space::VariableId x = 0;
  space::VariableId y = 0;
  std::shared_ptr<const analysis::ValidRegion> region;

  /** Returns the variable's name in the constraints, or the name of its knob's element. */
  QString name_of(space::VariableId variable) const;
};

struct VariablePlaneOutcome {
  VariablePlaneParts parts;
  FigureOf<charts::VariablePlaneData> figure;
};

/**
 * Returns two variables against speed, over the values of feasible configurations (Heron, figure 11). For
 * background jobs; the result of a cancelled job is to be discarded.
 * @param before parts of an earlier outcome, of any query; parts that are still valid are reused
 */
VariablePlaneOutcome variable_plane_of(const VariablePlaneQuery& query, const VariablePlaneParts& before,
                                       const workspace::JobControl& control);

}  // namespace kernelscape::figures
