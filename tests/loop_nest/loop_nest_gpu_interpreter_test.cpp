#include <QTest>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/loop_nest.h"
#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_gpu_interpreter_test {
using namespace kernelscape::testing;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

loop_nest::IndexExpression variable(int number) { return loop_nest::IndexExpression::variable(number); }

loop_nest::Buffer buffer_of(std::string name, loop_nest::BufferScope scope, std::int64_t elements,
                            const char* type = "f32") {
  loop_nest::Buffer buffer;
  buffer.name = std::move(name);
  buffer.element_type = type;
  buffer.scope = scope;
  buffer.written = true;
  buffer.extents = {elements};
  return buffer;
}

loop_nest::StatementPtr copy(int to, loop_nest::IndexExpression to_offset, int from,
                             loop_nest::IndexExpression from_offset) {
  return loop_nest::make_statement(loop_nest::Compute{
      loop_nest::Operation::Copy, {to, std::move(to_offset), 0}, {{from, std::move(from_offset), 0}}, 1, {}});
}
loop_nest::StatementPtr barrier() { return loop_nest::make_statement(loop_nest::Barrier{}); }

/** One block of threads (variable 0): output[t] from input through `shared`, which has one element per
 * thread. */
loop_nest::LoopNest exchange(std::int64_t threads, const std::vector<loop_nest::StatementPtr>& body) {
  loop_nest::LoopNest nest;
  nest.variables = {"thread"};
  nest.ranges = {{0, threads - 1}};
  nest.buffers = {buffer_of("input", loop_nest::BufferScope::Global, threads),
                  buffer_of("output", loop_nest::BufferScope::Global, threads),
                  buffer_of("shared", loop_nest::BufferScope::Shared, threads)};
  nest.buffers[0].written = false;
  nest.launch = {{loop_nest::LaunchDimension::ThreadX, 0}};
  nest.body = loop_nest::make_statement(loop_nest::Allocate{2, loop_nest::make_sequence(body)});
  return nest;
}

std::vector<double> run(const loop_nest::LoopNest& nest, std::size_t elements) {
  std::vector<double> input;
  for (std::size_t i = 0; i < elements; ++i) input.push_back(static_cast<double>(i));
  return interpret_gpu(nest, {input, std::vector<double>(elements, nan)});
}

