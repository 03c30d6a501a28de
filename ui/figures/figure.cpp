#include "ui/figures/figure.h"

namespace kernelscape::figures {

void Text::show_in(charts::Chart& chart) const {
  if (!title.isEmpty()) chart.set_title(title, of);
  chart.set_notice(notice);
  chart.set_caption(caption);
}

void Figure::show_in(charts::Chart& chart) const {
  // Set the texts again: charts that extend their title do so when they have the data.
  text.show_in(chart);
  fill(chart);
}

std::unique_ptr<charts::Chart> Figure::make() const {
  std::unique_ptr<charts::Chart> chart = make_chart();
  show_in(*chart);
  return chart;
}

}  // namespace kernelscape::figures
