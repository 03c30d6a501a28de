#include "ui/charts/bars/relevance_chart.h"

#include <QSignalSpy>
#include <QTest>
#include <limits>
#include <memory>
#include <random>

#include "tests/gui/chart_support.h"
#include "tests/test_program.h"

namespace kernelscape::relevance_chart_test {
namespace {

using namespace chart_tests;

charts::RelevanceData some_data() {
  analysis::SeriesTable table;
  table.set(120, "lengthscale tile_oc[0]", 50);
  table.set(120, "lengthscale tile_oc[3]", 0.5);
  table.set(120, "lengthscale unroll", 2);
  return {analysis::column_relevance(table.snapshot()), analysis::latest_lengthscales(table.snapshot())};
}

}  // namespace

class RelevanceChartTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    chart_ = std::make_unique<charts::RelevanceChart>();
    chart_->resize(420, 300);
    chart_->set_data(some_data());
    chart_->show();
  }

  void bars_begin_at_zero_and_are_as_long_as_their_share() {
    check_painting(*chart_);
    const QImage image = chart_->to_image(1);
    // Of the longest run of the accent in a row of pixels.
    const auto length_at = [&](double y) {
      int length = 0;
      for (int x = 0; x < image.width(); ++x)
        if (image.pixelColor(x, static_cast<int>(y)) == style::colours().accent) ++length;
      return length;
    };
    std::vector<double> lengths;
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    for (std::size_t bar = 0; bar < 3; ++bar) {
      lengths.push_back(length_at(chart_->readout()->position.y()));
      QTest::keyClick(chart_.get(), Qt::Key_Down);
    }
    const auto& columns = chart_->data().columns;
    for (std::size_t bar = 1; bar < 3; ++bar)
      QVERIFY(std::abs(lengths[bar] / lengths[0] - columns[bar].share / columns[0].share) < 0.02);
    QVERIFY(chart_->to_svg().contains("trial 120"));
    QVERIFY(chart_->accessibleName().contains(QStringLiteral("tile_oc[3] 69.2 %, unroll 31.5 %")));
  }

  void readouts_keys_and_activation() {
    QSignalSpy spy(chart_.get(), &charts::RelevanceChart::column_activated);
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QCOMPARE(chart_->readout()->lines,
             QStringList({QStringLiteral("tile_oc[3]: lengthscale 0.5"),
                          QStringLiteral("a move across its whole range"),
                          QStringLiteral("removes 69.2 % of the similarity"),
                          QStringLiteral("all columns of tile_oc together: 69.7 %")}));
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QCOMPARE(chart_->readout()->lines.size(), 3);  // a knob of one column
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toString(), QStringLiteral("unroll"));
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QTest::keyClick(chart_.get(), Qt::Key_Down);  // there is no further one
    QCOMPARE(chart_->readout()->lines[0], QStringLiteral("tile_oc[0]: lengthscale 50"));
    const QPointF last = chart_->readout()->position;
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, last.toPoint());
    QCOMPARE(spy.takeFirst()[0].toString(), QStringLiteral("tile_oc[0]"));
    QVERIFY(!chart_->readout_at({200, 5}));
  }

  void the_readout_stays_with_its_column() {
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    const double before = chart_->readout()->position.y();
    analysis::SeriesTable table;
    table.set(130, "lengthscale tile_oc[3]", 0.5);
    table.set(130, "lengthscale unroll", 0.2);
    chart_->set_data({analysis::column_relevance(table.snapshot()), 130});
    QCOMPARE(chart_->readout()->lines[0], QStringLiteral("unroll: lengthscale 0.2"));
    QVERIFY(chart_->readout()->position.y() < before);
    chart_->set_data({});
    QVERIFY(!chart_->readout());
  }

  void the_table_has_the_lengthscales() {
    const charts::Table table = chart_->table();
    QCOMPARE(table.rows.size(), std::size_t{3});
    QCOMPARE(std::get<std::string>(table.rows[0][0]), std::string("tile_oc[3]"));
    QCOMPARE(std::get<std::string>(table.rows[0][1]), std::string("tile_oc"));
    QCOMPARE(std::get<double>(table.rows[0][2]), 0.5);
    QCOMPARE(std::get<double>(table.rows[0][3]), analysis::relevance_of(0.5));
    QVERIFY(std::get<double>(table.rows[0][4]) > analysis::relevance_of(0.5));
  }

  void a_notice_stands_in_for_what_is_not_learnt() {
    charts::RelevanceChart chart;
    chart.resize(420, 300);
    check_painting(chart);
    chart.set_notice(QStringLiteral("All knobs have equal relevance"));
    QVERIFY(chart.accessibleName().contains(QStringLiteral("All knobs have equal relevance")));
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Down);
    QVERIFY(!chart.readout());
    QVERIFY(chart.table().rows.empty());
  }

  void more_columns_than_there_is_room_for() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 60; ++round) {
      analysis::SeriesTable table;
      const std::size_t count = random() % 60;
      for (std::size_t column = 0; column < count; ++column)
        table.set(1, "lengthscale knob" + std::to_string(column) + "[0]",
                  std::exp(static_cast<double>(random() % 8'000) / 1'000 - 4));
      chart_->resize(static_cast<int>(1 + random() % 600), static_cast<int>(1 + random() % 400));
      chart_->set_data({analysis::column_relevance(table.snapshot()), round});
      check_painting(*chart_);
      QVERIFY(!chart_->grab().isNull());
      // Every bar that the keys reach is one that the mouse finds there.
      for (std::size_t step = 0; step < count; ++step) {
        QTest::keyClick(chart_.get(), Qt::Key_Down);
        if (!chart_->readout()) continue;
        QCOMPARE(chart_->readout_at(chart_->readout()->position)->lines, chart_->readout()->lines);
      }
    }
    chart_->resize(300, 140);
    const QByteArray svg = chart_->to_svg();
    QVERIFY(chart_->data().columns.size() < 5 || svg.contains(" more, each at most "));
  }

 private:
  std::unique_ptr<charts::RelevanceChart> chart_;
};

KERNELSCAPE_TEST(RelevanceChartTest, QApplication)

}  // namespace kernelscape::relevance_chart_test
#include "relevance_chart_test.moc"
