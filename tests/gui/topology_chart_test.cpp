#include "ui/charts/landscape/topology_chart.h"

#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "tests/gui/chart_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/walk_distance_chart.h"
#include "ui/charts/landscape/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape::topology_chart_test {
namespace {

using namespace chart_tests;

constexpr QSize chart_size(760, 520);

std::vector<space::KnobValue> numbers(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

charts::TopologyData topology_data(const space::Knob& knob, std::uint32_t start, double q) {
  const analysis::KnobTopology topology = *analysis::KnobTopology::make(knob);
  charts::TopologyData data;
  data.knob = QString::fromStdString(knob.name());
  data.graph = analysis::make_knob_graph(knob, topology, start);
  data.q = q;
  data.quantity = QStringLiteral("speed");
  data.unit = QStringLiteral("GFLOPS");
  data.base = QStringLiteral("trial 12");
  const auto walk = *topology.walk_from(start, q);
  double drawn = 0;
  for (const analysis::KnobNode& node : data.graph.nodes) {
    charts::TopologyValue value;
    value.text = QString::fromStdString(knob.describe(node.value));
    value.probability = walk[node.value];
    drawn += value.probability;
    data.values.push_back(value);
  }
  data.further_probability = 1 - drawn;
  return data;
}

/** Figure 2 of the paper, from the value (8, 1, 1). */
charts::TopologyData figure_2(double q) {
  const space::Knob knob = *space::Knob::factorization("tile", 8, 3);
  return topology_data(knob, *knob.find({8, 1, 1}), q);
}

std::vector<charts::TopologyData> all_layouts() {
  return {figure_2(0.5),
          topology_data(*space::Knob::factorization("tile", 64, 4), 20, 0.5),
          topology_data(*space::Knob::factorization("tile", 72, 2), 5, 0.5),
          topology_data(*space::Knob::permutation("order", {"a", "b", "c", "d"}), 3, 0.5),
          topology_data(*space::Knob::ordinal("step", numbers(5)), 2, 0.5),
          topology_data(*space::Knob::categorical("choice", numbers(6)), 1, 0.5),
          topology_data(*space::Knob::categorical("choice", numbers(80)), 1, 0.5),
          topology_data(*space::Knob::permutation("order", {"a", "b", "c", "d", "e", "f", "g"}), 0, 0.5),
          topology_data(*space::Knob::ordinal("one", numbers(1)), 0, 0.5)};
}

void check_topology_painting(charts::Chart& chart) {
  check_painting(chart);
  QVERIFY(chart.explanation().contains(QStringLiteral("OpEvo")));
  QVERIFY(!chart.table().rows.empty());
}

QColor colour_at(const QImage& image, QPointF position) {
  return image.pixelColor(static_cast<int>(position.x()), static_cast<int>(position.y()));
}

/** Beside the middle, where a label may stand. */
QColor colour_of_node(const charts::TopologyChart& chart, const QImage& image, std::size_t node) {
  return colour_at(image, chart.position_of(node) + QPointF(0, 10));
}

}  // namespace

class TopologyChartTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_;

