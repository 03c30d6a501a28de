#include <QTest>
#include <algorithm>

#include "core/study/data_set_reader.h"
#include "core/study/known_predictors.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/study/data_set_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_training_test {
using namespace kernelscape::predictor_tests;
using namespace kernelscape::study_tests;

namespace {

/** Two predictors but for when they were made. */
bool alike(const Predictor& first, const Predictor& second, Random& random) {
  PredictorDescription a = first.description();
  PredictorDescription b = second.description();
  a.created_utc = b.created_utc;
  if (a != b) return false;
  const ScheduledKernel kernel = kernel_of("matmul 48x32 32x16");
  const std::vector<Configuration> members = random_members(kernel, 50, random);
  return value_of(value_of(first.bind(kernel))->predict(members)) ==
         value_of(value_of(second.bind(kernel))->predict(members));
}

}  // namespace

/** Trainings from the database to the predictor, stopped and gone on with. */
class StudyTrainingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Store> store_;
  std::vector<std::string> sources_;
  Random random_{kernelscape::testing::random_seed()};

  TrainingRequest request(std::map<std::string, std::string> settings = {}) const {
    return {.name = "",
            .sources = sources_,
            .template_name = "",
            .settings = small_training(std::move(settings)),
            .seed = 5};
  }
  std::shared_ptr<const Predictor> train(const TrainingRequest& wanted) {
    TrainingNotes notes;
    const PredictorId id = value_of(create_training(*store_, wanted));
    return value_of(run_training(store_->path(), id, notes, StopRequest())).predictor;
  }
  std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = std::make_unique<Store>(*Store::open(path("a.db")));
    sources_ = write_samples(*folder_, 5, 12, random_);
  }

  void definitionsAndEpochsAsTexts();
  void trainsAndStores();
  void stoppedAndGoneOnEqualsThrough();
  void otherSamplesAreRefused();
  void oneProcessTrains();
  void mistakesStoreNothing();
  void isFoundByNumberNameAndHash();
  void takenHomeAndIn();
  void judgedOnOtherSamples();
  void learnsFromTheRecordedSpacesThatComeAlong();
};

void StudyTrainingTest::definitionsAndEpochsAsTexts() {
  const TrainingDefinition definition{
      {"study 3", "recorded:/x y.ksrec"}, {{"model", "tokens"}}, random_.bits()};
  const std::string text = training_definition_to_json(definition);
  QVERIFY(value_of(training_definition_from_json(text)) == definition);
  const std::vector<TrainingEpoch> epochs = {{1, 0.5, random_.uniform(), 0.25, 3}, {2, 0.25, 0.5, -0.125, 4}};
  const std::string list = training_epochs_to_json(epochs);
  QVERIFY(value_of(training_epochs_from_json(list)) == epochs);
  QVERIFY(value_of(training_epochs_from_json("")).empty());
  for (std::size_t size = 1; size < list.size(); ++size)
    QVERIFY(!training_epochs_from_json(std::string_view(list).substr(0, size)));
  for (std::size_t size = 0; size < text.size(); ++size)
    QVERIFY(!training_definition_from_json(std::string_view(text).substr(0, size)));
}

void StudyTrainingTest::trainsAndStores() {
  const PredictorId id = value_of(create_training(*store_, request()));
  QVERIFY(value_of(store_->predictor(id)).state == PredictorState::Interrupted);
  TrainingNotes notes;
  const TrainingEnd end = value_of(run_training(store_->path(), id, notes, StopRequest()));
  QVERIFY(end.predictor);
  QCOMPARE(notes.facts.samples, 60);
  QCOMPARE(notes.facts.training_tasks + notes.facts.validation_tasks + notes.facts.test_tasks, 5);
  QVERIFY(notes.facts.validation_tasks >= 1 && notes.facts.test_tasks >= 1);
  QVERIFY(notes.epochs == end.epochs);
  QCOMPARE(notes.last_seconds_left, 0.0);
  const PredictorSummary stored = value_of(store_->predictor(id));
  QVERIFY(stored.state == PredictorState::Done && !stored.owner);
  QCOMPARE(stored.record.name, std::string("matmul-tiled-avx2"));
  QCOMPARE(stored.hash, end.predictor->hash());
  QCOMPARE(value_of(store_->predictor_bytes(id)), end.predictor->bytes());
  QVERIFY(value_of(training_epochs_from_json(stored.epochs_json)) == end.epochs);
  QCOMPARE(end.predictor->description().created_utc, stored.record.created_utc);
}

