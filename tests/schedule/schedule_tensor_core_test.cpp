#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <set>

#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "core/task/catalogue.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_tensor_core_test {
using namespace kernelscape::testing;

namespace {

task::Task task_of(const std::string& text) {
  const auto task = task::parse_task(text);
  if (!task) qFatal("%s", describe(task.error()).c_str());
  return *task;
}

schedule::ScheduledKernel kernel_of(const task::Task& task,
                                    const schedule::TargetDescription& target = cuda_with_tensor_cores()) {
  auto kernel = schedule::apply_template(task, target);
  if (!kernel) qFatal("%s", describe(kernel.error()).c_str());
  return std::move(*kernel);
}

/** One configuration of TVM's templates, its tiles written down from their code. */
struct Tiles {
  std::int64_t row_warps, column_warps, row_tiles, column_tiles, chunk, offset, result_offset, vector_width;
  std::int64_t fragment_rows, fragment_columns;

  Tiles(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration) {
    const auto value = [&](const char* name) {
      const std::uint32_t number = kernel.space().find_knob(name).value();
      return kernel.space().knobs()[number].element(configuration.indices[number], 0);
    };
    row_warps = value("block_row_warps");
    column_warps = value("block_col_warps");
    row_tiles = value("warp_row_tiles");
    column_tiles = value("warp_col_tiles");
    chunk = value("chunk");
    offset = value("offset");
    const bool convolution = !kernel.space().find_knob("offsetCS");
    result_offset = value(convolution ? "offset" : "offsetCS");
    vector_width = value(convolution ? "vector_width" : "vec");
    fragment_rows = value("wmma_m");
    fragment_columns = fragment_rows == 16 ? 16 : fragment_rows == 8 ? 32 : 8;
  }

  std::int64_t rows() const { return fragment_rows * row_tiles * row_warps; }
  std::int64_t columns() const { return fragment_columns * column_tiles * column_warps; }
  std::int64_t depth() const { return 16 * chunk; }
  std::int64_t threads() const { return 32 * row_warps * column_warps; }

  /** Bytes of a tile of halves whose rows are padded; stored rows x columns, or the other way. */
  std::int64_t operand_bytes(std::int64_t outer, std::int64_t inner) const {
    return 2 * outer * (inner + offset);
  }
};

/** Rows, columns and depth of the multiplication, and which operands lie with the depth innermost. */
struct Problem {
  std::int64_t m = 1, n = 1, k = 1;
  bool a_by_rows = true;  ///< the depth runs along A's rows
  bool b_by_rows = true;  ///< the columns run along B's rows

  explicit Problem(const task::Task& task) {
    if (const auto* matrices = std::get_if<task::MatrixMultiplication>(&task.definition)) {
      m = matrices->m;
      n = matrices->n;
      k = matrices->k;
      a_by_rows = !matrices->transpose_a;
      b_by_rows = !matrices->transpose_b;
    } else {
      const auto& convolution = std::get<task::Convolution>(task.definition);
      m = convolution.batch;
      n = convolution.output_channels;
      k = convolution.input_channels;
    }
  }

  std::int64_t operand_bytes(const Tiles& tiles) const {
    return (a_by_rows ? tiles.operand_bytes(tiles.rows(), tiles.depth())
                      : tiles.operand_bytes(tiles.depth(), tiles.rows())) +
           (b_by_rows ? tiles.operand_bytes(tiles.depth(), tiles.columns())
                      : tiles.operand_bytes(tiles.columns(), tiles.depth()));
  }
  std::int64_t result_bytes(const Tiles& tiles) const {
    return 4 * tiles.rows() * (tiles.columns() + tiles.result_offset);
  }
  std::int64_t bytes(const Tiles& tiles) const { return std::max(operand_bytes(tiles), result_bytes(tiles)); }

  bool refuses(const Tiles& tiles, const schedule::TargetDescription& target) const {
    return m % tiles.rows() != 0 || n % tiles.columns() != 0 || k % tiles.depth() != 0 ||
           tiles.threads() > target.threads_per_block || bytes(tiles) > target.shared_bytes;
  }
};

std::string values_of(const schedule::ScheduledKernel& kernel, const char* name) {
  const space::Knob& knob = kernel.space().knobs()[kernel.space().find_knob(name).value()];
  std::string text;
  for (std::uint32_t i = 0; i < knob.count(); ++i) text += (i == 0 ? "" : " ") + knob.describe(i);
  return text;
}

void collect(const loop_nest::StatementPtr& statement,
             std::vector<loop_nest::FragmentOperation>& operations) {
  if (const auto* operation = std::get_if<loop_nest::FragmentOperation>(&statement->node))
    operations.push_back(*operation);
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    collect(part, operations);
    return part;
  });
}

