#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "core/base/random.h"
#include "core/task/reference.h"
#include "core/task/reference_sample.h"
#include "core/task/task.h"
#include "tests/task/naive_reference.h"
#include "tests/test_program.h"

namespace kernelscape::task_reference_test {
using Sizes = std::vector<std::int64_t>;

namespace {

/** Exactly for integers, to a few units in the last place of the sum otherwise. */
bool agree(const task::Reference& a, const task::Reference& b) {
  if (a.values.size() != b.values.size() || a.magnitudes.size() != b.magnitudes.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double allowed = 1e-13 * b.magnitudes[i];
    if (!(std::abs(a.values[i] - b.values[i]) <= allowed)) return false;
    if (!(std::abs(a.magnitudes[i] - b.magnitudes[i]) <= allowed)) return false;
  }
  return true;
}

std::int64_t draw(base::Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

task::OperandTypes draw_types(base::Random& random) {
  const std::array names = {"f32", "f64", "f16", "bf16", "i8"};
  return *task::parse_operand_types(names.at(random.below(names.size())));
}

/** A small convolution; not all of them fit together. */
task::Convolution draw_convolution(base::Random& random) {
  task::Convolution c;
  c.batch = draw(random, 1, 2);
  c.groups = random.chance(0.5) ? 1 : draw(random, 2, 4);
  c.input_channels = c.groups * draw(random, 1, 4);
  c.output_channels = c.groups * draw(random, 1, 4);
  c.transposed = random.chance(0.4);
  const std::int64_t dimensions = draw(random, 1, 3);
  for (std::int64_t d = 0; d < dimensions; ++d) {
    c.input_size.push_back(draw(random, 1, 9));
    c.kernel.push_back(draw(random, 1, 4));
    c.stride.push_back(draw(random, 1, 3));
    c.padding.push_back(draw(random, 0, 4));
    c.dilation.push_back(draw(random, 1, 3));
    c.padding_end.push_back(random.chance(0.5) ? c.padding.back() : draw(random, c.transposed ? -2 : 0, 4));
  }
  return c;
}

task::MatrixMultiplication draw_multiplication(base::Random& random) {
  task::MatrixMultiplication m;
  m.batched = random.chance(0.5);
  m.batch = m.batched ? draw(random, 1, 4) : 1;
  m.m = draw(random, 1, 20);
  m.n = draw(random, 1, 20);
  m.k = draw(random, 1, 40);
  m.transpose_a = random.chance(0.5);
  m.transpose_b = random.chance(0.5);
  return m;
}

/** Compares a task with the naive loops. */
bool matches_naive(const task::Task& task, std::uint64_t seed, int threads) {
  const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, seed);
  return agree(task::compute_reference(*task.op, inputs, threads), naive_reference(task, inputs));
}

}  // namespace

class TaskReferenceTest : public QObject {
  Q_OBJECT

 private slots:
  void random_convolutions_match_naive_loops() {
    const std::uint64_t seed = 20240;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int checked = 0;
    while (checked < 3000) {
      const Result<task::Task> task =
          task::make_convolution_task(draw_convolution(random), draw_types(random));
      if (!task) continue;
      ++checked;
      QVERIFY2(matches_naive(*task, random.bits(), 1 + checked % 3), task->text.c_str());
    }
  }

  void random_multiplications_match_naive_loops() {
    const std::uint64_t seed = 20241;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 1000; ++i) {
      const Result<task::Task> task = task::make_matmul_task(draw_multiplication(random), draw_types(random));
      QVERIFY(task.has_value());
      QVERIFY2(matches_naive(*task, random.bits(), 1 + i % 3), task->text.c_str());
    }
  }

