#pragma once

#include <QWidget>
#include <vector>

class QSplitter;
class QTabBar;

namespace kernelscape::charts {

class Chart;

/**
 * A row of charts beside each other. If they do not all fit, one chart at a time is shown, chosen by tabs. A
 * double click on a chart shows it alone, and another double click shows all of them again.
 */
class Row : public QWidget {
  Q_OBJECT

 public:
  /**
   * Makes an empty row.
   * @param name accessible name of the tabs
   */
  explicit Row(const QString& name, QWidget* parent = nullptr);

  /** Adds a chart at the right, which stays hidden until `show_chart`. */
  void add_chart(Chart* chart);
  /** Shows a chart of the row. @param name of the chart's tab */
  void show_chart(Chart* chart, const QString& name);
  /** Hides a chart, and its tab. */
  void hide_chart(Chart* chart);
  /** Returns true if the charts do not fit beside each other and have tabs. */
  bool has_tabs() const { return has_tabs_; }

  /** Returns the room for one chart at a time. */
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Place {
    Chart* chart = nullptr;
    QString name;
    bool shown = false;
  };

  Place& place_of(const Chart* chart);
  void toggle_maximised(const Chart* chart);
  std::vector<Place*> shown_places();
  void fit();
  void make_tabs();
  void show_tab();

  std::vector<Place> places_;
  const Chart* maximised_ = nullptr;  ///< the chart that is shown alone; null: none
  QTabBar* tabs_;
  QSplitter* splitter_;
  bool has_tabs_ = false;
  /** A layout has set the width; before that it is the default width of every widget. */
  bool has_width_ = false;
};

}  // namespace kernelscape::charts
