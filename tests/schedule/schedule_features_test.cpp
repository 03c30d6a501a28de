#include <fmt/format.h>

#include <QTest>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/loop_features.h"
#include "core/schedule/loop_touches.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/access_walk.h"
#include "tests/schedule/random_tasks.h"
#include "tests/schedule/slow_curve.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_features_test {
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 4'000;

schedule::TargetDescription random_target(schedule::TargetKind kind, base::Random& random) {
  return kind == schedule::TargetKind::Cpu ? cpu_with_lanes(one_of<3>(random, {4, 8, 16}))
                                           : cuda_with_tensor_cores();
}

/** A kernel of a schedule of the test's own. */
schedule::ScheduledKernel kernel_of(const task::Task& task, schedule::Schedule schedule) {
  space::SearchSpace space = *schedule.finish();
  return {"test",
          1,
          task,
          cpu_with_lanes(8),
          std::move(space),
          {},
          std::make_shared<const schedule::Schedule>(std::move(schedule))};
}

std::string describe_kernel(const schedule::ScheduledKernel& kernel,
                            const space::Configuration& configuration) {
  return fmt::format("{}, {} with {} lanes, {}", kernel.task().text, kernel.template_name(),
                     kernel.target().vector_lanes_f32(), kernel.space().describe(configuration));
}

/** By name. */
std::vector<std::pair<std::string, float>> named(const space::FeatureExtractor& features,
                                                 const space::Configuration& configuration) {
  const std::vector<float> row = features.compute(configuration);
  std::vector<std::pair<std::string, float>> result;
  for (std::size_t i = 0; i < row.size(); ++i) result.emplace_back(features.names()[i], row[i]);
  return result;
}

double value_of(const space::FeatureExtractor& features, const space::Configuration& configuration,
                const std::string& name) {
  for (const auto& [known, value] : named(features, configuration))
    if (known == name) return value;
  throw std::runtime_error("no feature " + name);
}

/** Rows of a hand-made table: what AutoTVM takes the logarithm of. */
struct ExpectedTouch {
  double stride, count, reuse, thread_count, thread_reuse;
};
struct ExpectedLoop {
  double length, topdown, bottomup;
  schedule::LoopAnnotation annotation;
  std::array<ExpectedTouch, 3> touches;
};

std::vector<float> expected_itervar(const std::vector<ExpectedLoop>& loops) {
  std::vector<float> row;
  const auto add = [&](double value) { row.push_back(static_cast<float>(value)); };
  const auto log = [&](double value) { add(std::log2(1 + value)); };
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const bool innermost = i + 1 == loops.size();
    log(loops[i].length);
    add(static_cast<double>(i + 1));
    log(loops[i].topdown);
    log(loops[i].bottomup);
    for (int annotation = 0; annotation < 11; ++annotation)
      add(annotation == static_cast<int>(loops[i].annotation) ? 1 : 0);
    log(innermost ? 1 : 0);
    log(innermost ? 1 : 0);
    log(0);
    for (const ExpectedTouch& touch : loops[i].touches) {
      log(touch.stride);
      add(-1);  // -log2(1 + 1)
      log(touch.count);
      log(touch.reuse);
      log(touch.thread_count);
      log(touch.thread_reuse);
    }
  }
  return row;
}

/** matmul 4x6 6x8 in tiles of 2 rows by 4 columns. */
std::pair<schedule::ScheduledKernel, space::Configuration> tiled_multiplication() {
  const task::Task task = *task::parse_task("matmul 4x6 6x8");
  schedule::Schedule s(*task.op);
  const auto y = s.split(s.axis("y"), 2, "tile_y");
  const auto x = s.split(s.axis("x"), 2, "tile_x");
  s.categorical("option", {space::KnobValue{false}, space::KnobValue{true}});
  s.reorder({y[0], x[0], s.axis("k"), y[1], x[1]});
  s.parallel({y[0]});
  s.vectorize(x[1]);
  schedule::ScheduledKernel kernel = kernel_of(task, std::move(s));
  space::Configuration configuration =
      *kernel.space().configuration_from_json(R"({"tile_y": [2, 2], "tile_x": [2, 4], "option": true})");
  return {std::move(kernel), std::move(configuration)};
}

/** Number of a tensor in the schedule, by its place among the sorted names. */
std::array<int, 3> tensor_numbers(const schedule::Schedule& schedule, const schedule::LoopTouches& touches) {
  std::array<int, 3> numbers{};
  const task::TensorOperator& op = schedule.op();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string& name = touches.tensor_names()[i];
    numbers[i] = name == op.inputs[0].tensor ? 0 : name == op.inputs[1].tensor ? 1 : 2;
  }
  return numbers;
}

