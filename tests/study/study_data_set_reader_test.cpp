#include <QTest>
#include <algorithm>
#include <set>

#include "core/study/data_set_reader.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/study/data_set_support.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_data_set_reader_test {
using namespace kernelscape::predictor_tests;
using namespace kernelscape::study_tests;

namespace {

/** Every valid trial of a study's sessions by configuration. */
std::set<space::Configuration> valid_configurations(const store::Store& store, store::StudyId id) {
  std::set<space::Configuration> valid;
  const std::vector<std::vector<trial::Trial>> runs = study_trials(store, id);
  for (const std::vector<trial::Trial>& trials : runs) {
    for (const trial::Trial& trial : trials)
      if (trial.measurement.valid()) valid.insert(trial.configuration);
  }
  return valid;
}

std::set<space::Configuration> configurations_of(const predictor::TaskSamples& task) {
  return {task.configurations.begin(), task.configurations.end()};
}

}  // namespace

/** Studies, sessions and recorded spaces as what predictors learn from. */
class StudyDataSetReaderTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<store::Store> store_;
  base::Random random_{kernelscape::testing::random_seed()};

  std::string described(const std::vector<std::string>& sources, std::string_view template_name = {}) const {
    const Result<predictor::DataSet> data = study::read_data_set(*store_, sources, template_name);
    return data ? "" : describe(data.error());
  }
  /** A study of a recorded space with so many trials of each of two tuners, and its source. */
  store::StudyId run_recorded_study(const std::string& file, std::int64_t trials) {
    const study::Definition study = make_study({"random", "ga"}, {file}, 1, trials);
    const store::StudyId id = value_of(study::create_study(*store_, study));
    StudyNotes notes;
    const study::Outcome outcome =
        value_of(study::run_study(store_->path(), id, {}, notes, session::StopRequest()));
    if (outcome.progress.done != 2) qFatal("the study is not done");
    return id;
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = std::make_unique<store::Store>(*store::Store::open(folder_->filePath("a.db").toStdString()));
  }

  void recordedSpacesByTask();
  void measuredTwiceIsTheMedian();
  void errorsAreNoSamples();
  void studiesAndTheirSessions();
  void whatIsInTheTrashDoesNotCount();
  void theSameTwiceIsOnce();
  void runningSourcesAreRefused();
  void ofSeveralTemplatesOneIsChosen();
  void ofATemplateForSeveralOperationsOneIsRead();
  void otherIsasAndVersionsAreRefused();
  void otherKnobsAreRefused();
  void unknownSources_data();
  void unknownSources();
};

void StudyDataSetReaderTest::recordedSpacesByTask() {
  const std::vector<std::string> sources = write_samples(*folder_, 3, 20, random_);
  const predictor::DataSet data = value_of(study::read_data_set(*store_, sources));
  QCOMPARE(data.template_name, std::string("matmul-tiled"));
  QCOMPARE(data.target.isa, std::string("avx2"));
  QCOMPARE(data.tasks.size(), 3U);
  QCOMPARE(data.samples(), 60U);
  QCOMPARE(data.sources, (std::vector<std::string>{"recorded:task-0.ksrec", "recorded:task-1.ksrec",
                                                   "recorded:task-2.ksrec"}));
  for (const predictor::TaskSamples& task : data.tasks) {
    const schedule::ScheduledKernel kernel = kernel_of(task.task.text);
    for (std::size_t i = 0; i < task.configurations.size(); ++i) {
      const double expected = static_cast<double>(synthetic_fitness(kernel, task.configurations[i]));
      QVERIFY(std::abs(static_cast<double>(task.fitness[i]) - expected) < 1e-5 * expected);
    }
  }
  // The order is the sources', so that the same sources give the same predictor.
  QCOMPARE(value_of(study::read_data_set(*store_, sources)).hash(), data.hash());
}

void StudyDataSetReaderTest::measuredTwiceIsTheMedian() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 16x32 32x16");
  const std::vector<space::Configuration> members = random_members(kernel, 6, random_);
  std::vector<std::string> sources;
  for (const double speed : {3e9, 1e9, 7e9}) {
    const auto constant = [speed](const schedule::ScheduledKernel&, const space::Configuration&) {
      return speed;
    };
    const std::string name = fmt::format("same-{}", sources.size());
    sources.push_back("recorded:" + write_members(*folder_, name, kernel, members, constant));
  }
  std::ranges::shuffle(sources, std::mt19937_64(random_.bits()));
  const predictor::DataSet data = value_of(study::read_data_set(*store_, sources));
  QCOMPARE(data.tasks.size(), 1U);
  QCOMPARE(data.samples(), members.size());
  for (const float fitness : data.tasks.front().fitness) QVERIFY(std::abs(fitness - 3e9F) < 1e4F);
}

