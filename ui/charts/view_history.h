#pragma once

#include <optional>
#include <vector>

#include "ui/charts/axis.h"

namespace kernelscape::charts {

/** The visible part of both axes. No value: the home range, even if it changes later. */
struct Range {
  std::optional<Interval> x;
  std::optional<Interval> y;

  bool operator==(const Range&) const = default;
};

/** The views that the user visited, like the page history of a browser. The first view is home. */
class ViewHistory {
 public:
  /** Returns the current view; no values: home. */
  const Range& current() const { return views_[position_]; }
  bool at_home() const { return current() == Range{}; }  ///< Returns true if both axes show home

  /**
   * Adds a view after the current one. Views ahead of the current one are dropped, and so is the oldest one
   * beyond a hundred.
   */
  void push(const Range& view);
  /** Changes the current view in place, while dragging or following. */
  void replace(const Range& view) { views_[position_] = view; }

  bool can_go_back() const { return position_ > 0; }                     ///< false at the first view
  bool can_go_forward() const { return position_ + 1 < views_.size(); }  ///< false at the latest view
  void back();     ///< Goes to the previous view; does nothing at the first one
  void forward();  ///< Goes to the next view; does nothing at the latest one

 private:
  std::vector<Range> views_{1};
  std::size_t position_ = 0;
};

}  // namespace kernelscape::charts
