#include <QTest>
#include <cmath>
#include <optional>
#include <set>

#include "core/space/grid_coordinates.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::space_grid_coordinates_test {

namespace {

/** What a column should be of: a knob, and which of its factors or items. */
struct Part {
  std::size_t knob = 0;
  int element = -1;
  std::string name;
};

std::vector<Part> parts_of(const space::SearchSpace& space) {
  std::vector<Part> parts;
  for (std::size_t number = 0; number < space.knobs().size(); ++number) {
    const space::Knob& knob = space.knobs()[number];
    const bool factors = knob.kind() == space::KnobKind::Factorization;
    if (!factors && knob.kind() != space::KnobKind::Permutation) {
      parts.push_back({number, -1, knob.name()});
      continue;
    }
    for (int element = 0; element < knob.element_count(); ++element) {
      const std::string which =
          factors ? std::to_string(element) : knob.items()[static_cast<std::size_t>(element)];
      parts.push_back({number, element, knob.name() + "[" + which + "]"});
    }
  }
  return parts;
}

/** As charts show it; none: a text. */
std::optional<double> number_at(const space::SearchSpace& space, const Part& part,
                                const space::Configuration& configuration) {
  const space::Knob& knob = space.knobs()[part.knob];
  const std::uint32_t index = configuration.indices[part.knob];
  if (knob.kind() == space::KnobKind::Factorization)
    return static_cast<double>(knob.element(index, part.element));
  if (knob.kind() == space::KnobKind::Permutation) {
    for (int position = 0; position < knob.element_count(); ++position)
      if (knob.element(index, position) == part.element) return position;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&knob.value(index)))
    return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&knob.value(index))) return *real;
  if (const auto* truth = std::get_if<bool>(&knob.value(index))) return *truth ? 1 : 0;
  return std::nullopt;
}

std::vector<double> expected_positions(const std::set<double>& values) {
  std::vector<double> positions;
  for (const double value : values) {
    const double least = *values.begin();
    const double range = std::log2(*values.rbegin()) - std::log2(least);
    positions.push_back(least > 0
                            ? (std::log2(value) - std::log2(least)) / range
                            : static_cast<double>(positions.size()) / static_cast<double>(values.size() - 1));
  }
  return positions;
}

/** How a column differs from what its part should give. Empty: not. */
QString difference(const space::GridCoordinates& coordinates, std::size_t column,
                   const space::SearchSpace& space, const Part& part,
                   const std::vector<space::Configuration>& members) {
  const base::GridColumn& grid = coordinates.columns()[column];
  std::set<double> values;
  std::set<std::uint32_t> levels;
  for (const space::Configuration& member : members) {
    const std::optional<double> number = number_at(space, part, member);
    if (grid.ordered != number.has_value()) return "order";
    values.insert(number.value_or(member.indices[part.knob]));
    levels.insert(coordinates.of(member)[column]);
  }
  if (grid.positions.size() != values.size() || levels.size() != values.size()) return "number of levels";
  for (const space::Configuration& member : members) {
    const std::uint32_t level = coordinates.of(member)[column];
    if (level >= values.size()) return "level";
    const std::optional<double> number = number_at(space, part, member);
    if (number && std::distance(values.begin(), values.find(*number)) != level) return "order of levels";
  }
  if (!grid.ordered) return {};
  const std::vector<double> positions = expected_positions(values);
  for (std::size_t level = 0; level < positions.size(); ++level)
    if (std::abs(grid.positions[level] - positions[level]) > 1e-12) return "positions";
  return {};
}

QString difference(const space::SearchSpace& space, const std::vector<space::Configuration>* members,
                   const std::vector<space::Configuration>& asked) {
  const space::GridCoordinates coordinates(space, members);
  if (coordinates.columns().size() != coordinates.names().size()) return "names and columns";
  std::size_t column = 0;
  for (const Part& part : parts_of(space)) {
    std::set<std::pair<std::optional<double>, std::uint32_t>> values;
    for (const space::Configuration& member : asked) {
      const std::optional<double> number = number_at(space, part, member);
      values.insert({number, number ? 0 : member.indices[part.knob]});
    }
    if (values.size() < 2) continue;
    const QString name = QString::fromStdString(part.name);
    if (column == coordinates.columns().size()) return "no column for " + name;
    if (coordinates.names()[column] != part.name) return "name of " + name;
    const QString found = difference(coordinates, column, space, part, asked);
    if (!found.isEmpty()) return found + " of " + name;
    ++column;
  }
  return column == coordinates.columns().size() ? QString() : QString("a column too many");
}

