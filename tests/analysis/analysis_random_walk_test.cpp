#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/analysis/landscape/random_walk.h"
#include "core/space/topology.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/chi_squared.h"
#include "tests/space/walk_reference.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_random_walk_test {
using namespace kernelscape::testing;

namespace {

std::vector<space::KnobValue> numbers(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(3 * i);
  return values;
}

/** The four kinds, and what makes their graphs irregular. */
space::Knob knob_named(const QString& name) {
  if (name == "factorization of figure 2") return *space::Knob::factorization("tile", 8, 3);
  if (name == "factorization of three primes") return *space::Knob::factorization("tile", 60, 3);
  if (name == "bounded factorization") return *space::Knob::factorization("tile", 48, 3, 4);
  if (name == "restricted factorization")
    return *space::Knob::factorization("tile", 64, 3)->restricted({0, 3, 4, 9, 20, 27});
  if (name == "one factor") return *space::Knob::factorization("tile", 12, 1);
  if (name == "ordinal") return *space::Knob::ordinal("step", numbers(7));
  if (name == "ordinal of one") return *space::Knob::ordinal("step", numbers(1));
  if (name == "categorical") return *space::Knob::categorical("choice", numbers(6));
  if (name == "categorical of one") return *space::Knob::categorical("choice", numbers(1));
  if (name == "restricted permutation")
    return *space::Knob::permutation("order", {"a", "b", "c", "d"})->restricted({0, 1, 2, 5, 7, 16, 23});
  return *space::Knob::permutation("order", {"a", "b", "c", "d"});
}

void every_knob() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"factorization of figure 2", "factorization of three primes", "bounded factorization",
        "restricted factorization", "one factor", "ordinal", "ordinal of one", "categorical",
        "categorical of one", "permutation", "restricted permutation"})
    QTest::newRow(name) << QString(name);
}

constexpr int walks = 200'000;

std::vector<std::int64_t> counted_walks(const space::Knob& knob, std::uint32_t start, double q,
                                        base::Random& random) {
  std::vector<std::int64_t> counts(knob.count());
  for (int i = 0; i < walks; ++i) ++counts[space::q_random_walk(knob, start, q, random).index];
  return counts;
}

}  // namespace

/** The tuner's random walk, its exact distribution, and the paper's formula, each against the others. */
class AnalysisRandomWalkTest : public QObject {
  Q_OBJECT

 private slots:
  void tails_are_those_of_the_tables() {
    QVERIFY(std::fabs(chi_squared_tail(3.841458821, 1) - 0.05) < 1e-9);
    QVERIFY(std::fabs(chi_squared_tail(5.991464547, 2) - 0.05) < 1e-9);
    QVERIFY(std::fabs(chi_squared_tail(16.26623620, 3) - 0.001) < 1e-9);
    QVERIFY(std::fabs(chi_squared_tail(18.30703805, 10) - 0.05) < 1e-9);
    QVERIFY(std::fabs(chi_squared_tail(24.99579014, 15) - 0.05) < 1e-9);
    QCOMPARE(chi_squared_tail(0, 7), 1.0);
  }

