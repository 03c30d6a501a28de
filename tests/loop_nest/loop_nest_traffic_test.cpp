#include <QTest>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/loop_nest/passes.h"
#include "core/loop_nest/traffic.h"
#include "tests/loop_nest/cache_simulator.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_traffic_test {
using kernelscape::testing::random_seed;
using kernelscape::testing::simulated_bytes;

namespace {

constexpr std::int64_t line_bytes = 64;
constexpr double float_bytes = 4;

/** A nest that is put together loop by loop. */
class NestMaker {
 public:
  int buffer(const std::string& name, std::int64_t count, bool written) {
    loop_nest::Buffer buffer;
    buffer.name = name;
    buffer.written = written;
    buffer.layout = loop_nest::row_major("plain", {count});
    nest.buffers.push_back(std::move(buffer));
    return static_cast<int>(nest.buffers.size()) - 1;
  }
  int variable(std::int64_t values) {
    nest.variables.push_back("v" + std::to_string(nest.variables.size()));
    nest.ranges.push_back({0, values - 1});
    return static_cast<int>(nest.variables.size()) - 1;
  }
  loop_nest::StatementPtr loop(int variable, loop_nest::StatementPtr body,
                               loop_nest::LoopKind kind = loop_nest::LoopKind::Serial) const {
    const std::int64_t values = nest.ranges[static_cast<std::size_t>(variable)].high + 1;
    return loop_nest::make_statement(loop_nest::Loop{variable, 0, values, kind, 1, std::move(body)});
  }

  loop_nest::LoopNest nest;
};

loop_nest::IndexExpression at(int variable, std::int64_t factor = 1) {
  return loop_nest::IndexExpression::variable(variable) * factor;
}

double bytes_of(const loop_nest::TrafficEstimate& estimate, base::MemoryLevel level) {
  return estimate.levels[base::place_of(level)].bytes;
}

/** out[i] = in[i] */
loop_nest::LoopNest streaming_copy(std::int64_t count,
                                   loop_nest::LoopKind kind = loop_nest::LoopKind::Serial) {
  NestMaker maker;
  const int in = maker.buffer("in", count, false);
  const int out = maker.buffer("out", count, true);
  const int i = maker.variable(count);
  maker.nest.body = maker.loop(i,
                               loop_nest::make_statement(loop_nest::Compute{
                                   loop_nest::Operation::Copy, {out, at(i), 0}, {{in, at(i), 0}}, 1, {}}),
                               kind);
  return maker.nest;
}

/** C[i][j] += A[i][k] * B[k][j], the loops in this order: 0 is i, 1 is j, 2 is k. */
loop_nest::LoopNest product_nest(std::int64_t size, const std::vector<int>& order,
                                 loop_nest::LoopKind outermost = loop_nest::LoopKind::Serial) {
  NestMaker maker;
  const int a = maker.buffer("a", size * size, false);
  const int b = maker.buffer("b", size * size, false);
  const int c = maker.buffer("c", size * size, true);
  const std::vector<int> axes{maker.variable(size), maker.variable(size), maker.variable(size)};
  const loop_nest::BufferAccess of_a{a, at(axes[0], size) + at(axes[2]), 0};
  const loop_nest::BufferAccess of_b{b, at(axes[2], size) + at(axes[1]), 0};
  const loop_nest::BufferAccess of_c{c, at(axes[0], size) + at(axes[1]), 0};
  loop_nest::StatementPtr body = loop_nest::make_statement(
      loop_nest::Compute{loop_nest::Operation::MultiplyAccumulate, of_c, {of_a, of_b}, 1, {}});
  for (std::size_t i = order.size(); i-- > 0;)
    body = maker.loop(axes[static_cast<std::size_t>(order[i])], body,
                      i == 0 ? outermost : loop_nest::LoopKind::Serial);
  maker.nest.body = body;
  return maker.nest;
}

/** Up to four loops around a product whose operands are dense arrays over some of the loops, in any order of
 * their dimensions; windows and strides now and then. */
loop_nest::LoopNest random_product(base::Random& random) {
  NestMaker maker;
  std::vector<int> loops;
  const auto count = 2 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i)
    loops.push_back(maker.variable(static_cast<std::int64_t>(2 + random.below(19))));
  const auto operand = [&](const std::string& name, bool written) {
    std::vector<int> dimensions;
    for (const int loop : loops)
      if (random.chance(0.6)) dimensions.push_back(loop);
    random.shuffle(std::span(dimensions));
    loop_nest::IndexExpression offset;
    std::int64_t stride = random.chance(0.2) ? 2 : 1;
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      const std::int64_t extent = maker.nest.ranges[static_cast<std::size_t>(dimensions[i])].high + 1;
      offset += at(dimensions[i], stride);
      // A window: the next dimension moves along the same one.
      if (!random.chance(0.15)) stride *= extent;
    }
    const std::int64_t high = offset.range(maker.nest.ranges).high;
    return loop_nest::BufferAccess{maker.buffer(name, high + 1, written), offset, 0};
  };
  const loop_nest::BufferAccess a = operand("a", false);
  const loop_nest::BufferAccess b = operand("b", false);
  const loop_nest::BufferAccess c = operand("c", true);
  loop_nest::StatementPtr body = loop_nest::make_statement(
      loop_nest::Compute{loop_nest::Operation::MultiplyAccumulate, c, {a, b}, 1, {}});
  for (std::size_t i = loops.size(); i-- > 0;) body = maker.loop(loops[i], body);
  maker.nest.body = body;
  return maker.nest;
}