space::Knob random_knob(base::Random& random, const std::string& name) {
  const std::vector<std::int64_t> products{1, 7, 12, 16, 30};
  switch (random.below(6)) {
    case 0:
      return *space::Knob::factorization(name, products[random.below(5)],
                                         static_cast<int>(1 + random.below(3)));
    case 1:
      return *space::Knob::permutation(name, {"oc", "oh", "ic"});
    case 2:
      return *space::Knob::categorical(name,
                                       {space::KnobValue("a"), space::KnobValue("b"), space::KnobValue("c")});
    case 3:
      return *space::Knob::categorical(name, {space::KnobValue(true), space::KnobValue(false)});
    case 4:
      return *space::Knob::categorical(name, {space::KnobValue(std::int64_t{64}), space::KnobValue(0.5),
                                              space::KnobValue(std::int64_t{8})});
    default: {
      std::vector<space::KnobValue> values;
      std::int64_t value = static_cast<std::int64_t>(random.below(4)) - 1;
      for (std::uint64_t i = 0; i <= random.below(5); ++i) {
        values.emplace_back(value);
        value += static_cast<std::int64_t>(1 + random.below(9));
      }
      return *space::Knob::ordinal(name, std::move(values));
    }
  }
}

std::vector<space::Configuration> all_members(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for (base::uint128 index = 0; index < space.size(); ++index) members.push_back(space.at(index));
  return members;
}

space::SearchSpace one_knob(space::Knob knob) { return *space::SearchSpace::make({std::move(knob)}); }

}  // namespace

/** Knobs become columns as tables show them. */
class SpaceGridCoordinatesTest : public QObject {
  Q_OBJECT

