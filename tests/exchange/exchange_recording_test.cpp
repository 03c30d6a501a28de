#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "core/base/file.h"
#include "core/exchange/export_formats.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording_builder.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_recording_test {
using namespace kernelscape::recording_test;

namespace {

base::Random seeded_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

store::SessionRecord record_of(const space::SearchSpace& space) {
  store::SessionRecord record;
  record.name = "swept";
  record.task_name = "a task";
  record.task_json = task::task_to_json(*task::parse_task("matmul 64x48 48x32 f32"));
  record.target_name = "cpu";
  schedule::TargetDescription target;
  target.cores = 6;
  record.target_json = schedule::target_to_json(target);
  record.template_name = "a-template";
  record.template_version = 3;
  record.space_json = space::space_to_json(space);
  record.space_fingerprint = space.fingerprint();
  record.tuner = "grid";
  record.options_json = trial::measure_options_to_json({});
  record.seed = 17;
  record.real_measurements = false;
  return record;
}

}  // namespace

class ExchangeRecordingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<store::Store> store_;

  std::string path() const { return folder_->filePath("out.ksrec").toStdString(); }
  Status write(store::SessionId id, const std::string& filter = {}) {
    exchange::ExportRequest request{.store = *store_, .session = id};
    request.filter = filter;
    request.path = path();
    request.force = true;
    return exchange::export_session(**exchange::find_export_format("recorded"), request);
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = std::make_unique<store::Store>(*store::Store::open(folder_->filePath("test.db").toStdString()));
  }

  void trialsBecomeRows_data();
  void trialsBecomeRows();
  void recordedSpacesStayAsTheyAre();
  void nothingIsWrittenOfNothing();
};

void ExchangeRecordingTest::trialsBecomeRows_data() {
  QTest::addColumn<bool>("whole");
  QTest::newRow("a swept space") << true;
  QTest::newRow("a sample") << false;
}

void ExchangeRecordingTest::trialsBecomeRows() {
  QFETCH(bool, whole);
  base::Random random = seeded_random();
  const space::SearchSpace space = random_space(random, SpaceShape::Constrained);
  std::vector<trial::Trial> trials;
  for (base::uint128 index = 0; index < space.size(); ++index) {
    const space::Configuration configuration = space.at(index);
    if (!space.contains(configuration) || (!whole && random.chance(0.5))) continue;
    trial::Measurement measurement = random_measurement(random);
    if (measurement.valid()) measurement.samples_seconds.push_back(1 + random.uniform());
    trials.push_back({0, 0, 0, configuration, measurement, 1});
  }
  random.shuffle(std::span(trials));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].number = static_cast<std::int64_t>(i);
    trials[i].position = static_cast<std::int32_t>(i);
  }
  const store::SessionRecord record = record_of(space);
  const store::SessionId id = *store_->sessions().create(record, store::Owner::this_process());
  store::SessionStatus status;
  status.trial_count = std::ssize(trials);
  QVERIFY(store_->trials().append(id, trials, status));
  const Status written = write(id);
  QVERIFY2(written, written ? "" : describe(written.error()).c_str());
  const auto recording = trial::Recording::open(path());
  QVERIFY2(recording, recording ? "" : describe(recording.error()).c_str());
  QCOMPARE((*recording)->complete(), whole);
  QCOMPARE((*recording)->whole_space().fingerprint(), space.fingerprint());
  QCOMPARE((*recording)->size(), trials.size());
  const std::vector<trial::Trial> stored = *store_->trials().of(id);
  for (const trial::Trial& trial : stored) {
    const auto row = (*recording)->find(trial.configuration);
    QVERIFY(row);
    QVERIFY((*recording)->measurement(*row) == trial.measurement);
  }
  const trial::RecordingHeader& header = (*recording)->header();
  QCOMPARE(header.task_json, record.task_json);
  QCOMPARE(header.target_json, record.target_json);
  QCOMPARE(header.template_version, 3);
  QCOMPARE(header.builders, 6);
  QCOMPARE(header.seed, record.seed);
  QVERIFY(!header.pipelined);
}

void ExchangeRecordingTest::recordedSpacesStayAsTheyAre() {
  base::Random random = seeded_random();
  const space::SearchSpace space = random_space(random, SpaceShape::Product);
  trial::RecordingHeader header = random_header(random);
  header.task_json = record_of(space).task_json;
  trial::RecordingBuilder builder(header, space);
  for (int i = 0; i < 60; ++i) {
    trial::Measurement measurement = random_measurement(random);
    if (measurement.valid()) measurement.samples_seconds.push_back(1 + random.uniform());
    QVERIFY(builder.add(*space.random_member(random), measurement));
  }
  const auto recording = *builder.build();
  store::SessionRecord record = record_of(recording->space());
  record.kind = store::SessionKind::Recorded;
  record.recording = *store_->recordings().add(*recording);
  const store::SessionId id = *store_->sessions().create(record, store::Owner::this_process());
  QVERIFY(write(id));
  QCOMPARE((*trial::Recording::open(path()))->bytes(), recording->bytes());
  QVERIFY(write(id, "valid"));
  const auto valid = *trial::Recording::open(path());
  QVERIFY(valid->size() < recording->size());
  for (std::uint32_t row = 0; row < valid->size(); ++row)
    QVERIFY(valid->category(row) == trial::ErrorCategory::NoError);
  QVERIFY(valid->header() == recording->header());
}

void ExchangeRecordingTest::nothingIsWrittenOfNothing() {
  base::Random random = seeded_random();
  const space::SearchSpace space = random_space(random, SpaceShape::Product);
  const store::SessionId id = *store_->sessions().create(record_of(space), store::Owner::this_process());
  const Status refused = write(id);
  QVERIFY(!refused);
  QVERIFY(!refused.error().hint.empty());
  QVERIFY(!QFile::exists(QString::fromStdString(path())));
  exchange::ExportRequest request{.store = *store_, .session = id};
  request.path = path();
  request.columns = {"ms"};
  QVERIFY(!exchange::export_session(**exchange::find_export_format("recorded"), request));
  request.columns.clear();
  request.path = "-";
  QVERIFY(!exchange::export_session(**exchange::find_export_format("recorded"), request));
}

KERNELSCAPE_TEST(ExchangeRecordingTest, QCoreApplication)

}  // namespace kernelscape::exchange_recording_test
#include "exchange_recording_test.moc"
