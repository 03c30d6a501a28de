#include <fmt/format.h>

#include <QTest>
#include <cstring>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_nest.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_passes_test {
using kernelscape::testing::interpret;
using kernelscape::testing::random_seed;
using kernelscape::testing::RandomNest;

namespace {

/** Bits, so that NaN where nothing was written equals itself. */
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool has_kind(const loop_nest::StatementPtr& statement, loop_nest::LoopKind kind) {
  const auto* loop = std::get_if<loop_nest::Loop>(&statement->node);
  bool found = loop != nullptr && loop->kind == kind;
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    found = found || has_kind(part, kind);
    return part;
  });
  return found;
}

loop_nest::StatementPtr unrolled_tower(loop_nest::LoopNest& nest, int depth, std::int64_t extent,
                                       loop_nest::StatementPtr body) {
  for (int i = 0; i < depth; ++i) {
    nest.variables.push_back(fmt::format("v{}", i));
    nest.ranges.push_back({0, extent - 1});
    body = loop_nest::make_statement(loop_nest::Loop{i, 0, extent, loop_nest::LoopKind::Unrolled, 1, body});
  }
  return body;
}

loop_nest::LoopNest exploding_nest(int depth, std::int64_t extent) {
  loop_nest::LoopNest nest;
  loop_nest::Buffer output;
  output.name = "output";
  output.written = true;
  output.layout = loop_nest::row_major("plain", {1});
  nest.buffers.push_back(output);
  nest.body = unrolled_tower(
      nest, depth, extent,
      loop_nest::make_statement(loop_nest::Compute{loop_nest::Operation::SetZero, {0, 0, 0}, {}, 1, {}}));
  return nest;
}

}  // namespace

class LoopNestPassesTest : public QObject {
  Q_OBJECT

 private slots:
  void every_pass_keeps_what_random_nests_compute() {
    base::Random random(random_seed());
    for (int i = 0; i < 150; ++i) {
      RandomNest made(random);
      const auto arguments = made.arguments();
      const std::vector<double> expected = interpret(made.nest(), arguments);
      std::string before = loop_nest::to_text(made.nest());
      const auto observer = [&](std::string_view pass, const loop_nest::LoopNest& nest, double) {
        const std::string after = loop_nest::to_text(nest);
        try {
          if (same_bits(interpret(nest, arguments), expected)) return void(before = after);
          qCritical("%s changed the output", std::string(pass).c_str());
        } catch (const std::runtime_error& error) {
          qCritical("after %s: %s", std::string(pass).c_str(), error.what());
        }
        QFAIL(fmt::format("case {}\nbefore\n{}\nafter\n{}", i, before, after).c_str());
      };
      const auto result = loop_nest::run_passes(made.nest(), loop_nest::cpu_passes(), observer);
      QVERIFY2(result.has_value(), result ? "" : describe(result.error()).c_str());
      if (QTest::currentTestFailed()) return;
      for (const int parts : {2, 3, 7}) {
        if (!result->body) continue;
        QVERIFY(same_bits(interpret(*result, arguments, parts), expected));
      }
    }
  }

