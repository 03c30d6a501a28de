#include <QTest>
#include <map>
#include <set>

#include "core/task/layer_fields.h"
#include "core/task/sampling.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::task_sampling_test {
using kernelscape::testing::random_seed;

namespace {

constexpr task::Sampling all_methods[] = {task::Sampling::Prior, task::Sampling::Rows,
                                          task::Sampling::Uniform};

const task::Catalogue& catalogue() {
  static const Result<task::Catalogue> loaded = task::Catalogue::load(KERNELSCAPE_SOURCE_DIR "/data/tasks");
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return *loaded;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) qFatal("%s", describe(result.error()).c_str());
  return std::move(*result);
}

/** Layers of networks, and lists of multiplications. */
task::LayerTable catalogue_table() {
  task::LayerTable table = value_of(task::LayerTable::of_networks(catalogue()));
  const std::vector<std::string> lists = {"heron/", "opevo-cpu/", "transformer/"};
  const Status added = table.add(value_of(task::LayerTable::of_tasks(catalogue(), lists)));
  if (!added) qFatal("%s", describe(added.error()).c_str());
  return table;
}

task::LayerTable small_table(const std::vector<std::pair<std::string, double>>& layers) {
  task::LayerTable table;
  for (const auto& [text, count] : layers) {
    const Status added = table.add(value_of(task::parse_task(text)), count);
    if (!added) qFatal("%s", describe(added.error()).c_str());
  }
  return table;
}

task::SampledTasks sample(const task::LayerTable& table, task::Sampling method, std::size_t count,
                          std::uint64_t seed) {
  return value_of(task::sample_tasks(table, {method, count, seed, {}, {}}));
}

std::vector<task::FieldValue> values_of(const task::Task& task) {
  return task::field_values(task.definition, task::operand_types(*task.op));
}

task::LayerKind kind_of(const task::Task& task) {
  return std::holds_alternative<task::Convolution>(task.definition) ? task::LayerKind::Convolution
                                                                    : task::LayerKind::MatrixMultiplication;
}

/** A field's value with those of the fields that it depends on. */
using Drawn = std::tuple<task::LayerKind, std::size_t, std::vector<task::FieldValue>>;

Drawn drawn_field(task::LayerKind kind, const std::vector<task::FieldValue>& values, std::size_t field,
                  const std::vector<std::size_t>& conditions) {
  std::vector<task::FieldValue> together = {values[field]};
  for (const std::size_t condition : conditions) together.push_back(values[condition]);
  return {kind, field, std::move(together)};
}

/** Of all layers of a table. @param by_operation fields depend on the operation alone */
std::set<Drawn> known_fields(const task::LayerTable& table, bool by_operation) {
  std::set<Drawn> known;
  for (const task::LayerRow& row : table.rows()) {
    const std::vector<task::FieldValue> values = task::field_values(row.definition, row.types);
    for (std::size_t field = 0; field < values.size(); ++field)
      known.insert(drawn_field(
          row.kind(), values, field,
          by_operation ? std::vector<std::size_t>{0} : task::layer_fields(row.kind())[field].conditions));
  }
  return known;
}

/** Sum of (observed - expected)^2 / expected. */
double chi_square(const std::map<std::string, double>& expected,
                  const std::map<std::string, double>& observed) {
  double sum = 0;
  for (const auto& [text, count] : expected) {
    const auto found = observed.find(text);
    const double difference = (found == observed.end() ? 0 : found->second) - count;
    sum += difference * difference / count;
  }
  return sum;
}

}  // namespace

class TaskSamplingTest : public QObject {
  Q_OBJECT

 private slots:
  void rows_are_drawn_as_often_as_they_occur() {
    const std::vector<std::pair<std::string, double>> layers = {
        {"conv2d 1x64x56x56 64x64x3x3 pad=1", 12},
        {"conv2d 1x64x56x56 128x64x3x3 stride=2 pad=1", 2},
        {"conv2d 1x64x56x56 256x64x1x1", 5},
        {"conv2d 1x32x14x14 32x1x3x3 pad=1 groups=32", 1},
        {"conv1d 1x4x9 4x4x3", 2},
        {"matmul 128x768 768x768", 8},
        {"matmul 1x768 768x768", 1},
        {"bmm 12x128x64 12x64x128", 4},
    };
    const task::LayerTable table = small_table(layers);
    constexpr int draws = 7000;
    std::map<std::string, double> expected;
    for (const task::LayerRow& row : table.rows())
      expected[row.text] = draws * row.count / table.total_count();
    const std::uint64_t seed = random_seed();
    std::map<std::string, double> observed;
    for (std::uint64_t i = 0; i < draws; ++i) {
      const task::SampledTasks sampled = sample(table, task::Sampling::Rows, 1, seed + i);
      QVERIFY(expected.contains(sampled.tasks.front().text));
      ++observed[sampled.tasks.front().text];
    }
    // Seven degrees of freedom: more than this once in a hundred million.
    const double difference = chi_square(expected, observed);
    QVERIFY2(difference < 50, std::to_string(difference).c_str());
  }

