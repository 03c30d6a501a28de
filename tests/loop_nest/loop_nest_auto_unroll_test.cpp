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
  explicit RandomTree(Random& random) : random_(random) {
    Buffer buffer;
    buffer.name = "output";
    buffer.written = true;
    buffer.layout = row_major("plain", {1});
    nest_.buffers.push_back(std::move(buffer));
    nest_.body = tree(4);
  }

  const LoopNest& nest() const { return nest_; }

 private:
  StatementPtr tree(int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(4);
    if (kind == 0) return make_statement(Compute{Operation::SetZero, {0, 0, 0}, {}, 1, {}});
    if (kind == 1) return make_sequence({tree(depth - 1), tree(depth - 1)});
    const auto iterations = static_cast<std::int64_t>(2 + random_.below(6));
    nest_.variables.push_back("v" + std::to_string(nest_.variables.size()));
    nest_.ranges.push_back({0, iterations - 1});
    const int variable = static_cast<int>(nest_.variables.size()) - 1;
    const bool asked = random_.below(5) == 0;
    return make_statement(
        Loop{variable, 0, iterations, LoopKind::Serial, asked ? iterations : 1, tree(depth - 1)});
  }

  Random& random_;
  LoopNest nest_;
};

std::vector<Loop> loops_below(const StatementPtr& statement) {
  std::vector<Loop> loops;
  if (const auto* loop = std::get_if<Loop>(&statement->node)) loops.push_back(*loop);
  rewrite_parts(statement, [&](const StatementPtr& part) {
    const std::vector<Loop> inner = loops_below(part);
    loops.insert(loops.end(), inner.begin(), inner.end());
    return part;
  });
  return loops;
}

std::int64_t iterations(const Loop& loop) { return loop.end - loop.begin; }
bool unrolled(const Loop& loop) {
  return loop.kind == LoopKind::Unrolled || loop.unroll_hint >= iterations(loop);
}

/** Operations of one run of a statement in which every loop that stays counts its body once. */
std::int64_t steps(const StatementPtr& statement) {
  if (std::holds_alternative<Compute>(statement->node)) return 1;
  std::int64_t total = 0;
  rewrite_parts(statement, [&](const StatementPtr& part) {
    total += steps(part);
    return part;
  });
  const auto* loop = std::get_if<Loop>(&statement->node);
  return loop != nullptr && unrolled(*loop) ? total * iterations(*loop) : total;
}

}  // namespace

class LoopNestAutoUnrollTest : public QObject {
  Q_OBJECT

 private slots:
  /** The rule, asked of the result: a loop is unrolled if and only if it was asked for, or nothing below it
   * stays a loop and its copies have few enough steps. */
  void loops_are_unrolled_exactly_where_the_rule_says() {
    Random random(random_seed());
    int chosen = 0;
    int kept = 0;
    for (int round = 0; round < 300; ++round) {
      const LoopNest nest = RandomTree(random).nest();
      const auto most = static_cast<std::int64_t>(random.below(200));
      const bool in_source = random.below(2) == 1;
      const LoopNest result = auto_unroll(nest, most, in_source);
      const std::vector<Loop> before = loops_below(nest.body);
      const std::vector<Loop> after = loops_below(result.body);
      QCOMPARE(after.size(), before.size());
      for (std::size_t i = 0; i < after.size(); ++i) {
        QCOMPARE(after[i].variable, before[i].variable);
        const std::vector<Loop> inside = loops_below(after[i].body);
        const bool flat = std::ranges::all_of(inside, unrolled);
        const bool fits = steps(after[i].body) * iterations(after[i]) <= most;
        QCOMPARE(unrolled(after[i]), unrolled(before[i]) || (flat && fits));
        if (unrolled(before[i])) {
          QCOMPARE(after[i].kind, LoopKind::Serial);
          continue;
        }
        QCOMPARE(after[i].kind == LoopKind::Unrolled, in_source && flat && fits);
        ++(unrolled(after[i]) ? chosen : kept);
      }
    }
    QVERIFY(chosen > 50 && kept > 50);
  }

  void no_steps_unroll_nothing() {
    Random random(random_seed());
    const LoopNest nest = RandomTree(random).nest();
    for (const bool in_source : {false, true}) {
      const std::vector<Loop> before = loops_below(nest.body);
      const std::vector<Loop> after = loops_below(auto_unroll(nest, 0, in_source).body);
      for (std::size_t i = 0; i < after.size(); ++i) QCOMPARE(unrolled(after[i]), unrolled(before[i]));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestAutoUnrollTest)

}  // namespace kernelscape::loop_nest_auto_unroll_test
#include "loop_nest_auto_unroll_test.moc"
