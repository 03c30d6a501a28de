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
bool alike(const predictor::Predictor& first, const predictor::Predictor& second, base::Random& random) {
  predictor::Description a = first.description();
  predictor::Description b = second.description();
  a.created_utc = b.created_utc;
  if (a != b) return false;
  const schedule::ScheduledKernel kernel = kernel_of("matmul 48x32 32x16");
  const std::vector<space::Configuration> members = random_members(kernel, 50, random);
  return value_of(value_of(first.bind(kernel))->predict(members)) ==
         value_of(value_of(second.bind(kernel))->predict(members));
}

}  // namespace

/** Trainings from the database to the predictor, stopped and gone on with. */
class StudyTrainingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<store::Store> store_;
  std::vector<std::string> sources_;
  base::Random random_{kernelscape::testing::random_seed()};

  study::TrainingRequest request(std::map<std::string, std::string> settings = {}) const {
    return {.name = "",
            .sources = sources_,
            .template_name = "",
            .settings = small_training(std::move(settings)),
            .seed = 5};
  }
  std::shared_ptr<const predictor::Predictor> train(const study::TrainingRequest& wanted) {
    TrainingNotes notes;
    const store::PredictorId id = value_of(study::create_training(*store_, wanted));
    return value_of(study::run_training(store_->path(), id, notes, session::StopRequest())).predictor;
  }
  std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = std::make_unique<store::Store>(*store::Store::open(path("a.db")));
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
  const study::TrainingDefinition definition{
      {"study 3", "recorded:/x y.ksrec"}, {{"model", "tokens"}}, random_.bits()};
  const std::string text = study::training_definition_to_json(definition);
  QVERIFY(value_of(study::training_definition_from_json(text)) == definition);
  const std::vector<predictor::TrainingEpoch> epochs = {{1, 0.5, random_.uniform(), 0.25, 3},
                                                        {2, 0.25, 0.5, -0.125, 4}};
  const std::string list = study::training_epochs_to_json(epochs);
  QVERIFY(value_of(study::training_epochs_from_json(list)) == epochs);
  QVERIFY(value_of(study::training_epochs_from_json("")).empty());
  for (std::size_t size = 1; size < list.size(); ++size)
    QVERIFY(!study::training_epochs_from_json(std::string_view(list).substr(0, size)));
  for (std::size_t size = 0; size < text.size(); ++size)
    QVERIFY(!study::training_definition_from_json(std::string_view(text).substr(0, size)));
}

void StudyTrainingTest::trainsAndStores() {
  const store::PredictorId id = value_of(study::create_training(*store_, request()));
  QVERIFY(value_of(store_->predictors().get(id)).state == store::PredictorState::Interrupted);
  TrainingNotes notes;
  const study::TrainingEnd end =
      value_of(study::run_training(store_->path(), id, notes, session::StopRequest()));
  QVERIFY(end.predictor);
  QCOMPARE(notes.facts.samples, 60);
  QCOMPARE(notes.facts.training_tasks + notes.facts.validation_tasks + notes.facts.test_tasks, 5);
  QVERIFY(notes.facts.validation_tasks >= 1 && notes.facts.test_tasks >= 1);
  QVERIFY(notes.epochs == end.epochs);
  QCOMPARE(notes.last_seconds_left, 0.0);
  const store::PredictorSummary stored = value_of(store_->predictors().get(id));
  QVERIFY(stored.state == store::PredictorState::Done && !stored.owner);
  QCOMPARE(stored.record.name, std::string("matmul-tiled-avx2"));
  QCOMPARE(stored.hash, end.predictor->hash());
  QCOMPARE(value_of(store_->predictors().bytes(id)), end.predictor->bytes());
  QVERIFY(value_of(study::training_epochs_from_json(stored.epochs_json)) == end.epochs);
  QCOMPARE(end.predictor->description().created_utc, stored.record.created_utc);
}

