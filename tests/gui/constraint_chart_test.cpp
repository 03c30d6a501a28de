#include "ui/charts/landscape/constraint_chart.h"

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/gui/chart_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"
#include "ui/charts/landscape/constraint_text.h"

namespace kernelscape::constraint_chart_test {
namespace {

using namespace chart_tests;

constexpr QSize chart_size(760, 560);

/** As large as the largest templates': tiles of eight knobs, products, sums of products, bounds. */
space::ConstraintSystem large_system(base::Random& random, std::size_t knobs, std::size_t derived,
                                     std::size_t checks) {
  space::ConstraintSystem system;
  std::vector<space::VariableId> known;
  for (std::uint32_t knob = 0; knob < knobs; ++knob)
    for (int position = 0; position < 3; ++position)
      known.push_back(system.add_element("tile_" + std::to_string(knob) + "." + std::to_string(position),
                                         knob, position));
  const space::VariableId bound = system.add_constant("1024", 1024);
  for (std::size_t i = 0; i < derived; ++i) {
    std::vector<space::VariableId> parts;
    for (int part = 0; part < 3; ++part) parts.push_back(known[random.below(known.size())]);
    const space::VariableId result = system.add_derived("derived_value_" + std::to_string(i));
    if (i % 2 == 0) {
      system.add({space::ProdConstraint{result, parts}, ""});
    } else {
      system.add({space::SumConstraint{result, parts}, ""});
    }
    known.push_back(result);
  }
  for (std::size_t i = 0; i < checks; ++i)
    system.add({space::LeConstraint{known[random.below(known.size())], bound}, "a limit"});
  return system;
}

std::vector<space::Knob> tiles(std::size_t count) {
  std::vector<space::Knob> knobs;
  for (std::size_t i = 0; i < count; ++i)
    knobs.push_back(*space::Knob::factorization("tile_" + std::to_string(i), 4096, 3));
  return knobs;
}

std::vector<double> random_widths(base::Random& random, std::size_t count) {
  std::vector<double> widths;
  for (std::size_t i = 0; i < count; ++i) widths.push_back(20 + static_cast<double>(random.below(200)));
  return widths;
}

double distance_to(const QRectF& box, QPointF point) {
  return std::hypot(std::max({box.left() - point.x(), 0.0, point.x() - box.right()}),
                    std::max({box.top() - point.y(), 0.0, point.y() - box.bottom()}));
}

/** Discs among each other, discs and boxes, boxes among each other. */
void check_apart(const analysis::ConstraintNet& net, const charts::ConstraintLayout& layout) {
  QCOMPARE(layout.boxes.size(), net.nodes.size());
  for (std::size_t a = 0; a < net.nodes.size(); ++a) {
    for (std::size_t b = a + 1; b < net.nodes.size(); ++b) {
      const QPointF centre = layout.boxes[a].center();
      if (b < net.rim) {
        const QPointF between = centre - layout.boxes[b].center();
        QVERIFY(std::hypot(between.x(), between.y()) > 2 * layout.radius);
      } else if (a < net.rim) {
        QVERIFY(distance_to(layout.boxes[b], centre) > layout.radius);
      } else {
        QVERIFY(!layout.boxes[a].intersects(layout.boxes[b]));
      }
    }
    if (a >= net.rim) QVERIFY(layout.ellipse.contains(layout.boxes[a]));
  }
}

space::Configuration random_configuration(base::Random& random, const std::vector<space::Knob>& knobs) {
  space::Configuration configuration;
  for (const space::Knob& knob : knobs)
    configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  return configuration;
}

charts::ConstraintData data_of(base::Random& random, const space::SearchSpace& space,
                               const space::ConstraintSystem& limits) {
  auto scene = std::make_shared<const charts::ConstraintScene>(charts::make_constraint_scene(space, limits));
  charts::ConstraintData data{scene, {}};
  data.trial = charts::make_constraint_trial(*scene, space, random_configuration(random, space.knobs()),
                                             QStringLiteral("trial 12"));
  return data;
}

charts::ConstraintData random_data(base::Random& random) {
  const testing::RandomSystem drawn = testing::random_system(random);
  return data_of(random, *space::SearchSpace::make(drawn.knobs, drawn.system), {});
}

charts::ConstraintData large_data(base::Random& random) {
  return data_of(random, *space::SearchSpace::make(tiles(8)), large_system(random, 8, 30, 16));
}

QString spoken(const QStringList& lines) { return lines.join(QLatin1Char(' ')).simplified(); }

}  // namespace

class ConstraintChartTest : public QObject {
  Q_OBJECT