void StudyTrainingTest::stoppedAndGoneOnEqualsThrough() {
  const TrainingRequest wanted = request({{"epochs", "8"}, {"patience", "8"}, {"dropout", "0.1"}});
  const auto through = train(wanted);
  const PredictorId id = value_of(create_training(*store_, wanted));
  int stops = 0;
  for (;;) {
    StopRequest stop;
    TrainingNotes notes;
    auto left = static_cast<int>(random_.below(4));
    if (left == 0) stop.stop_gracefully();
    notes.on_epoch = [&] {
      if (--left == 0) stop.stop_gracefully();
    };
    const TrainingEnd end = value_of(run_training(store_->path(), id, notes, stop));
    if (end.predictor) {
      QVERIFY(alike(*end.predictor, *through, random_));
      break;
    }
    const PredictorSummary stored = value_of(store_->predictor(id));
    QVERIFY(stored.state == PredictorState::Interrupted && !stored.owner);
    // What was trained is kept.
    QVERIFY(value_of(training_epochs_from_json(stored.epochs_json)).size() >= notes.epochs.size());
    QVERIFY2(++stops < 500, "the training makes no progress");
  }
}

void StudyTrainingTest::otherSamplesAreRefused() {
  const PredictorId id = value_of(create_training(*store_, request()));
  StopRequest stop;
  TrainingNotes notes;
  notes.on_epoch = [&] { stop.stop_gracefully(); };
  QVERIFY(!value_of(run_training(store_->path(), id, notes, stop)).predictor);
  const ScheduledKernel kernel = kernel_of("matmul 16x16 16x16");
  write_members(*folder_, "task-0", kernel, random_members(kernel, 12, random_));
  const Result<TrainingEnd> refused = run_training(store_->path(), id, notes, StopRequest());
  QVERIFY(!refused && refused.error().code == ErrorCode::Refused);
  const PredictorSummary stored = value_of(store_->predictor(id));
  QVERIFY(stored.state == PredictorState::Failed && !stored.owner);
  QCOMPARE(stored.state_reason, describe(refused.error()));
  QVERIFY(!value_of(store_->predictor_checkpoint(id)).empty());
}

void StudyTrainingTest::oneProcessTrains() {
  const PredictorId id = value_of(create_training(*store_, request()));
  QVERIFY(store_->claim_training(id, Owner::this_process()));
  TrainingNotes notes;
  const Result<TrainingEnd> second = run_training(store_->path(), id, notes, StopRequest());
  QVERIFY(!second && second.error().code == ErrorCode::Refused);
  // It is still the first one's.
  QVERIFY(value_of(store_->predictor(id)).owner == Owner::this_process());
  QVERIFY(store_->end_training(id, PredictorState::Interrupted, ""));
  QVERIFY(value_of(run_training(store_->path(), id, notes, StopRequest())).predictor);
  QVERIFY(!run_training(store_->path(), id, notes, StopRequest()));
}

void StudyTrainingTest::mistakesStoreNothing() {
  TrainingRequest few = request();
  few.sources.resize(2);
  const Result<PredictorId> too_few = create_training(*store_, few);
  QVERIFY(!too_few && too_few.error().code == ErrorCode::InvalidArgument);
  QVERIFY(!create_training(*store_, request({{"modle", "tokens"}})));
  TrainingRequest unnamed = request();
  unnamed.name = "two\nlines";
  QVERIFY(!create_training(*store_, unnamed));
  TrainingRequest unknown = request();
  unknown.template_name = "conv2d-packed";
  QVERIFY(!create_training(*store_, unknown));
  QVERIFY(value_of(store_->predictors()).empty());
}

