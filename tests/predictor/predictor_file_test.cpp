#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/predictor/features.h"
#include "core/predictor/predictor.h"
#include "core/predictor/row_scale.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/predictor/forged_predictor.h"
#include "tests/predictor/synthetic_data.h"
#include "tests/test_program.h"

namespace kernelscape::predictor_file_test {
using namespace kernelscape::predictor_tests;

namespace {

/** A small predictor of each kind of model. */
const std::shared_ptr<const predictor::Predictor>& small_predictor(const std::string& model) {
  static std::map<std::string, std::shared_ptr<const predictor::Predictor>> made;
  std::shared_ptr<const predictor::Predictor>& predictor = made[model];
  if (!predictor) {
    base::Random random(testing::random_seed());
    predictor = trained(small_setup(random, {{"model", model}, {"epochs", "1"}}));
  }
  return predictor;
}

std::vector<float> predictions(const predictor::Predictor& predictor, const schedule::ScheduledKernel& kernel,
                               std::span<const space::Configuration> configurations) {
  return value_of(value_of(predictor.bind(kernel))->predict(configurations));
}

void add_models() {
  QTest::addColumn<QString>("model");
  for (const char* model : {"tokens", "perceptron", "trees"}) QTest::addRow("%s", model) << model;
}

/** That it is refused as damaged, naming the file. */
void expect_damaged(const std::string& file) {
  const auto read = predictor::Predictor::from_bytes(file, "forged.kspred");
  QVERIFY(!read);
  QCOMPARE(read.error().code, ErrorCode::Corrupt);
  QVERIFY2(read.error().message.contains("forged.kspred"), read.error().message.c_str());
  QVERIFY(read.error().hint.contains("kernelscape train"));
}

/** That it is refused, with the way to make another one. */
void expect_unfit(const Status& status, const std::string& word) {
  QVERIFY(!status);
  QCOMPARE(status.error().code, ErrorCode::Refused);
  QVERIFY2(status.error().message.contains(word), status.error().message.c_str());
  QVERIFY(status.error().hint.contains("kernelscape dataset"));
  QVERIFY(status.error().hint.contains("kernelscape train"));
}

}  // namespace

class PredictorFileTest : public QObject {
  Q_OBJECT

 private slots:
  void a_file_says_what_the_trained_predictor_says_data() { add_models(); }
  void a_file_says_what_the_trained_predictor_says() {
    QFETCH(const QString, model);
    base::Random random(testing::random_seed());
    const predictor::Predictor& predictor = *small_predictor(model.toStdString());
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("p.kspred").toStdString();
    std::ofstream(path, std::ios::binary) << predictor.bytes();
    const auto read = value_of(predictor::Predictor::open(path));
    QCOMPARE(read->bytes(), predictor.bytes());
    QCOMPARE(read->hash(), predictor.hash());
    QVERIFY(read->description() == predictor.description());
    QCOMPARE(predictor::predictor_text(*read), "a-test " + read->hash());
    const schedule::ScheduledKernel kernel = kernel_of("matmul 32x48 48x16");
    const std::vector<space::Configuration> members = random_members(kernel, 20, random);
    QCOMPARE(predictions(*read, kernel, members), predictions(predictor, kernel, members));
  }

