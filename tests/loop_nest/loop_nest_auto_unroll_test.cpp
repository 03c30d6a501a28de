#include <QTest>
#include <algorithm>
#include <functional>

#include "core/base/random.h"
#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_auto_unroll_test {
using kernelscape::testing::random_seed;

namespace {

/** A random tree of loops and operations on one buffer. */
class RandomTree {
 public:
  explicit RandomTree(base::Random& random) : random_(random) {
    loop_nest::Buffer buffer;
    buffer.name = "output";
    buffer.written = true;
    buffer.layout = loop_nest::row_major("plain", {1});
    nest_.buffers.push_back(std::move(buffer));
    nest_.body = tree(4);
  }

  const loop_nest::LoopNest& nest() const { return nest_; }

 private:
  loop_nest::StatementPtr tree(int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(4);
    if (kind == 0)
      return loop_nest::make_statement(
          loop_nest::Compute{loop_nest::Operation::SetZero, {0, 0, 0}, {}, 1, {}});
    if (kind == 1) return loop_nest::make_sequence({tree(depth - 1), tree(depth - 1)});
    const auto iterations = static_cast<std::int64_t>(2 + random_.below(6));
    nest_.variables.push_back("v" + std::to_string(nest_.variables.size()));
    nest_.ranges.push_back({0, iterations - 1});
    const int variable = static_cast<int>(nest_.variables.size()) - 1;
    const bool asked = random_.below(5) == 0;
    return loop_nest::make_statement(loop_nest::Loop{variable, 0, iterations, loop_nest::LoopKind::Serial,
                                                     asked ? iterations : 1, tree(depth - 1)});
  }

  base::Random& random_;
  loop_nest::LoopNest nest_;
};

std::vector<loop_nest::Loop> loops_below(const loop_nest::StatementPtr& statement) {
  std::vector<loop_nest::Loop> loops;
  if (const auto* loop = std::get_if<loop_nest::Loop>(&statement->node)) loops.push_back(*loop);
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    const std::vector<loop_nest::Loop> inner = loops_below(part);
    loops.insert(loops.end(), inner.begin(), inner.end());
    return part;
  });
  return loops;
}

std::int64_t iterations(const loop_nest::Loop& loop) { return loop.end - loop.begin; }
bool unrolled(const loop_nest::Loop& loop) {
  return loop.kind == loop_nest::LoopKind::Unrolled || loop.unroll_hint >= iterations(loop);
}

/** Operations of one run of a statement in which every loop that stays counts its body once. */
std::int64_t steps(const loop_nest::StatementPtr& statement) {
  if (std::holds_alternative<loop_nest::Compute>(statement->node)) return 1;
  std::int64_t total = 0;
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    total += steps(part);
    return part;
  });
  const auto* loop = std::get_if<loop_nest::Loop>(&statement->node);
  return loop != nullptr && unrolled(*loop) ? total * iterations(*loop) : total;
}

}  // namespace

class LoopNestAutoUnrollTest : public QObject {
  Q_OBJECT

 private slots:
  /** The rule, asked of the result: a loop is unrolled if and only if it was asked for, or nothing below it
   * stays a loop and its copies have few enough steps. */
  void loops_are_unrolled_exactly_where_the_rule_says() {
    base::Random random(random_seed());
    int chosen = 0;
    int kept = 0;
    for (int round = 0; round < 300; ++round) {
      const loop_nest::LoopNest nest = RandomTree(random).nest();
      const auto most = static_cast<std::int64_t>(random.below(200));
      const bool in_source = random.below(2) == 1;
      const loop_nest::LoopNest result = loop_nest::auto_unroll(nest, most, in_source);
      const std::vector<loop_nest::Loop> before = loops_below(nest.body);
      const std::vector<loop_nest::Loop> after = loops_below(result.body);
      QCOMPARE(after.size(), before.size());
      for (std::size_t i = 0; i < after.size(); ++i) {
        QCOMPARE(after[i].variable, before[i].variable);
        const std::vector<loop_nest::Loop> inside = loops_below(after[i].body);
        const bool flat = std::ranges::all_of(inside, unrolled);
        const bool fits = steps(after[i].body) * iterations(after[i]) <= most;
        QCOMPARE(unrolled(after[i]), unrolled(before[i]) || (flat && fits));
        if (unrolled(before[i])) {
          QCOMPARE(after[i].kind, loop_nest::LoopKind::Serial);
          continue;
        }
        QCOMPARE(after[i].kind == loop_nest::LoopKind::Unrolled, in_source && flat && fits);
        ++(unrolled(after[i]) ? chosen : kept);
      }
    }
    QVERIFY(chosen > 50 && kept > 50);
  }

  void no_steps_unroll_nothing() {
    base::Random random(random_seed());
    const loop_nest::LoopNest nest = RandomTree(random).nest();
    for (const bool in_source : {false, true}) {
      const std::vector<loop_nest::Loop> before = loops_below(nest.body);
      const std::vector<loop_nest::Loop> after = loops_below(loop_nest::auto_unroll(nest, 0, in_source).body);
      for (std::size_t i = 0; i < after.size(); ++i) QCOMPARE(unrolled(after[i]), unrolled(before[i]));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestAutoUnrollTest)

}  // namespace kernelscape::loop_nest_auto_unroll_test
#include "loop_nest_auto_unroll_test.moc"
