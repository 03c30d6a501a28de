#include "ui/charts/curves/member_share_chart.h"

namespace kernelscape::charts {

MemberShareChart::MemberShareChart(QWidget* parent) : CompareCurveChart(parent) {
  set_spread(CompareSpread::Quartiles);
  set_data({.curves = {},
            .y = analysis::CompareY::MemberShare,
            .unit = {},
            .optimum = {},
            .task = {},
            .baseline = {}});
  set_explanation(tr(
      "Valid offspring: the share of the children, neighbours and moves that a tuner drew that met all "
      "constraints as drawn, before the others were drawn again, repaired or replaced. A tuner that solves "
      "its constraints draws feasible configurations only. For a tuner that mutates at random, the share "
      "decreases with the share of valid programs in the space.\n\nEach run counts the latest share that it "
      "reported, and its last share after its end; the line is the median over the runs (over the repeats if "
      "there are several tasks), the band reaches from the first to the third quartile. A curve begins when "
      "every run of the tuner with offspring has reported a share. Tuners that draw no offspring have no "
      "curve.\n\nHeron, figures 2 and 12."));
}

}  // namespace kernelscape::charts
