#pragma once

#include <QCoreApplication>
#include <QSize>
#include <QString>
#include <functional>
#include <memory>
#include <utility>

#include "ui/charts/chart.h"

namespace kernelscape::figures {

/** The texts of a figure, in the window and in a report. */
struct Text {
  QString title = {};    ///< empty: the chart's own title
  QString of = {};       ///< behind the title: which trials
  QString notice = {};   ///< replaces the data: why there is nothing to draw
  QString caption = {};  ///< how to read it

  /** Sets title, notice and caption of a chart; an empty title leaves the chart's own. */
  void show_in(charts::Chart& chart) const;
};

/** A figure whose data the view keeps using for marks, choices and selections. */
template <typename Data>
struct FigureOf {
  Text text = {};
  Data data = {};

  /** Sets text and data of a chart, on the window's thread. @tparam ChartType takes `Data` */
  template <typename ChartType>
  void show_in(ChartType& chart) const {
    text.show_in(chart);
    chart.set_data(data);
  }
};

/** Width of figures on paper; the page layout is based on it. */
constexpr int figure_width = 760;

/**
 * A figure of one source, independent of the kind of chart: a value that any thread can make. Charts show it
 * on the window's thread.
 */
struct Figure {
  Text text;
  QSize size;                                ///< on paper, logical pixels
  std::function<void(charts::Chart&)> fill;  ///< sets the data of a chart
  QString group = {};   ///< name of a group of figures that differ in one property only; empty: no group
  QString member = {};  ///< the figure's value of that property
  std::unique_ptr<charts::Chart> (*make_chart)() = nullptr;

  /** Sets text and data of a chart. @param chart of the figure's kind */
  void show_in(charts::Chart& chart) const;
  /** Makes a new chart that shows the figure, for a file; on the window's thread. */
  std::unique_ptr<charts::Chart> make() const;
};

/** Returns the height on paper of a chart with this number of bars below each other. */
constexpr int bars_height(std::size_t bars) { return 64 + 22 * static_cast<int>(bars); }

/** Makes a figure from text and data. @param height on paper, logical pixels */
template <typename ChartType, typename Data>
Figure make_figure(Text text, Data data, int height) {
  return {std::move(text), QSize(figure_width, height),
          [data = std::move(data)](charts::Chart& chart) { static_cast<ChartType&>(chart).set_data(data); }};
}
/**
 * Makes a figure from text and data that a view could use directly. @param height on paper, logical pixels
 */
template <typename ChartType, typename Data>
Figure make_figure(FigureOf<Data> figure, int height) {
  return make_figure<ChartType>(std::move(figure.text), std::move(figure.data), height);
}

/** Translates a text of a figure into the user's language. */
inline QString figure_text(const char* text) { return QCoreApplication::translate("Figures", text); }

}  // namespace kernelscape::figures
