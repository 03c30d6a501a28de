#include <fmt/format.h>

#include <QTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/random.h"
#include "core/project/space.h"
#include "core/project/value_list.h"
#include "core/space/member_search.h"
#include "tests/test_program.h"

namespace kernelscape::project_space_test {

namespace {

project::Condition condition(const std::string& text) {
  return {text, project::PythonExpression::parse(text).value()};
}

project::Parameter whole(const std::string& name, std::vector<std::int64_t> values) {
  return {name, "int", {values.begin(), values.end()}};
}

/** What make_project_space() takes, from the text of a T1 file. */
struct SpaceText {
  std::vector<project::Parameter> parameters;
  std::vector<project::Condition> conditions;
};

std::optional<SpaceText> space_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const nlohmann::json space = nlohmann::json::parse(file)["ConfigurationSpace"];
  SpaceText text;
  for (const auto& parameter : space["TuningParameters"]) {
    text.parameters.push_back({parameter["Name"], parameter["Type"],
                               project::read_value_list(parameter["Values"].get<std::string>()).value()});
  }
  for (const auto& one : space["Conditions"]) text.conditions.push_back(condition(one["Expression"]));
  return text;
}

/** By trying every configuration with the expressions themselves. */
std::vector<space::Configuration> tried_members(const project::Space& made, const SpaceText& text,
                                                const std::vector<std::int64_t>& problem_size) {
  std::vector<space::Configuration> members;
  const auto& knobs = made.space.knobs();
  for (base::uint128 index = 0; index < made.space.size(); ++index) {
    const space::Configuration configuration = made.space.at(index);
    const project::PythonNames names = [&](std::string_view name) -> std::optional<project::PythonBinding> {
      if (name == "ProblemSize")
        return project::PythonBinding{{problem_size.begin(), problem_size.end()}, true};
      for (std::size_t knob = 0; knob < knobs.size(); ++knob)
        if (knobs[knob].name() == name)
          return project::PythonBinding{{knobs[knob].value(configuration.indices[knob])}};
      return std::nullopt;
    };
    const bool member = std::ranges::all_of(text.conditions, [&](const project::Condition& one) {
      return one.expression.evaluate_truth(names).value_or(false);
    });
    if (member) members.push_back(configuration);
  }
  return members;
}

/** A condition over a, b (whole), r (a real), t (a text) and f (a truth value), as users write them. */
std::string random_condition(base::Random& random) {
  static const std::vector<std::string> forms{
      "{0} % {1} == 0",
      "{0} * {1} <= {2}",
      "{0} / {1} == {3}",
      "{3} <= {0} * {1} <= {2}",
      "{0} // ({1} - {3}) > 1",
      "f or {0} > {3}",
      "not f or t == 'x'",
      "t in ['x', 'y'] or {0} == {1}",
      "r * {0} < {2}",
      "r < 1 or {0} / {1} < 2.5",
      "{0} ** 2 + {1} > {2}",
      "max({0}, {1}) <= 2 * min({0}, {1})",
      "abs({0} - {1}) in (0, 1, {3})",
      "ProblemSize[0] % {0} == 0",
      "int(r * {0}) % 2 == 0",
      "(t != 'z') == f",
      "{0} % {1} < {3} and not {0} == {1}",
      "t > 'x' and {0} >= {1} or f and {1}",
      "{0} & ({0} - 1) == 0",
      "{0} & 7 == {3} or {0} & {1} != 0",
      "({0} | {1}) ^ {3} < {2} and ~{0} < {1}",
      "{0} << {3} <= {1} << 2 and {0} >> 1 < {2}",
      "1 << {0} > {2}",
      "({0} if {0} > {3} else {1}) >= 2",
      "{0} % {1} == 0 if {1} != 0 else f",
      "({0} / {1} if {1} else r) < {2}",
      "{0} in {{1, 2, {3}}} or {0} is {1}",
      "{0} in range({3}, {2}, 3) or {0} * {1} not in range({2}, 0, -2)",
      "{0} * {1} in [2 ** i for i in range(5)]",
      "all([{0} > 0, {2} // {1} > 1]) or any(({0} == {3}, f))",
      "any({0} % d == 0 for d in ({1}, {3}))",
      "all(d * {0} != {1} for d in [{3}, 2] if d < {0})",
      "sum([{0}, {1}, f]) <= {2}",
      "sum(x * y for x in ({0}, {1}) for y in (1, {3})) % 3 == 0",
      "ceil({0} / {3}) * {1} <= {2} and round(r * {0}) != {3}",
      "math.log2({0}) == int(math.log2({0}))",
      "lambda p: p['a'] * p[\"b\"] <= {2}",
      "lambda a, b, t: a < b or t == 'x'",
      "f is True or {0} is not None",
      "divmod({0}, {1})[1] < {3} or pow({0}, 2) == [1, {2}, 4][f]"};
  const bool swap = random.below(2) == 1;
  return fmt::format(fmt::runtime(forms[random.below(forms.size())]), swap ? "b" : "a", swap ? "a" : "b",
                     1 + random.below(24), 1 + random.below(4));
}

SpaceText random_space(base::Random& random) {
  SpaceText text;
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  for (std::int64_t value = static_cast<std::int64_t>(random.below(3)) - 1; a.size() < 5;
       value += 1 + static_cast<std::int64_t>(random.below(3)))
    a.push_back(value);
  for (const std::int64_t value : {8, 1, 2, 16, 0})
    if (random.below(4) > 0 || b.empty()) b.push_back(value);
  text.parameters = {whole("a", a),
                     whole("b", b),
                     {"r", "float", {0.25, 0.5, 1.0, 2.5}},
                     {"t", "string", {std::string("x"), std::string("z"), std::string("y")}},
                     {"f", "bool", {false, true}}};
  const std::size_t conditions = 1 + random.below(3);
  for (std::size_t i = 0; i < conditions; ++i) text.conditions.push_back(condition(random_condition(random)));
  return text;
}

/** What the program counts; none where that takes too long. */
std::optional<base::uint128> known_count(const space::SearchSpace& space) {
  const space::MemberCount counted = space::counted_members(space);
  return counted.complete ? std::optional(counted.count) : std::nullopt;
}

bool says(const std::vector<std::string>& notices, std::string_view words) {
  return std::ranges::any_of(
      notices, [&](const std::string& notice) { return notice.find(words) != std::string::npos; });
}

std::filesystem::path shared_file(const char* name) {
  return std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "../shared/data/t1" / name;
}

}  // namespace