loop_nest::CacheSizes one_cache(std::int64_t bytes) { return {.l1_bytes = bytes, .line_bytes = line_bytes}; }

}  // namespace

class LoopNestTrafficTest : public QObject {
  Q_OBJECT

 private slots:
  void a_streaming_copy_moves_each_line_once() {
    constexpr std::int64_t count = 1 << 14;
    const auto estimate =
        loop_nest::estimate_traffic(streaming_copy(count), {1 << 10, 1 << 12, 1 << 14, line_bytes, 1});
    QVERIFY(estimate);
    // Read, fetched to be written, written back.
    const double three_streams = 3 * float_bytes * count;
    for (const base::MemoryLevel level :
         {base::MemoryLevel::L2, base::MemoryLevel::L3, base::MemoryLevel::Memory}) {
      QCOMPARE(bytes_of(*estimate, level), three_streams);
      QVERIFY(!estimate->levels[base::place_of(level)].stays_nearer);
    }
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L1), 2 * float_bytes * count);
    QCOMPARE(estimate->footprint_bytes, 2 * float_bytes * count);
  }

  /** sums[i] += four int8 products: each of them comes once, and so does each sum. */
  void groups_of_bytes_are_fetched_whole() {
    constexpr std::int64_t count = 1 << 14;
    NestMaker maker;
    const int data = maker.buffer("data", 4 * count, false);
    const int weight = maker.buffer("weight", 4 * count, false);
    const int sums = maker.buffer("sums", count, true);
    maker.nest.buffers[0].element_type = "u8";
    maker.nest.buffers[1].element_type = "i8";
    maker.nest.buffers[2].element_type = "i32";
    const int i = maker.variable(count);
    maker.nest.body = maker.loop(
        i, loop_nest::make_statement(loop_nest::Compute{loop_nest::Operation::MultiplyAccumulate,
                                                        {sums, at(i), 0},
                                                        {{data, at(i, 4), 0}, {weight, at(i, 4), 0}},
                                                        1,
                                                        {},
                                                        4}));
    const auto estimate = loop_nest::estimate_traffic(maker.nest, {1 << 10, 1 << 12, 1 << 14, line_bytes, 1});
    QVERIFY(estimate);
    // Two streams of four bytes, and sums that are read, and written back.
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::Memory), 4.0 * 4 * count);
    QCOMPARE(estimate->footprint_bytes, 3.0 * 4 * count);
    QCOMPARE(estimate->footprint_bytes + 4 * count, simulated_bytes(maker.nest, 1 << 14, line_bytes));
  }

  void what_fits_stays_nearer() {
    const auto estimate =
        loop_nest::estimate_traffic(streaming_copy(64), {1 << 10, 1 << 12, 1 << 14, line_bytes, 1});
    QVERIFY(estimate);
    QVERIFY(!estimate->levels[base::place_of(base::MemoryLevel::L1)].stays_nearer);
    for (const base::MemoryLevel level :
         {base::MemoryLevel::L2, base::MemoryLevel::L3, base::MemoryLevel::Memory})
      QVERIFY(estimate->levels[base::place_of(level)].stays_nearer);
  }

  void a_product_that_fits_is_fetched_once() {
    constexpr std::int64_t size = 32;
    constexpr double matrix = size * size * float_bytes;
    const auto estimate = loop_nest::estimate_traffic(product_nest(size, {0, 1, 2}), one_cache(1 << 15));
    QVERIFY(estimate);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L2), 4 * matrix);  // A, B, and C twice
  }

  void a_product_that_does_not_fit_fetches_an_operand_again() {
    constexpr std::int64_t size = 64;
    constexpr double matrix = size * size * float_bytes;
    // A row of A and one of C fit, B does not: it comes once for each row.
    const auto estimate = loop_nest::estimate_traffic(product_nest(size, {0, 2, 1}), one_cache(4096));
    QVERIFY(estimate);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L2), matrix + size * matrix + 2 * matrix);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L2),
             simulated_bytes(product_nest(size, {0, 2, 1}), 4096, line_bytes));
  }

  void registers_keep_what_unrolled_loops_access_again() {
    NestMaker maker;
    constexpr std::int64_t depth = 100;
    constexpr std::int64_t rows = 6;
    constexpr std::int64_t columns = 16;
    const int a = maker.buffer("a", rows * depth, false);
    const int b = maker.buffer("b", depth * columns, false);
    loop_nest::Buffer sum;
    sum.scope = loop_nest::BufferScope::Registers;
    sum.written = true;
    sum.extents = {rows, columns};
    maker.nest.buffers.push_back(sum);
    const int k = maker.variable(depth);
    const int i = maker.variable(rows);
    const int j = maker.variable(columns);
    loop_nest::StatementPtr body = loop_nest::make_statement(
        loop_nest::Compute{loop_nest::Operation::MultiplyAccumulate,
                           {2, at(i, columns) + at(j), 0},
                           {{a, at(k, rows) + at(i), 0}, {b, at(k, columns) + at(j), 0}},
                           1,
                           {}});
    body = maker.loop(i, maker.loop(j, body, loop_nest::LoopKind::Vectorized), loop_nest::LoopKind::Unrolled);
    maker.nest.body = maker.loop(k, body);
    maker.nest.vector_lanes = 16;
    const auto estimate = loop_nest::estimate_traffic(maker.nest, one_cache(1 << 15));
    QVERIFY(estimate);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L1), depth * (rows + columns) * float_bytes);
    // The passes write the same loops in another way.
    const Result<loop_nest::LoopNest> passed = loop_nest::run_passes(maker.nest, loop_nest::cpu_passes());
    QVERIFY(passed);
    const auto after = loop_nest::estimate_traffic(*passed, one_cache(1 << 15));
    QVERIFY(after);
    QCOMPARE(bytes_of(*after, base::MemoryLevel::L1), bytes_of(*estimate, base::MemoryLevel::L1));
    QCOMPARE(bytes_of(*after, base::MemoryLevel::L2), bytes_of(*estimate, base::MemoryLevel::L2));
  }

  /** A row of the input is copied, and read from there again and again. */
  void local_arrays_are_read_and_written() {
    NestMaker maker;
    constexpr std::int64_t rows = 50;
    constexpr std::int64_t columns = 64;
    constexpr std::int64_t reads = 9;
    const int in = maker.buffer("in", rows * columns, false);
    const int out = maker.buffer("out", rows * columns, true);
    loop_nest::Buffer row;
    row.name = "row";
    row.scope = loop_nest::BufferScope::Local;
    row.written = true;
    row.extents = {columns};
    maker.nest.buffers.push_back(row);
    const int y = maker.variable(rows);
    const int fill = maker.variable(columns);
    const int x = maker.variable(columns);
    const int k = maker.variable(reads);
    loop_nest::StatementPtr copy = maker.loop(
        fill,
        loop_nest::make_statement(loop_nest::Compute{
            loop_nest::Operation::Copy, {2, at(fill), 0}, {{in, at(y, columns) + at(fill), 0}}, 1, {}}));
    const loop_nest::BufferAccess sum{out, at(y, columns) + at(x), 0};
    loop_nest::StatementPtr use = maker.loop(
        k,
        maker.loop(
            x, loop_nest::make_statement(loop_nest::Compute{
                   loop_nest::Operation::MultiplyAccumulate, sum, {{2, at(x), 0}, {2, at(x), 0}}, 1, {}})));
    maker.nest.body = maker.loop(y, loop_nest::make_statement(loop_nest::Allocate{
                                        2, loop_nest::make_statement(loop_nest::Sequence{{copy, use}})}));
    const auto estimate = loop_nest::estimate_traffic(maker.nest, one_cache(2048));
    QVERIFY(estimate);
    // Filled: a load and a store; used: a load of the row, a load and a store of the sum.
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L1),
             rows * (2 * columns + reads * 3 * columns) * float_bytes);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L2), simulated_bytes(maker.nest, 2048, line_bytes));
  }

  void threads_share_the_last_cache_alone() {
    constexpr std::int64_t size = 64;
    constexpr double matrix = size * size * float_bytes;
    constexpr std::int64_t large = 1 << 20;
    const loop_nest::LoopNest nest = product_nest(size, {0, 1, 2}, loop_nest::LoopKind::Parallel);
    const auto estimate = loop_nest::estimate_traffic(nest, {1 << 14, large, large, line_bytes, 4});
    QVERIFY(estimate);
    // Everybody fetches B into caches of his own; memory gives it once.
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::L3), matrix + 4 * matrix + 2 * matrix);
    QCOMPARE(bytes_of(*estimate, base::MemoryLevel::Memory), 4 * matrix);
  }

  void iterations_that_do_not_divide_are_not_counted_twice() {
    constexpr std::int64_t count = 160;
    const auto one = loop_nest::estimate_traffic(streaming_copy(count, loop_nest::LoopKind::Parallel),
                                                 {64, 64, 64, line_bytes, 1});
    const auto three = loop_nest::estimate_traffic(streaming_copy(count, loop_nest::LoopKind::Parallel),
                                                   {64, 64, 64, line_bytes, 3});
    QVERIFY(one && three);
    QCOMPARE(bytes_of(*three, base::MemoryLevel::L1), bytes_of(*one, base::MemoryLevel::L1));
  }

  void a_parallel_loop_may_be_decoded() {
    NestMaker maker;
    constexpr std::int64_t rows = 8;
    constexpr std::int64_t columns = 64;
    const int in = maker.buffer("in", rows * columns, false);
    const int out = maker.buffer("out", rows * columns, true);
    const int block = maker.variable(rows * columns);
    const int row = maker.variable(rows);
    const int column = maker.variable(columns);
    const loop_nest::IndexExpression offset = at(row, columns) + at(column);
    loop_nest::StatementPtr body = loop_nest::make_statement(
        loop_nest::Compute{loop_nest::Operation::Copy, {out, offset, 0}, {{in, offset, 0}}, 1, {}});
    body = loop_nest::make_statement(
        loop_nest::Let{column, loop_nest::modulo(at(block), columns, maker.nest.ranges), body});
    body = loop_nest::make_statement(
        loop_nest::Let{row, loop_nest::floor_divide(at(block), columns, maker.nest.ranges), body});
    maker.nest.body = maker.loop(block, body, loop_nest::LoopKind::Parallel);
    const auto estimate = loop_nest::estimate_traffic(maker.nest, {256, 256, 256, line_bytes, 4});
    QVERIFY(estimate);
    for (const base::MemoryLevel level :
         {base::MemoryLevel::L2, base::MemoryLevel::L3, base::MemoryLevel::Memory})
      QCOMPARE(bytes_of(*estimate, level), 3 * rows * columns * float_bytes);
  }

  void packed_indices_touch_what_they_touch() {
    // in[(i / 4) * 100 + i % 4]: four elements each, a hundred apart.
    NestMaker maker;
    const int in = maker.buffer("in", 1000, false);
    const int out = maker.buffer("out", 32, true);
    const int i = maker.variable(32);
    const loop_nest::Ranges& ranges = maker.nest.ranges;
    const loop_nest::IndexExpression offset =
        loop_nest::floor_divide(at(i), 4, ranges) * 100 + loop_nest::modulo(at(i), 4, ranges);
    maker.nest.body =
        maker.loop(i, loop_nest::make_statement(loop_nest::Compute{
                          loop_nest::Operation::Copy, {out, at(i), 0}, {{in, offset, 0}}, 1, {}}));
    const auto estimate = loop_nest::estimate_traffic(maker.nest, one_cache(1 << 14));
    QVERIFY(estimate);
    const double simulated = simulated_bytes(maker.nest, 1 << 14, line_bytes);
    QVERIFY(bytes_of(*estimate, base::MemoryLevel::L2) < 1.5 * simulated);
    QVERIFY(bytes_of(*estimate, base::MemoryLevel::L2) > simulated / 1.5);
  }

  void random_products_are_near_a_simulated_cache() {
    base::Random random(random_seed());
    constexpr int cases = 300;
    int near = 0;
    std::vector<std::string> far;
    for (int i = 0; i < cases; ++i) {
      const loop_nest::LoopNest nest = random_product(random);
      const auto cache_bytes = static_cast<std::int64_t>(8 + random.below(120)) * line_bytes;
      const auto estimate = loop_nest::estimate_traffic(nest, one_cache(cache_bytes));
      QVERIFY(estimate);
      const double ratio =
          bytes_of(*estimate, base::MemoryLevel::L2) / simulated_bytes(nest, cache_bytes, line_bytes);
      if (ratio >= 0.5 && ratio <= 2) {
        ++near;
      } else {
        far.push_back(QStringLiteral("%1 times, cache of %2").arg(ratio).arg(cache_bytes).toStdString() +
                      "\n" + loop_nest::to_text(nest));
      }
    }
    if (near < cases * 9 / 10)
      for (const std::string& nest : far) qInfo("%s", nest.c_str());
    QVERIFY2(near >= cases * 9 / 10, qPrintable(QStringLiteral("%1 of %2 are near").arg(near).arg(cases)));
  }

  void a_kernel_of_a_gpu_is_refused() {
    loop_nest::LoopNest nest = streaming_copy(16);
    nest.launch.push_back({loop_nest::LaunchDimension::BlockX, 0});
    const auto estimate = loop_nest::estimate_traffic(nest, one_cache(1 << 14));
    QVERIFY(!estimate);
    QVERIFY(estimate.error().message.find("GPU") != std::string::npos);
  }

  void nothing_moves_nothing() {
    const auto estimate = loop_nest::estimate_traffic(loop_nest::LoopNest{}, one_cache(1 << 14));
    QVERIFY(estimate);
    QCOMPARE(*estimate, loop_nest::TrafficEstimate{});
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestTrafficTest)

}  // namespace kernelscape::loop_nest_traffic_test
#include "loop_nest_traffic_test.moc"