  /** The extents of these layers depend on each other in part: what the prior makes of it can be counted. */
  void the_prior_follows_the_counts() {
    const task::LayerTable table = small_table({{"matmul 1x8 8x8", 6},  // m 1 : 2 = 6 : 4, k 8 : 16 = 7 : 3
                                                {"matmul 2x8 8x4", 1},  // n 8 : 4 = 6 : 1 with k 8
                                                {"matmul 2x16 16x2", 3}});  // n 2 with k 16
    constexpr int draws = 7000;
    std::map<std::string, double> expected;
    for (const auto& [text, share] : std::map<std::string, double>{{"matmul 1x8 8x8 f32", 0.6 * 0.6},
                                                                   {"matmul 2x8 8x8 f32", 0.4 * 0.6},
                                                                   {"matmul 1x8 8x4 f32", 0.6 * 0.1},
                                                                   {"matmul 2x8 8x4 f32", 0.4 * 0.1},
                                                                   {"matmul 1x16 16x2 f32", 0.6 * 0.3},
                                                                   {"matmul 2x16 16x2 f32", 0.4 * 0.3}})
      expected[text] = draws * share;
    const std::uint64_t seed = random_seed();
    std::map<std::string, double> observed;
    for (std::uint64_t i = 0; i < draws; ++i) {
      const task::SampledTasks sampled = sample(table, task::Sampling::Prior, 1, seed + i);
      QVERIFY2(expected.contains(sampled.tasks.front().text), sampled.tasks.front().text.c_str());
      ++observed[sampled.tasks.front().text];
    }
    // Five degrees of freedom.
    const double difference = chi_square(expected, observed);
    QVERIFY2(difference < 45, std::to_string(difference).c_str());
  }

  /** New tasks, made of what layers have in common. */
  void the_prior_draws_new_tasks_of_known_parts() {
    const task::LayerTable table = catalogue_table();
    const std::set<Drawn> known = known_fields(table, false);
    const std::uint64_t seed = random_seed();
    for (std::uint64_t i = 0; i < 5; ++i) {
      const task::SampledTasks sampled = sample(table, task::Sampling::Prior, 300, seed + i);
      QVERIFY(sampled.not_in_table > 30);
      for (const task::Task& task : sampled.tasks) {
        const std::vector<task::LayerField>& fields = task::layer_fields(kind_of(task));
        for (std::size_t field = 0; field < fields.size(); ++field)
          QVERIFY2(
              known.contains(drawn_field(kind_of(task), values_of(task), field, fields[field].conditions)),
              task.text.c_str());
        // The table has no convolution in groups but depthwise ones of one filter per channel.
        if (const auto* convolution = std::get_if<task::Convolution>(&task.definition);
            convolution != nullptr && convolution->groups > 1)
          QVERIFY(convolution->depthwise() && convolution->output_channels == convolution->groups);
      }
    }
  }

  void rows_draws_nothing_new() {
    const task::LayerTable table = catalogue_table();
    const task::SampledTasks sampled =
        sample(table, task::Sampling::Rows, table.rows().size() / 2, random_seed());
    QCOMPARE(sampled.not_in_table, std::int64_t{0});
    for (const task::Task& task : sampled.tasks) QVERIFY(table.contains(task.text));
  }

  void uniform_draws_each_value_by_itself() {
    const task::LayerTable table = catalogue_table();
    const std::set<Drawn> known = known_fields(table, true);
    const task::SampledTasks sampled = sample(table, task::Sampling::Uniform, 400, random_seed());
    QVERIFY(sampled.not_in_table > 100);
    for (const task::Task& task : sampled.tasks) {
      const std::vector<task::FieldValue> values = values_of(task);
      for (std::size_t field = 0; field < values.size(); ++field)
        QVERIFY2(known.contains(drawn_field(kind_of(task), values, field, {0})), task.text.c_str());
    }

    // However often one occurs.
    const task::LayerTable two = small_table({{"matmul 8x8 8x8", 1'000'000}, {"conv1d 1x2x9 4x2x3", 1}});
    QCOMPARE(sample(two, task::Sampling::Uniform, 2, random_seed()).tasks.size(), std::size_t{2});
  }

  void tasks_differ_and_every_draw_is_counted() {
    const task::LayerTable table = catalogue_table();
    const std::uint64_t seed = random_seed();
    for (const task::Sampling method : all_methods) {
      task::SamplingRequest request{
          method, 60, seed, {"matmul 128x768 768x768", "conv2d 1x64x56x56 64x64x3x3 pad=1"}, {}};
      request.accepts = [](const task::Task& task) -> Status {
        if (task.flops() < 1e9) return {};
        return fail(ErrorCode::InvalidArgument, "too large");
      };
      const task::SampledTasks sampled = value_of(task::sample_tasks(table, request));
      QCOMPARE(sampled.tasks.size(), std::size_t{60});
      std::set<std::string> texts;
      std::int64_t fresh = 0;
      for (const task::Task& task : sampled.tasks) {
        QVERIFY(texts.insert(task.text).second);
        QCOMPARE(task.name, task.text);
        QVERIFY(value_of(task::parse_task(task.text)) == task);
        QVERIFY(task.flops() < 1e9);
        if (!table.contains(task.text)) ++fresh;
      }
      QCOMPARE(sampled.not_in_table, fresh);
      QVERIFY(sampled.not_accepted > 0);
      QCOMPARE(sampled.drawn,
               60 + sampled.repeated + sampled.refused_held_out + sampled.not_accepted + sampled.impossible);
    }
  }