void StudyTrainingTest::stoppedAndGoneOnEqualsThrough() {
  const study::TrainingRequest wanted = request({{"epochs", "8"}, {"patience", "8"}, {"dropout", "0.1"}});
  const auto through = train(wanted);
  const store::PredictorId id = value_of(study::create_training(*store_, wanted));
  int stops = 0;
  for (;;) {
    session::StopRequest stop;
    TrainingNotes notes;
    auto left = static_cast<int>(random_.below(4));
    if (left == 0) stop.stop_gracefully();
    notes.on_epoch = [&] {
      if (--left == 0) stop.stop_gracefully();
    };
    const study::TrainingEnd end = value_of(study::run_training(store_->path(), id, notes, stop));
    if (end.predictor) {
      QVERIFY(alike(*end.predictor, *through, random_));
      break;
    }
    const store::PredictorSummary stored = value_of(store_->predictors().get(id));
    QVERIFY(stored.state == store::PredictorState::Interrupted && !stored.owner);
    // What was trained is kept.
    QVERIFY(value_of(study::training_epochs_from_json(stored.epochs_json)).size() >= notes.epochs.size());
    QVERIFY2(++stops < 500, "the training makes no progress");
  }
}

void StudyTrainingTest::otherSamplesAreRefused() {
  const store::PredictorId id = value_of(study::create_training(*store_, request()));
  session::StopRequest stop;
  TrainingNotes notes;
  notes.on_epoch = [&] { stop.stop_gracefully(); };
  QVERIFY(!value_of(study::run_training(store_->path(), id, notes, stop)).predictor);
  const schedule::ScheduledKernel kernel = kernel_of("matmul 16x16 16x16");
  write_members(*folder_, "task-0", kernel, random_members(kernel, 12, random_));
  const Result<study::TrainingEnd> refused =
      study::run_training(store_->path(), id, notes, session::StopRequest());
  QVERIFY(!refused && refused.error().code == ErrorCode::Refused);
  const store::PredictorSummary stored = value_of(store_->predictors().get(id));
  QVERIFY(stored.state == store::PredictorState::Failed && !stored.owner);
  QCOMPARE(stored.state_reason, describe(refused.error()));
  QVERIFY(!value_of(store_->predictors().checkpoint(id)).empty());
}

void StudyTrainingTest::oneProcessTrains() {
  const store::PredictorId id = value_of(study::create_training(*store_, request()));
  QVERIFY(store_->predictors().claim_training(id, store::Owner::this_process()));
  TrainingNotes notes;
  const Result<study::TrainingEnd> second =
      study::run_training(store_->path(), id, notes, session::StopRequest());
  QVERIFY(!second && second.error().code == ErrorCode::Refused);
  // It is still the first one's.
  QVERIFY(value_of(store_->predictors().get(id)).owner == store::Owner::this_process());
  QVERIFY(store_->predictors().end_training(id, store::PredictorState::Interrupted, ""));
  QVERIFY(value_of(study::run_training(store_->path(), id, notes, session::StopRequest())).predictor);
  QVERIFY(!study::run_training(store_->path(), id, notes, session::StopRequest()));
}

void StudyTrainingTest::mistakesStoreNothing() {
  study::TrainingRequest few = request();
  few.sources.resize(2);
  const Result<store::PredictorId> too_few = study::create_training(*store_, few);
  QVERIFY(!too_few && too_few.error().code == ErrorCode::InvalidArgument);
  QVERIFY(!study::create_training(*store_, request({{"modle", "tokens"}})));
  study::TrainingRequest unnamed = request();
  unnamed.name = "two\nlines";
  QVERIFY(!study::create_training(*store_, unnamed));
  study::TrainingRequest unknown = request();
  unknown.template_name = "conv2d-packed";
  QVERIFY(!study::create_training(*store_, unknown));
  QVERIFY(value_of(store_->predictors().all()).empty());
}

