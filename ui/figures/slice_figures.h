#pragma once

#include <memory>
#include <optional>

#include "core/analysis/landscape/surrogate_slice.h"
#include "ui/charts/curves/slice_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The input of the slices. */
struct SliceQuery {
  Shown shown;
  std::size_t x = 0;                     ///< index of the knob of the slice
  std::size_t y = 0;                     ///< index of the second knob of the contours
  std::optional<std::int64_t> row = {};  ///< trial that gives the other knobs; nullopt: the best of `shown`
};

/** A model that was trained before, and the trials on which it was trained. */
struct TrainedSlices {
  Shown shown;  ///< null: none
  std::shared_ptr<const analysis::SliceModel> model;
};

/** The slice of one knob, and of two knobs as contours. */
struct SliceOutcome {
  TrainedSlices trained;
  FigureOf<charts::SliceData> slice;
  FigureOf<charts::HeatMapData> contour;
};

/** Returns the first two knobs that have more than one value; the first one twice if there is no other. */
std::pair<std::size_t, std::size_t> slice_knobs(const space::SearchSpace& space);

/**
 * Returns predictions along one and two knobs. For background jobs; the result of a cancelled job is to be
 * discarded.
 * @param before a model of an earlier outcome, which is used again if the trials are the same, or few more
 */
SliceOutcome slices_of(const SliceQuery& query, const TrainedSlices& before,
                       const workspace::JobControl& control);

}  // namespace kernelscape::figures