std::vector<loop_nest::FragmentOperation> fragment_operations(const loop_nest::LoopNest& nest) {
  std::vector<loop_nest::FragmentOperation> operations;
  collect(nest.body, operations);
  return operations;
}

}  // namespace

class ScheduleTensorCoreTest : public QObject {
  Q_OBJECT

 private slots:
  void a_warp_has_its_lanes_and_its_sums_alone() {
    const schedule::ScheduledKernel kernel = kernel_of(task_of("matmul 64x64 64x64 f16"));
    const schedule::Schedule& right = kernel.schedule();
    QVERIFY(right.check(schedule::TargetKind::Cuda).has_value());
    const auto place = [&](schedule::Binding binding) {
      const auto found = std::ranges::find(right.loops(), binding, &schedule::Loop::binding);
      return schedule::LoopId{static_cast<int>(found - right.loops().begin())};
    };
    schedule::Schedule lanes = right;
    lanes.bind(place(schedule::Binding::ThreadY), schedule::Binding::ThreadX);
    const Status taken = lanes.check(schedule::TargetKind::Cuda);
    QVERIFY(!taken && taken.error().message.contains("the lanes of the warp"));
    // What is summed over comes first.
    schedule::Schedule outside = right;
    std::vector<schedule::OrderItem> order = right.order();
    std::ranges::stable_partition(order, [&](const schedule::OrderItem& item) {
      const auto axis = static_cast<std::size_t>(right.loop(item.loops.front()).axis);
      return right.op().axes[axis].reduction &&
             !loop_nest::contains(right.tensorized()->loops, item.loops.front());
    });
    outside.reorder(order);
    const Status summed = outside.check(schedule::TargetKind::Cuda);
    QVERIFY(!summed);
    QVERIFY2(summed.error().message.contains("sums in fragments"), summed.error().message.c_str());
  }

  /** Order, values and number of TVM's knobs; every configuration is a member. */
  void the_spaces_are_those_of_tvm() {
    const schedule::ScheduledKernel matmul = kernel_of(task_of("matmul 1024x1024 1024x1024 f16"));
    QCOMPARE(matmul.template_name(), std::string("matmul-wmma"));
    std::string names;
    for (const space::Knob& knob : matmul.space().knobs()) names += knob.name() + " ";
    QCOMPARE(names, std::string("block_row_warps block_col_warps warp_row_tiles warp_col_tiles chunk offset "
                                "offsetCS vec wmma_m "));
    for (const char* name : {"block_row_warps", "block_col_warps", "warp_row_tiles", "warp_col_tiles"})
      QCOMPARE(values_of(matmul, name), std::string("1 2 4"));
    for (const char* name : {"chunk", "vec"}) QCOMPARE(values_of(matmul, name), std::string("1 2 4 8"));
    for (const char* name : {"offset", "offsetCS"}) QCOMPARE(values_of(matmul, name), std::string("0 8"));
    QCOMPARE(base::to_string(matmul.space().size()), std::string("15552"));
    QCOMPARE(base::to_string(matmul.space().member_count().value()), std::string("15552"));

    const schedule::ScheduledKernel convolution =
        kernel_of(task_of("conv2d 16x64x56x56 64x64x3x3 pad=1 f16"));
    QCOMPARE(convolution.template_name(), std::string("conv2d-wmma"));
    names.clear();
    for (const space::Knob& knob : convolution.space().knobs()) names += knob.name() + " ";
    QCOMPARE(names, std::string("block_row_warps block_col_warps warp_row_tiles warp_col_tiles chunk offset "
                                "vector_width wmma_m "));
    QCOMPARE(base::to_string(convolution.space().member_count().value()), std::string("7776"));
  }