  void neighbours_are_the_papers_data() { every_knob(); }
  void neighbours_are_the_papers() {
    QFETCH(QString, name);
    const space::Knob knob = knob_named(name);
    for (std::uint32_t u = 0; u < knob.count(); ++u) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t v = 0; v < knob.count(); ++v)
        if (adjacent(knob, u, v)) expected.push_back(v);
      QCOMPARE(knob.neighbours(u), expected);
    }
  }

  void distributions_are_the_papers_sum_data() { every_knob(); }
  void distributions_are_the_papers_sum() {
    QFETCH(QString, name);
    const space::Knob knob = knob_named(name);
    base::Random random(random_seed());
    const Matrix steps = knob_steps(knob);
    for (const double q : {0.0, 0.5, 0.7, 0.9 * random.uniform(), space::max_walk_rate}) {
      const auto start = static_cast<std::uint32_t>(random.below(knob.count()));
      const auto found = analysis::walk_distribution(knob, start, q);
      QVERIFY(found.has_value());
      const std::vector<double> expected = walk_sum(steps, start, q);
      for (std::size_t value = 0; value < expected.size(); ++value)
        QVERIFY2(std::fabs((*found)[value] - expected[value]) < 1e-10,
                 qPrintable(QString("q %1, value %2").arg(q).arg(value)));
    }
  }

  void walks_by_hand() {
    // (4, 1) - (2, 2) - (1, 4) is a line. Visits of a walk from its end: v0 = 1 + q/2 v1, v1 = q v0 + q v2,
    // v2 = q/2 v1; it stops at each with 1 - q of them. For q = 1/2: 7/12, 4/12, 1/12.
    const space::Knob tile = *space::Knob::factorization("tile", 4, 2);
    std::vector<double> expected(3);
    expected[*tile.find({4, 1})] = 7.0 / 12;
    expected[*tile.find({2, 2})] = 4.0 / 12;
    expected[*tile.find({1, 4})] = 1.0 / 12;
    const auto distribution = *analysis::walk_distribution(tile, *tile.find({4, 1}), 0.5);
    for (std::size_t value = 0; value < 3; ++value)
      QVERIFY(std::fabs(distribution[value] - expected[value]) < 1e-12);
    base::Random random(random_seed());
    QVERIFY(chi_squared_p(counted_walks(tile, *tile.find({4, 1}), 0.5, random), expected) > min_p);
    // Two values: it is where it began after an even number of steps, 1 / (1 + q).
    const space::Knob two = *space::Knob::categorical("choice", numbers(2));
    const std::vector<double> even_or_odd{1 / 1.8, 0.8 / 1.8};
    QVERIFY(chi_squared_p(counted_walks(two, 0, 0.8, random), even_or_odd) > min_p);
  }

  void walks_end_as_often_as_they_should_data() { every_knob(); }
  void walks_end_as_often_as_they_should() {
    QFETCH(QString, name);
    const space::Knob knob = knob_named(name);
    base::Random random(random_seed());
    for (const double q : {0.5, 0.8}) {
      const auto start = static_cast<std::uint32_t>(random.below(knob.count()));
      const std::vector<std::int64_t> counts = counted_walks(knob, start, q, random);
      QVERIFY(chi_squared_p(counts, *analysis::walk_distribution(knob, start, q)) > min_p);
      QVERIFY(chi_squared_p(counts, walk_sum(knob_steps(knob), start, q)) > min_p);
    }
  }

  void the_test_notices_another_rate_and_another_start() {
    const space::Knob tile = knob_named("factorization of figure 2");
    const std::uint32_t start = *tile.find({8, 1, 1});
    base::Random random(random_seed());
    const std::vector<std::int64_t> counts = counted_walks(tile, start, 0.5, random);
    QVERIFY(chi_squared_p(counts, *analysis::walk_distribution(tile, start, 0.48)) < min_p);
    QVERIFY(chi_squared_p(counts, *analysis::walk_distribution(tile, *tile.find({1, 8, 1}), 0.5)) < min_p);
  }

  void steps_are_counted() {
    // So many steps with probability (1 - q) q^t. Each swaps two items, so an odd number ends in an odd
    // permutation.
    const space::Knob order = knob_named("permutation");
    constexpr double q = 0.6;
    constexpr int longest = 60;  // or longer
    base::Random random(random_seed());
    std::vector<std::int64_t> counts(longest + 1);
    std::vector<double> expected(longest + 1, std::pow(q, longest));
    for (int t = 0; t < longest; ++t) expected[static_cast<std::size_t>(t)] = (1 - q) * std::pow(q, t);
    for (int i = 0; i < walks; ++i) {
      const space::WalkEnd end = space::q_random_walk(order, 0, q, random);
      ++counts[static_cast<std::size_t>(std::min<std::int64_t>(end.steps, longest))];
      std::int64_t inversions = 0;
      for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
          inversions += order.element(end.index, a) > order.element(end.index, b);
      QCOMPARE(end.steps % 2, inversions % 2);
    }
    QVERIFY(chi_squared_p(counts, expected) > min_p);
  }

  void without_neighbours_there_are_no_steps() {
    base::Random random(random_seed());
    for (const char* name : {"one factor", "ordinal of one", "categorical of one"}) {
      const space::Knob knob = knob_named(name);
      for (int i = 0; i < 1000; ++i) {
        const space::WalkEnd end = space::q_random_walk(knob, 0, space::max_walk_rate, random);
        QCOMPARE(end.index, 0U);
        QCOMPARE(end.steps, std::int64_t{0});
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisRandomWalkTest)

}  // namespace kernelscape::analysis_random_walk_test
#include "analysis_random_walk_test.moc"