  void chosen_shapes_match_naive_loops_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {
             "conv2d 1x16x14x14 16x16x3x3 pad=1",
             "conv2d 2x3x23x23 8x3x7x7 stride=2 pad=3",
             "conv2d 1x32x9x9 32x1x3x3 groups=32 pad=1",
             "conv2d 1x8x9x9 24x1x3x3 groups=8 stride=2",
             "conv2d 1x8x7x7 8x3x4x4 stride=2 pad=1 transposed groups=2",
             "conv2d 1x4x3x3 4x4x5x5 stride=7 transposed",
             "conv2d 1x4x3x3 4x1x2x2 stride=3 pad=1 transposed groups=4",
             "conv2d 1x2x1x1 3x2x1x1 pad=5",
             "conv1d 1x7x3 5x7x2 pad=40 stride=3 dilation=5",
             "conv3d 1x4x2x14x14 8x4x3x3x3 pad=1",
             "conv2d 1x1x1x1 1x1x1x1",
             "matmul 1x1 1x1",
             "gemv 33x129 129",
             "matmul 1x300 300x77",
         })
      QTest::newRow(text) << text;
  }
  void chosen_shapes_match_naive_loops() {
    QFETCH(const QString, text);
    const Result<task::Task> task = task::parse_task(text.toStdString());
    QVERIFY(task.has_value());
    QVERIFY(matches_naive(*task, 1, 2));
  }

  void known_values() {
    // A 2x2 kernel over 3x3, worked out by hand; then the transposed one of a single pixel, which is the
    // kernel.
    const task::Task plain = *task::parse_task("conv2d 1x1x3x3 1x1x2x2");
    const task::Reference sums =
        task::compute_reference(*plain.op, {{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, -1, 2, 0}}}, 1);
    QCOMPARE(sums.values, (std::vector<double>{7, 9, 13, 15}));
    QCOMPARE(sums.magnitudes, (std::vector<double>{11, 15, 23, 27}));
    const task::Task transposed = *task::parse_task("conv2d 1x1x1x1 1x1x2x2 transposed");
    QCOMPARE(task::compute_reference(*transposed.op, {{{3}, {1, -1, 2, 0}}}, 1).values,
             (std::vector<double>{3, -3, 6, 0}));
    const task::Task scan = *task::parse_task("matmul 1x3 3x3");
    QCOMPARE(task::compute_reference(*scan.op, {{{2, 3, 4}, {1, 1, 1, 0, 1, 1, 0, 0, 1}}}, 1).values,
             (std::vector<double>{2, 5, 9}));
  }

  void thread_count_changes_nothing() {
    for (const char* text : {"conv2d 2x8x17x13 12x4x3x3 groups=2 pad=1", "bmm 3x31x29 3x37x29 transpose_b",
                             "conv2d 1x8x9x9 8x4x3x3 stride=2 transposed"}) {
      const task::Task task = *task::parse_task(text);
      const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, 5);
      const task::Reference one = task::compute_reference(*task.op, inputs, 1);
      for (const int threads : {0, 2, 3, 16, 5000}) {
        const task::Reference many = task::compute_reference(*task.op, inputs, threads);
        QCOMPARE(many.values, one.values);  // bit for bit
        QCOMPARE(many.magnitudes, one.magnitudes);
      }
    }
  }

  void inputs_are_exact_in_their_type_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("significand_bits");
    QTest::addColumn<int>("min_exponent");  // below it numbers are subnormal
    QTest::newRow("f64") << "f64" << 53 << -1022;
    QTest::newRow("f32") << "f32" << 24 << -126;
    QTest::newRow("f16") << "f16" << 11 << -14;
    QTest::newRow("bf16") << "bf16" << 8 << -126;
  }
  void inputs_are_exact_in_their_type() {
    QFETCH(const QString, type);
    QFETCH(const int, significand_bits);
    QFETCH(const int, min_exponent);
    const task::Task task = *task::parse_task("matmul 100x100 100x100 " + type.toStdString());
    const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, 3);
    double sum = 0;
    for (const std::vector<double>& tensor : inputs.tensors) {
      for (const double value : tensor) {
        QVERIFY(value >= -1 && value < 1);
        const double significand =
            std::ldexp(value, significand_bits - 1 - (value == 0 ? 0 : std::ilogb(value)));
        QVERIFY(significand == std::trunc(significand));
        QVERIFY(value == 0 || std::ilogb(value) >= min_exponent);
        sum += value;
      }
    }
    QVERIFY(std::abs(sum / 20'000) < 0.03);
    QVERIFY(inputs.tensors[0] != inputs.tensors[1]);
  }

  void integer_inputs_fit_their_types() {
    const task::Task task = *task::parse_task("matmul 100x100 100x100 i8");
    const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, 3);
    std::set<double> activations(inputs.tensors[0].begin(), inputs.tensors[0].end());
    std::set<double> weights(inputs.tensors[1].begin(), inputs.tensors[1].end());
    for (const double value : activations) QVERIFY(value >= 0 && value <= 255 && value == std::trunc(value));
    for (const double value : weights) QVERIFY(value >= -128 && value <= 127 && value == std::trunc(value));
    QCOMPARE(activations.size(), std::size_t{256});
    QCOMPARE(weights.size(), std::size_t{256});
  }

  void small_tensors_of_bytes_have_extremes_too() {
    const task::Task task = *task::parse_task("matmul 4x16 16x4 i8");
    const std::uint64_t seed = 20242;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 20; ++i) {
      const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, random.bits());
      for (const auto& [tensor, least, most] : {std::tuple{0, 0.0, 255.0}, {1, -128.0, 127.0}}) {
        const std::vector<double>& values = inputs.tensors[static_cast<std::size_t>(tensor)];
        QVERIFY(std::ranges::any_of(values, [&](double value) { return value == least || value == most; }));
      }
    }
  }

  void inputs_follow_the_seed() {
    const task::Task task = *task::parse_task("matmul 10x10 10x10");
    QCOMPARE(task::make_reference_inputs(*task.op, 1).tensors,
             task::make_reference_inputs(*task.op, 1).tensors);
    QVERIFY(task::make_reference_inputs(*task.op, 1).tensors !=
            task::make_reference_inputs(*task.op, 2).tensors);
  }

  void cache_gives_what_computing_gives() {
    const task::Task first = *task::parse_task("matmul 10x10 10x10");
    const auto cached = task::cached_reference(*first.op, 1, 2);
    QCOMPARE(cached->values,
             task::compute_reference(*first.op, task::make_reference_inputs(*first.op, 1), 1).values);
    QCOMPARE(task::cached_reference(*first.op, 1, 1), cached);
    QVERIFY(task::cached_reference(*first.op, 2, 1)->values != cached->values);
    // Others push it out, and its owner keeps it.
    for (int n = 2; n < 12; ++n)
      task::cached_reference(*task::parse_task("matmul 10x10 10x" + std::to_string(n))->op, 1, 1);
    QCOMPARE(task::cached_reference(*first.op, 1, 1)->values, cached->values);
  }

  void large_tasks_are_sampled_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("multiplication") << "matmul 2500x600 600x6700";