void StudyDataSetReaderTest::errorsAreNoSamples() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 16x32 32x16");
  const std::vector<space::Configuration> members = random_members(kernel, 10, random_);
  const std::set<space::Configuration> valid(members.begin(), members.begin() + 4);
  const auto some = [&](const schedule::ScheduledKernel&, const space::Configuration& configuration) {
    return valid.contains(configuration) ? 2e9 : 0.0;
  };
  const auto none = [](const schedule::ScheduledKernel&, const space::Configuration&) { return 0.0; };
  const std::string partly = "recorded:" + write_members(*folder_, "partly", kernel, members, some);
  const std::string failed = "recorded:" + write_members(*folder_, "failed", kernel, members, none);
  const predictor::DataSet data = value_of(study::read_data_set(*store_, {partly, failed}));
  QCOMPARE(data.tasks.size(), 1U);
  QVERIFY(configurations_of(data.tasks.front()) == valid);
  QVERIFY(described({failed}).contains("no valid trial"));
}

void StudyDataSetReaderTest::studiesAndTheirSessions() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 32x32 32x32");
  const std::string file = write_members(*folder_, "space", kernel, random_members(kernel, 60, random_));
  const store::StudyId id = run_recorded_study(file, 15);
  const predictor::DataSet data = value_of(study::read_data_set(*store_, {fmt::format("study {}", id)}));
  QCOMPARE(data.sources, std::vector<std::string>{fmt::format("study {} (a study)", id)});
  QCOMPARE(data.tasks.size(), 1U);
  QVERIFY(configurations_of(data.tasks.front()) == valid_configurations(*store_, id));
  // By its name too, with which a source may begin as others do.
  QCOMPARE(value_of(study::read_data_set(*store_, {"a study"})).hash(), data.hash());
  QVERIFY(store_->studies().set_name(id, "study of multiplications"));
  QCOMPARE(value_of(study::read_data_set(*store_, {"study of multiplications"})).hash(), data.hash());
  // Of its two sessions the same, whatever they are called by.
  std::vector<std::string> sessions;
  for (const store::StudyRun& run : value_of(store_->studies().runs(id)))
    sessions.push_back(fmt::format("session {}", *run.session));
  QCOMPARE(value_of(study::read_data_set(*store_, sessions)).hash(), data.hash());
  QVERIFY(value_of(study::read_data_set(*store_, {sessions.front()})).samples() <= 15U);
}

void StudyDataSetReaderTest::whatIsInTheTrashDoesNotCount() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 32x32 32x32");
  const std::string file = write_members(*folder_, "space", kernel, random_members(kernel, 60, random_));
  const store::StudyId id = run_recorded_study(file, 12);
  const std::string source = fmt::format("study {}", id);
  const std::vector<store::StudyRun> runs = value_of(store_->studies().runs(id));
  QVERIFY(store_->sessions().trash(*runs.front().session));
  const std::string left = fmt::format("session {}", *runs.back().session);
  QCOMPARE(value_of(study::read_data_set(*store_, {source})).hash(),
           value_of(study::read_data_set(*store_, {left})).hash());
  QVERIFY(store_->studies().trash(id));
  QVERIFY(!study::read_data_set(*store_, {source}));
}

void StudyDataSetReaderTest::theSameTwiceIsOnce() {
  const std::vector<std::string> sources = write_samples(*folder_, 1, 10, random_);
  const std::vector<std::string> resolved =
      value_of(study::resolve_data_sources(*store_, {sources.front(), sources.front()}));
  QCOMPARE(resolved.size(), 1U);
}

void StudyDataSetReaderTest::runningSourcesAreRefused() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 32x32 32x32");
  const std::string file = write_members(*folder_, "space", kernel, random_members(kernel, 60, random_));
  const store::StudyId id = run_recorded_study(file, 5);
  const std::string source = fmt::format("study {}", id);
  QVERIFY(store_->studies().claim(id, store::Owner::this_process()));
  QVERIFY(described({source}).contains("still runs"));
  QVERIFY(store_->studies().release(id, store::Owner::this_process()));
  QCOMPARE(described({source}), std::string());
}

