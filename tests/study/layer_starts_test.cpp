#include "core/study/layer_starts.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/schedule/template.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::layer_starts_test {
namespace {

/** A convolution of any of the usual shapes. */
task::Task random_convolution(base::Random& random) {
  const std::int64_t channels = std::int64_t{8} << random.below(5);
  const std::int64_t filters = std::int64_t{8} << random.below(5);
  const std::int64_t size = 7 * (std::int64_t{1} << random.below(4));
  return *task::parse_task(fmt::format("conv2d 1x{0}x{1}x{1} {2}x{0}x3x3 pad=1", channels, size, filters));
}

/** How far the value of a factorization is from factors, as adapted_configuration() counts. */
double distance(const space::Knob& from, std::uint32_t value, const space::Knob& to, std::uint32_t index) {
  double sum = 0;
  for (int part = 1; part < from.element_count(); ++part)
    sum += std::abs(std::log2(static_cast<double>(from.element(value, part)) /
                              static_cast<double>(to.element(index, part))));
  return sum;
}

session::PreparedTuning tuning_of(const task::Task& task, std::uint64_t seed) {
  schedule::ScheduledKernel kernel = *schedule::apply_template(task, testing::cpu_with_lanes(16));
  session::Setup setup{.space = kernel.space()};
  setup.task = task;
  setup.template_name = kernel.template_name();
  setup.template_version = kernel.template_version();
  setup.seed = seed;
  return {std::move(setup), std::make_shared<kernel::ScheduleFamily>(std::move(kernel))};
}

}  // namespace

/** What a layer's session measures first. */
class LayerStartsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_configuration_is_adapted_to_the_nearest_values() {
    base::Random random(testing::random_seed());
    int count = 0;
    for (int i = 0; i < 50; ++i) {
      const space::SearchSpace from = tuning_of(random_convolution(random), 1).setup.space;
      const space::SearchSpace to = tuning_of(random_convolution(random), 1).setup.space;
      const space::Configuration member = *from.random_member(random);
      QVERIFY(study::adapted_configuration(from, member, from) == member);
      const std::optional<space::Configuration> adapted = study::adapted_configuration(from, member, to);
      // Some shapes have another template, or other layouts.
      if (!adapted) continue;
      ++count;
      QCOMPARE(adapted->indices.size(), to.knobs().size());
      for (std::size_t knob = 0; knob < to.knobs().size(); ++knob) {
        const space::Knob& ours = from.knobs()[knob];
        const space::Knob& theirs = to.knobs()[knob];
        QVERIFY(adapted->indices[knob] < theirs.count());
        if (ours.kind() != space::KnobKind::Factorization) continue;
        const double reached = distance(ours, member.indices[knob], theirs, adapted->indices[knob]);
        for (int other = 0; other < 20; ++other) {
          const auto index = static_cast<std::uint32_t>(random.below(theirs.count()));
          QVERIFY(reached <= distance(ours, member.indices[knob], theirs, index));
        }
      }
    }
    QVERIFY2(count > 10, std::to_string(count).c_str());
  }

  void spaces_with_other_knobs_have_no_way() {
    const space::SearchSpace convolution =
        tuning_of(*task::parse_task("conv2d 1x32x14x14 32x32x3x3 pad=1"), 1).setup.space;
    const space::SearchSpace product = tuning_of(*task::parse_task("matmul 64x64 64x64"), 1).setup.space;
    QVERIFY(!study::adapted_configuration(convolution, convolution.at(0), product));
  }

  /** Distinct members within the target's limits, the same each time. */
  void starts_are_members_that_can_run() {
    const QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("a.db").toStdString());
    base::Random random(testing::random_seed());
    for (int i = 0; i < 20; ++i) {
      const session::PreparedTuning tuning = tuning_of(random_convolution(random), random.bits() >> 11);
      const std::size_t count = 1 + random.below(4);
      const std::vector<space::Configuration> starts = study::layer_starts(store, tuning, {}, count).value();
      QVERIFY(!starts.empty() && starts.size() <= count);
      QVERIFY(study::layer_starts(store, tuning, {}, count).value() == starts);
      for (std::size_t k = 0; k < starts.size(); ++k) {
        QVERIFY(tuning.setup.space.contains(starts[k]));
        QVERIFY(tuning.family->scheduled()->within_limits(starts[k]));
        QCOMPARE(std::ranges::count(starts, starts[k]), std::ptrdiff_t{1});
      }
    }
  }

  /** What is known of the same task is better than any guess. */
  void the_best_of_the_history_comes_first() {
    const QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("a.db").toStdString());
    session::PreparedTuning tuning = tuning_of(*task::parse_task("matmul 64x64 64x64"), 3);
    base::Random random(testing::random_seed());
    for (int i = 0; i < 10; ++i)
      tuning.setup.history.push_back({*tuning.setup.space.random_member(random), 1.0 + i});
    tuning.setup.history.push_back(
        {*tuning.setup.space.random_member(random), 0, trial::ErrorCategory::WrongAnswer});
    const std::vector<space::Configuration> starts = study::layer_starts(store, tuning, {}, 2).value();
    QCOMPARE(starts.size(), std::size_t{2});
    const bool can_run = tuning.family->scheduled()->within_limits(tuning.setup.history[9].configuration);
    QCOMPARE(starts.front() == tuning.setup.history[9].configuration, can_run);
  }
};

KERNELSCAPE_PLAIN_TEST(LayerStartsTest)

}  // namespace kernelscape::layer_starts_test
#include "layer_starts_test.moc"
