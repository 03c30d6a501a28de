#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/schedule/loop_features.h"
#include "core/schedule/loop_touches.h"
#include "core/schedule/one_shot_features.h"
#include "core/schedule/schedule.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/schedule/slow_curve.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_one_shot_features_test {
using namespace kernelscape::testing;

namespace {

constexpr std::size_t itervar_numbers = 36;

schedule::TargetDescription target_of(schedule::TargetKind kind) {
  return kind == schedule::TargetKind::Cpu ? cpu_with_lanes(16) : cuda_with_tensor_cores();
}

schedule::ScheduledKernel kernel_of(std::string_view task, schedule::TargetKind kind, std::string_view name) {
  return *schedule::apply_template(*task::parse_task(task), target_of(kind), name);
}

std::size_t place_of(const space::FeatureExtractor& features, std::string_view name) {
  const std::vector<std::string>& names = features.names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/** 0 is what rows have where a task has no such thing. */
std::map<std::string, float> without_zeros(const space::FeatureExtractor& features,
                                           const space::Configuration& configuration,
                                           std::string_view prefix) {
  const std::vector<float> row = features.compute(configuration);
  std::map<std::string, float> result;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != 0 && features.names()[i].starts_with(prefix)) result[features.names()[i]] = row[i];
  return result;
}

float logarithm(double value) { return static_cast<float>(std::log2(1 + value)); }

/** Written over numbers that are none, with one behind. */
std::vector<float> written_row(const space::FeatureExtractor& features,
                               const space::Configuration& configuration) {
  std::vector<float> row(features.names().size() + 1, std::numeric_limits<float>::quiet_NaN());
  features.write(configuration, std::span(row).first(features.names().size()));
  return row;
}

/** What is wrong with the loops of a row of tokens, or nothing. */
std::string check_loops(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
                        const std::vector<std::string>& names, std::span<const float> row) {
  const std::vector<schedule::TouchedLoop> loops =
      schedule::LoopTouches(kernel.shared_schedule()).of(configuration);
  const std::vector<float> itervar = schedule::itervar_features(kernel)->compute(configuration);
  if (row[0] != static_cast<float>(loops.size())) return "the number of loops";
  const schedule::Schedule& schedule = kernel.schedule();
  for (std::size_t i = 0; i < schedule::TokenRow::loops; ++i) {
    const std::size_t first = 1 + i * schedule::TokenRow::loop_columns;
    std::string axis;
    if (i < loops.size()) {
      const auto number = static_cast<std::size_t>(schedule.loop(loops[i].loop).axis);
      axis = schedule.op().axes[number].name;
      axis = axis == "b" ? "n" : axis == "k" ? "rc" : axis;
    }
    for (std::size_t column = 0; column < schedule::TokenRow::loop_columns; ++column) {
      const std::string& name = names[first + column];
      float expected = 0;
      if (i < loops.size() && column < itervar_numbers)
        expected = itervar[i * itervar_numbers + column];
      else if (i < loops.size())
        expected = name == fmt::format("loop {}: along {}", i + 1, axis) ? 1 : 0;
      if (row[first + column] != expected)
        return fmt::format("{} is {}, not {}", name, row[first + column], expected);
    }
  }
  return {};
}

}  // namespace

class ScheduleOneShotFeaturesTest : public QObject {
  Q_OBJECT

