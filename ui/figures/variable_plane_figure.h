#pragma once

#include <memory>

#include "ui/charts/landscape/variable_plane_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Of what two variables are shown. */
struct VariablePlaneQuery {
  Shown shown;
  RowSet selection;
  QString x = {};  ///< names of variables; where the space lacks one of them, two others are chosen
  QString y = {};
};

/** What new trials do not change. */
struct VariablePlaneParts {
  SessionId session = 0;
  std::shared_ptr<const SpaceVariables> variables;
  std::shared_ptr<const RegionMembers> members;
  VariableId x = 0;
  VariableId y = 0;
  std::shared_ptr<const ValidRegion> region;

  /** As the constraints call it, or as its knob's element. */
  QString name_of(VariableId variable) const;
};

struct VariablePlaneOutcome {
  VariablePlaneParts parts;
  FigureOf<VariablePlaneData> figure;
};

/**
 * Two variables against speed, over what members have (Heron, figure 11). For background jobs; a cancelled
 * one gives what nobody looks at.
 * @param before of an earlier outcome, whatever it was of; what still holds of it is not computed again
 */
VariablePlaneOutcome variable_plane_of(const VariablePlaneQuery& query, const VariablePlaneParts& before,
                                       const JobControl& control);

}  // namespace kernelscape
