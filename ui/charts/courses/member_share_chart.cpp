#include "ui/charts/courses/member_share_chart.h"

namespace kernelscape {

MemberShareChart::MemberShareChart(QWidget* parent) : CompareCurveChart(parent) {
  set_spread(CompareSpread::Quartiles);
  set_data({.curves = {}, .y = CompareY::MemberShare, .unit = {}, .optimum = {}, .task = {}, .baseline = {}});
}

QString MemberShareChart::explanation() const {
  return tr(
      "Of the children, neighbours and moves that a tuner drew, the share that kept all constraints as they "
      "were drawn: before those that did not were drawn again, repaired or replaced. A tuner that solves its "
      "constraints draws members only; one that mutates at random draws the fewer, the fewer valid programs "
      "its space has.\n\nEach run counts the latest share that it reported, after its end its last one; the "
      "line is the median over the runs (over the repeats where there are several tasks), the band reaches "
      "from the first to the third quartile. A curve begins where every run of the tuner that drew children "
      "has reported a share. Tuners that draw none have no curve.\n\nHeron, figures 2 and 12.");
}

}  // namespace kernelscape
