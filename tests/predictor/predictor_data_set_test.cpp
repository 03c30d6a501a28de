#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/predictor/data_set.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::predictor_data_set_test {
using kernelscape::testing::random_seed;

namespace {

/** So many samples of a task of its own, with fitness from 1 on. */
predictor::TaskSamples samples_of(std::size_t number, std::size_t count) {
  predictor::TaskSamples samples;
  samples.task = *task::parse_task(fmt::format("matmul {}x32 32x64", number + 1));
  for (std::size_t i = 0; i < count; ++i) {
    samples.configurations.push_back({{static_cast<std::uint32_t>(i), 7}});
    samples.fitness.push_back(static_cast<float>(1 + i));
  }
  return samples;
}

predictor::DataSet data_of(std::size_t tasks, std::size_t samples) {
  predictor::DataSet data;
  data.template_name = "matmul-packed";
  data.template_version = 1;
  for (std::size_t task = 0; task < tasks; ++task) data.tasks.push_back(samples_of(task, samples));
  return data;
}

predictor::TaskSamples with_fitness(const std::vector<float>& fitness) {
  predictor::TaskSamples samples = samples_of(0, fitness.size());
  samples.fitness = fitness;
  return samples;
}

}  // namespace

class PredictorDataSetTest : public QObject {
  Q_OBJECT

 private slots:
  void the_names_of_templates_are_one_text() {
    const std::vector<predictor::TemplateVersion> two{{"conv2d-packed", 1}, {"conv2d-tiled", 2}};
    const std::string text = predictor::templates_text(two);
    QCOMPARE(text, std::string("conv2d-packed+conv2d-tiled"));
    QCOMPARE(predictor::template_names(text), (std::vector<std::string>{"conv2d-packed", "conv2d-tiled"}));
    QVERIFY(predictor::names_template(text, "conv2d-tiled"));
    QVERIFY(!predictor::names_template(text, "conv2d"));
    QCOMPARE(predictor::operation_of(*task::parse_task("bmm 2x3x4 2x4x5")), std::string("bmm"));
  }

  void a_task_is_in_one_part_with_all_its_templates() {
    base::Random random(random_seed());
    for (int i = 0; i < 50; ++i) {
      predictor::DataSet data = data_of(3 + random.below(20), 2);
      const std::size_t tasks = data.tasks.size();
      const auto alone = predictor::split_data_set(data, {}, random.fork(fmt::to_string(i)));
      QVERIFY(*alone == *predictor::split_by_task(tasks, {}, random.fork(fmt::to_string(i))));
      const std::uint64_t hash = data.hash();
      for (std::size_t task = 0; task < tasks; ++task) {
        data.tasks.push_back(data.tasks[task]);
        data.tasks.back().other_template = {"matmul-tiled", 3};
      }
      QVERIFY(predictor::check_data_set(data));
      QVERIFY(data.hash() != hash);
      QCOMPARE(predictor::templates_text(data.templates()), std::string("matmul-packed+matmul-tiled"));
      QCOMPARE(data.template_of(data.tasks.back()).version, 3);
      const auto both = predictor::split_data_set(data, {}, random.fork(fmt::to_string(i)));
      QVERIFY(both.has_value());
      for (std::size_t task = 0; task < tasks; ++task) {
        QCOMPARE((*both)[task], (*alone)[task]);
        QCOMPARE((*both)[tasks + task], (*alone)[task]);
      }
      data.tasks.back().other_template = {};
      QCOMPARE(predictor::check_data_set(data).error().code, ErrorCode::Internal);
    }
  }

