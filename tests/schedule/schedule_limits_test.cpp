#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/schedule/template.h"
#include "core/task/catalogue.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_limits_test {
using namespace kernelscape::testing;

namespace {

using Factors = std::vector<std::int64_t>;

Factors factors(const space::SearchSpace& space, const space::Configuration& configuration,
                std::string_view name) {
  const std::uint32_t number = space.find_knob(name).value();
  const auto row = space.knobs()[number].row(configuration.indices[number]);
  return {row.begin(), row.end()};
}

/** Threads of a block and bytes of its shared buffers, written down from the kernel that TVM generates. */
struct Launched {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t shared_bytes = 0;

  bool too_many_threads() const { return x * y * z > 1024 || x > 1024 || y > 1024 || z > 64; }
  bool refused() const { return too_many_threads() || shared_bytes > 48 * 1024; }
};

Launched launch_convolution(const task::Convolution& c, const space::SearchSpace& space,
                            const space::Configuration& configuration) {
  const auto get = [&](const char* name) { return factors(space, configuration, name); };
  const Factors f = get("tile_f"), y = get("tile_y"), x = get("tile_x");
  const Factors rc = get("tile_rc"), ry = get("tile_ry"), rx = get("tile_rx");
  const std::int64_t rows = (y[1] * y[2] * y[3] - 1) * c.stride[0] + (ry[1] - 1) * c.dilation[0] + 1;
  const std::int64_t columns = (x[1] * x[2] * x[3] - 1) * c.stride[1] + (rx[1] - 1) * c.dilation[1] + 1;
  const std::int64_t floats = rc[1] * rows * columns + f[1] * f[2] * f[3] * rc[1] * ry[1] * rx[1];
  return {x[2], y[2], f[2], 4 * floats};
}

/** Both operands' tiles of one outer step along the depth, double buffered. */
Launched launch_multiplication(const space::SearchSpace& space, const space::Configuration& configuration,
                               bool batched) {
  const auto get = [&](const char* name) { return factors(space, configuration, name); };
  const Factors k = get("tile_k"), y = get("tile_y"), x = get("tile_x");
  const std::int64_t matrices = batched ? get("tile_b")[1] : 1;
  const std::int64_t depth = k[1] * k[2];
  const std::int64_t floats = matrices * depth * (y[1] * y[2] * y[3] + x[1] * x[2] * x[3]);
  return {x[2], y[2], matrices, 2 * 4 * floats};
}

std::int64_t value(const schedule::ScheduledKernel& kernel, const space::Evaluation& evaluation,
                   std::string_view name) {
  return evaluation.values.at(kernel.limits().find(name).value());
}

/** Compares limits with the formula. Products of one factor keep their factor's name. */
void check(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
           const Launched& expected) {
  const space::Evaluation evaluation = kernel.limits().evaluate(kernel.space().knobs(), configuration);
  QCOMPARE(value(kernel, evaluation, "threads"), expected.x * expected.y * expected.z);
  QCOMPARE(value(kernel, evaluation, "shared_bytes"), expected.shared_bytes);
  QCOMPARE(!evaluation.violated.empty(), expected.refused());
  QCOMPARE(kernel.limits().satisfied(kernel.space().knobs(), configuration), !expected.refused());
}

task::Task catalogue_task(const std::string& name) {
  static const Result<task::Catalogue> loaded = task::Catalogue::load_default();
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  const auto task = loaded->find(name);
  if (!task) qFatal("%s", describe(task.error()).c_str());
  return *task;
}

}  // namespace

class ScheduleLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void convolution_limits_equal_the_formula() {
    base::Random random(random_seed());
    const schedule::TargetDescription target = schedule::default_cuda_target();
    const auto declaration = schedule::find_template("conv2d-direct", schedule::TargetKind::Cuda);
    QVERIFY(declaration.has_value());
    for (int i = 0; i < 300; ++i) {
      task::Convolution c;
      c.batch = between(random, 1, 4);
      c.input_channels = between(random, 1, 96);
      c.output_channels = between(random, 1, 160);
      for (int d = 0; d < 2; ++d) {
        c.kernel.push_back(between(random, 1, 7));
        c.stride.push_back(between(random, 1, 3));
        c.dilation.push_back(between(random, 1, 3));
        c.padding.push_back(between(random, 0, c.kernel.back()));
        c.input_size.push_back(between(random, 1, 64));
      }
      const auto task = task::make_convolution_task(c, {});
      if (!task) continue;  // a kernel larger than its image
      const auto kernel = (*declaration)->apply(*task, target);
      QVERIFY(kernel.has_value());
      for (int j = 0; j < 20; ++j) {
        const auto configuration = kernel->space().random_member(random);
        check(*kernel, *configuration, launch_convolution(c, kernel->space(), *configuration));
        if (QTest::currentTestFailed())
          qFatal("%s: %s", task->text.c_str(), kernel->space().describe(*configuration).c_str());
      }
    }
  }

  void multiplication_limits_equal_the_formula() {
    base::Random random(random_seed());
    const schedule::TargetDescription target = schedule::default_cuda_target();
    for (const std::string name :
         {"opevo/MM1", "opevo/MM2", "opevo/MM3", "opevo/BMM1", "opevo/BMM2", "opevo/BMM3"}) {
      const task::Task task = catalogue_task(name);
      const auto kernel = schedule::apply_template(task, target);
      QVERIFY(kernel.has_value());
      const bool batched = name.find("BMM") != std::string::npos;
      QCOMPARE(kernel->template_name(), std::string(batched ? "batch-matmul" : "matmul"));
      for (int j = 0; j < 1000; ++j) {
        const auto configuration = kernel->space().random_member(random);
        check(*kernel, *configuration, launch_multiplication(kernel->space(), *configuration, batched));
        QVERIFY(!QTest::currentTestFailed());
      }
    }
  }

  /** The whole space of C12: 49.3 % are refused, 5.3 % for their threads alone. */
  void the_complete_space_of_c12() {
    const task::Task task = catalogue_task("resnet18/C12");
    const auto kernel = schedule::apply_template(task, schedule::default_cuda_target(), "conv2d-direct");
    QVERIFY(kernel.has_value());
    const space::SearchSpace& space = kernel->space();
    const auto& convolution = std::get<task::Convolution>(task.definition);
    std::int64_t refused = 0;
    std::int64_t threads = 0;
    std::int64_t different = 0;
    const auto size = static_cast<std::int64_t>(space.size());
    for (std::int64_t index = 0; index < size; ++index) {
      const space::Configuration configuration = space.at(static_cast<base::uint128>(index));
      const Launched launched = launch_convolution(convolution, space, configuration);
      const bool satisfied = kernel->limits().satisfied(space.knobs(), configuration);
      refused += satisfied ? 0 : 1;
      threads += launched.too_many_threads() ? 1 : 0;
      different += satisfied == launched.refused() ? 1 : 0;
    }
    QCOMPARE(different, std::int64_t{0});
    QCOMPARE(std::round(1000.0 * static_cast<double>(refused) / static_cast<double>(size)), 493.0);
    QCOMPARE(std::round(1000.0 * static_cast<double>(threads) / static_cast<double>(size)), 53.0);
  }

  /** A refusal names the limit and both numbers. */
  void a_violated_limit_is_an_instantiation_error_in_words() {
    const task::Task task = catalogue_task("resnet18/C12");
    const auto kernel = schedule::apply_template(task, schedule::default_cuda_target(), "conv2d-direct");
    const auto configuration = kernel->space().configuration_from_json(
        R"({"tile_f": [1, 1, 512, 1], "tile_y": [1, 1, 7, 1], "tile_x": [7, 1, 1, 1], "tile_rc": [512, 1],
            "tile_ry": [3, 1], "tile_rx": [3, 1], "auto_unroll_max_step": 0, "unroll_explicit": 0})");
    QVERIFY2(configuration.has_value(), configuration ? "" : describe(configuration.error()).c_str());
    const auto refused = kernel->lower(*configuration);
    QVERIFY(!refused.has_value());
    const std::string message = refused.error().message;
    QVERIFY2(message.find("512") != std::string::npos && message.find("64") != std::string::npos,
             message.c_str());
    QVERIFY2(message.find("threads") != std::string::npos, message.c_str());
  }

  void limits_follow_the_target() {
    const task::Task task = catalogue_task("resnet18/C12");
    schedule::TargetDescription generous = schedule::default_cuda_target();
    generous.shared_bytes = std::int64_t{1} << 40;
    generous.threads_per_block = generous.block_x = generous.block_y = generous.block_z = std::int64_t{1}
                                                                                          << 40;
    schedule::TargetDescription tiny = schedule::default_cuda_target();
    tiny.shared_bytes = 4;
    const auto unlimited = schedule::apply_template(task, generous, "conv2d-direct");
    const auto impossible = schedule::apply_template(task, tiny, "conv2d-direct");
    base::Random random(random_seed());
    for (int i = 0; i < 1000; ++i) {
      const space::Configuration configuration = *unlimited->space().random_member(random);
      QVERIFY(unlimited->limits().satisfied(unlimited->space().knobs(), configuration));
      QVERIFY(!impossible->limits().satisfied(impossible->space().knobs(), configuration));
    }
  }

  /** Every tile of every small multiplication, counted from its factors. */
  void tiled_multiplications_are_limited_by_the_register_tile_alone() {
    for (const std::int64_t lanes : {4, 8, 16}) {
      const schedule::TargetDescription target = cpu_with_lanes(lanes);
      const std::int64_t max_elements = (target.vector_registers - 2) * lanes;
      const auto task = task::parse_task("matmul 48x6 6x96 f32");
      const auto kernel = schedule::apply_template(*task, target, "matmul-tiled");
      QVERIFY(kernel.has_value());
      const space::SearchSpace& space = kernel->space();
      std::int64_t refused = 0;
      for (base::uint128 index = 0; index < space.size(); ++index) {
        const space::Configuration configuration = space.at(index);
        const std::int64_t elements =
            factors(space, configuration, "tile_y")[3] * factors(space, configuration, "tile_x")[3];
        QCOMPARE(kernel->limits().satisfied(space.knobs(), configuration), elements <= max_elements);
        refused += elements > max_elements ? 1 : 0;
      }
      QVERIFY(refused > 0 && base::uint128{4} * static_cast<base::uint128>(refused) < space.size());
    }
  }

  /** Where G-BFS and N-A2C begin: the whole extent in the first factor. */
  void undivided_loops_are_never_refused() {
    for (const std::string name : {"MM1", "MM2", "MM3", "BMM1", "BMM2", "BMM3"}) {
      const task::Task task = catalogue_task("opevo-cpu/" + name);
      const bool batched = name.starts_with("B");
      const auto kernel =
          schedule::apply_template(task, cpu_with_lanes(4), batched ? "batch-matmul-tiled" : "matmul-tiled");
      QVERIFY(kernel.has_value());
      space::Configuration start;
      for (const space::Knob& knob : kernel->space().knobs()) {
        Factors first(static_cast<std::size_t>(knob.element_count()), 1);
        first.front() = knob.product();
        start.indices.push_back(knob.find(first).value());
      }
      const auto lowered = kernel->lower(start);
      QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
    }
  }

  void what_limits_refuse_can_be_made_without_them() {
    const auto kernel = schedule::apply_template(*task::parse_task("matmul 64x32 32x64 f32"),
                                                 cpu_with_lanes(4), "matmul-tiled");
    QVERIFY(kernel.has_value());
    const schedule::ScheduledKernel unlimited = kernel->without_limits();
    QVERIFY(unlimited.limits().empty());
    QCOMPARE(unlimited.space().fingerprint(), kernel->space().fingerprint());
    base::Random random(random_seed());
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
      const space::Configuration configuration = kernel->space().random_member(random).value();
      const auto limited = kernel->lower(configuration);
      const auto lowered = unlimited.lower(configuration);
      QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
      if (!limited) ++refused;
      QCOMPARE(limited.has_value(), kernel->within_limits(configuration));
    }
    QVERIFY(refused > 0);
  }

  void a_cpu_has_no_limits() {
    const auto kernel = schedule::apply_template(catalogue_task("resnet18/C12"), cpu_with_lanes(16));
    QVERIFY(kernel.has_value());
    QVERIFY(kernel->limits().empty());
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleLimitsTest)

}  // namespace kernelscape::schedule_limits_test
#include "schedule_limits_test.moc"