 private slots:
  void nothing_overlaps_and_nothing_is_random() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 60; ++round) {
      const bool large = round % 4 == 0;
      const testing::RandomSystem drawn = testing::random_system(random);
      const analysis::ConstraintNet net =
          large
              ? analysis::make_constraint_net(9, large_system(random, 9, random.below(60), random.below(40)))
              : analysis::make_constraint_net(drawn.knobs.size(), drawn.system);
      const auto length = [&](double least, std::uint64_t more) {
        return least + static_cast<double>(random.below(more));
      };
      const QRectF ellipse(length(0, 50), length(0, 50), length(400, 1000), length(300, 700));
      const std::vector<double> widths = random_widths(random, net.nodes.size());
      const charts::ConstraintLayout layout = charts::place_constraints(net, widths, 14, ellipse);
      check_apart(net, layout);
      QVERIFY(charts::place_constraints(net, widths, 14, ellipse).boxes == layout.boxes);
    }
  }

  void a_usual_window_has_room_for_the_names_of_the_largest_space() {
    base::Random random(testing::random_seed());
    const analysis::ConstraintNet net = analysis::make_constraint_net(8, large_system(random, 8, 30, 27));
    const std::vector<double> widths(net.nodes.size(), 120);
    const charts::ConstraintLayout layout =
        charts::place_constraints(net, widths, 14, QRectF(80, 40, 800, 560));
    QVERIFY(layout.labelled);
    check_apart(net, layout);
  }

  void without_room_there_is_no_layout() {
    base::Random random(testing::random_seed());
    const analysis::ConstraintNet net = analysis::make_constraint_net(8, large_system(random, 8, 30, 27));
    const std::vector<double> widths(net.nodes.size(), 100);
    QVERIFY(charts::place_constraints(net, widths, 14, QRectF(0, 0, 30, 20)).boxes.empty());
    QVERIFY(charts::place_constraints(net, widths, 14, QRectF(0, 0, -5, 20)).boxes.empty());
    const analysis::ConstraintNet many =
        analysis::make_constraint_net(8, large_system(random, 8, charts::max_constraint_nodes, 1));
    QVERIFY(charts::place_constraints(many, std::vector<double>(many.nodes.size(), 60), 14,
                                      QRectF(0, 0, 900, 900))
                .boxes.empty());
  }

  void it_is_painted_in_both_themes_and_all_sizes() {
    base::Random random(testing::random_seed());
    for (const QSize size : {chart_size, QSize(280, 180), QSize(1600, 1000)}) {
      const auto chart = shown_chart<charts::ConstraintChart>(size);
      for (const charts::ConstraintData& data : {random_data(random), large_data(random)}) {
        for (const style::Colours* theme : {&style::light_colours(), &style::dark_colours()}) {
          const style::ColoursScope scope(*theme);
          chart->set_data(data);
          chart->choose(data.scene->net.nodes.size() - 1);
          check_painting(*chart);
          QVERIFY(chart->explanation().contains(QStringLiteral("Heron")));
          QCOMPARE(chart->table().rows.size(), data.scene->items.size());
          charts::ConstraintData without = data;
          without.trial.reset();
          chart->set_data(without);
          check_painting(*chart);
        }
      }
    }
  }

  void the_words_are_those_of_the_constraints() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::ConstraintChart>(QSize(1800, 900));
    int violations = 0;
    for (int round = 0; round < 100; ++round) {
      const charts::ConstraintData data = random_data(random);
      const space::ConstraintSystem& system = data.scene->system;
      chart->set_data(data);
      QCOMPARE(charts::violation_text(data).size(), std::ssize(data.trial->evaluation.violated));
      for (std::size_t i = 0; i < system.constraints().size(); ++i) {
        const std::size_t node = data.scene->net.of_constraint[i];
        const QStringList lines = charts::node_text(data, node);
        const bool violated = std::ranges::count(data.trial->evaluation.violated, i) > 0;
        QCOMPARE(charts::is_violated(data, node), violated);
        QVERIFY(lines.contains(QString::fromStdString(system.describe(i))));
        const QString explained = QString::fromStdString(system.explain(i, data.trial->evaluation));
        QCOMPARE(lines.contains(explained), violated);
        const auto readout = chart->readout_at(chart->box_of(node).center());
        QVERIFY(readout && readout->row == static_cast<std::int64_t>(node));
        const bool whole = !readout->lines.contains(QStringLiteral("…"));
        if (whole) QCOMPARE(spoken(readout->lines), spoken(lines));
        if (!violated) continue;
        ++violations;
        QVERIFY(chart->summary().contains(explained));
      }
      for (space::VariableId id = 0; id < system.variables().size(); ++id) {
        if (system.variables()[id].constant) continue;
        QCOMPARE(charts::node_text(data, data.scene->net.of_variable[id]).front(),
                 QStringLiteral("%1 = %2")
                     .arg(QString::fromStdString(system.variables()[id].name))
                     .arg(data.trial->evaluation.values[id]));
      }
    }
    QVERIFY(violations > 0);
  }

  void the_keyboard_reaches_every_variable_and_constraint() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::ConstraintChart>(chart_size);
    for (const charts::ConstraintData& data : {large_data(random), random_data(random)}) {
      chart->set_data(data);
      std::set<std::size_t> reached;
      QTest::keyClick(chart.get(), Qt::Key_Escape);
      for (std::size_t step = 0; step < data.scene->net.nodes.size(); ++step) {
        QTest::keyClick(chart.get(), Qt::Key_Right);
        reached.insert(chart->current_node().value());
      }
      for (const charts::ConstraintItem& item : data.scene->items) QVERIFY(reached.contains(item.node));
      std::set<std::size_t> rules{chart->current_node().value()};
      for (std::size_t step = 0; step < data.scene->roles.size(); ++step) {
        QTest::keyClick(chart.get(), Qt::Key_Up);
        rules.insert(chart->current_node().value());
      }
      for (const std::size_t node : data.scene->net.of_constraint) QVERIFY(rules.contains(node));
      QSignalSpy activated(chart.get(), &charts::ConstraintChart::node_activated);
      QTest::keyClick(chart.get(), Qt::Key_Return);
      QCOMPARE(activated.size(), 1);
      QVERIFY(chart->chosen() == chart->current_node());
      QTest::keyClick(chart.get(), Qt::Key_Home);
      QVERIFY(!chart->chosen());
    }
  }

  void another_trial_moves_nothing() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::ConstraintChart>(chart_size);
    const space::SearchSpace space = *space::SearchSpace::make(tiles(8));
    charts::ConstraintData data = data_of(random, space, large_system(random, 8, 20, 10));
    chart->set_data(data);
    chart->choose(5);
    std::vector<QRectF> boxes;
    for (std::size_t node = 0; node < data.scene->net.nodes.size(); ++node)
      boxes.push_back(chart->box_of(node));
    data.trial = charts::make_constraint_trial(
        *data.scene, space, random_configuration(random, space.knobs()), QStringLiteral("trial 99"));
    chart->set_data(data);
    QVERIFY(chart->chosen() == std::size_t{5});
    for (std::size_t node = 0; node < boxes.size(); ++node) QCOMPARE(chart->box_of(node), boxes[node]);
    chart->set_data(random_data(random));
    QVERIFY(!chart->chosen());
  }

  void limits_are_derived_from_membership() {
    const std::vector<space::Knob> knobs = tiles(2);
    space::ConstraintSystem own;
    own.add({space::InConstraint{own.add_element("tile_0.0", 0, 0), {1, 2, 4}}, "the space's"});
    space::ConstraintSystem limits;
    const space::VariableId threads = limits.add_derived("threads");
    limits.add({space::ProdConstraint{
                    threads, {limits.add_element("tile_0.0", 0, 0), limits.add_element("tile_1.0", 1, 0)}},
                ""});
    limits.add({space::LeConstraint{threads, limits.add_constant("8", 8)}, "threads per block"});
    const space::SearchSpace space = *space::SearchSpace::make(knobs, own);
    const charts::ConstraintScene apart = charts::make_constraint_scene(space, limits);
    QVERIFY((apart.roles == std::vector{charts::ConstraintRole::Membership, charts::ConstraintRole::Limit,
                                        charts::ConstraintRole::Limit}));
    QVERIFY(!charts::is_limit_node(apart, apart.net.of_constraint[0]));
    QVERIFY(charts::is_limit_node(apart, apart.net.of_constraint[2]));
    const charts::ConstraintScene kept = charts::make_constraint_scene(*space.restricted_by(limits), limits);
    QCOMPARE(kept.roles.size(), std::size_t{3});
    QCOMPARE(kept.count(charts::ConstraintRole::Limit), std::size_t{0});
    QCOMPARE(kept.count(charts::ConstraintRole::KeptLimit), std::size_t{2});

    // A member beyond a limit, and no member within it.
    const auto trial_of = [&](std::int64_t first, std::int64_t second) {
      const space::Configuration configuration{
          {*knobs[0].find({first, 4096 / first, 1}), *knobs[1].find({second, 4096 / second, 1})}};
      charts::ConstraintData data{std::make_shared<const charts::ConstraintScene>(apart), {}};
      data.trial = charts::make_constraint_trial(apart, space, configuration, QStringLiteral("trial 3"));
      return data;
    };
    QCOMPARE(charts::trial_text(trial_of(4, 16)), QStringLiteral("trial 3 exceeds a device limit"));
    QCOMPARE(charts::trial_text(trial_of(8, 1)),
             QStringLiteral("trial 3 violates a constraint and is not in the space"));
    QCOMPARE(charts::trial_text(trial_of(4, 2)),
             QStringLiteral("trial 3 violates no constraint and no limit"));
    QCOMPARE(charts::violation_text(trial_of(4, 16)),
             QStringList(QStringLiteral("threads per block: threads = 64 is not <= 8")));
  }

  void what_is_violated_is_marked() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::ConstraintChart>(QSize(1100, 800));
    charts::ConstraintData data = large_data(random);
    const space::SearchSpace space = *space::SearchSpace::make(tiles(8));
    space::Configuration configuration;
    for (const space::Knob& knob : space.knobs()) configuration.indices.push_back(*knob.find({4096, 1, 1}));
    data.trial = charts::make_constraint_trial(*data.scene, space, configuration, QStringLiteral("trial 1"));
    chart->set_data(data);
    const QImage image = chart->to_image(1);
    for (std::size_t node = data.scene->net.rim; node < data.scene->net.nodes.size(); ++node) {
      const QRectF box = chart->box_of(node);
      // The border of a limit has gaps.
      bool marked = false;
      for (double x = box.left() + 6; x < box.right() - 6; ++x)
        marked = marked || has_colour_near(image, {x, box.top()}, style::colours().warning);
      QCOMPARE(marked, charts::is_violated(data, node));
    }
    const QStringList words = charts::violation_text(data);
    if (!words.isEmpty()) QVERIFY(chart->to_svg().contains("! "));
  }
};

KERNELSCAPE_TEST(ConstraintChartTest, QApplication)

}  // namespace kernelscape::constraint_chart_test
#include "constraint_chart_test.moc"