  void no_task_is_in_two_parts() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      predictor::DataSet data = data_of(3 + random.below(60), 1 + random.below(4));
      random.shuffle(std::span(data.tasks));
      QVERIFY(predictor::check_data_set(data));
      const auto parts = predictor::split_by_task(data.tasks.size(), {}, random.fork(fmt::to_string(i)));
      QVERIFY2(parts.has_value(), parts ? "" : describe(parts.error()).c_str());
      QCOMPARE(parts->size(), data.tasks.size());
      std::map<predictor::DataPart, std::set<std::string>> texts;
      std::map<predictor::DataPart, std::size_t> samples;
      for (std::size_t task = 0; task < data.tasks.size(); ++task) {
        texts[parts->at(task)].insert(data.tasks[task].task.text);
        samples[parts->at(task)] += data.tasks[task].fitness.size();
      }
      std::set<std::string> all;
      std::size_t counted = 0;
      for (const predictor::DataPart part :
           {predictor::DataPart::Training, predictor::DataPart::Validation, predictor::DataPart::Test}) {
        QVERIFY(!texts[part].empty());
        counted += texts[part].size();
        all.insert(texts[part].begin(), texts[part].end());
      }
      // Each text is on one side, and so is each sample.
      QCOMPARE(counted, all.size());
      QCOMPARE(all.size(), data.tasks.size());
      QCOMPARE(samples[predictor::DataPart::Training] + samples[predictor::DataPart::Validation] +
                   samples[predictor::DataPart::Test],
               data.samples());
    }
  }

  void a_task_that_stands_twice_is_refused() {
    predictor::DataSet data = data_of(4, 2);
    data.tasks.push_back(data.tasks[1]);
    data.tasks.back().task.name = "the same by another name";
    const Status status = predictor::check_data_set(data);
    QVERIFY(!status);
    QVERIFY(status.error().message.contains(data.tasks[1].task.text));
  }

  void shares_are_of_tasks() {
    const auto parts =
        predictor::split_by_task(100, {.validation = 0.2, .test = 0.05}, base::Random(random_seed()));
    QVERIFY(parts.has_value());
    QCOMPARE(std::ranges::count(*parts, predictor::DataPart::Validation), 20);
    QCOMPARE(std::ranges::count(*parts, predictor::DataPart::Test), 5);
    const auto few =
        predictor::split_by_task(5, {.validation = 0.01, .test = 0}, base::Random(random_seed()));
    QVERIFY(few.has_value());
    QCOMPARE(std::ranges::count(*few, predictor::DataPart::Validation), 1);
    QCOMPARE(std::ranges::count(*few, predictor::DataPart::Training), 4);
  }

  void a_seed_is_a_split() {
    const auto first = predictor::split_by_task(40, {}, base::Random(5));
    QVERIFY(*first == *predictor::split_by_task(40, {}, base::Random(5)));
    QVERIFY(*first != *predictor::split_by_task(40, {}, base::Random(6)));
  }

  void too_few_tasks_say_how_many_are_needed() {
    for (const std::size_t tasks : std::initializer_list<std::size_t>{0, 1, 2}) {
      const auto parts = predictor::split_by_task(tasks, {}, base::Random(1));
      QVERIFY(!parts);
      QCOMPARE(static_cast<int>(parts.error().code), static_cast<int>(ErrorCode::InvalidArgument));
      QVERIFY2(parts.error().message.contains("3 are needed"), parts.error().message.c_str());
    }
    QVERIFY(predictor::split_by_task(3, {}, base::Random(1)));
    QVERIFY(predictor::split_by_task(1, {.validation = 0, .test = 0}, base::Random(1)));
    QVERIFY(!predictor::split_by_task(10, {.validation = 0.5, .test = 0.5}, base::Random(1)));
    QVERIFY(!predictor::split_by_task(10, {.validation = -0.1, .test = 0.5}, base::Random(1)));
  }

  void the_number_of_tasks_that_is_needed_is_enough() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const predictor::SplitShares shares{0.6 * random.uniform(), 0.35 * random.uniform()};
      std::size_t least = 0;
      while (!predictor::split_by_task(least, shares, base::Random(1))) ++least;
      const auto refused = predictor::split_by_task(least - 1, shares, base::Random(1));
      const std::string needed = fmt::format(": {} are needed", least);
      QVERIFY2(refused.error().message.contains(needed), refused.error().message.c_str());
    }
  }

  void data_without_a_valid_trial_is_refused() {
    QVERIFY(!predictor::check_data_set({}));
    QVERIFY(!predictor::check_data_set(data_of(5, 0)));
    QVERIFY(predictor::check_data_set(data_of(5, 1)));
    for (const float fitness :
         {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      predictor::DataSet data = data_of(3, 2);
      data.tasks[1].fitness[1] = fitness;
      const Status status = predictor::check_data_set(data);
      QVERIFY(!status);
      QVERIFY(status.error().message.contains(data.tasks[1].task.text));
    }
    predictor::DataSet uneven = data_of(3, 2);
    uneven.tasks[2].fitness.pop_back();
    QVERIFY(!predictor::check_data_set(uneven));
  }

  void slow_samples_are_dropped_with_their_configurations() {
    predictor::DataSet data;
    data.tasks = {with_fitness({5, 100, 4.9F, 60, 1}), with_fitness({1, 2}), with_fitness({})};
    QCOMPARE(predictor::drop_slow_samples(data, 20), std::size_t{2});
    QCOMPARE(data.tasks[0].fitness, (std::vector<float>{5, 100, 60}));
    QVERIFY(
        (data.tasks[0].configurations == std::vector<space::Configuration>{{{0, 7}}, {{1, 7}}, {{3, 7}}}));
    QCOMPARE(data.tasks[1].fitness, (std::vector<float>{1, 2}));
    QCOMPARE(data.samples(), std::size_t{5});
    QCOMPARE(predictor::drop_slow_samples(data, 20), std::size_t{0});
  }

  void weights_are_one_for_each_bin() {
    // Bins of 1: two in the first, one in the third, the upper end in the last.
    QCOMPARE(predictor::inverse_frequencies({0, 0.5F, 2.5F, 4}, 4), (std::vector<double>{0.5, 0.5, 1, 1}));
    QCOMPARE(predictor::inverse_frequencies({3, 3, 3, 3}, 100), (std::vector<double>(4, 0.25)));
    QCOMPARE(predictor::inverse_frequencies({1, 2}, 1), (std::vector<double>(2, 0.5)));
    QVERIFY(predictor::inverse_frequencies({}, 100).empty());
    base::Random random(random_seed());
    std::vector<float> labels;
    for (int i = 0; i < 5000; ++i) labels.push_back(static_cast<float>(random.normal()));
    const std::vector<double> weights = predictor::inverse_frequencies(labels, 100);
    std::vector<std::pair<float, double>> sorted;
    for (std::size_t i = 0; i < labels.size(); ++i) sorted.emplace_back(labels[i], weights[i]);
    std::ranges::sort(sorted);
    // Labels in order come bin after bin: k labels of 1 / k that are no further apart than a bin is wide.
    const double width = (sorted.back().first - sorted.front().first) / 100.0;
    std::size_t bins = 0;
    for (std::size_t first = 0; first < sorted.size(); ++bins) {
      const double weight = sorted[first].second;
      const auto count = static_cast<std::size_t>(std::llround(1 / weight));
      QVERIFY(first + count <= sorted.size());
      for (std::size_t i = first; i < first + count; ++i) QCOMPARE(sorted[i].second, weight);
      QVERIFY(sorted[first + count - 1].first - sorted[first].first <= width * (1 + 1e-6));
      first += count;
    }
    QVERIFY(bins <= 100);
  }

  void a_hash_is_of_all_that_training_sees() {
    const predictor::DataSet data = data_of(3, 4);
    std::set<std::uint64_t> hashes{data.hash()};
    const auto changed = [&](auto change) {
      predictor::DataSet other = data;
      change(other);
      return hashes.insert(other.hash()).second;
    };
    QVERIFY(changed([](predictor::DataSet& other) { other.template_name = "matmul-tiled"; }));
    QVERIFY(changed([](predictor::DataSet& other) { other.template_version = 2; }));
    QVERIFY(changed([](predictor::DataSet& other) { other.target.isa = "avx2"; }));
    QVERIFY(changed([](predictor::DataSet& other) { other.tasks[1].fitness[2] += 0.5F; }));
    QVERIFY(changed([](predictor::DataSet& other) { other.tasks[1].configurations[2].indices[0] += 1; }));
    QVERIFY(changed([](predictor::DataSet& other) { std::swap(other.tasks[0], other.tasks[1]); }));
    QVERIFY(changed([](predictor::DataSet& other) { other.tasks.pop_back(); }));
    QVERIFY(changed([](predictor::DataSet& other) {
      other.tasks[0].configurations.push_back(other.tasks[1].configurations[0]);
      other.tasks[0].fitness.push_back(other.tasks[1].fitness[0]);
    }));
    QVERIFY(!changed([](predictor::DataSet& other) { other.sources = {"study 3"}; }));
    QVERIFY(!changed([](predictor::DataSet& other) { other.tasks[0].task.name = "another name"; }));
  }
};

KERNELSCAPE_PLAIN_TEST(PredictorDataSetTest)

}  // namespace kernelscape::predictor_data_set_test
#include "predictor_data_set_test.moc"