/** What is wrong with the touches of a configuration, or nothing. */
std::string check_walk(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration) {
  const schedule::LoopTouches touches(kernel.shared_schedule());
  const std::vector<schedule::TouchedLoop> loops = touches.of(configuration);
  const Walk walk(kernel, configuration);
  const SeenSteps seen(walk);
  const std::array<int, 3> numbers = tensor_numbers(kernel.schedule(), touches);
  const auto wrong = [&](std::size_t place, std::size_t tensor, std::string_view what) {
    return fmt::format("{}: {} of {} in loop {}", describe_kernel(kernel, configuration), what,
                       touches.tensor_names()[tensor], place);
  };
  if (loops.size() != walk.order().size()) return "the loops are others";
  for (std::size_t tensor = 0; tensor < 3; ++tensor) {
    for (std::size_t place = 0; place < loops.size(); ++place) {
      if (loops[place].length != walk.length(place)) return wrong(place, tensor, "the length");
      const std::int64_t stride = loops[place].touches[tensor].stride;
      const std::set<std::int64_t>& steps = seen.of(place, numbers[tensor]);
      if (walk.divided(numbers[tensor], place)) {
        for (const std::int64_t step : steps)
          if ((step > 0) != (stride > 0) || (step < 0) != (stride < 0))
            return wrong(place, tensor, "the direction");
      } else if (!steps.empty() && steps != std::set{stride}) {
        return wrong(place, tensor, fmt::format("the stride {} is not {},", stride, *steps.begin()));
      }
    }
    // Iterations of this and inner loops that differ in what moves, and in what does not.
    for (std::size_t place = 0; place < loops.size(); ++place) {
      std::int64_t moving = 0;
      std::int64_t resting = 0;
      walk.for_each_point([&](const std::vector<std::int64_t>& point) {
        bool outer_at_zero = true;
        bool moves = false;
        bool rests = false;
        for (std::size_t i = 0; i < point.size(); ++i) {
          if (point[i] == 0) continue;
          if (i < place) outer_at_zero = false;
          (loops[i].touches[tensor].stride != 0 ? moves : rests) = true;
        }
        moving += outer_at_zero && !rests ? 1 : 0;
        resting += outer_at_zero && !moves ? 1 : 0;
      });
      if (loops[place].touches[tensor].count != moving) return wrong(place, tensor, "the count");
      if (loops[place].touches[tensor].reuse != resting) return wrong(place, tensor, "the reuse");
    }
  }
  return {};
}

/** Accesses of the tensors in a loop nest: inputs, then the output. */
void find_accesses(const loop_nest::StatementPtr& statement,
                   std::map<int, loop_nest::IndexExpression>& accesses) {
  loop_nest::for_each_compute(statement, [&](const loop_nest::Compute& compute) {
    for (const loop_nest::BufferAccess& source : compute.sources)
      accesses.emplace(source.buffer, source.offset);
    accesses.emplace(compute.destination.buffer, compute.destination.offset);
  });
}

void add_template_rows(const std::vector<schedule::TargetKind>& kinds) {
  QTest::addColumn<QString>("name");
  QTest::addColumn<int>("kind");
  for (const schedule::TargetKind kind : kinds)
    for (const schedule::TemplateDeclaration* declaration : templates_of(kind))
      QTest::newRow(declaration->name.c_str())
          << QString::fromStdString(declaration->name) << static_cast<int>(kind);
}

}  // namespace

class ScheduleFeaturesTest : public QObject {
  Q_OBJECT