  void a_pass_that_has_run_has_nothing_left_to_do() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      loop_nest::LoopNest nest = RandomNest(random).nest();
      for (const loop_nest::Pass& pass : loop_nest::cpu_passes()) {
        if (!nest.body) break;
        nest = pass.run(nest);
        // These two look at a loop in the light of the loops around it as they were.
        if (!nest.body || pass.name == "partition loops" || pass.name == "unroll undecided loops") continue;
        const std::string once = loop_nest::to_text(nest);
        const std::string twice = loop_nest::to_text(pass.run(nest));
        QVERIFY2(once == twice, fmt::format("{}\n{}\n{}", pass.name, once, twice).c_str());
      }
    }
  }

  void no_marked_loop_and_no_register_index_is_left() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const auto nest = loop_nest::run_passes(RandomNest(random).nest(), loop_nest::cpu_passes());
      QVERIFY(nest.has_value());
      if (!nest->body) continue;
      QVERIFY(!has_kind(nest->body, loop_nest::LoopKind::Unrolled));
      QVERIFY(!has_kind(nest->body, loop_nest::LoopKind::Vectorized));
      loop_nest::for_each_compute(nest->body, [&](const loop_nest::Compute& compute) {
        QVERIFY(compute.conditions.empty());
        QVERIFY(compute.lanes >= 1 && compute.lanes <= nest->vector_lanes);
        std::vector<loop_nest::BufferAccess> accesses = compute.sources;
        accesses.push_back(compute.destination);
        for (const loop_nest::BufferAccess& access : accesses)
          if (nest->buffers[static_cast<std::size_t>(access.buffer)].scope ==
              loop_nest::BufferScope::Registers)
            QVERIFY(access.offset.is_constant());
      });
    }
  }

  /** Operations of one condition, of none, and of one that never holds. */
  void conditions_are_decided_and_hoisted() {
    loop_nest::LoopNest nest = exploding_nest(0, 1);
    nest.variables = {"i"};
    nest.ranges = {{0, 9}};
    const loop_nest::IndexExpression i = loop_nest::IndexExpression::variable(0);
    const auto zero = [](std::vector<loop_nest::Condition> conditions) {
      return loop_nest::make_statement(
          loop_nest::Compute{loop_nest::Operation::SetZero, {0, 0, 0}, {}, 1, std::move(conditions)});
    };
    const loop_nest::Condition open{i + loop_nest::IndexExpression(-3), 4, 1};
    const std::vector<loop_nest::StatementPtr> parts{zero({open, {i, 10, 1}}), zero({open}),
                                                     zero({{i + loop_nest::IndexExpression(10), 5, 1}})};
    nest.body = loop_nest::make_statement(loop_nest::Loop{
        0, 0, 10, loop_nest::LoopKind::Serial, 1, loop_nest::make_statement(loop_nest::Sequence{parts})});
    const loop_nest::LoopNest result = loop_nest::hoist_conditions(loop_nest::decide_conditions(nest));
    const auto& loop = std::get<loop_nest::Loop>(result.body->node);
    const auto& guard = std::get<loop_nest::Guard>(loop.body->node);
    QCOMPARE(guard.conditions, std::vector<loop_nest::Condition>{open});
    QCOMPARE(loop_nest::count_operations(result), std::int64_t{2});
  }

  /** A row of 10 with padding 1 on both sides: the middle has no condition left, the ends are peeled. */
  void padding_is_peeled() {
    loop_nest::LoopNest nest = exploding_nest(0, 1);
    nest.variables = {"x", "tap"};
    nest.ranges = {{0, 9}, {0, 2}};
    const loop_nest::IndexExpression value = loop_nest::IndexExpression::variable(0) +
                                             loop_nest::IndexExpression::variable(1) +
                                             loop_nest::IndexExpression(-1);
    loop_nest::StatementPtr body = loop_nest::make_statement(
        loop_nest::Compute{loop_nest::Operation::SetZero, {0, 0, 0}, {}, 1, {{value, 10, 1}}});
    body = loop_nest::make_statement(loop_nest::Loop{1, 0, 3, loop_nest::LoopKind::Unrolled, 1, body});
    nest.body = loop_nest::make_statement(loop_nest::Loop{0, 0, 10, loop_nest::LoopKind::Serial, 1, body});
    const auto result = loop_nest::run_passes(nest, loop_nest::cpu_passes());
    QVERIFY(result.has_value());
    const std::string text = loop_nest::to_text(*result);
    QVERIFY2(text.find("if") == std::string::npos, text.c_str());
    QVERIFY2(text.find("for x in [1, 9)") != std::string::npos, text.c_str());
    QCOMPARE(loop_nest::count_operations(*result), std::int64_t{2 + 3 + 2});
  }

  /** A tile of 4 that overhangs an axis of 7: its last element is not even zeroed in the second tile. */
  void registers_that_nobody_reads_are_dropped() {
    loop_nest::LoopNest nest = exploding_nest(0, 1);
    nest.buffers[0].layout = loop_nest::row_major("plain", {7});
    loop_nest::Buffer sum;
    sum.name = "sum";
    sum.scope = loop_nest::BufferScope::Registers;
    sum.written = true;
    sum.extents = {4};
    nest.buffers.push_back(sum);
    nest.variables = {"tile", "x"};
    nest.ranges = {{0, 1}, {0, 3}};
    const loop_nest::IndexExpression x = loop_nest::IndexExpression::variable(1);
    const loop_nest::IndexExpression place = loop_nest::IndexExpression::variable(0) * 4 + x;
    const loop_nest::StatementPtr zero =
        loop_nest::make_statement(loop_nest::Compute{loop_nest::Operation::SetZero, {1, x, 0}, {}, 1, {}});
    const loop_nest::StatementPtr store = loop_nest::make_statement(
        loop_nest::Compute{loop_nest::Operation::Copy, {0, place, 0}, {{1, x, 0}}, 1, {{place, 7, 1}}});
    const auto unrolled = [](const loop_nest::StatementPtr& body) {
      return loop_nest::make_statement(loop_nest::Loop{1, 0, 4, loop_nest::LoopKind::Unrolled, 1, body});
    };
    const loop_nest::StatementPtr body =
        loop_nest::make_statement(loop_nest::Sequence{{unrolled(zero), unrolled(store)}});
    nest.body = loop_nest::make_statement(loop_nest::Loop{
        0, 0, 2, loop_nest::LoopKind::Serial, 1, loop_nest::make_statement(loop_nest::Allocate{1, body})});
    const auto result = loop_nest::run_passes(nest, loop_nest::cpu_passes());
    QVERIFY(result.has_value());
    QCOMPARE(loop_nest::count_operations(*result), std::int64_t{7 + 7});
    QVERIFY(same_bits(interpret(*result, {std::vector<double>(7, 1.0)}), std::vector<double>(7, 0.0)));
  }

  void exploding_bodies_are_refused() {
    const auto fits = loop_nest::run_passes(exploding_nest(2, 100), loop_nest::cpu_passes(), {}, 10'000);
    QVERIFY(fits.has_value());
    QCOMPARE(loop_nest::count_operations(*fits), std::int64_t{10'000});
    const auto refused = loop_nest::run_passes(exploding_nest(2, 100), loop_nest::cpu_passes(), {}, 9'999);
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("10000 operations") != std::string::npos);
    QVERIFY(!refused.error().hint.empty());
    QVERIFY(!loop_nest::run_passes(exploding_nest(6, 1000), loop_nest::cpu_passes()).has_value());
    QVERIFY(!loop_nest::run_passes(exploding_nest(9, 1'000'000), loop_nest::cpu_passes()).has_value());
  }

  /** As large as is allowed: no pass and no printer may recurse once per operation. */
  void the_largest_body_passes() {
    loop_nest::LoopNest nest = exploding_nest(2, 440);
    nest.buffers[0].layout = loop_nest::row_major("plain", {440 * 440});
    const loop_nest::IndexExpression place =
        loop_nest::IndexExpression::variable(1) * 440 + loop_nest::IndexExpression::variable(0);
    nest.variables.clear();
    nest.ranges.clear();
    nest.body = nullptr;
    nest.body = unrolled_tower(nest, 2, 440,
                               loop_nest::make_statement(loop_nest::Compute{
                                   loop_nest::Operation::SetZero, {0, place, 0}, {}, 1, {}}));
    const auto result = loop_nest::run_passes(nest, loop_nest::cpu_passes());
    QVERIFY(result.has_value());
    QCOMPARE(loop_nest::count_operations(*result), std::int64_t{440 * 440});
    QVERIFY(same_bits(interpret(*result, {std::vector<double>(440 * 440, 1.0)}),
                      std::vector<double>(440 * 440, 0.0)));
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestPassesTest)

}  // namespace kernelscape::loop_nest_passes_test
#include "loop_nest_passes_test.moc"
