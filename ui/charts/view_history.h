#pragma once

#include <optional>
#include <vector>

#include "ui/charts/axis.h"

namespace kernelscape {

/** The part of both axes that is shown; no value: home, whatever home is by then. */
struct ChartRange {
  std::optional<Interval> x;
  std::optional<Interval> y;

  bool operator==(const ChartRange&) const = default;
};

/** The views that the user went through, as a browser keeps pages. The first one is home. */
class ViewHistory {
 public:
  const ChartRange& current() const { return views_[position_]; }  ///< no values: home
  bool at_home() const { return current() == ChartRange{}; }       ///< both axes

  /** A new view after the current one; the ones that lay ahead are forgotten, as is the oldest of a hundred.
   */
  void push(const ChartRange& view);
  /** Changes the current view in place: while dragging, or following. */
  void replace(const ChartRange& view) { views_[position_] = view; }

  bool can_go_back() const { return position_ > 0; }                     ///< false at the first view
  bool can_go_forward() const { return position_ + 1 < views_.size(); }  ///< false at the latest view
  void back();                                                           ///< nothing at the first view
  void forward();                                                        ///< nothing at the latest view

 private:
  std::vector<ChartRange> views_{1};
  std::size_t position_ = 0;
};

}  // namespace kernelscape