 private slots:
  void itervar_of_a_tiled_multiplication() {
    const auto [kernel, configuration] = tiled_multiplication();
    const auto features = schedule::itervar_features(kernel);
    // a[y, k] is 4 x 6, b[k, x] is 6 x 8, output[y, x] is 4 x 8, all row by row.
    const std::vector<ExpectedLoop> loops{
        {2,
         2,
         192,
         schedule::LoopAnnotation::Parallel,
         {{{12, 24, 8, 2, 1}, {0, 48, 4, 1, 2}, {16, 32, 6, 2, 1}}}},
        {2,
         4,
         96,
         schedule::LoopAnnotation::Serial,
         {{{0, 12, 8, 0, 0}, {4, 48, 2, 0, 0}, {4, 16, 6, 0, 0}}}},
        {6,
         24,
         48,
         schedule::LoopAnnotation::Serial,
         {{{1, 12, 4, 0, 0}, {8, 24, 2, 0, 0}, {0, 8, 6, 0, 0}}}},
        {2, 48, 8, schedule::LoopAnnotation::Serial, {{{6, 2, 4, 0, 0}, {0, 4, 2, 0, 0}, {8, 8, 1, 0, 0}}}},
        {4,
         192,
         4,
         schedule::LoopAnnotation::Vectorized,
         {{{0, 1, 4, 0, 0}, {1, 4, 1, 0, 0}, {1, 4, 1, 0, 0}}}}};
    std::vector<float> expected = expected_itervar(loops);
    expected.push_back(1);  // the option
    QCOMPARE(features->compute(configuration), expected);
    QCOMPARE(features->names().size(), expected.size());
    QCOMPARE(features->names().front(), std::string("y_0: log2 length"));
    QCOMPARE(value_of(*features, configuration, "k: log2 stride of b"), std::log2(9.0F));
    QCOMPARE(value_of(*features, configuration, "y_1: log2 count of output"), std::log2(9.0F));
    QCOMPARE(features->names().back(), std::string("option"));
    QCOMPARE(features->name(), std::string("itervar"));
    QCOMPARE(features->version(), 1);
  }

  void curve_of_a_tiled_multiplication() {
    const auto [kernel, configuration] = tiled_multiplication();
    const auto features = schedule::curve_features(kernel, 6);
    const std::vector<float> row = features->compute(configuration);
    QCOMPARE(row.size(), std::size_t{3 * 8 * 6 + 1});
    QCOMPARE(features->names().size(), row.size());
    // Of a, from the innermost loop: counts 1, 2, 12, 12, 24; reuse 4, 4, 4, 8, 8. Topdown 2, 4, 24, 48, 192.
    const double log12 = std::log2(12);
    const double log24 = std::log2(24);
    const double log48 = std::log2(48);
    const std::vector<double> expected{2,
                                       0,
                                       2,
                                       0,
                                       2,
                                       1,
                                       2,
                                       2,
                                       3,
                                       4 - log12,
                                       3,
                                       5 - log24,  // count to reuse
                                       0,
                                       0,
                                       0,
                                       1,
                                       log12,
                                       0,
                                       log24,
                                       0,
                                       log24,
                                       1,
                                       log24,
                                       2,  // reuse to count
                                       1,
                                       0,
                                       2,
                                       0,
                                       2,
                                       1,
                                       2,
                                       2,
                                       log48,
                                       4 - log12,  // count to topdown
                                       std::log2(192),
                                       5 - log24,  //
                                       0,
                                       0,
                                       0,
                                       0,
                                       1,
                                       0,
                                       1,
                                       1,
                                       1,
                                       2,
                                       log12,
                                       5 - log24};  // topdown to count
    for (std::size_t i = 0; i < expected.size(); ++i)
      QVERIFY2(row[i] == static_cast<float>(expected[i]),
               fmt::format("{}: {} is not {}", features->names()[i], row[i], expected[i]).c_str());
    QCOMPARE(row.back(), 1.0F);
    QCOMPARE(schedule::curve_features(kernel)->names().size(), std::size_t{3 * 8 * 20 + 1});
    QCOMPARE(schedule::curve_features(kernel, 30)->names().size(), std::size_t{720 + 1});
  }

  void threads_and_blocks_count_what_is_inside_them() {
    const task::Task task = *task::parse_task("matmul 24x7 7x5");
    schedule::Schedule s(*task.op);
    const auto y = s.split(s.axis("y"), 3, "tile_y");
    s.bind(y[0], schedule::Binding::BlockY);
    s.bind(y[1], schedule::Binding::ThreadY);
    s.reorder({y[0], y[1], y[2], s.axis("x"), s.axis("k")});
    const schedule::ScheduledKernel kernel = kernel_of(task, std::move(s));
    const schedule::LoopTouches touches(kernel.shared_schedule());
    const auto loops = touches.of(*kernel.space().configuration_from_json(R"({"tile_y": [2, 4, 3]})"));
    // a[y, k]: a thread's three rows; b[k, x] is read whole by each.
    const std::array<std::array<std::int64_t, 4>, 3> a{{{168, 5, 2, 1}, {84, 5, 4, 1}, {21, 5, 0, 0}}};
    const std::array<std::array<std::int64_t, 4>, 3> b{{{35, 24, 1, 2}, {35, 12, 1, 4}, {35, 3, 0, 0}}};
    for (std::size_t i = 0; i < 3; ++i) {
      for (const auto& [tensor, expected] : {std::pair{0, a[i]}, {1, b[i]}}) {
        const schedule::Touch& touch = loops[i].touches[static_cast<std::size_t>(tensor)];
        const std::array found{touch.count, touch.reuse, touch.thread_count, touch.thread_reuse};
        QVERIFY(found == expected);
      }
    }
    QCOMPARE(static_cast<int>(loops[0].annotation), static_cast<int>(schedule::LoopAnnotation::BlockY));
    QCOMPARE(static_cast<int>(loops[1].annotation), static_cast<int>(schedule::LoopAnnotation::ThreadY));
  }