#ifndef KERNELSCAPE_SANITIZED  // half a minute there
    QTest::newRow("convolution") << "conv2d 24x64x112x112 64x64x3x3 pad=1";
#endif
  }
  void large_tasks_are_sampled() {
    QFETCH(const QString, text);
    const task::Task task = *task::parse_task(text.toStdString());
    const task::TensorOperator& op = *task.op;
    QVERIFY(op.flops() > task::largest_complete_reference_flops);
    const task::ReferenceInputs inputs = task::make_reference_inputs(op, 1);
    const task::Reference sample = task::compute_reference(op, inputs, 2);
    QVERIFY(sample.positions.size() >= 65'536);
    QCOMPARE(sample.values.size(), sample.positions.size());
    QCOMPARE(sample.magnitudes.size(), sample.positions.size());
    for (std::size_t i = 1; i < sample.positions.size(); ++i)
      QVERIFY(sample.positions[i - 1] < sample.positions[i]);
    QVERIFY(sample.positions.front() == 0);
    QVERIFY(sample.positions.back() == op.output.element_count() - 1);
    check_borders(op, sample);
    QCOMPARE(task::compute_reference(op, inputs, 1).values, sample.values);
    QVERIFY(task::sample_points(op, 9).at(1000).position != sample.positions[1000]);
    // Every 97th against the definition, evaluated from the accesses themselves.
    for (std::size_t i = 0; i < sample.positions.size(); i += 97) {
      const auto [sum, magnitude] = evaluate_at(op, inputs, sample.positions[i]);
      QVERIFY(std::abs(sum - sample.values[i]) <= 1e-13 * magnitude);
      QVERIFY(std::abs(magnitude - sample.magnitudes[i]) <= 1e-13 * magnitude);
    }
  }

  void inputs_of_another_size_are_a_programming_error() {
    const task::Task task = *task::parse_task("matmul 2x3 3x4");
    QVERIFY_EXCEPTION_THROWN(task::compute_reference(*task.op, {{{1.0}, {1.0}}}, 1), std::logic_error);
  }

 private:
  /** Both ends of every dimension, and the last elements before its end, are in the sample. */
  static void check_borders(const task::TensorOperator& op, const task::Reference& sample) {
    std::vector<std::set<std::int64_t>> seen(op.output.shape.size());
    for (std::int64_t position : sample.positions) {
      for (std::size_t d = seen.size(); d-- > 0;) {
        seen[d].insert(position % op.output.shape[d]);
        position /= op.output.shape[d];
      }
    }
    for (std::size_t d = 0; d < seen.size(); ++d) {
      const std::int64_t extent = op.output.shape[d];
      QVERIFY(seen[d].contains(0));
      for (std::int64_t i = std::max<std::int64_t>(0, extent - 16); i < extent; ++i)
        QVERIFY(seen[d].contains(i));
    }
  }

  /** Sum and magnitude of one output whose dimensions are the spatial axes in order. */
  static std::pair<double, double> evaluate_at(const task::TensorOperator& op,
                                               const task::ReferenceInputs& inputs, std::int64_t position) {
    Sizes axes(op.axes.size(), 0);
    for (std::size_t d = op.output.shape.size(); d-- > 0;) {
      axes[d] = position % op.output.shape[d];
      position /= op.output.shape[d];
    }
    double sum = 0;
    double magnitude = 0;
    for (;;) {
      double product = 1;
      for (std::size_t input = 0; input < 2; ++input)
        product *= read(op.inputs[input], inputs.tensors[input], axes);
      sum += product;
      magnitude += std::abs(product);
      std::size_t a = axes.size();
      while (a > op.output.shape.size() && ++axes[a - 1] == op.axes[a - 1].extent) axes[--a] = 0;
      if (a == op.output.shape.size()) return {sum, magnitude};
    }
  }

  static double read(const task::TensorAccess& access, const std::vector<double>& tensor, const Sizes& axes) {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < access.shape.size(); ++d) {
      std::int64_t index = access.indices[d].offset;
      for (std::size_t a = 0; a < axes.size(); ++a) index += access.indices[d].coefficients[a] * axes[a];
      if (index < 0 || index >= access.shape[d]) return 0;
      position = position * access.shape[d] + index;
    }
    return tensor[static_cast<std::size_t>(position)];
  }
};

KERNELSCAPE_PLAIN_TEST(TaskReferenceTest)

}  // namespace kernelscape::task_reference_test
#include "task_reference_test.moc"