std::string refusal(const loop_nest::LoopNest& nest, std::size_t elements) {
  try {
    run(nest, elements);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

constexpr int input = 0;
constexpr int output = 1;
constexpr int shared = 2;

}  // namespace

/** What the interpreter of GPU loop nests accepts and refuses: the tests of lowering rest on it. */
class LoopNestGpuInterpreterTest : public QObject {
  Q_OBJECT

 private slots:
  void threads_exchange_through_shared_memory() {
    const loop_nest::IndexExpression reversed = variable(0) * -1 + loop_nest::IndexExpression(7);
    const loop_nest::LoopNest nest = exchange(8, {copy(shared, variable(0), input, variable(0)), barrier(),
                                                  copy(output, variable(0), shared, reversed)});
    QCOMPARE(run(nest, 8), (std::vector<double>{7, 6, 5, 4, 3, 2, 1, 0}));
  }

  void a_missing_barrier_is_a_race() {
    const loop_nest::IndexExpression reversed = variable(0) * -1 + loop_nest::IndexExpression(7);
    const loop_nest::LoopNest nest = exchange(
        8, {copy(shared, variable(0), input, variable(0)), copy(output, variable(0), shared, reversed)});
    QVERIFY(refusal(nest, 8).starts_with("threads race for shared"));
  }

  void two_writers_of_one_element_are_a_race() {
    QVERIFY(refusal(exchange(8, {copy(shared, 0, input, variable(0))}), 8).starts_with("threads race"));
    QVERIFY(refusal(exchange(8, {copy(output, 0, input, variable(0))}), 8).starts_with("two threads share"));
  }

  void what_was_never_written_is_not_read() {
    QVERIFY(refusal(exchange(4, {copy(output, variable(0), shared, variable(0))}), 4)
                .ends_with("was never written"));
    QVERIFY(refusal(exchange(4, {copy(shared, variable(0), output, variable(0))}), 4)
                .ends_with("was never written"));
  }

  void accesses_stay_inside_of_their_buffer() {
    const loop_nest::IndexExpression next = variable(0) + loop_nest::IndexExpression(1);
    for (const loop_nest::StatementPtr& statement :
         {copy(shared, next, input, variable(0)), copy(shared, variable(0), input, next),
          copy(output, variable(0) + loop_nest::IndexExpression(-1), input, variable(0))})
      QVERIFY(refusal(exchange(4, {statement}), 4).find("is outside of its 4 elements") != std::string::npos);
    QVERIFY(refusal(exchange(4, {copy(input, variable(0), input, variable(0))}), 4).ends_with("is an input"));
  }

  void a_barrier_is_for_all_threads() {
    const loop_nest::StatementPtr some =
        loop_nest::make_statement(loop_nest::Guard{{loop_nest::Condition{variable(0), 3, 1}}, barrier()});
    QVERIFY(refusal(exchange(4, {some}), 4).find("never come to a barrier") != std::string::npos);
    const loop_nest::StatementPtr all =
        loop_nest::make_statement(loop_nest::Guard{{loop_nest::Condition{variable(0), 4, 1}}, barrier()});
    QCOMPARE(refusal(exchange(4, {all}), 4), std::string("accepted"));
  }

  /** Buffers whose lifetimes are apart lie in the same place: that is a race as well. */
  void lifetimes_that_are_apart_need_a_barrier_between_them() {
    const auto nest_with = [](const loop_nest::StatementPtr& between) {
      loop_nest::LoopNest nest = exchange(4, {});
      nest.buffers.push_back(buffer_of("later", loop_nest::BufferScope::Shared, 4));
      const loop_nest::StatementPtr first = loop_nest::make_statement(
          loop_nest::Allocate{shared, copy(shared, variable(0), input, variable(0))});
      const loop_nest::IndexExpression reversed = variable(0) * -1 + loop_nest::IndexExpression(3);
      const loop_nest::StatementPtr second =
          loop_nest::make_statement(loop_nest::Allocate{3, copy(3, reversed, input, variable(0))});
      nest.body = loop_nest::make_sequence({first, between, second});
      return nest;
    };
    const loop_nest::SharedMemory memory = loop_nest::place_shared_buffers(nest_with(nullptr));
    QCOMPARE(memory.bytes, std::int64_t{16});
    QVERIFY(memory.overlaid);
    QVERIFY(refusal(nest_with(nullptr), 4).starts_with("threads race for later"));
    QCOMPARE(refusal(nest_with(barrier()), 4), std::string("accepted"));
  }

  void buffers_that_live_together_lie_side_by_side() {
    loop_nest::LoopNest nest = exchange(4, {});
    nest.buffers.push_back(buffer_of("inner", loop_nest::BufferScope::Shared, 6, "f16"));
    nest.body = loop_nest::make_statement(
        loop_nest::Allocate{shared, loop_nest::make_statement(loop_nest::Allocate{3, barrier()})});
    const loop_nest::SharedMemory memory = loop_nest::place_shared_buffers(nest);
    QCOMPARE(memory.bytes, std::int64_t{16 + 12});
    QCOMPARE(memory.first_bytes[3], std::int64_t{16});
    QVERIFY(!memory.overlaid);
  }

  /** A warp's threads come together, and a matrix has to be there before it is multiplied. */
  void fragments_are_a_whole_warps() {
    const auto nest_of = [](std::int64_t threads, const loop_nest::StatementPtr& body) {
      loop_nest::LoopNest nest = exchange(threads, {});
      nest.buffers.push_back(buffer_of("sum", loop_nest::BufferScope::Fragments, 1));
      nest.body = loop_nest::make_statement(loop_nest::Allocate{3, body});
      return nest;
    };
    const loop_nest::StatementPtr zero = loop_nest::make_statement(
        loop_nest::FragmentOperation{loop_nest::FragmentAction::SetZero, {16, 16, 16}, {3, 0, 0}, {}, 0, {}});
    QCOMPARE(refusal(nest_of(64, zero), 64), std::string("accepted"));
    const loop_nest::StatementPtr some =
        loop_nest::make_statement(loop_nest::Guard{{loop_nest::Condition{variable(0), 16, 1}}, zero});
    QVERIFY(refusal(nest_of(64, some), 64).find("miss its operation") != std::string::npos);
    QVERIFY(refusal(nest_of(48, zero), 48).find("whole warps") != std::string::npos);
    const loop_nest::StatementPtr multiply =
        loop_nest::make_statement(loop_nest::FragmentOperation{loop_nest::FragmentAction::MultiplyAccumulate,
                                                               {16, 16, 16},
                                                               {3, 0, 0},
                                                               {{3, 0, 0}, {3, 0, 0}},
                                                               0,
                                                               {}});
    QVERIFY(refusal(nest_of(32, multiply), 32).ends_with("was never written"));
    const loop_nest::StatementPtr each = loop_nest::make_statement(loop_nest::FragmentOperation{
        loop_nest::FragmentAction::SetZero, {16, 16, 16}, {3, variable(0), 0}, {}, 0, {}});
    QVERIFY(refusal(nest_of(32, each), 32).find("different matrices") != std::string::npos);
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestGpuInterpreterTest)

}  // namespace kernelscape::loop_nest_gpu_interpreter_test
#include "loop_nest_gpu_interpreter_test.moc"