void StudyTrainingTest::isFoundByNumberNameAndHash() {
  study::TrainingRequest wanted = request();
  wanted.name = "mine";
  const auto predictor = train(wanted);
  const std::string hash = predictor->hash();
  for (const std::string& text : {std::string("1"), std::string("mine"), hash, hash.substr(0, 6),
                                  predictor::predictor_text(*predictor)}) {
    const study::KnownPredictor known = value_of(study::find_known_predictor(*store_, text));
    QCOMPARE(known.id, std::optional<store::PredictorId>(1));
    QVERIFY(known.description && *known.description == predictor->description());
    QCOMPARE(value_of(study::open_known_predictor(*store_, known))->hash(), hash);
  }
  const Result<study::KnownPredictor> unknown = study::find_known_predictor(*store_, "minne");
  QVERIFY(!unknown && describe(unknown.error()).contains("mine"));
  // One in training is listed as well.
  QVERIFY(study::create_training(*store_, wanted));
  std::vector<Error> unreadable;
  const std::vector<study::KnownPredictor> known = value_of(study::known_predictors(*store_, &unreadable));
  QVERIFY(unreadable.empty());
  QVERIFY(known.size() >= 2);
  QCOMPARE(known[0].state, std::string("interrupted"));
  QVERIFY(!known[0].description);
  QCOMPARE(known[1].state, std::string("done"));
  QCOMPARE(known[1].hash, hash);
  QVERIFY(!study::open_known_predictor(*store_, known[0]));
}

void StudyTrainingTest::takenHomeAndIn() {
  const auto predictor = train(request());
  const std::string file = path("mine.kspred");
  QVERIFY(study::export_predictor(*predictor, file, false));
  // An earlier file of the same kind may be replaced, anything else only by force.
  QVERIFY(study::export_predictor(*predictor, file, false));
  QVERIFY(base::write_file_atomically(path("text"), "a text"));
  QVERIFY(!study::export_predictor(*predictor, path("text"), false));
  QVERIFY(study::export_predictor(*predictor, path("text"), true));
  store::Store other = *store::Store::open(path("other.db"));
  const study::ImportedPredictor first = value_of(study::import_predictor(other, file));
  const study::ImportedPredictor again = value_of(study::import_predictor(other, file));
  QVERIFY(!first.existed && again.existed && first.id == again.id);
  const study::KnownPredictor known = value_of(study::find_known_predictor(other, "1"));
  QCOMPARE(known.hash, predictor->hash());
  QCOMPARE(known.origin, std::string("mine.kspred"));
  QVERIFY(known.epochs == predictor->description().epochs);
  QVERIFY(!study::import_predictor(other, path("a.db")));
}

void StudyTrainingTest::judgedOnOtherSamples() {
  const auto predictor = train(request());
  const predictor::DataSet own = value_of(study::read_data_set(*store_, sources_));
  // Its own samples give what it was stored with.
  QVERIFY(value_of(study::evaluate_predictor(*predictor, own)) == predictor->description().tasks);
  const schedule::ScheduledKernel unseen = kernel_of("matmul 48x48 48x48");
  const std::string source =
      "recorded:" + write_members(*folder_, "unseen", unseen, random_members(unseen, 30, random_));
  const auto outcomes =
      value_of(study::evaluate_predictor(*predictor, value_of(study::read_data_set(*store_, {source}))));
  QCOMPARE(outcomes.size(), 1U);
  QVERIFY(outcomes.front().part == predictor::DataPart::Test);
  QCOMPARE(outcomes.front().samples, 30);
  const schedule::ScheduledKernel wide = kernel_of("matmul 48x48 48x48", 16);
  const std::string other =
      "recorded:" + write_members(*folder_, "wide", wide, random_members(wide, 10, random_));
  QVERIFY(!study::evaluate_predictor(*predictor, value_of(study::read_data_set(*store_, {other}))));
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
  const std::vector<predictor::RegretAt> regret =
      predictor::median_regret(predictor->description().tasks, predictor::DataPart::Test);
  QCOMPARE(regret.size(), 4U);
  // The first alone may be bad luck, and after 64 nearly every sample was tried.
  for (const predictor::RegretAt& at : {regret[1], regret[2]}) {
    QVERIFY2(at.predicted < at.random,
             fmt::format("after {}: {} and {}", at.measurements, at.predicted, at.random).c_str());
  }
}

KERNELSCAPE_PLAIN_TEST(StudyTrainingTest)

}  // namespace kernelscape::study_training_test
#include "study_training_test.moc"