 private slots:
  void initTestCase() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    random_.seed(seed);
  }

  void every_layout_is_painted_in_both_themes() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    for (const charts::TopologyData& data : all_layouts()) {
      for (const charts::TopologyColour colour :
           {charts::TopologyColour::Probability, charts::TopologyColour::BestMeasured}) {
        for (const style::Colours* theme : {&style::light_colours(), &style::dark_colours()}) {
          const style::ColoursScope scope(*theme);
          charts::TopologyData shown = data;
          shown.colour = colour;
          chart->set_data(shown);
          check_topology_painting(*chart);
        }
      }
    }
  }

  void nodes_lie_inside_and_apart() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    for (const charts::TopologyData& data : all_layouts()) {
      chart->set_data(data);
      for (std::size_t node = 0; node < data.values.size(); ++node) {
        const QPointF position = chart->position_of(node);
        QVERIFY(QRectF(chart->rect()).contains(position));
        // What is pointed at is what is read out.
        const auto readout = chart->readout_at(position);
        QVERIFY(readout);
        QCOMPARE(readout->row, static_cast<std::int64_t>(node));
        QCOMPARE(readout->lines.front(), data.values[node].text);
      }
    }
  }

  void likelier_values_are_brighter_as_in_figure_2() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    const space::Knob knob = *space::Knob::factorization("tile", 8, 3);
    for (const double q : {0.5, 0.7}) {
      const charts::TopologyData data = figure_2(q);
      chart->set_data(data);
      const QImage image = chart->to_image(1);
      const auto brightness = [&](std::vector<std::int64_t> factors) {
        return style::contrast_ratio(colour_of_node(*chart, image, data.graph.node_of(*knob.find(factors))),
                                     Qt::black);
      };
      QVERIFY(brightness({8, 1, 1}) > brightness({4, 2, 1}));
      QVERIFY(brightness({4, 2, 1}) > brightness({2, 2, 2}));
      QVERIFY(brightness({2, 2, 2}) > brightness({2, 4, 1}));
      QVERIFY(brightness({2, 2, 2}) > brightness({2, 1, 4}));
      QCOMPARE(colour_of_node(*chart, image, 0).rgb(), charts::viridis_ink(1).colour.rgb());
    }
  }

  void what_was_not_measured_is_hollow() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    charts::TopologyData data = topology_data(*space::Knob::ordinal("step", numbers(5)), 2, 0.5);
    data.colour = charts::TopologyColour::BestMeasured;
    const auto node = [&](std::uint32_t value) { return data.graph.node_of(value); };
    data.values[node(0)] = {QStringLiteral("0"), 0.1, true, 7, 4, 100, 80, 0};
    data.values[node(1)] = {QStringLiteral("1"), 0.1, true, 3, 3, 50, 40, 0};
    data.values[node(3)] = {QStringLiteral("3"), 0.1, true, 5, 0, 0, 0, 0};
    chart->set_data(data);
    const QImage image = chart->to_image(1);
    QCOMPARE(colour_of_node(*chart, image, node(0)).rgb(), charts::viridis_ink(1).colour.rgb());
    QCOMPARE(colour_of_node(*chart, image, node(1)).rgb(), charts::viridis_ink(0).colour.rgb());
    QCOMPARE(colour_of_node(*chart, image, node(2)), style::colours().surface);
    QCOMPARE(colour_of_node(*chart, image, node(4)), style::colours().surface);
    QVERIFY(colour_of_node(*chart, image, node(3)) != style::colours().surface);
    const auto lines = [&](std::uint32_t value) {
      return chart->readout_at(chart->position_of(node(value)))->lines.join(QLatin1Char('|'));
    };
    QVERIFY(lines(0).contains(QStringLiteral("best 100 GFLOPS, median 80 GFLOPS (n = 4)")));
    QVERIFY(lines(0).contains(QStringLiteral("3 of 7 trials failed")));
    QVERIFY(!lines(1).contains(QStringLiteral("failed")));
    QVERIFY(lines(3).contains(QStringLiteral("5 of 5 trials failed")) &&
            !lines(3).contains(QStringLiteral("best")));
    QVERIFY(lines(4).contains(QStringLiteral("not measured")));
    // Where less is better, the least is the brightest.
    data.higher_is_better = false;
    chart->set_data(data);
    QCOMPARE(colour_of_node(*chart, chart->to_image(1), node(1)).rgb(), charts::viridis_ink(1).colour.rgb());
    // One that is far slower than the others does not take their colours: ranks decide.
    data.values[node(2)] = {QStringLiteral("2"), 0.1, true, 3, 3, 9000, 9000, 0};
    chart->set_data(data);
    const QImage with_outlier = chart->to_image(1);
    QCOMPARE(colour_of_node(*chart, with_outlier, node(2)).rgb(), charts::viridis_ink(0).colour.rgb());
    QCOMPARE(colour_of_node(*chart, with_outlier, node(0)).rgb(), charts::viridis_ink(0.5).colour.rgb());
    QCOMPARE(colour_of_node(*chart, with_outlier, node(1)).rgb(), charts::viridis_ink(1).colour.rgb());
    for (const char* text : {"by rank", ">9,000 GFLOPS<", ">100 GFLOPS<", ">50 GFLOPS<"})
      QVERIFY2(chart->to_svg().contains(text), text);
  }

  void the_readout_says_distance_degree_and_probability() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    const space::Knob knob = *space::Knob::factorization("tile", 8, 3);
    charts::TopologyData data = figure_2(0.5);
    const std::size_t far = data.graph.node_of(*knob.find({2, 2, 2}));
    data.values[far].member = false;
    chart->set_data(data);
    const QStringList lines = chart->readout_at(chart->position_of(far))->lines;
    QCOMPARE(lines[0], QStringLiteral("[2, 2, 2]"));
    QCOMPARE(lines[1], QStringLiteral("2 moves away, 6 neighbours"));
    QVERIFY(lines[2].contains(style::format_percent(data.values[far].probability)));
    QVERIFY(
        lines.join(QLatin1Char('|')).contains(QStringLiteral("infeasible with the other knobs of trial 12")));
    const QStringList start = chart->readout_at(chart->position_of(0))->lines;
    QCOMPARE(start[1], QStringLiteral("the start, 2 neighbours"));
    chart->set_data(topology_data(*space::Knob::ordinal("two", numbers(2)), 0, 0.5));
    const QStringList ends = chart->readout_at(chart->position_of(1))->lines;
    QCOMPARE(ends[1], QStringLiteral("1 move away, 1 neighbour"));
    chart->set_data(data);
    QVERIFY(start[3].contains(style::format_percent(0.5)));
    QVERIFY(start[3].contains(style::format_percent(data.values[0].probability - 0.5)));
    QVERIFY(chart->accessibleName().contains(style::format_percent(data.values[0].probability)));
  }

  void arrows_walk_along_edges_and_enter_starts_there() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    QSignalSpy started(chart.get(), &charts::TopologyChart::start_activated);
    const std::array keys = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down};
    for (const charts::TopologyData& data : all_layouts()) {
      chart->set_data(data);
      QTest::keyClick(chart.get(), Qt::Key_Escape);
      QTest::keyClick(chart.get(), Qt::Key_Right);
      QCOMPARE(chart->current_node(), std::optional<std::size_t>(0));
      std::set<std::size_t> seen{0};
      for (int step = 0; step < 200; ++step) {
        const std::size_t before = chart->current_node().value();
        const Qt::Key key = keys[random_() % keys.size()];
        const QPointF from = chart->position_of(before);
        QTest::keyClick(chart.get(), key);
        const std::size_t now = chart->current_node().value();
        if (now == before) continue;
        const std::vector<std::size_t> near = data.graph.neighbours(before);
        QVERIFY(std::ranges::find(near, now) != near.end());
        const QPointF way = chart->position_of(now) - from;
        QVERIFY(key == Qt::Key_Left    ? way.x() < 0
                : key == Qt::Key_Right ? way.x() > 0
                : key == Qt::Key_Up    ? way.y() < 0
                                       : way.y() > 0);
        seen.insert(now);
      }
      if (data.values.size() > 1) QVERIFY(seen.size() > 1);
      QTest::keyClick(chart.get(), Qt::Key_Return);
      QCOMPARE(started.back()[0].toUInt(), data.graph.nodes[chart->current_node().value()].value);
    }
    QCOMPARE(static_cast<std::size_t>(started.size()), all_layouts().size());
  }

  void a_click_starts_there_and_none_beside() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    QSignalSpy started(chart.get(), &charts::TopologyChart::start_activated);
    const charts::TopologyData data = figure_2(0.5);
    chart->set_data(data);
    const std::size_t node = random_() % data.values.size();
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(node).toPoint());
    QCOMPARE(started.size(), 1);
    QCOMPARE(started.back()[0].toUInt(), data.graph.nodes[node].value);
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, QPoint(4, chart->height() - 60));
    QCOMPARE(started.size(), 1);
  }

  void the_readout_stays_while_the_rate_changes() {
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    chart->set_data(figure_2(0.5));
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QTest::keyClick(chart.get(), Qt::Key_Down);
    const std::size_t node = chart->current_node().value();
    const charts::TopologyData wider = figure_2(0.9);
    chart->set_data(wider);
    QCOMPARE(chart->current_node(), std::optional(node));
    QVERIFY(chart->readout()->lines[2].contains(style::format_percent(wider.values[node].probability)));
    chart->set_data(topology_data(*space::Knob::ordinal("step", numbers(30)), 2, 0.5));
    QVERIFY(!chart->readout());
  }

  void large_knobs_say_what_is_not_drawn() {
    const charts::TopologyData data =
        topology_data(*space::Knob::permutation("order", {"a", "b", "c", "d", "e", "f", "g"}), 0, 0.7);
    QVERIFY(data.values.size() <= analysis::max_graph_values);
    QCOMPARE(data.values.size() + data.graph.further, std::size_t{5040});
    const auto chart = shown_chart<charts::TopologyChart>(chart_size);
    chart->set_data(data);
    QVERIFY(chart->to_svg().contains(QStringLiteral("further: %1 values, %2")
                                         .arg(style::format_count(static_cast<qint64>(data.graph.further)),
                                              style::format_percent(data.further_probability))
                                         .toUtf8()));
    QCOMPARE(chart->table().rows.size(), data.values.size());
  }

  void bars_are_the_mass_at_each_distance() {
    const auto chart = shown_chart<charts::WalkDistanceChart>(chart_size);
    std::vector<analysis::DistanceMass> masses = {
        {0, 1, 0.5, 1, 0.5}, {1, 4, 0.3, 2, 0.1}, {2, 9, 0.2, 9, 0.2}, {analysis::no_distance, 3, 0, 3, 0}};
    chart->set_data(masses);
    check_topology_painting(*chart);
    QCOMPARE(chart->shown().size(), masses.size());
    for (std::size_t bar = 0; bar < masses.size(); ++bar) {
      const std::vector<double>& values = chart->shown()[bar]->values;
      QVERIFY(std::fabs(values[0] - 100 * masses[bar].members_probability) < 1e-9);
      QVERIFY(std::fabs(values[0] + values[1] - 100 * masses[bar].probability) < 1e-9);
    }
    QVERIFY(std::fabs(chart->part_rect(1, 1).width() / chart->part_rect(0, 0).width() - 0.4) < 1e-6);
    const auto readout = chart->readout_at(chart->part_rect(1, 1).center());
    QVERIFY(readout && readout->lines.contains(QStringLiteral("2 values")));
    QVERIFY(readout->lines.contains(QStringLiteral("10 % each, on average")));
  }

  void far_distances_share_a_bar() {
    const auto chart = shown_chart<charts::WalkDistanceChart>(chart_size);
    std::vector<analysis::DistanceMass> masses;
    for (std::uint32_t distance = 0; distance < 100; ++distance)
      masses.push_back({distance, 2, 0.01, 2, 0.01});
    chart->set_data(masses);
    QVERIFY(chart->shown().size() < 20);
    double all = 0;
    for (const charts::StackedBar* bar : chart->shown()) all += bar->values[0] + bar->values[1];
    QVERIFY(std::fabs(all - 100) < 1e-9);
    QVERIFY(chart->shown().back()->name.endsWith(QStringLiteral("and more")));
    // Nothing is lost in the file.
    QCOMPARE(chart->table().rows.size(), masses.size());
  }
};

KERNELSCAPE_TEST(TopologyChartTest, QApplication)

}  // namespace kernelscape::topology_chart_test
#include "topology_chart_test.moc"