  void every_member_has_the_same_numbers_data() {
    add_template_rows({schedule::TargetKind::Cpu, schedule::TargetKind::Cuda});
  }
  void every_member_has_the_same_numbers() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    const auto target_kind = static_cast<schedule::TargetKind>(kind);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), target_kind);
    base::Random random(random_seed());
    for (int i = 0; i < 15; ++i) {
      const schedule::TargetDescription target = random_target(target_kind, random);
      const task::Task task = random_task(declaration, target, random, 1e6);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      for (const auto& features : {schedule::itervar_features(*kernel), schedule::curve_features(*kernel)}) {
        const std::vector<std::string>& names = features->names();
        QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), names.size());
        for (int member = 0; member < 20; ++member) {
          const space::Configuration configuration = *kernel->space().random_member(random);
          std::vector<float> row(names.size() + 1, std::numeric_limits<float>::quiet_NaN());
          features->write(configuration, std::span(row).first(names.size()));
          QVERIFY2(std::isnan(row.back()) &&
                       std::ranges::count_if(row, [](float x) { return std::isnan(x); }) == 1,
                   describe_kernel(*kernel, configuration).c_str());
          row.pop_back();
          QCOMPARE(features->compute(configuration), row);
        }
      }
    }
  }

  void touches_are_those_of_a_walk_through_the_loops_data() {
    add_template_rows({schedule::TargetKind::Cpu});
  }
  void touches_are_those_of_a_walk_through_the_loops() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
    base::Random random(random_seed());
    for (int i = 0; i < 15; ++i) {
      const schedule::TargetDescription target = cpu_with_lanes(4);
      const task::Task task = random_task(declaration, target, random, max_flops);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      // A fused loop steps along a row, and to the next row at its end: it has no stride.
      if (kernel->schedule().tile_transform()) continue;
      const std::string wrong = check_walk(*kernel, *kernel->space().random_member(random));
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  /** Whether the sums read or write a copy of a tensor, which lies in another way. */
  static bool copied(const schedule::Schedule& schedule, int tensor) {
    if (schedule.tile_transform() && tensor != 1) return true;
    return std::ranges::any_of(schedule.stages(), [&](const schedule::Stage& stage) {
      // Results in registers are those of the tensor; an array of them has a layout of its own.
      const bool copy =
          stage.kind == schedule::StageKind::CacheRead ||
          (stage.kind == schedule::StageKind::CacheWrite && stage.scope == loop_nest::BufferScope::Local);
      return copy && stage.tensor == tensor;
    });
  }

  void strides_are_those_of_the_lowered_loop_nest_data() { add_template_rows({schedule::TargetKind::Cpu}); }
  void strides_are_those_of_the_lowered_loop_nest() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
    base::Random random(random_seed());
    int compared = 0;
    bool reads_tensors = false;  // the sums of one template use copies alone
    for (int i = 0; i < 60; ++i) {
      const schedule::TargetDescription target = cpu_with_lanes(one_of<3>(random, {4, 8, 16}));
      const task::Task task = random_task(declaration, target, random, 1e6);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const space::Configuration configuration = *kernel->space().random_member(random);
      const loop_nest::LoopNest nest = schedule::lower(kernel->schedule(), configuration, kernel->target());
      std::map<int, loop_nest::IndexExpression> accesses;
      find_accesses(nest.body, accesses);
      const schedule::LoopTouches touches(kernel->shared_schedule());
      const std::array<int, 3> numbers = tensor_numbers(kernel->schedule(), touches);
      for (const int tensor : numbers) reads_tensors = reads_tensors || !copied(kernel->schedule(), tensor);
      int variable = 0;
      const std::vector<schedule::TouchedLoop> looped = touches.of(configuration);
      for (const schedule::TouchedLoop& loop : looped) {
        if (loop.length == 1) continue;
        // One operation takes a group of bytes, the innermost loop: it is no variable of the accesses.
        const bool group = kernel->schedule().dot_group() && &loop == &looped.back();
        for (std::size_t tensor = 0; tensor < 3; ++tensor) {
          const auto coefficient = accesses.at(numbers[tensor]).coefficient(variable);
          if (!coefficient || group || copied(kernel->schedule(), numbers[tensor])) continue;
          ++compared;
          QVERIFY2(loop.touches[tensor].stride == *coefficient,
                   fmt::format("{}: stride {} of {} in {} is {} in the loop nest",
                               describe_kernel(*kernel, configuration), loop.touches[tensor].stride,
                               touches.tensor_names()[tensor],
                               nest.variables[static_cast<std::size_t>(variable)], *coefficient)
                       .c_str());
        }
        ++variable;
      }
    }
    QVERIFY(compared > 100 || !reads_tensors);
  }

  void curves_are_those_of_the_published_code() {
    base::Random random(random_seed());
    for (const schedule::TargetKind kind : {schedule::TargetKind::Cpu, schedule::TargetKind::Cuda}) {
      for (const schedule::TemplateDeclaration* declaration : templates_of(kind)) {
        const schedule::TargetDescription target = random_target(kind, random);
        const auto kernel = declaration->apply(random_task(*declaration, target, random, 1e6), target);
        QVERIFY(kernel.has_value());
        const schedule::LoopTouches touches(kernel->shared_schedule());
        const int samples = static_cast<int>(between(random, 1, 40));
        const auto features = schedule::curve_features(*kernel, samples);
        for (int i = 0; i < 20; ++i) {
          const space::Configuration configuration = *kernel->space().random_member(random);
          std::vector<float> row = features->compute(configuration);
          row.resize(static_cast<std::size_t>(24 * samples));
          QCOMPARE(row, slow_curve(touches.of(configuration), samples));
        }
      }
    }
  }

  void rows_follow_the_configurations_own_order() {
    const auto kernel = schedule::apply_template(*task::parse_task("matmul 48x36 36x64"), cpu_with_lanes(8));
    QVERIFY(kernel.has_value());
    const auto features = schedule::itervar_features(*kernel);
    const auto& names = features->names();
    // Columns or rows first, and three blocks in any order: these places have no name of their own.
    for (const char* place :
         {"loop 1: ", "loop 2: ", "loop 3: ", "loop 4: ", "loop 5: ", "depth: ", "lane: "})
      QVERIFY2(std::ranges::any_of(names, [&](const std::string& name) { return name.starts_with(place); }),
               place);
    QVERIFY(
        std::ranges::none_of(names, [](const std::string& name) { return name.starts_with("loop 6: "); }));
    base::Random random(random_seed());
    std::set<std::vector<int>> orders;
    for (int i = 0; i < 50; ++i) {
      const space::Configuration configuration = *kernel->space().random_member(random);
      const auto loops = kernel->schedule().ordered_loops(configuration);
      std::vector<int> order;
      for (const schedule::LoopId loop : loops) order.push_back(loop.number);
      orders.insert(order);
      const std::vector<float> row = features->compute(configuration);
      for (std::size_t place = 0; place < loops.size(); ++place) {
        const auto length = static_cast<double>(kernel->schedule().length(loops[place], configuration));
        QCOMPARE(row[place * 36], static_cast<float>(std::log2(1 + length)));
      }
    }
    QVERIFY(orders.size() > 2);
  }

  void a_knob_that_unrolls_changes_one_loops_annotation() {
    const auto kernel = schedule::apply_template(*task::parse_task("conv2d 1x16x9x9 16x16x3x3 pad=1"),
                                                 cpu_with_lanes(8), "conv2d-packed");
    QVERIFY(kernel.has_value());
    const auto features = schedule::itervar_features(*kernel);
    const std::uint32_t knob = *kernel->space().find_knob("unroll_kw");
    base::Random random(random_seed());
    space::Configuration rolled = *kernel->space().random_member(random);
    rolled.indices[knob] = 0;
    space::Configuration unrolled = rolled;
    unrolled.indices[knob] = 1;
    const auto before = named(*features, rolled);
    const auto after = named(*features, unrolled);
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i].second != after[i].second) changed.push_back(before[i].first);
    QCOMPARE(changed.size(), std::size_t{3});
    QVERIFY(changed[0].ends_with(": unrolled"));
    QVERIFY(changed[1].ends_with(": serial"));
    QCOMPARE(changed[2], std::string("unroll_kw"));
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleFeaturesTest)

}  // namespace kernelscape::schedule_features_test
#include "schedule_features_test.moc"
