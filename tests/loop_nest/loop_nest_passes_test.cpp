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

bool has_kind(const StatementPtr& statement, LoopKind kind) {
  const auto* loop = std::get_if<Loop>(&statement->node);
  bool found = loop != nullptr && loop->kind == kind;
  rewrite_parts(statement, [&](const StatementPtr& part) {
    found = found || has_kind(part, kind);
    return part;
  });
  return found;
}

StatementPtr unrolled_tower(LoopNest& nest, int depth, std::int64_t extent, StatementPtr body) {
  for (int i = 0; i < depth; ++i) {
    nest.variables.push_back(fmt::format("v{}", i));
    nest.ranges.push_back({0, extent - 1});
    body = make_statement(Loop{i, 0, extent, LoopKind::Unrolled, 1, body});
  }
  return body;
}

LoopNest exploding_nest(int depth, std::int64_t extent) {
  LoopNest nest;
  Buffer output;
  output.name = "output";
  output.written = true;
  output.layout = row_major("plain", {1});
  nest.buffers.push_back(output);
  nest.body =
      unrolled_tower(nest, depth, extent, make_statement(Compute{Operation::SetZero, {0, 0, 0}, {}, 1, {}}));
  return nest;
}

}  // namespace

class LoopNestPassesTest : public QObject {
  Q_OBJECT

 private slots:
  void every_pass_keeps_what_random_nests_compute() {
    Random random(random_seed());
    for (int i = 0; i < 150; ++i) {
      RandomNest made(random);
      const auto arguments = made.arguments();
      const std::vector<double> expected = interpret(made.nest(), arguments);
      std::string before = to_text(made.nest());
      const auto observer = [&](std::string_view pass, const LoopNest& nest, double) {
        const std::string after = to_text(nest);
        try {
          if (same_bits(interpret(nest, arguments), expected)) return void(before = after);
          qCritical("%s changed the output", std::string(pass).c_str());
        } catch (const std::runtime_error& error) {
          qCritical("after %s: %s", std::string(pass).c_str(), error.what());
        }
        QFAIL(fmt::format("case {}\nbefore\n{}\nafter\n{}", i, before, after).c_str());
      };
      const auto result = run_passes(made.nest(), cpu_passes(), observer);
      QVERIFY2(result.has_value(), result ? "" : describe(result.error()).c_str());
      if (QTest::currentTestFailed()) return;
      for (const int parts : {2, 3, 7}) {
        if (!result->body) continue;
        QVERIFY(same_bits(interpret(*result, arguments, parts), expected));
      }
    }
  }