class ProjectSpaceTest final : public QObject {
  Q_OBJECT

 private slots:
  /** Members are what the conditions themselves say, computed one configuration at a time. */
  void members_are_where_all_conditions_hold() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int made_spaces = 0;
    int without_members = 0;
    for (int round = 0; round < 300; ++round) {
      const SpaceText text = random_space(random);
      std::string all;
      for (const project::Condition& one : text.conditions) all += one.text + "; ";
      const std::vector<std::int64_t> problem_size{48, 7};
      const Result<project::Space> made =
          project::make_project_space(text.parameters, text.conditions, problem_size);
      if (!made) {
        // Refused is only what has no member.
        const Result<project::Space> free = project::make_project_space(text.parameters, {}, problem_size);
        QVERIFY2(free && tried_members(*free, text, problem_size).empty(),
                 qPrintable(QString::fromStdString(all + made.error().message)));
        ++without_members;
        continue;
      }
      ++made_spaces;
      const std::vector<space::Configuration> members = tried_members(*made, text, problem_size);
      for (base::uint128 index = 0; index < made->space.size(); ++index) {
        const space::Configuration configuration = made->space.at(index);
        const bool member = std::ranges::find(members, configuration) != members.end();
        if (made->space.contains(configuration) != member)
          QFAIL(qPrintable(QString::fromStdString(all + made->space.describe(configuration))));
      }
      const auto searched = space::searched_members(made->space, members.size());
      QVERIFY2(searched && *searched == members, all.c_str());
      QVERIFY2(!space::searched_members(made->space, members.size() - 1), all.c_str());
      QVERIFY2(known_count(made->space) == base::uint128{members.size()}, all.c_str());
    }
    QVERIFY(made_spaces > 100 && without_members > 0);
  }

  void knobs_are_the_parameters() {
    const project::Space made =
        project::make_project_space({whole("TILE", {1, 2, 4}),
                                     whole("ORDER", {4, 1, 2}),
                                     {"MODE", "string", {std::string("fast"), std::string("exact")}},
                                     {"FAST", "bool", {true, false}}},
                                    {})
            .value();
    QVERIFY(made.space.knobs()[0].kind() == space::KnobKind::Ordinal);
    QVERIFY(made.space.knobs()[1].kind() == space::KnobKind::Categorical);
    QCOMPARE(made.space.knobs()[1].describe(0), std::string("4"));
    QCOMPARE(made.space.knobs()[2].describe(1), std::string("exact"));
    QCOMPARE(made.space.knobs()[3].describe(0), std::string("true"));
    QVERIFY(made.notices.empty());
  }

  void what_is_odd_is_said() {
    const project::Space made = project::make_project_space({whole("a", {1, 2, 2, 4}), whole("b", {0, 1, 2})},
                                                            {condition("a < 100"), condition("a % b == 0")})
                                    .value();
    QVERIFY(says(made.notices, "lists 2 more than once"));
    QVERIFY(says(made.notices, "\"a < 100\" is always true"));
    // A division by zero: such configurations are none, and it is said.
    QVERIFY(says(made.notices, "b = 0"));
    QCOMPARE(space::searched_members(made.space, 100)->size(), std::size_t{5});
  }

  void what_is_wrong_names_the_condition() {
    const auto refused = [](const std::string& text) {
      const auto made = project::make_project_space({whole("a", {1, 2}), whole("b", {0})}, {condition(text)});
      return made ? std::string() : describe(made.error());
    };
    QVERIFY(refused("a > 2").find("\"a > 2\" is never true") != std::string::npos);
    QVERIFY(refused("a % b == 0").find("can't be computed") != std::string::npos);
    QVERIFY(refused("block > 2").find("no parameter is named \"block\"") != std::string::npos);
    const auto both =
        project::make_project_space({whole("a", {1, 2, 3})}, {condition("a > 1"), condition("a < 2")});
    QVERIFY(!both && both.error().message.find("a < 2") != std::string::npos &&
            both.error().message.find("a > 1") != std::string::npos);
    QVERIFY(!project::make_project_space({{"u", "uint", {std::int64_t{-1}}}}, {}));
    QVERIFY(!project::make_project_space({{"u", "whole", {std::int64_t{1}}}}, {}));
    QVERIFY(!project::make_project_space({{"s", "string", {std::int64_t{1}}}}, {}));
    QVERIFY(!project::make_project_space({}, {}));
  }

  /** Ranges of single values do not show it: the solver proves it. */
  void a_chain_of_conditions_without_an_end_is_refused() {
    std::vector<std::int64_t> values;
    for (std::int64_t value = 1; value <= 200; ++value) values.push_back(value);
    std::vector<project::Parameter> parameters;
    std::vector<project::Condition> conditions;
    for (int i = 0; i < 12; ++i) parameters.push_back(whole("p" + std::to_string(i), values));
    for (int i = 0; i < 11; ++i) conditions.push_back(condition(fmt::format("p{} < p{}", i, i + 1)));
    QVERIFY(project::make_project_space(parameters, conditions));
    conditions.push_back(condition("p9 < p7"));
    const auto made = project::make_project_space(parameters, conditions);
    QVERIFY(!made);
    const std::string& message = made.error().message;
    for (const char* part : {"\"p7 < p8\"", "\"p8 < p9\"", "\"p9 < p7\""})
      QVERIFY2(message.contains(part), message.c_str());
    QVERIFY2(!message.contains("p1 < p2"), message.c_str());
  }

  /** What is the same for all configurations is computed once for all of them. */
  void a_long_list_is_looked_through_once() {
    std::vector<std::int64_t> values;
    for (std::int64_t value = 1; value <= 64; ++value) values.push_back(value);
    const auto made =
        project::make_project_space({whole("a", values), whole("b", values)},
                                    {condition("a * 0.1 + b * 0.1 <= max(range(7000)) / 1000")});
    QVERIFY2(made, made ? "" : describe(made.error()).c_str());
    std::size_t members = 0;
    for (const std::int64_t a : values)
      for (const std::int64_t b : values)
        if (static_cast<double>(a) * 0.1 + static_cast<double>(b) * 0.1 <= 6.999) ++members;
    QCOMPARE(space::searched_members(made->space, 4096)->size(), members);
  }

  /** Each part of a condition is bounded, and so are all of them together. */
  void conditions_have_a_budget_together() {
    std::string text = "a == 1";
    for (int part = 0; part < 10; ++part) text += " or any(i < 0 for i in range(500000))";
    const std::vector<project::Parameter> parameters{whole("a", {1, 2})};
    QVERIFY(project::make_project_space(parameters, {condition(text)}));
    const auto made =
        project::make_project_space(parameters, {condition(text), condition("a < 3 and (" + text + ")")});
    QVERIFY(!made);
    QVERIFY2(made.error().message.contains("steps together"), made.error().message.c_str());
  }

  /** As the recording of the whole space has it. */
  void the_public_convolution_has_its_members() {
    const auto text = space_of_file(shared_file("convolution.json"));
    if (!text) QSKIP("shared/data/t1 is not here");
    const project::Space made = project::make_project_space(text->parameters, text->conditions).value();
    QVERIFY(known_count(made.space) == base::uint128{4362});
    QCOMPARE(space::searched_members(made.space, 5000)->size(), std::size_t{4362});
  }

  void the_public_multiplication_has_its_members() {
    const auto text = space_of_file(shared_file("gemm.json"));
    if (!text) QSKIP("shared/data/t1 is not here");
    const project::Space made = project::make_project_space(text->parameters, text->conditions).value();
    QVERIFY(made.space.size() == base::uint128{663'552});
    QVERIFY(known_count(made.space) == base::uint128{116'928});
  }

  /** A product of 20 million with eight conditions: exact, and every listed configuration is a member. */
  void large_products_are_counted_and_listed() {
    const SpaceText text =
        space_of_file(KERNELSCAPE_SOURCE_DIR "/tests/project/spaces/twenty-million.json").value();
    QCOMPARE(text.conditions.size(), std::size_t{8});
    const project::Space made = project::make_project_space(text.parameters, text.conditions).value();
    QVERIFY(made.space.size() > base::uint128{20'000'000});
    const auto count = known_count(made.space);
    const auto members = space::searched_members(made.space, 500'000);
    QVERIFY(count && members);
    QVERIFY(*count == base::uint128{members->size()});
    QVERIFY(std::ranges::all_of(*members,
                                [&](const space::Configuration& one) { return made.space.contains(one); }));
    // Uniform draws from the product are members as often as the count says.
    base::Random random(7);
    std::int64_t hits = 0;
    constexpr std::int64_t draws = 200'000;
    for (std::int64_t i = 0; i < draws; ++i) {
      space::Configuration drawn;
      for (const space::Knob& knob : made.space.knobs())
        drawn.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
      hits += made.space.contains(drawn) ? 1 : 0;
    }
    const double share = static_cast<double>(members->size()) / static_cast<double>(made.space.size());
    const double expected = share * draws;
    QVERIFY2(std::abs(static_cast<double>(hits) - expected) < 6 * std::sqrt(expected) + 6,
             qPrintable(QString("%1 of %2 expected").arg(hits).arg(expected)));
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectSpaceTest)

}  // namespace kernelscape::project_space_test
#include "project_space_test.moc"
