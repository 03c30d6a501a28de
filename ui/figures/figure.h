#pragma once

#include <QCoreApplication>
#include <QSize>
#include <QString>
#include <functional>
#include <memory>
#include <utility>

#include "ui/charts/chart.h"

namespace kernelscape {

/** What is said at a figure, in the window as in a report. */
struct FigureText {
  QString title = {};    ///< empty: what the chart calls itself
  QString of = {};       ///< behind the title: which trials
  QString notice = {};   ///< in place of the data: why there is nothing to draw
  QString caption = {};  ///< how to read it

  /** Sets title, notice and caption of a chart; an empty title leaves the chart's own. */
  void show_in(Chart& chart) const;
};

/** A figure that a view goes on with: marks, choices and selections need its data. */
template <typename Data>
struct FigureOf {
  FigureText text = {};
  Data data = {};

  /** Text and data, on the window's thread. @tparam ChartType takes `Data` */
  template <typename ChartType>
  void show_in(ChartType& chart) const {
    text.show_in(chart);
    chart.set_data(data);
  }
};

/** Width of figures on paper; the page is made for it. */
constexpr int figure_width = 760;

/** A figure of one source, whatever its chart: a value that any thread can make. It is shown on the window's.
 */
struct Figure {
  FigureText text;
  QSize size;                        ///< on paper, logical pixels
  std::function<void(Chart&)> fill;  ///< with the data
  QString group = {};                ///< of figures that differ in one thing only; empty: none
  QString member = {};               ///< that thing
  std::unique_ptr<Chart> (*make_chart)() = nullptr;

  /** @param chart of the figure's kind */
  void show_in(Chart& chart) const;
  /** A new chart that shows the figure, for a file; on the window's thread. */
  std::unique_ptr<Chart> make() const;
};

/** Height on paper of a chart with so many bars below each other. */
constexpr int bars_height(std::size_t bars) { return 64 + 22 * static_cast<int>(bars); }

/** @param height on paper */
template <typename ChartType, typename Data>
Figure make_figure(FigureText text, Data data, int height) {
  return {std::move(text), QSize(figure_width, height),
          [data = std::move(data)](Chart& chart) { static_cast<ChartType&>(chart).set_data(data); }};
}
/** The same from a figure that a view could go on with. @param height on paper, logical pixels */
template <typename ChartType, typename Data>
Figure make_figure(FigureOf<Data> figure, int height) {
  return make_figure<ChartType>(std::move(figure.text), std::move(figure.data), height);
}

/** What is said in figures, in the user's language. */
inline QString figure_words(const char* text) { return QCoreApplication::translate("Figures", text); }

}  // namespace kernelscape