  void a_pass_that_has_run_has_nothing_left_to_do() {
    Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      LoopNest nest = RandomNest(random).nest();
      for (const Pass& pass : cpu_passes()) {
        if (!nest.body) break;
        nest = pass.run(nest);
        // These two look at a loop in the light of the loops around it as they were.
        if (!nest.body || pass.name == "partition loops" || pass.name == "unroll undecided loops") continue;
        const std::string once = to_text(nest);
        const std::string twice = to_text(pass.run(nest));
        QVERIFY2(once == twice, fmt::format("{}\n{}\n{}", pass.name, once, twice).c_str());
      }
    }
  }

  void no_marked_loop_and_no_register_index_is_left() {
    Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const auto nest = run_passes(RandomNest(random).nest(), cpu_passes());
      QVERIFY(nest.has_value());
      if (!nest->body) continue;
      QVERIFY(!has_kind(nest->body, LoopKind::Unrolled));
      QVERIFY(!has_kind(nest->body, LoopKind::Vectorized));
      for_each_compute(nest->body, [&](const Compute& compute) {
        QVERIFY(compute.conditions.empty());
        QVERIFY(compute.lanes >= 1 && compute.lanes <= nest->vector_lanes);
        std::vector<BufferAccess> accesses = compute.sources;
        accesses.push_back(compute.destination);
        for (const BufferAccess& access : accesses)
          if (nest->buffers[static_cast<std::size_t>(access.buffer)].scope == BufferScope::Registers)
            QVERIFY(access.offset.is_constant());
      });
    }
  }

  /** Operations of one condition, of none, and of one that never holds. */
  void conditions_are_decided_and_hoisted() {
    LoopNest nest = exploding_nest(0, 1);
    nest.variables = {"i"};
    nest.ranges = {{0, 9}};
    const IndexExpression i = IndexExpression::variable(0);
    const auto zero = [](std::vector<Condition> conditions) {
      return make_statement(Compute{Operation::SetZero, {0, 0, 0}, {}, 1, std::move(conditions)});
    };
    const Condition open{i + IndexExpression(-3), 4, 1};
    const std::vector<StatementPtr> parts{zero({open, {i, 10, 1}}), zero({open}),
                                          zero({{i + IndexExpression(10), 5, 1}})};
    nest.body = make_statement(Loop{0, 0, 10, LoopKind::Serial, 1, make_statement(Sequence{parts})});
    const LoopNest result = hoist_conditions(decide_conditions(nest));
    const auto& loop = std::get<Loop>(result.body->node);
    const auto& guard = std::get<Guard>(loop.body->node);
    QCOMPARE(guard.conditions, std::vector<Condition>{open});
    QCOMPARE(count_operations(result), std::int64_t{2});
  }

  /** A row of 10 with padding 1 on both sides: the middle has no condition left, the ends are peeled. */
  void padding_is_peeled() {
    LoopNest nest = exploding_nest(0, 1);
    nest.variables = {"x", "tap"};
    nest.ranges = {{0, 9}, {0, 2}};
    const IndexExpression value =
        IndexExpression::variable(0) + IndexExpression::variable(1) + IndexExpression(-1);
    StatementPtr body = make_statement(Compute{Operation::SetZero, {0, 0, 0}, {}, 1, {{value, 10, 1}}});
    body = make_statement(Loop{1, 0, 3, LoopKind::Unrolled, 1, body});
    nest.body = make_statement(Loop{0, 0, 10, LoopKind::Serial, 1, body});
    const auto result = run_passes(nest, cpu_passes());
    QVERIFY(result.has_value());
    const std::string text = to_text(*result);
    QVERIFY2(text.find("if") == std::string::npos, text.c_str());
    QVERIFY2(text.find("for x in [1, 9)") != std::string::npos, text.c_str());
    QCOMPARE(count_operations(*result), std::int64_t{2 + 3 + 2});
  }

  /** A tile of 4 that overhangs an axis of 7: its last element is not even zeroed in the second tile. */
  void registers_that_nobody_reads_are_dropped() {
    LoopNest nest = exploding_nest(0, 1);
    nest.buffers[0].layout = row_major("plain", {7});
    Buffer sum;
    sum.name = "sum";
    sum.scope = BufferScope::Registers;
    sum.written = true;
    sum.extents = {4};
    nest.buffers.push_back(sum);
    nest.variables = {"tile", "x"};
    nest.ranges = {{0, 1}, {0, 3}};
    const IndexExpression x = IndexExpression::variable(1);
    const IndexExpression place = IndexExpression::variable(0) * 4 + x;
    const StatementPtr zero = make_statement(Compute{Operation::SetZero, {1, x, 0}, {}, 1, {}});
    const StatementPtr store =
        make_statement(Compute{Operation::Copy, {0, place, 0}, {{1, x, 0}}, 1, {{place, 7, 1}}});
    const auto unrolled = [](const StatementPtr& body) {
      return make_statement(Loop{1, 0, 4, LoopKind::Unrolled, 1, body});
    };
    const StatementPtr body = make_statement(Sequence{{unrolled(zero), unrolled(store)}});
    nest.body = make_statement(Loop{0, 0, 2, LoopKind::Serial, 1, make_statement(Allocate{1, body})});
    const auto result = run_passes(nest, cpu_passes());
    QVERIFY(result.has_value());
    QCOMPARE(count_operations(*result), std::int64_t{7 + 7});
    QVERIFY(same_bits(interpret(*result, {std::vector<double>(7, 1.0)}), std::vector<double>(7, 0.0)));
  }

  void exploding_bodies_are_refused() {
    const auto fits = run_passes(exploding_nest(2, 100), cpu_passes(), {}, 10'000);
    QVERIFY(fits.has_value());
    QCOMPARE(count_operations(*fits), std::int64_t{10'000});
    const auto refused = run_passes(exploding_nest(2, 100), cpu_passes(), {}, 9'999);
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("10000 operations") != std::string::npos);
    QVERIFY(!refused.error().hint.empty());
    QVERIFY(!run_passes(exploding_nest(6, 1000), cpu_passes()).has_value());
    QVERIFY(!run_passes(exploding_nest(9, 1'000'000), cpu_passes()).has_value());
  }

  /** As large as is allowed: no pass and no printer may recurse once per operation. */
  void the_largest_body_passes() {
    LoopNest nest = exploding_nest(2, 440);
    nest.buffers[0].layout = row_major("plain", {440 * 440});
    const IndexExpression place = IndexExpression::variable(1) * 440 + IndexExpression::variable(0);
    nest.variables.clear();
    nest.ranges.clear();
    nest.body = nullptr;
    nest.body =
        unrolled_tower(nest, 2, 440, make_statement(Compute{Operation::SetZero, {0, place, 0}, {}, 1, {}}));
    const auto result = run_passes(nest, cpu_passes());
    QVERIFY(result.has_value());
    QCOMPARE(count_operations(*result), std::int64_t{440 * 440});
    QVERIFY(same_bits(interpret(*result, {std::vector<double>(440 * 440, 1.0)}),
                      std::vector<double>(440 * 440, 0.0)));
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestPassesTest)

}  // namespace kernelscape::loop_nest_passes_test
#include "loop_nest_passes_test.moc"