void StudyTrainingTest::isFoundByNumberNameAndHash() {
  TrainingRequest wanted = request();
  wanted.name = "mine";
  const auto predictor = train(wanted);
  const std::string hash = predictor->hash();
  for (const std::string& text :
       {std::string("1"), std::string("mine"), hash, hash.substr(0, 6), predictor_text(*predictor)}) {
    const KnownPredictor known = value_of(find_known_predictor(*store_, text));
    QCOMPARE(known.id, std::optional<PredictorId>(1));
    QVERIFY(known.description && *known.description == predictor->description());
    QCOMPARE(value_of(open_known_predictor(*store_, known))->hash(), hash);
  }
  const Result<KnownPredictor> unknown = find_known_predictor(*store_, "minne");
  QVERIFY(!unknown && describe(unknown.error()).contains("mine"));
  // One in training is listed as well.
  QVERIFY(create_training(*store_, wanted));
  std::vector<Error> unreadable;
  const std::vector<KnownPredictor> known = value_of(known_predictors(*store_, &unreadable));
  QVERIFY(unreadable.empty());
  QVERIFY(known.size() >= 2);
  QCOMPARE(known[0].state, std::string("interrupted"));
  QVERIFY(!known[0].description);
  QCOMPARE(known[1].state, std::string("done"));
  QCOMPARE(known[1].hash, hash);
  QVERIFY(!open_known_predictor(*store_, known[0]));
}

void StudyTrainingTest::takenHomeAndIn() {
  const auto predictor = train(request());
  const std::string file = path("mine.kspred");
  QVERIFY(export_predictor(*predictor, file, false));
  // An earlier file of the same kind may be replaced, anything else only by force.
  QVERIFY(export_predictor(*predictor, file, false));
  QVERIFY(write_file_atomically(path("text"), "a text"));
  QVERIFY(!export_predictor(*predictor, path("text"), false));
  QVERIFY(export_predictor(*predictor, path("text"), true));
  Store other = *Store::open(path("other.db"));
  const ImportedPredictor first = value_of(import_predictor(other, file));
  const ImportedPredictor again = value_of(import_predictor(other, file));
  QVERIFY(!first.existed && again.existed && first.id == again.id);
  const KnownPredictor known = value_of(find_known_predictor(other, "1"));
  QCOMPARE(known.hash, predictor->hash());
  QCOMPARE(known.origin, std::string("mine.kspred"));
  QVERIFY(known.epochs == predictor->description().epochs);
  QVERIFY(!import_predictor(other, path("a.db")));
}

void StudyTrainingTest::judgedOnOtherSamples() {
  const auto predictor = train(request());
  const DataSet own = value_of(read_data_set(*store_, sources_));
  // Its own samples give what it was stored with.
  QVERIFY(value_of(evaluate_predictor(*predictor, own)) == predictor->description().tasks);
  const ScheduledKernel unseen = kernel_of("matmul 48x48 48x48");
  const std::string source =
      "recorded:" + write_members(*folder_, "unseen", unseen, random_members(unseen, 30, random_));
  const auto outcomes = value_of(evaluate_predictor(*predictor, value_of(read_data_set(*store_, {source}))));
  QCOMPARE(outcomes.size(), 1U);
  QVERIFY(outcomes.front().part == DataPart::Test);
  QCOMPARE(outcomes.front().samples, 30);
  const ScheduledKernel wide = kernel_of("matmul 48x48 48x48", 16);
  const std::string other =
      "recorded:" + write_members(*folder_, "wide", wide, random_members(wide, 10, random_));
  QVERIFY(!evaluate_predictor(*predictor, value_of(read_data_set(*store_, {other}))));
}

void StudyTrainingTest::learnsFromTheRecordedSpacesThatComeAlong() {
  sources_.clear();
  const std::filesystem::path folder = std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "data/recorded";
  for (int layer = 1; layer <= 12; ++layer)
    sources_.push_back(fmt::format("recorded:{}/resnet18-C{}-conv2d-nchwc.ksrec", folder.string(), layer));
  const auto predictor = train(request({{"width", "16"},
                                        {"feed_forward", "32"},
                                        {"epochs", "10"},
                                        {"batch_size", "64"},
                                        {"learning_rate", "3e-3"},
                                        {"validation_share", "0.1"},
                                        {"test_share", "0.1"}}));
  const std::vector<RegretAt> regret = median_regret(predictor->description().tasks, DataPart::Test);
  QCOMPARE(regret.size(), 4U);
  // The first alone may be bad luck, and after 64 nearly every sample was tried.
  for (const RegretAt& at : {regret[1], regret[2]}) {
    QVERIFY2(at.predicted < at.random,
             fmt::format("after {}: {} and {}", at.measurements, at.predicted, at.random).c_str());
  }
}

KERNELSCAPE_PLAIN_TEST(StudyTrainingTest)

}  // namespace kernelscape::study_training_test
#include "study_training_test.moc"