  /** The layers of networks that a predictor is judged by, under whatever name and spelling. */
  void held_out_shapes_are_never_drawn() {
    const task::LayerTable table = catalogue_table();
    std::vector<std::string> held_out;
    std::set<std::string> texts;
    for (const task::Network& network : catalogue().networks()) {
      if (network.name != "resnet-18" && network.name != "vgg-16" && network.name != "bert-base") continue;
      for (const task::NetworkLayer& layer : network.layers) {
        held_out.push_back(value_of(catalogue().find(layer.task)).text);
        texts.insert(held_out.back());
      }
    }
    // Left out are the numbers that are 1 or 0 unless said otherwise.
    held_out.emplace_back("conv2d  1x256x56x56   64x256x1x1");
    texts.insert(value_of(task::parse_task(held_out.back())).text);
    const std::uint64_t seed = random_seed();
    for (const task::Sampling method : all_methods) {
      const task::SampledTasks sampled =
          value_of(task::sample_tasks(table, {method, 150, seed, held_out, {}}));
      for (const task::Task& task : sampled.tasks) QVERIFY2(!texts.contains(task.text), task.text.c_str());
      if (method != task::Sampling::Uniform) QVERIFY(sampled.refused_held_out > 0);
    }

    const auto wrong = task::sample_tasks(table, {task::Sampling::Prior, 1, seed, {"resnet18/C1"}, {}});
    QVERIFY(!wrong.has_value());
    QVERIFY(wrong.error().message.contains("resnet18/C1"));
    QVERIFY(!wrong.error().hint.empty());
  }

  void the_same_seed_draws_the_same() {
    const std::uint64_t seed = random_seed();
    for (const task::Sampling method : all_methods) {
      const task::SampledTasks first = sample(catalogue_table(), method, 80, seed);
      const task::SampledTasks again = sample(catalogue_table(), method, 80, seed);
      QVERIFY(first.tasks == again.tasks);
      QCOMPARE(first.drawn, again.drawn);
      QVERIFY(first.tasks != sample(catalogue_table(), method, 80, seed + 1).tasks);
      // More tasks begin with fewer.
      const task::SampledTasks fewer = sample(catalogue_table(), method, 30, seed);
      QVERIFY(std::equal(fewer.tasks.begin(), fewer.tasks.end(), first.tasks.begin()));
    }
  }

  void a_table_that_is_used_up_says_how_many_there_are() {
    const task::LayerTable table =
        small_table({{"matmul 8x8 8x8", 3}, {"matmul 4x8 8x8", 1}, {"matmul 4x2 2x2", 1}});
    QCOMPARE(sample(table, task::Sampling::Rows, 3, random_seed()).tasks.size(), std::size_t{3});
    const auto rows = task::sample_tasks(table, {task::Sampling::Rows, 4, 1, {}, {}});
    QVERIFY(!rows.has_value());
    QVERIFY2(rows.error().message.contains("only 3 of 4"), rows.error().message.c_str());
    QVERIFY(rows.error().hint.contains("prior"));
    // Eight rows come with either weights.
    QCOMPARE(sample(table, task::Sampling::Prior, 4, random_seed()).not_in_table, std::int64_t{1});

    task::SamplingRequest request{task::Sampling::Prior, 1, 1, {}, {}};
    request.accepts = [](const task::Task&) -> Status {
      return fail(ErrorCode::InvalidArgument, "no template fits");
    };
    const auto none = task::sample_tasks(table, request);
    QVERIFY(!none.has_value());
    QVERIFY2(none.error().message.contains("only 0 of 1"), none.error().message.c_str());
    QVERIFY(none.error().message.contains("no template fits"));

    QVERIFY(!task::sample_tasks(task::LayerTable(), request).has_value());
    request.count = 0;
    QVERIFY(value_of(task::sample_tasks(table, request)).tasks.empty());
  }

  void methods_have_names() {
    for (const task::Sampling method : all_methods)
      QCOMPARE(value_of(task::parse_task_sampling(task::to_string(method))), method);
    const auto unknown = task::parse_task_sampling("pior");
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(unknown.error().hint.contains("prior"));
  }
};

KERNELSCAPE_PLAIN_TEST(TaskSamplingTest)

}  // namespace kernelscape::task_sampling_test
#include "task_sampling_test.moc"
