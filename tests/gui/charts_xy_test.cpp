#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <tuple>

#include "tests/test_program.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts_xy_test {
namespace {

/** Points at (1, 10), (2, 20), ... (9, 90) on axes from 0 to 10 and from 1 to 100. */
class PointChart : public charts::XyChart {
 public:
  PointChart() {
    set_title(QStringLiteral("points"));
    set_y_scales({charts::AxisScale::Linear, charts::AxisScale::Log10});
    set_end(10);
  }

  void set_end(double end) {
    set_home({QStringLiteral("step"), {}, charts::AxisScale::Linear, {0, end}},
             {QStringLiteral("speed"), QStringLiteral("GFLOPS"), charts::AxisScale::Linear, {1, 100}});
  }
  void name_lanes() {
    set_home({QStringLiteral("step"), {}, charts::AxisScale::Linear, {0, 10}},
             {.range = {0, 100},
              .named = {{20, QStringLiteral("low"), true}, {80, QStringLiteral("high"), true}}});
  }
  void set_rows(std::vector<charts::Lane> rows) { set_lanes(std::move(rows)); }
  bool is_interacting() const { return interacting(); }

  charts::Table table() const override {
    charts::Table result{{"x", "y"}, {}};
    for (int point = 1; point < 10; ++point) result.rows.push_back({double(point), 10.0 * point});
    return result;
  }
  QString explanation() const override { return QStringLiteral("points of a test"); }
  std::optional<charts::Readout> readout_at(QPointF position) const override {
    for (int point = 1; point < 10; ++point) {
      const QPointF at = frame().map(point, 10 * point);
      if (std::hypot(at.x() - position.x(), at.y() - position.y()) < 6)
        return charts::Readout{at, {QStringLiteral("point %1").arg(point)}, point};
    }
    return std::nullopt;
  }

 protected:
  void paint_data(charts::Canvas& canvas, const charts::PlotFrame& frame) override {
    std::vector<QPointF> centres;
    for (int point = -5; point < 30; ++point) centres.push_back(frame.map(point, 10 * point));
    canvas.dots(centres, 3, charts::accent_ink());
    canvas.polyline(centres, {charts::marked_ink(), 1, {}});
  }
  std::vector<qint64> rows_in(const QRectF& rectangle) const override {
    std::vector<qint64> rows;
    for (int point = 1; point < 10; ++point)
      if (rectangle.contains(frame().map(point, 10 * point))) rows.push_back(point);
    return rows;
  }
  void home_changed() override { set_end(10); }
};

void move_pressed(QWidget& widget, QPointF to, Qt::MouseButton button, Qt::KeyboardModifiers modifiers = {}) {
  QMouseEvent event(QEvent::MouseMove, to, widget.mapToGlobal(to), Qt::NoButton, button, modifiers);
  QApplication::sendEvent(&widget, &event);
}

void drag(QWidget& widget, QPointF from, QPointF to, Qt::MouseButton button = Qt::LeftButton,
          Qt::KeyboardModifiers modifiers = {}) {
  QTest::mousePress(&widget, button, modifiers, from.toPoint());
  move_pressed(widget, (from + to) / 2, button, modifiers);
  move_pressed(widget, to, button, modifiers);
  QTest::mouseRelease(&widget, button, modifiers, to.toPoint());
}

void turn_wheel(QWidget& widget, QPointF at, int delta, Qt::KeyboardModifiers modifiers = {}) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(&widget, &event);
}

/** Two pixels are what a hand may miss. */
bool near(const charts::Interval& range, double low, double high, double slack) {
  return std::abs(range.low - low) <= slack && std::abs(range.high - high) <= slack;
}

}  // namespace

class ChartsXyTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    chart_ = std::make_unique<PointChart>();
    chart_->resize(600, 400);
    chart_->show();
    chart_->setFocus();
  }

  void frame_maps_both_ways() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 200; ++round) {
      if (round == 100) chart_->set_y_scale(charts::AxisScale::Log10);
      const charts::PlotFrame frame = chart_->frame();
      const QPointF pixel = frame.plot.topLeft() +
                            QPointF(static_cast<double>(random() % 500), static_cast<double>(random() % 300));
      const QPointF back = frame.map(frame.x_at(pixel.x()), frame.y_at(pixel.y()));
      QVERIFY(std::abs(back.x() - pixel.x()) < 1e-6 && std::abs(back.y() - pixel.y()) < 1e-6);
    }
    QVERIFY(chart_->frame().plot.width() >= 260 && chart_->frame().plot.height() >= 140);
    chart_->resize(chart_->minimumSizeHint());
    QVERIFY(chart_->frame().plot.width() >= 260 && chart_->frame().plot.height() >= 140);
  }

  void data_are_painted_where_the_frame_says_and_nowhere_else() {
    chart_->zoom_to({2, 6}, {15, 65});
    const charts::PlotFrame frame = chart_->frame();
    const QImage image = chart_->to_image(1);
    QCOMPARE(image.pixelColor(frame.map(4, 40).toPoint()), style::colours().accent);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (image.pixelColor(x, y) == style::colours().accent)
          QVERIFY(frame.plot.adjusted(-1, -1, 1, 1).contains(QPointF(x, y)));
  }

  void rubber_band_and_history() {
    const charts::PlotFrame frame = chart_->frame();
    drag(*chart_, frame.map(2, 80), frame.map(6, 20));
    QVERIFY(near(chart_->x_axis().range, 2, 6, 0.05) && near(chart_->y_axis().range, 20, 80, 0.7));
    const charts::Interval first = chart_->x_axis().range;
    // A flat band zooms x only.
    const charts::PlotFrame zoomed = chart_->frame();
    const charts::Interval y_before = chart_->y_axis().range;
    drag(*chart_, zoomed.map(3, 50), zoomed.map(4, 50) + QPointF(0, 3));
    QVERIFY(near(chart_->x_axis().range, 3, 4, 0.05));
    QVERIFY(chart_->y_axis().range == y_before);
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(chart_->x_axis().range == first);
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(chart_->at_home());
    QTest::keyClick(chart_.get(), Qt::Key_Right, Qt::AltModifier);
    QVERIFY(chart_->x_axis().range == first);
    QTest::keyClick(chart_.get(), Qt::Key_Home);
    QVERIFY(chart_->at_home());
    QVERIFY((chart_->x_axis().range == charts::Interval{0, 10}));
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY2(chart_->x_axis().range == first, "the way home can be gone back");
  }

  void a_live_update_keeps_the_zoom() {
    chart_->set_end(20);
    QVERIFY2((chart_->x_axis().range == charts::Interval{0, 20}), "at home the view goes along");
    chart_->zoom_to({2, 6}, {20, 80});
    chart_->set_end(40);
    QVERIFY((chart_->x_axis().range == charts::Interval{2, 6}));
    chart_->reset_view();
    QVERIFY((chart_->x_axis().range == charts::Interval{0, 40}));
    chart_->zoom_to({30, 38}, {20, 80});
    QSignalSpy spy(chart_.get(), &charts::XyChart::follow_changed);
    QTest::keyClick(chart_.get(), Qt::Key_F);
    QVERIFY(chart_->follow());
    QVERIFY((chart_->x_axis().range == charts::Interval{32, 40}));
    chart_->set_end(50);
    QVERIFY((chart_->x_axis().range == charts::Interval{42, 50}));
    QTest::keyClick(chart_.get(), Qt::Key_F);
    chart_->set_end(60);
    QVERIFY((chart_->x_axis().range == charts::Interval{42, 50}));
    QCOMPARE(spy.count(), 2);
  }

  void wheel_zooms_around_the_cursor() {
    const QPointF at = chart_->frame().map(4, 60);
    turn_wheel(*chart_, at, 120);
    turn_wheel(*chart_, at, 120);
    const charts::PlotFrame frame = chart_->frame();
    // Longer labels may move the plot by a step of the grid.
    QVERIFY(std::abs(frame.map_x(4) - at.x()) < 8.5 && std::abs(frame.y_at(at.y()) - 60) < 1e-6);
    QVERIFY(std::abs(chart_->x_axis().range.span() - 10 / 1.44) < 1e-6);
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY2(chart_->at_home(), "turns in one go are one step of the history");
    const charts::Interval y = chart_->y_axis().range;
    turn_wheel(*chart_, at, 120, Qt::ControlModifier);
    QVERIFY(chart_->y_axis().range == y && chart_->x_axis().range.span() < 9);
    turn_wheel(*chart_, at, -1200);
    QVERIFY2(chart_->at_home(), "far out is home");
    QTRY_VERIFY2(!chart_->is_interacting(), "the exact picture follows by itself");
  }

  void panning() {
    chart_->zoom_to({2, 6}, {20, 80});
    for (const bool middle : {true, false}) {
      const charts::PlotFrame frame = chart_->frame();
      const charts::Interval before = chart_->x_axis().range;
      drag(*chart_, frame.map(before.low + 2, 50), frame.map(before.low + 3, 60),
           middle ? Qt::MiddleButton : Qt::LeftButton, middle ? Qt::NoModifier : Qt::ShiftModifier);
      QVERIFY(near(chart_->x_axis().range, before.low - 1, before.high - 1, 0.05));
      QVERIFY(std::abs(chart_->y_axis().range.span() - 60) < 1e-6);
    }
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QTest::keyClick(chart_.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY((chart_->x_axis().range == charts::Interval{2, 6}));
    // Esc takes a movement back.
    const charts::PlotFrame frame = chart_->frame();
    QTest::mousePress(chart_.get(), Qt::MiddleButton, {}, frame.plot.center().toPoint());
    move_pressed(*chart_, frame.plot.center() + QPointF(50, 0), Qt::MiddleButton);
    QVERIFY(!(chart_->x_axis().range == charts::Interval{2, 6}));
    QTest::keyClick(chart_.get(), Qt::Key_Escape);
    QVERIFY((chart_->x_axis().range == charts::Interval{2, 6}));
    QTest::mouseRelease(chart_.get(), Qt::MiddleButton);
    QVERIFY((chart_->x_axis().range == charts::Interval{2, 6}));
  }

  void hover_and_click() {
    const charts::PlotFrame frame = chart_->frame();
    QTest::mouseMove(chart_.get(), frame.map(5, 50).toPoint());
    QTRY_VERIFY(chart_->readout().has_value());
    QCOMPARE(chart_->readout()->row, std::int64_t{5});
    QTest::mouseMove(chart_.get(), frame.map(5, 80).toPoint());
    QTRY_VERIFY(!chart_->readout().has_value());
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, frame.map(3, 30).toPoint());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 3);
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, frame.map(3, 80).toPoint());
    QCOMPARE(spy.count(), 0);
    QVERIFY2(chart_->at_home(), "a click does not zoom");
  }

  void selecting_with_control() {
    const charts::PlotFrame frame = chart_->frame();
    QSignalSpy spy(chart_.get(), &charts::XyChart::rows_selected);
    drag(*chart_, frame.map(2.5, 65), frame.map(6.5, 25), Qt::LeftButton, Qt::ControlModifier);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy[0][0].value<std::vector<qint64>>(), std::vector<qint64>({3, 4, 5, 6}));
    QVERIFY(chart_->at_home());
  }

  /** Places with names, such as lanes, have no difference. */
  void the_difference_of_cursors_leaves_out_named_places() {
    QVERIFY(chart_->cursor_difference().isEmpty());
    chart_->set_cursors(QPointF(2, 20), QPointF(5, 80));
    QVERIFY2(chart_->cursor_difference().contains("3, 60 GFLOPS"), qPrintable(chart_->cursor_difference()));
    QVERIFY2(chart_->cursor_difference().contains("(4 x)"), qPrintable(chart_->cursor_difference()));
    chart_->name_lanes();
    QVERIFY2(chart_->cursor_difference().endsWith("   3"), qPrintable(chart_->cursor_difference()));
  }

  void cursors() {
    const charts::PlotFrame frame = chart_->frame();
    QSignalSpy spy(chart_.get(), &charts::XyChart::cursors_changed);
    QTest::mouseClick(chart_.get(), Qt::LeftButton, Qt::ControlModifier, frame.map(2, 40).toPoint());
    QTest::mouseClick(chart_.get(), Qt::LeftButton, Qt::AltModifier, frame.map(7, 60).toPoint());
    QVERIFY(chart_->cursor_a() && chart_->cursor_b());
    QVERIFY(std::abs(chart_->cursor_a()->x() - 2) < 0.05 && std::abs(chart_->cursor_b()->y() - 60) < 0.5);
    QCOMPARE(spy.count(), 2);
    const QImage image = chart_->grab().toImage();
    QCOMPARE(image.pixelColor(static_cast<int>(frame.map_x(chart_->cursor_a()->x())),
                              static_cast<int>(frame.map_y(90))),
             style::colours().marked);
    QTest::keyClick(chart_.get(), Qt::Key_Escape);
    QVERIFY(!chart_->cursor_a() && !chart_->cursor_b());
    QTest::mouseMove(chart_.get(), frame.map(4, 40).toPoint());
    QTRY_VERIFY(chart_->readout().has_value());
    QTest::keyClick(chart_.get(), Qt::Key_A);
    QVERIFY(std::abs(chart_->cursor_a()->x() - 4) < 1e-9 && std::abs(chart_->cursor_a()->y() - 40) < 1e-9);
    QTest::keyClick(chart_.get(), Qt::Key_A);
    QVERIFY(!chart_->cursor_a());
  }

  void scale_and_keys() {
    QTest::keyClick(chart_.get(), Qt::Key_L);
    QCOMPARE(chart_->y_axis().scale, charts::AxisScale::Log10);
    QVERIFY(std::abs(chart_->y_axis().fraction(10) - 0.5) < 1e-9);
    chart_->set_end(12);
    QCOMPARE(chart_->y_axis().scale, charts::AxisScale::Log10);
    QTest::keyClick(chart_.get(), Qt::Key_L);
    QCOMPARE(chart_->y_axis().scale, charts::AxisScale::Linear);
    QTest::keyClick(chart_.get(), Qt::Key_Plus);
    QVERIFY(!chart_->at_home());
    QTest::keyClick(chart_.get(), Qt::Key_Minus);
    QVERIFY(chart_->at_home());
    for (int press = 0; press < 300; ++press) QTest::keyClick(chart_.get(), Qt::Key_Plus);
    QVERIFY(chart_->x_axis().range.span() > 0);
    QVERIFY(!chart_->grab().isNull());
  }

  void shortcuts_of_the_window_do_not_take_the_keys() {
    for (const auto& [key, modifiers, wanted] : {std::tuple{Qt::Key_F, Qt::NoModifier, true},
                                                 {Qt::Key_Left, Qt::AltModifier, true},
                                                 {Qt::Key_Home, Qt::NoModifier, true},
                                                 {Qt::Key_K, Qt::ControlModifier, false},
                                                 {Qt::Key_Space, Qt::NoModifier, false}}) {
      QKeyEvent event(QEvent::ShortcutOverride, key, modifiers);
      event.ignore();
      QApplication::sendEvent(chart_.get(), &event);
      QCOMPARE(event.isAccepted(), wanted);
    }
  }

  void margins_and_lanes() {
    const double natural = chart_->natural_left_margin();
    chart_->set_left_margin(natural + 30);
    PointChart other;
    other.resize(600, 300);
    other.set_left_margin(natural + 30);
    QCOMPARE(chart_->frame().plot.left(), other.frame().plot.left());
    QCOMPARE(chart_->frame().plot.right(), other.frame().plot.right());
    chart_->set_rows({{QStringLiteral("H"), trial::ErrorCategory::CompileHost},
                      {QStringLiteral("T"), trial::ErrorCategory::RunTimeout}});
    const charts::PlotFrame frame = chart_->frame();
    QCOMPARE(frame.lanes.size(), std::size_t{2});
    QCOMPARE(frame.lanes[1].top(), frame.lanes[0].bottom());
    QVERIFY(frame.lanes[0].top() > frame.plot.bottom() && frame.lanes[1].bottom() < chart_->height() - 20);
    QVERIFY(chart_->to_svg().contains(">H</text>"));
  }

  void menu_has_what_keys_have() {
    chart_->show_menu();
    auto* menu = chart_->findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QStringList texts;
    for (QAction* action : menu->actions()) texts.append(action->text().section(QLatin1Char('\t'), 0, 0));
    for (const char* text : {"Logarithmic axis", "Follow new data", "Reset view", "Zoom back", "Copy",
                             "Save as SVG...", "Show as table", "Explain this chart"})
      QVERIFY2(texts.contains(QLatin1String(text)), text);
    menu->actions().first()->trigger();
    QCOMPARE(chart_->y_axis().scale, charts::AxisScale::Log10);
    QVERIFY(!chart_->accessibleName().isEmpty());
    QCOMPARE(chart_->focusPolicy(), Qt::StrongFocus);
  }

  void notices_silence_the_mouse() {
    const charts::PlotFrame frame = chart_->frame();
    chart_->set_notice(QStringLiteral("nothing yet: press Start"));
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, frame.map(3, 30).toPoint());
    drag(*chart_, frame.map(2, 80), frame.map(6, 20));
    turn_wheel(*chart_, frame.map(4, 50), 120);
    QVERIFY(chart_->at_home());
    QCOMPARE(spy.count(), 0);
    QVERIFY(!chart_->readout());
  }

 private:
  std::unique_ptr<PointChart> chart_;
};

KERNELSCAPE_TEST(ChartsXyTest, QApplication)

}  // namespace kernelscape::charts_xy_test
#include "charts_xy_test.moc"