 private slots:
  void rows_are_whole_for_every_template_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    for (const schedule::TargetKind kind : {schedule::TargetKind::Cpu, schedule::TargetKind::Cuda})
      for (const schedule::TemplateDeclaration* declaration : templates_of(kind))
        QTest::newRow(declaration->name.c_str())
            << QString::fromStdString(declaration->name) << static_cast<int>(kind);
  }
  void rows_are_whole_for_every_template() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    const auto target_kind = static_cast<schedule::TargetKind>(kind);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), target_kind);
    const schedule::TargetDescription target = target_of(target_kind);
    base::Random random(random_seed());
    for (int i = 0; i < 15; ++i) {
      const task::Task task = random_task(declaration, target, random, 1e6);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const auto one_shot = schedule::one_shot_features(*kernel);
      // What has more loops or knobs than a row is refused where predictors are bound, and has the other
      // features.
      const Status fits = schedule::fits_token_row(*kernel);
      if (!fits) QVERIFY2(fits.error().message.contains("generated"), describe(fits.error()).c_str());
      const auto tokens = fits ? schedule::token_features(*kernel) : nullptr;
      std::vector extractors{one_shot};
      if (tokens) extractors.push_back(tokens);
      if (tokens) QCOMPARE(tokens->names().size(), schedule::TokenRow::columns);
      QCOMPARE(one_shot->names().size(), schedule::one_shot_columns);
      for (const auto& features : extractors) {
        const std::vector<std::string>& names = features->names();
        QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), names.size());
      }
      for (int member = 0; member < 20; ++member) {
        const space::Configuration configuration = *kernel->space().random_member(random);
        const std::string what = fmt::format("{}, {}: ", task.text, kernel->space().describe(configuration));
        for (const auto& features : extractors) {
          std::vector<float> row = written_row(*features, configuration);
          QVERIFY2(std::isnan(row.back()), what.c_str());
          row.pop_back();
          QVERIFY2(std::ranges::all_of(row, [](float number) { return std::isfinite(number); }),
                   what.c_str());
        }
        if (!tokens) continue;
        const std::string wrong =
            check_loops(*kernel, configuration, tokens->names(), tokens->compute(configuration));
        QVERIFY2(wrong.empty(), (what + wrong).c_str());
      }
    }
  }

  void tokens_of_a_multiplication() {
    const schedule::ScheduledKernel kernel =
        kernel_of("matmul 4x6 8x6 transpose_b", schedule::TargetKind::Cpu, "matmul-tiled");
    const space::Configuration configuration = *kernel.space().configuration_from_json(
        R"({"tile_k": [1, 2, 3], "tile_y": [2, 1, 1, 2], "tile_x": [1, 1, 1, 8]})");
    const auto features = schedule::token_features(kernel);
    QCOMPARE(features->name(), std::string("tokens"));
    QCOMPARE(features->version(), 1);
    const std::map<std::string, float> task{
        {"task: log2 FLOP", static_cast<float>(std::log2(384.0))},
        {"task: log2 extent of y", logarithm(4)},
        {"task: log2 extent of x", logarithm(8)},
        {"task: log2 extent of rc", logarithm(6)},
        {"task: log2 bytes of a", static_cast<float>(std::log2(96.0))},
        {"task: log2 bytes of b", static_cast<float>(std::log2(192.0))},
        {"task: log2 bytes of output", static_cast<float>(std::log2(128.0))},
        {"task: log2 FLOP per byte", static_cast<float>(std::log2(384.0 / 416))},
        {"task: log2 bytes of an element of a", 2},
        {"task: log2 bytes of an element of b", 2},
        {"task: log2 bytes of an element of output", 2},
        {"task: second operand transposed", 1}};
    QVERIFY(without_zeros(*features, configuration, "task: ") == task);
    const std::vector<float> row = features->compute(configuration);
    const std::vector<float> knobs(row.end() - schedule::TokenRow::knobs, row.end());
    std::vector<float> expected(schedule::TokenRow::knobs, 0);
    std::ranges::transform(std::array{1, 2, 3, 2, 1, 1, 2, 1, 1, 1, 8}, expected.begin(),
                           [](int factor) { return std::log2(1 + static_cast<float>(factor)); });
    QCOMPARE(knobs, expected);
  }

  void tokens_of_a_convolution() {
    const schedule::ScheduledKernel kernel =
        kernel_of("conv2d 1x8x9x12 16x8x3x5 stride=2x1 pad=1x2", schedule::TargetKind::Cpu, "conv2d-packed");
    base::Random random(random_seed());
    const auto task =
        without_zeros(*schedule::token_features(kernel), *kernel.space().random_member(random), "task: ");
    const std::map<std::string, float> expected{
        {"task: log2 FLOP", static_cast<float>(std::log2(2.0 * 16 * 5 * 12 * 8 * 3 * 5))},
        {"task: log2 extent of n", 1},
        {"task: log2 extent of f", logarithm(16)},
        {"task: log2 extent of y", logarithm(5)},
        {"task: log2 extent of x", logarithm(12)},
        {"task: log2 extent of rc", logarithm(8)},
        {"task: log2 extent of ry", logarithm(3)},
        {"task: log2 extent of rx", logarithm(5)},
        {"task: log2 stride along y", logarithm(2)},
        {"task: log2 stride along x", 1},
        {"task: log2 padding along y", 1},
        {"task: log2 padding along x", logarithm(2)},
        {"task: log2 dilation along y", 1},
        {"task: log2 dilation along x", 1}};
    for (const auto& [name, value] : expected) {
      QVERIFY2(task.contains(name), name.c_str());
      QCOMPARE(task.at(name), value);
    }
  }

  void a_task_without_a_choice_keeps_its_tiles_in_their_columns() {
    // One tap: there is nothing to order or to unroll in the kernel, and rows are not tiled.
    const auto three = schedule::token_features(
        kernel_of("conv2d 1x32x14x14 32x32x3x3 pad=1", schedule::TargetKind::Cpu, "conv2d-packed"));
    const auto one = schedule::token_features(
        kernel_of("conv2d 1x32x14x14 32x32x1x1", schedule::TargetKind::Cpu, "conv2d-packed"));
    for (const char* name : {"log2 tile_oc.0", "log2 tile_oc.1", "log2 tile_ic.0", "log2 tile_ic.1",
                             "log2 tile_ow", "log2 unroll_ic"}) {
      QVERIFY2(place_of(*three, name) < schedule::TokenRow::columns, name);
      QCOMPARE(place_of(*one, name), place_of(*three, name));
    }
    QCOMPARE(place_of(*one, "log2 tile_positions.1"), place_of(*three, "log2 tile_oh.1"));
    QCOMPARE(place_of(*three, "log2 unroll_kw"), schedule::TokenRow::columns - 1);
    QCOMPARE(place_of(*one, "log2 unroll_kw"), schedule::TokenRow::columns);
  }

  void one_shot_has_the_published_748_numbers() {
    const schedule::ScheduledKernel kernel =
        kernel_of("conv2d 1x64x56x56 128x64x3x3 stride=2 pad=1", schedule::TargetKind::Cuda, "conv2d-direct");
    const auto features = schedule::one_shot_features(kernel);
    QCOMPARE(features->name(), std::string("one-shot"));
    QCOMPARE(features->version(), 1);
    const schedule::LoopTouches touches(kernel.shared_schedule());
    const space::KnobFeatures knobs(kernel.space());
    QCOMPARE(knobs.names().size(), std::size_t{20});
    base::Random random(random_seed());
    for (int i = 0; i < 20; ++i) {
      const space::Configuration configuration = *kernel.space().random_member(random);
      std::vector<float> expected = slow_curve(touches.of(configuration), 30);
      const std::vector<float> of_knobs = knobs.compute(configuration);
      expected.insert(expected.end(), of_knobs.begin(), of_knobs.end());
      expected.insert(expected.end(), {128, 64, 3, 3, 1, 128, 28, 28});
      QCOMPARE(expected.size(), std::size_t{748});
      QCOMPARE(features->compute(configuration), expected);
    }
  }

  void one_shot_aligns_few_numbers_to_the_right() {
    const schedule::ScheduledKernel kernel =
        kernel_of("matmul 4x6 6x8", schedule::TargetKind::Cpu, "matmul-tiled");
    const space::Configuration configuration = *kernel.space().configuration_from_json(
        R"({"tile_k": [1, 2, 3], "tile_y": [2, 1, 1, 2], "tile_x": [1, 1, 1, 8]})");
    const std::vector<float> row = schedule::one_shot_features(kernel)->compute(configuration);
    const std::vector<float> behind_the_curves(row.begin() + 720, row.end());
    QCOMPARE(behind_the_curves,
             (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 2, 1, 1, 2, 1, 1, 1, 8,  //
                                 0, 0, 0, 0, 6, 8, 4, 8}));
  }

  void one_shot_leaves_out_the_first_of_too_many_extents() {
    const schedule::ScheduledKernel kernel =
        kernel_of("conv3d 1x8x4x5x6 16x8x1x3x3 pad=0x1x1", schedule::TargetKind::Cpu, "conv3d-packed");
    base::Random random(random_seed());
    const std::vector<float> row =
        schedule::one_shot_features(kernel)->compute(*kernel.space().random_member(random));
    // 16x8x1x3x3 and 1x16x4x5x6.
    QCOMPARE(std::vector<float>(row.end() - 8, row.end()), (std::vector<float>{1, 3, 3, 1, 16, 4, 5, 6}));
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleOneShotFeaturesTest)

}  // namespace kernelscape::schedule_one_shot_features_test
#include "schedule_one_shot_features_test.moc"