  /** TVM puts first the shape that surely divides; its logs count by this order. */
  void fragment_rows_stand_in_tvms_order_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("values");
    QTest::newRow("32 rows") << "matmul 64x64 64x64 f16" << "32 16 8";
    QTest::newRow("16 rows") << "matmul 48x64 64x64 f16" << "16 8 32";
    QTest::newRow("8 rows") << "matmul 8x64 64x64 f16" << "8 16 32";
    QTest::newRow("32 rows only") << "matmul 32x2048 2048x1000 f16" << "32 16 8";
    QTest::newRow("batch") << "bmm 2x64x64 2x64x64 f16" << "32 16 8";
    QTest::newRow("16 images") << "conv2d 64x16x4x4 64x16x1x1 f16" << "16 8 32";
    QTest::newRow("8 images") << "conv2d 8x16x4x4 64x16x1x1 f16" << "8 16 32";
    QTest::newRow("32 images") << "conv2d 32x16x4x4 8x16x1x1 f16" << "32 16 8";
  }

  void fragment_rows_stand_in_tvms_order() {
    QFETCH(QString, task);
    QFETCH(QString, values);
    const schedule::ScheduledKernel kernel = kernel_of(task_of(task.toStdString()));
    QCOMPARE(QString::fromStdString(values_of(kernel, "wmma_m")), values);
  }

  /** Every configuration of random tasks: what is refused breaks a rule, and nothing else is refused. */
  void refused_are_exactly_the_configurations_that_break_a_rule() {
    base::Random random(random_seed());
    std::set<bool> seen;
    for (int i = 0; i < 12; ++i) {
      schedule::TargetDescription target = cuda_with_tensor_cores();
      target.threads_per_block = one_of<3>(random, {128, 256, 1024});
      target.shared_bytes = one_of<3>(random, {16 << 10, 48 << 10, 64 << 10});
      const Result<task::Task> task =
          random.chance(0.7) ? random_half_multiplication(random) : random_half_convolution(random);
      if (!task) continue;
      const auto kernel = schedule::apply_template(*task, target);
      if (!kernel) continue;
      const Problem problem(*task);
      const space::SearchSpace& space = kernel->space();
      for (base::uint128 index = 0; index < space.size(); ++index) {
        const space::Configuration configuration = space.at(index);
        const Tiles tiles(*kernel, configuration);
        const bool refused = !kernel->limits().satisfied(space.knobs(), configuration);
        QVERIFY2(refused == problem.refuses(tiles, target),
                 fmt::format("{}: {}", task->text, space.describe(configuration)).c_str());
        seen.insert(refused);
      }
    }
    QCOMPARE(seen.size(), std::size_t{2});
  }

  /** Threads and bytes of the limits are those of the kernel, to the byte. */
  void limits_say_what_the_kernel_has() {
    base::Random random(random_seed());
    for (int i = 0; i < 60; ++i) {
      const Result<task::Task> task =
          random.chance(0.7) ? random_half_multiplication(random) : random_half_convolution(random);
      if (!task) continue;
      const auto kernel = schedule::apply_template(*task, cuda_with_tensor_cores());
      if (!kernel) continue;
      const Problem problem(*task);
      for (int member = 0; member < 10; ++member) {
        const space::Configuration configuration = accepted_member(*kernel, random);
        const Tiles tiles(*kernel, configuration);
        const auto lowered = kernel->lower(configuration);
        QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
        QCOMPARE(loop_nest::place_shared_buffers(lowered->nest).bytes, problem.bytes(tiles));
        const space::Evaluation evaluation =
            kernel->limits().evaluate(kernel->space().knobs(), configuration);
        const auto value = [&](const char* name) {
          return evaluation.values.at(kernel->limits().find(name).value());
        };
        QCOMPARE(value("shared_bytes"), problem.operand_bytes(tiles));
        QCOMPARE(value("shared_output_bytes"), problem.result_bytes(tiles));
        QCOMPARE(value("threads"), tiles.threads());
        QCOMPARE(value("wmma_n"), tiles.fragment_columns);
      }
    }
  }

  /** A refusal is an instantiation error that names the tile and what it does not divide. */
  void a_tile_that_does_not_divide_is_refused_in_words() {
    const schedule::ScheduledKernel kernel = kernel_of(task_of("matmul 48x64 64x64 f16"));
    const auto configuration = kernel.space().configuration_from_json(
        R"({"block_row_warps": 4, "block_col_warps": 1, "warp_row_tiles": 2, "warp_col_tiles": 1, "chunk": 1,
            "offset": 0, "offsetCS": 0, "vec": 1, "wmma_m": 16})");
    QVERIFY(configuration.has_value());
    QVERIFY(kernel.space().contains(*configuration));
    const auto refused = kernel.lower(*configuration);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    const std::string message = refused.error().message;
    QVERIFY2(message.find("128") != std::string::npos && message.find("48 of y") != std::string::npos,
             message.c_str());
  }

  /** Every fragment of the output is multiplied once per step, and stored once. */
  void fragments_cover_the_output() {
    base::Random random(random_seed());
    for (int i = 0; i < 60; ++i) {
      const Result<task::Task> task = random_half_multiplication(random);
      const auto kernel = schedule::apply_template(*task, cuda_with_tensor_cores());
      if (!kernel) continue;
      const space::Configuration configuration = accepted_member(*kernel, random);
      const Tiles tiles(*kernel, configuration);
      const Problem problem(*task);
      const loop_nest::LoopNest nest = schedule::lower(kernel->schedule(), configuration, kernel->target());
      const std::vector<loop_nest::FragmentOperation> operations = fragment_operations(nest);
      QCOMPARE(operations.size(), std::size_t{5});
      for (const loop_nest::FragmentOperation& operation : operations) {
        QCOMPARE(operation.shape,
                 (loop_nest::FragmentShape{tiles.fragment_rows, tiles.fragment_columns, 16}));
        const bool loads_a = operation.action == loop_nest::FragmentAction::LoadA;
        if (!loads_a && operation.action != loop_nest::FragmentAction::LoadB) continue;
        const bool by_rows = loads_a ? problem.a_by_rows : problem.b_by_rows;
        QCOMPARE(operation.orders.at(0),
                 by_rows ? loop_nest::MatrixOrder::RowMajor : loop_nest::MatrixOrder::ColumnMajor);
        const std::int64_t row = loads_a == by_rows ? tiles.depth()
                                 : loads_a          ? tiles.rows()
                                                    : tiles.columns();
        QCOMPARE(operation.line_stride, row + tiles.offset);
      }
    }
  }

  /** A copy is as wide as asked: no layout of these tasks stands against it. */
  void copies_have_the_width_of_the_knob() {
    base::Random random(random_seed());
    for (int i = 0; i < 60; ++i) {
      const Result<task::Task> task =
          random.chance(0.5) ? random_half_multiplication(random) : random_half_convolution(random);
      if (!task) continue;
      const auto kernel = schedule::apply_template(*task, cuda_with_tensor_cores());
      if (!kernel) continue;
      const space::Configuration configuration = accepted_member(*kernel, random);
      const std::int64_t width = Tiles(*kernel, configuration).vector_width;
      const loop_nest::LoopNest nest = schedule::lower(kernel->schedule(), configuration, kernel->target());
      loop_nest::for_each_compute(nest.body, [&](const loop_nest::Compute& compute) {
        const bool store = compute.destination.buffer == 2;
        QCOMPARE(compute.lanes, store ? std::min<std::int64_t>(width, 4) : width);
      });
    }
  }

  void a_task_that_does_not_fit_says_why_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("isa");
    QTest::addColumn<QString>("reason");
    const std::tuple<const char*, const char*, const char*, const char*> rows[] = {
        {"matmul 64x64 64x64 f32", "matmul-wmma", "sm_80", "f32"},
        {"matmul 64x64 64x64 bf16", "matmul-wmma", "sm_80", "bf16"},
        {"matmul 64x64 64x64 f16", "matmul-wmma", "sm_61", "sm_61 has no tensor cores"},
        {"matmul 64x64 64x64 f16", "matmul-wmma", "", "no tensor cores"},
        {"matmul 20x64 64x64 f16", "matmul-wmma", "sm_80", "20x64x64"},
        {"matmul 8x16 16x16 f16", "matmul-wmma", "sm_80", "8x16x16"},
        {"matmul 64x24 24x64 f16", "matmul-wmma", "sm_80", "64x64x24"},
        {"bmm 2x64x64 2x64x64 f16", "matmul-wmma", "sm_80", "batch"},
        {"matmul 64x64 64x64 f16", "conv2d-wmma", "sm_80", "not a convolution"},
        {"conv2d 1x64x8x8 64x64x3x3 f16", "conv2d-wmma", "sm_80", "1x64x64"},
        {"conv2d 16x64x8x8 64x32x3x3 groups=2 f16", "conv2d-wmma", "sm_80", "grouped"}};
    for (const auto& [task, name, isa, reason] : rows)
      QTest::newRow(fmt::format("{} {} {}", name, task, isa).c_str()) << task << name << isa << reason;
  }

  void a_task_that_does_not_fit_says_why() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    QFETCH(QString, isa);
    QFETCH(QString, reason);
    schedule::TargetDescription target = cuda_with_tensor_cores();
    target.isa = isa.toStdString();
    const auto refused = schedule::apply_template(task_of(task.toStdString()), target, name.toStdString());
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(describe(refused.error()).find(reason.toStdString()) != std::string::npos,
             describe(refused.error()).c_str());
  }

  /** Where no first shape divides, one of the others does. */
  void every_shape_that_some_fragment_divides_has_a_kernel() {
    base::Random random(random_seed());
    for (std::int64_t m = 8; m <= 40; m += 8)
      for (std::int64_t n = 8; n <= 40; n += 8)
        for (const std::int64_t k : {16, 24, 48}) {
          const task::Task task = task_of(fmt::format("matmul {}x{} {}x{} f16", m, k, k, n));
          const auto kernel = schedule::apply_template(task, cuda_with_tensor_cores());
          const bool fits = k % 16 == 0 && ((m % 16 == 0 && n % 16 == 0) || (m % 8 == 0 && n % 32 == 0) ||
                                            (m % 32 == 0 && n % 8 == 0));
          QVERIFY2(kernel.has_value() == fits, task.text.c_str());
          if (kernel) QVERIFY(kernel->lower(accepted_member(*kernel, random)).has_value());
        }
  }

  /** Heron's multiplications, two of which the 32 x 8 x 16 shape alone divides. */
  void herons_multiplications_have_kernels() {
    const std::pair<const char*, std::set<std::int64_t>> tasks[] = {
        {"matmul 1024x1024 1024x1024 f16", {8, 16, 32}},
        {"matmul 4096x4096 4096x4096 f16", {8, 16, 32}},
        {"matmul 32x2048 2048x1000 f16", {32}},
        {"matmul 32x4096 4096x4096 f16", {8, 16, 32}},
        {"matmul 32x4096 4096x1000 f16", {32}}};
    for (const auto& [text, shapes] : tasks) {
      const schedule::ScheduledKernel kernel = kernel_of(task_of(text));
      std::set<std::int64_t> accepted;
      for (base::uint128 index = 0; index < kernel.space().size(); ++index) {
        const space::Configuration configuration = kernel.space().at(index);
        if (kernel.limits().satisfied(kernel.space().knobs(), configuration))
          accepted.insert(Tiles(kernel, configuration).fragment_rows);
      }
      QVERIFY2(accepted == shapes, text);
    }
  }

  /** Too many blocks along a dimension for the launch are a limit as well. */
  void blocks_beyond_a_launch_are_refused() {
    schedule::TargetDescription target = cuda_with_tensor_cores();
    target.grid_x = 1000;
    target.grid_y = 3;
    target.grid_z = 100;
    const schedule::ScheduledKernel kernel = kernel_of(task_of("matmul 256x64 64x256 f16"), target);
    const schedule::TargetDescription unlimited = cuda_with_tensor_cores();
    std::set<bool> seen;
    for (base::uint128 index = 0; index < kernel.space().size(); index += 7) {
      const space::Configuration configuration = kernel.space().at(index);
      const Tiles tiles(kernel, configuration);
      const bool few = 256 / tiles.columns() <= 3;
      const bool refused = Problem(kernel.task()).refuses(tiles, unlimited) || !few;
      QCOMPARE(!kernel.limits().satisfied(kernel.space().knobs(), configuration), refused);
      if (!Problem(kernel.task()).refuses(tiles, unlimited)) seen.insert(few);
    }
    QCOMPARE(seen.size(), std::size_t{2});
    const auto pixels = schedule::apply_template(task_of("conv2d 16x16x11x11 16x16x1x1 f16"), target);
    QVERIFY(pixels.has_value());
    base::Random random(1);
    for (int i = 0; i < 100; ++i)
      QVERIFY(!pixels->limits().satisfied(pixels->space().knobs(), *pixels->space().random_member(random)));
  }

  /** A user's wish to respect limits makes members of the accepted configurations alone. */
  void limits_can_become_membership() {
    const schedule::ScheduledKernel kernel = kernel_of(task_of("matmul 64x48 64x80 f16 transpose_a"));
    const auto restricted = kernel.space().restricted_by(kernel.limits());
    QVERIFY2(restricted.has_value(), restricted ? "" : describe(restricted.error()).c_str());
    base::Random random(random_seed());
    for (int i = 0; i < 50; ++i) {
      const auto member = restricted->random_member(random);
      QVERIFY(member.has_value());
      QVERIFY(kernel.limits().satisfied(kernel.space().knobs(), *member));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleTensorCoreTest)

}  // namespace kernelscape::schedule_tensor_core_test
#include "schedule_tensor_core_test.moc"