  void models_of_the_published_code_read_back_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"one-shot", "lstm"}) QTest::addRow("%s", model) << model;
  }
  void models_of_the_published_code_read_back() {
    QFETCH(const QString, model);
    base::Random random(testing::random_seed());
    const predictor::Predictor& predictor = *small_predictor(model.toStdString());
    const auto read = value_of(predictor::Predictor::from_bytes(predictor.bytes(), "p.kspred"));
    QVERIFY(read->description() == predictor.description());
    QCOMPARE(read->description().features, std::string("one-shot"));
    const schedule::ScheduledKernel kernel = kernel_of("matmul 32x48 48x16");
    const std::vector<space::Configuration> members = random_members(kernel, 20, random);
    QCOMPARE(predictions(*read, kernel, members), predictions(predictor, kernel, members));
  }

  /** Files of the published network that were written before its attention had dropout have no heads. */
  void a_file_without_heads_predicts_the_same() {
    base::Random random(testing::random_seed());
    const predictor::Predictor& predictor = *small_predictor("one-shot");
    ForgedPredictor forged(predictor.bytes());
    QCOMPARE(forged.description()["model"]["heads"].get<int>(), 2);
    forged.description()["model"]["heads"] = 0;
    const auto earlier = value_of(predictor::Predictor::from_bytes(forged.file(), "earlier.kspred"));
    const schedule::ScheduledKernel kernel = kernel_of("matmul 32x48 48x16");
    const std::vector<space::Configuration> members = random_members(kernel, 20, random);
    QCOMPARE(predictions(*earlier, kernel, members), predictions(predictor, kernel, members));
    forged.description()["model"]["heads"] = 3;
    expect_damaged(forged.file());
  }

  void a_description_has_what_training_was_given() {
    const predictor::Description& description = small_predictor("tokens")->description();
    QCOMPARE(description.name, std::string("a-test"));
    QCOMPARE(description.created_utc, std::string("2026-01-31T12:00:00Z"));
    QCOMPARE(description.program_version, std::string("1.2.3"));
    QCOMPARE(description.template_name, std::string("matmul-tiled"));
    QCOMPARE(description.isa, std::string("avx2"));
    QCOMPARE(description.device, std::string("a test's CPU"));
    QCOMPARE(description.features, std::string("tokens"));
    QCOMPARE(description.sources, std::vector<std::string>{"a test"});
    QCOMPARE(description.samples, 3 * 12);
    QCOMPARE(description.tasks.size(), std::size_t{5});
    QCOMPARE(description.epochs.size(), std::size_t{1});
    QCOMPARE(description.best_epoch, 1);
    QVERIFY(description.settings_json.contains(R"("width":8)"));
  }

  void a_prediction_depends_on_its_configuration_alone_data() { add_models(); }
  void a_prediction_depends_on_its_configuration_alone() {
    QFETCH(const QString, model);
    base::Random random(testing::random_seed());
    const schedule::ScheduledKernel kernel = kernel_of("matmul 32x48 48x16");
    const auto bound = value_of(small_predictor(model.toStdString())->bind(kernel));
    const std::vector<space::Configuration> members = random_members(kernel, 600, random);
    const std::vector<float> whole = value_of(bound->predict(members));
    QVERIFY(std::ranges::all_of(whole, [](float value) { return value > 0 && std::isfinite(value); }));
    for (int i = 0; i < 20; ++i) {
      const std::size_t first = random.below(members.size());
      const std::size_t count = std::min(members.size() - first, 1 + random.below(40));
      const auto part = value_of(bound->predict(std::span(members).subspan(first, count)));
      QVERIFY(std::ranges::equal(part, std::span(whole).subspan(first, count)));
    }
    QVERIFY(value_of(bound->predict({})).empty());
    std::vector<std::vector<float>> of_threads(3);
    {
      std::vector<std::jthread> threads;
      for (std::vector<float>& values : of_threads)
        threads.emplace_back([&] { values = value_of(bound->predict(members)); });
    }
    for (const std::vector<float>& values : of_threads) QCOMPARE(values, whole);
  }

  void every_truncation_is_an_error() {
    const std::string_view whole = small_predictor("perceptron")->bytes();
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 2000 ? 1 : 97)
      QVERIFY(!predictor::Predictor::from_bytes(whole.substr(0, bytes), "cut"));
  }

  void every_changed_byte_is_an_error() {
    base::Random random(testing::random_seed());
    const std::string& whole = small_predictor("trees")->bytes();
    for (int i = 0; i < 200; ++i)
      QVERIFY(!predictor::Predictor::from_bytes(with_changed_byte(whole, random), "changed"));
  }

  void other_files_and_newer_versions_are_distinguished() {
    const auto other = predictor::Predictor::from_bytes("KSREC is something else", "other.ksrec");
    QVERIFY(!other);
    QCOMPARE(other.error().code, ErrorCode::InvalidArgument);
    std::string newer = small_predictor("trees")->bytes();
    newer[predictor::Places::version] = 9;
    const auto read = predictor::Predictor::from_bytes(newer, "newer.kspred");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::Refused);
    const auto missing = predictor::Predictor::open("/nowhere/p.kspred");
    QVERIFY(!missing);
    QVERIFY(missing.error().message.contains("/nowhere/p.kspred"));
  }

  void sizes_of_memory_that_the_file_does_not_have_are_refused() {
    for (const std::size_t place : {predictor::Places::description_bytes, predictor::Places::numbers}) {
      for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0},
                                       std::uint64_t{1} << 62, (std::uint64_t{1} << 62) + 7}) {
        std::string file = small_predictor("trees")->bytes();
        std::memcpy(file.data() + place, &size, sizeof size);
        expect_damaged(file);
      }
    }
  }

  void every_member_of_the_description_is_needed_data() { add_models(); }
  void every_member_of_the_description_is_needed() {
    QFETCH(const QString, model);
    const std::string& whole = small_predictor(model.toStdString())->bytes();
    QCOMPARE(ForgedPredictor(whole).file(), whole);
    const nlohmann::json description = ForgedPredictor(whole).description();
    for (const auto& [name, value] : description.items()) {
      ForgedPredictor without(whole);
      without.description().erase(name);
      expect_damaged(without.file());
      ForgedPredictor other(whole);
      other.description()[name] = value.is_string() ? nlohmann::json(7) : nlohmann::json("seven");
      expect_damaged(other.file());
    }
    for (const auto& [name, value] : description["model"].items()) {
      ForgedPredictor without(whole);
      without.description()["model"].erase(name);
      expect_damaged(without.file());
    }
  }

  void a_model_that_its_numbers_are_not_is_refused() {
    const std::string& whole = small_predictor("tokens")->bytes();
    for (const char* size :
         {"columns", "loops", "loop_columns", "width", "layers", "heads", "feed_forward"}) {
      for (const std::int64_t value : {0, 1, 1 << 20, 2'000'000'000}) {
        ForgedPredictor forged(whole);
        nlohmann::json& member = forged.description()["model"][size];
        // One head has as many numbers as two.
        if (member == value || (std::string_view(size) == "heads" && value == 1)) continue;
        member = value;
        expect_damaged(forged.file());
      }
    }
    for (const int change : {0, 1, 2, 3}) {
      ForgedPredictor forged(whole);
      if (change == 0) forged.numbers().pop_back();
      if (change == 1) forged.numbers().push_back(0);
      if (change == 2) forged.numbers().back() = NAN;
      if (change == 3) forged.numbers()[1] = 0;  // the deviation of labels
      expect_damaged(forged.file());
    }
  }

  void only_what_it_was_trained_for_fits() {
    const predictor::Predictor& predictor = *small_predictor("tokens");
    schedule::TargetDescription target = kernelscape::testing::cpu_with_lanes(8);
    target.extensions.clear();  // as of every kernel of f32
    QVERIFY(predictor.fits("matmul-tiled", 1, target));
    schedule::TargetDescription other_device = target;
    other_device.device = "another CPU";
    QVERIFY(predictor.fits("matmul-tiled", 1, other_device));
    expect_unfit(predictor.fits("matmul-packed", 1, target), "matmul-packed");
    expect_unfit(predictor.fits("matmul-tiled", 2, target), "version 2");
    expect_unfit(predictor.fits("matmul-tiled", 1, kernelscape::testing::cpu_with_lanes(16)), "avx512");
    const auto bound = predictor.bind(kernel_of("matmul 16x16 16x16", 16));
    QVERIFY(!bound);
    QCOMPARE(bound.error().code, ErrorCode::Refused);
    const auto of_template = predictor.bind(kernel_of("matmul 16x16 16x16", 8, "matmul-packed"));
    QVERIFY(!of_template);
    QCOMPARE(of_template.error().code, ErrorCode::Refused);
  }

  void another_version_of_the_features_can_be_looked_at_and_fits_nothing() {
    ForgedPredictor forged(small_predictor("tokens")->bytes());
    forged.description()["features_version"] = 77;
    const auto predictor = value_of(predictor::Predictor::from_bytes(forged.file(), "older"));
    QCOMPARE(predictor->description().features_version, 77);
    expect_unfit(predictor->fits("matmul-tiled", 1, kernelscape::testing::cpu_with_lanes(8)), "version 77");
  }

  void the_versions_of_features_are_those_that_extractors_say() {
    const schedule::ScheduledKernel kernel = kernel_of("matmul 16x16 16x16");
    for (const predictor::Kind kind :
         {predictor::Kind::Tokens, predictor::Kind::OneShot, predictor::Kind::Perceptron,
          predictor::Kind::Trees, predictor::Kind::Lstm}) {
      QVERIFY(predictor::predictor_kind(predictor::to_string(kind)) == kind);
      const auto features = *predictor::predictor_features(kind, kernel);
      QCOMPARE(features->name(), std::string(predictor::features_of(kind)));
      QCOMPARE(features->version(), predictor::features_version(kind));
      QCOMPARE(features->names().size(), predictor::shape_of_rows(kind).columns);
    }
  }

  void performance_and_what_is_learnt_of_it_rise_together() {
    base::Random random(testing::random_seed());
    for (const bool logarithmic : {true, false}) {
      std::vector<float> fitness;
      for (int i = 0; i < 50; ++i) fitness.push_back(static_cast<float>(1e9 * (0.01 + random.uniform())));
      const predictor::LabelScale scale = predictor::label_scale(logarithmic, fitness);
      double sum = 0;
      double squares = 0;
      for (const float value : fitness) {
        const double label = scale.label(value);
        sum += label;
        squares += label * label;
        QVERIFY(std::fabs(scale.fitness(scale.label(value)) / value - 1) < 1e-3);
        const float other = fitness[random.below(fitness.size())];
        if (value > other * 1.001F)
          QVERIFY(scale.fitness(scale.label(value)) > scale.fitness(scale.label(other)));
      }
      QVERIFY(std::fabs(sum / 50) < 1e-3);
      QVERIFY(std::fabs(squares / 50 - 1) < 1e-3);
      QVERIFY(std::isfinite(scale.fitness(1e9F)));
    }
    QCOMPARE(predictor::label_scale(true, std::vector<float>(3, 5e8F)).deviation, 1.0F);
  }

  void columns_are_scaled_by_the_rows_of_training_alone() {
    base::Random random(testing::random_seed());
    predictor::ModelShape shape{predictor::Kind::Perceptron,
                                {.kind = surrogate::NetworkKind::Perceptron, .columns = 3}};
    std::vector<float> rows;
    for (int row = 0; row < 40; ++row) {
      rows.push_back(static_cast<float>(100 + 10 * random.normal()));
      rows.push_back(7);
      rows.push_back(row < 20 ? static_cast<float>(row % 2) : 1e6F);
    }
    std::vector<std::size_t> training(20);
    for (std::size_t i = 0; i < training.size(); ++i) training[i] = i;
    predictor::row_scale(shape, rows, training).apply(rows);
    double sum = 0;
    for (std::size_t row = 0; row < 40; ++row) {
      if (row < 20) sum += rows[row * 3];
      QCOMPARE(rows[row * 3 + 1], 0.0F);
      // Far from all that training saw: not further than ten deviations.
      QCOMPARE(std::fabs(rows[row * 3 + 2]), row < 20 ? 1.0F : 10.0F);
    }
    QVERIFY(std::fabs(sum) < 1e-3);
    shape.kind = predictor::Kind::Trees;
    const std::vector<float> before = rows;
    predictor::row_scale(shape, rows, training).apply(rows);
    QCOMPARE(rows, before);
  }

  void loops_share_a_scale_and_their_number_stays() {
    const surrogate::TokenLayout layout{.loops = 2, .loop_columns = 1, .task_columns = 1, .knob_columns = 1};
    predictor::ModelShape shape{predictor::Kind::Tokens,
                                {.kind = surrogate::NetworkKind::Tokens, .columns = 5, .tokens = layout}};
    // One loop of 1, and what stands behind it is none; two of 3 and 2.
    std::vector<float> rows{1, 1, 99, 4, 5, 2, 3, 2, 6, 5};
    const predictor::RowScale scale = predictor::row_scale(shape, rows, std::vector<std::size_t>{0, 1});
    QCOMPARE(scale.means[1], 2.0F);
    QCOMPARE(scale.means[2], 2.0F);
    QCOMPARE(scale.scales[1], scale.scales[2]);
    scale.apply(rows);
    QCOMPARE(rows[0], 1.0F);
    QCOMPARE(rows[5], 2.0F);
    QCOMPARE(rows[6], -rows[1]);
    QCOMPARE(rows[7], 0.0F);
    QCOMPARE(rows[3], -1.0F);
    QCOMPARE(rows[8], 1.0F);
  }

  void bundled_predictors_can_be_read() {
    for (const std::filesystem::path& path : predictor::bundled_predictors()) {
      const auto predictor = predictor::Predictor::open(path);
      QVERIFY2(predictor, path.c_str());
      QVERIFY((*predictor)->bytes().size() < 5'000'000);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(PredictorFileTest)

}  // namespace kernelscape::predictor_file_test
#include "predictor_file_test.moc"