void StudyDataSetReaderTest::ofSeveralTemplatesOneIsChosen() {
  std::vector<std::string> sources = write_samples(*folder_, 2, 10, random_);
  const schedule::ScheduledKernel packed = kernel_of("matmul 32x32 32x32", 8, "matmul-packed");
  sources.push_back(
      "recorded:" +
      write_members(*folder_, "packed", packed, random_members(packed, 10, random_),
                    [](const schedule::ScheduledKernel&, const space::Configuration&) { return 1e9; }));
  const std::string refused = described(sources);
  for (const char* word : {"matmul-packed", "matmul-tiled", "--template"})
    QVERIFY2(refused.contains(word), refused.c_str());
  QCOMPARE(value_of(study::read_data_set(*store_, sources, "matmul-tiled")).tasks.size(), 2U);
  QCOMPARE(value_of(study::read_data_set(*store_, sources, "matmul-packed")).tasks.size(), 1U);
  QVERIFY(described(sources, "matmul-tield").contains("did you mean matmul-tiled"));
  const predictor::DataSet both = value_of(study::read_data_set(*store_, sources, "matmul"));
  QCOMPARE(both.tasks.size(), 3U);
  QCOMPARE(predictor::templates_text(both.templates()), std::string("matmul-packed+matmul-tiled"));
  const predictor::DataSet named =
      value_of(study::read_data_set(*store_, sources, predictor::templates_text(both.templates())));
  QCOMPARE(named.hash(), both.hash());
  QVERIFY(described({sources.back()}, "matmul-packed+matmul-tiled").contains("matmul-tiled"));
  const predictor::DataSet one = value_of(study::read_data_set(
      *store_, {sources.back()}, "matmul-packed+matmul-tiled", study::AbsentTemplates::LeftOut));
  QCOMPARE(predictor::templates_text(one.templates()), std::string("matmul-packed"));
  QVERIFY(described(sources, "conv2d").contains("conv2d"));
  QVERIFY(described(sources, "matmul-packed+matmul-tield").contains("did you mean matmul-tiled"));
}

void StudyDataSetReaderTest::ofATemplateForSeveralOperationsOneIsRead() {
  std::vector<std::string> sources;
  for (const char* text : {"matmul 32x32 32x32", "conv2d 1x8x8x8 8x8x3x3 pad=1"}) {
    const schedule::ScheduledKernel kernel = kernel_of(text, 8, "generated");
    sources.push_back(
        "recorded:" +
        write_members(*folder_, std::to_string(sources.size()), kernel, random_members(kernel, 5, random_),
                      [](const schedule::ScheduledKernel&, const space::Configuration&) { return 1e9; }));
  }
  for (const std::string operation : {"matmul", "conv2d"}) {
    const predictor::DataSet data = value_of(study::read_data_set(*store_, sources, operation));
    QCOMPARE(data.tasks.size(), 1U);
    QCOMPARE(predictor::operation_of(data.tasks.front().task), operation);
  }
  QCOMPARE(value_of(study::read_data_set(*store_, sources, "generated")).tasks.size(), 2U);
}

void StudyDataSetReaderTest::otherIsasAndVersionsAreRefused() {
  const std::vector<std::string> sources = write_samples(*folder_, 1, 10, random_);
  const schedule::ScheduledKernel wide = kernel_of("matmul 32x32 32x32", 16);
  const std::string other =
      "recorded:" + write_members(*folder_, "wide", wide, random_members(wide, 10, random_));
  const std::string isas = described({sources.front(), other});
  QVERIFY2(isas.contains("avx2") && isas.contains("avx512"), isas.c_str());
  const schedule::ScheduledKernel kernel = kernel_of("matmul 16x16 16x16");
  const std::string old =
      "recorded:" + write_members(*folder_, "old", kernel, random_members(kernel, 10, random_),
                                  synthetic_fitness,
                                  [](trial::RecordingHeader& header) { ++header.template_version; });
  const std::string versions = described({old});
  QVERIFY2(versions.contains("version"), versions.c_str());
}

void StudyDataSetReaderTest::otherKnobsAreRefused() {
  const schedule::ScheduledKernel kernel = kernel_of("matmul 16x16 16x16");
  const schedule::ScheduledKernel larger = kernel_of("matmul 32x32 32x32");
  const std::string forged =
      "recorded:" + write_members(*folder_, "forged", larger, random_members(larger, 10, random_),
                                  synthetic_fitness, [&](trial::RecordingHeader& header) {
                                    header.task_json = task::task_to_json(kernel.task());
                                  });
  QVERIFY(described({forged}).contains("other knobs"));
}

void StudyDataSetReaderTest::unknownSources_data() {
  QTest::addColumn<QStringList>("sources");
  QTest::addColumn<QString>("said");
  QTest::newRow("none") << QStringList{} << "no sources";
  QTest::newRow("no study") << QStringList{"study 7"} << "no study '7'";
  QTest::newRow("no name") << QStringList{"nothing"} << "no study 'nothing'";
  QTest::newRow("no session") << QStringList{"session 7"} << "no session '7'";
  QTest::newRow("no file") << QStringList{"recorded:nowhere.ksrec"} << "nowhere.ksrec";
  QTest::newRow("no recorded space") << QStringList{"recorded:7"} << "no session '7'";
}

void StudyDataSetReaderTest::unknownSources() {
  QFETCH(const QStringList, sources);
  QFETCH(const QString, said);
  std::vector<std::string> texts;
  for (const QString& source : sources) texts.push_back(source.toStdString());
  const std::string error = described(texts);
  QVERIFY2(error.contains(said.toStdString()), error.c_str());
}

KERNELSCAPE_PLAIN_TEST(StudyDataSetReaderTest)

}  // namespace kernelscape::study_data_set_reader_test
#include "study_data_set_reader_test.moc"