 private slots:
  void by_hand() {
    const space::SearchSpace space = *space::SearchSpace::make({
        *space::Knob::factorization("tile_oc", 8, 2),
        *space::Knob::permutation("order", {"oh", "ic"}),
        *space::Knob::ordinal("unroll", {space::KnobValue(std::int64_t{0}),
                                         space::KnobValue(std::int64_t{16}), space::KnobValue(512.5)}),
        *space::Knob::categorical("threads",
                                  {space::KnobValue(std::int64_t{256}), space::KnobValue(std::int64_t{32})}),
        *space::Knob::categorical(
            "layout", {space::KnobValue("NHWC"), space::KnobValue("NCHW"), space::KnobValue("NCHWc")}),
        *space::Knob::categorical("vectorize", {space::KnobValue(true), space::KnobValue(false)}),
        *space::Knob::ordinal("constant", {space::KnobValue(std::int64_t{3})}),
        *space::Knob::factorization("tile_kw", 3, 1),
    });
    const space::GridCoordinates coordinates(space, nullptr);
    const std::vector<std::string> names{"tile_oc[0]", "tile_oc[1]", "order[oh]", "order[ic]",
                                         "unroll",     "threads",    "layout",    "vectorize"};
    QCOMPARE(coordinates.names(), names);
    const auto& columns = coordinates.columns();
    const std::vector<double> thirds{0, 1.0 / 3, 2.0 / 3, 1};
    for (std::size_t level = 0; level < 4; ++level)
      QVERIFY(std::abs(columns[1].positions[level] - thirds[level]) < 1e-12);
    QCOMPARE(columns[4].positions, (std::vector<double>{0, 0.5, 1}));  // 0 has no logarithm
    for (std::size_t column = 0; column < 8; ++column) QCOMPARE(columns[column].ordered, column != 6);
    const space::Configuration configuration =
        *space.configuration_from_json(R"({"tile_oc": [4, 2], "order": ["ic", "oh"], "unroll": 16,
            "threads": 256, "layout": "NCHW", "vectorize": true, "constant": 3, "tile_kw": [3]})");
    base::GridPoint point = coordinates.of(configuration);
    QCOMPARE(point.size(), std::size_t{8});
    point.erase(point.begin() + 6);  // texts have levels in any order
    QCOMPARE(point, (base::GridPoint{2, 1, 1, 0, 1, 1, 1}));
  }

  void columns_of_random_spaces() {
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 300; ++repeat) {
      std::vector<space::Knob> drawn;
      for (std::uint64_t i = 0; i <= random.below(5); ++i)
        drawn.push_back(random_knob(random, "knob" + std::to_string(i)));
      const space::SearchSpace space = *space::SearchSpace::make(drawn);
      const std::vector<space::Configuration> all = all_members(space);
      QString found = difference(space, nullptr, all);
      QVERIFY2(found.isEmpty(), qPrintable(found));
      std::vector<space::Configuration> members;
      for (std::uint64_t i = 0; i <= random.below(6); ++i) members.push_back(all[random.below(all.size())]);
      found = difference(space, &members, members);
      QVERIFY2(found.isEmpty(), qPrintable("of members: " + found));
    }
  }

  void members_tell_the_levels() {
    const space::SearchSpace space = one_knob(
        *space::Knob::ordinal("x", {space::KnobValue(std::int64_t{0}), space::KnobValue(std::int64_t{2}),
                                    space::KnobValue(std::int64_t{4}), space::KnobValue(std::int64_t{32}),
                                    space::KnobValue(std::int64_t{64})}));
    // Without the 0 a log axis suits them.
    const std::vector<space::Configuration> members{{{3}}, {{1}}, {{2}}, {{1}}};
    const space::GridCoordinates coordinates(space, &members);
    QCOMPARE(coordinates.columns()[0].positions, (std::vector<double>{0, 0.25, 1}));
    QCOMPARE(coordinates.of({{3}}), (base::GridPoint{2}));
    const std::vector<space::Configuration> same{{{3}}, {{3}}};
    QVERIFY(space::GridCoordinates(space, &same).columns().empty());
    QVERIFY(space::GridCoordinates(space, &same).of({{3}}).empty());
    const std::vector<space::Configuration> none;
    QVERIFY(space::GridCoordinates(space, &none).columns().empty());
  }

  void odd_values_have_finite_positions_data() {
    QTest::addColumn<std::vector<space::KnobValue>>("values");
    const auto add = [](const char* name, std::vector<space::KnobValue> values) {
      QTest::newRow(name) << std::move(values);
    };
    add("further apart than a double reaches",
        {space::KnobValue(1e-300), space::KnobValue(1.0), space::KnobValue(1e300)});
    add("negative", {space::KnobValue(-1e300), space::KnobValue(-1.0), space::KnobValue(1e300)});
    add("nearly equal", {space::KnobValue(1.0), space::KnobValue(std::nextafter(1.0, 2.0))});
    add("integers that are one double",
        {space::KnobValue(std::int64_t{1} << 60), space::KnobValue((std::int64_t{1} << 60) + 1)});
    add("a number twice", {space::KnobValue(true), space::KnobValue(std::int64_t{1}), space::KnobValue(1.0)});
    add("numbers and texts",
        {space::KnobValue(std::int64_t{8}), space::KnobValue("auto"), space::KnobValue(std::int64_t{2})});
  }

  void odd_values_have_finite_positions() {
    QFETCH(std::vector<space::KnobValue>, values);
    const auto knob = space::Knob::categorical("x", values);
    QVERIFY(knob);
    const space::GridCoordinates coordinates(one_knob(*knob), nullptr);
    for (std::uint32_t index = 0; index < knob->count(); ++index) {
      const base::GridPoint point = coordinates.of({{index}});
      QCOMPARE(point.size(), coordinates.columns().size());
      for (std::size_t column = 0; column < point.size(); ++column) {
        const std::vector<double>& positions = coordinates.columns()[column].positions;
        QVERIFY(point[column] < positions.size());
        QVERIFY(positions[point[column]] >= 0 && positions[point[column]] <= 1);
      }
    }
    for (const base::GridColumn& column : coordinates.columns())
      QVERIFY(std::ranges::is_sorted(column.positions) || !column.ordered);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceGridCoordinatesTest)

}  // namespace kernelscape::space_grid_coordinates_test
#include "space_grid_coordinates_test.moc"
