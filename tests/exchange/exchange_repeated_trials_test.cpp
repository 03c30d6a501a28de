#include <QTest>
#include <cmath>

#include "core/exchange/repeated_trials.h"
#include "core/exchange/validation.h"
#include "tests/exchange/broken_entries.h"
#include "tests/exchange/import_support.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_repeated_trials_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

/** Three entries: 0, 1, and 0 again with another time. */
std::string repeated_text(const EntryFormat& format) {
  const std::string first = format.entry(0).dump();
  std::string again = first;
  const bool seconds = format.lines;
  const std::string old = json(seconds ? entry_seconds(0) : entry_milliseconds(0)).dump();
  const std::string other = json(seconds ? 2 * entry_seconds(0) : 2 * entry_milliseconds(0)).dump();
  const std::string samples = json(entry_milliseconds(0) * 1.01).dump();
  for (std::size_t at = again.find(old); at != std::string::npos; at = again.find(old, at + other.size()))
    if (again.compare(at, samples.size(), samples) != 0) again.replace(at, old.size(), other);
  return format.file({first, format.entry(1).dump(), again});
}

bool says(const std::vector<std::string>& notices, const std::string& words) {
  return std::ranges::any_of(notices, [&](const std::string& notice) { return notice.contains(words); });
}

}  // namespace

/** A configuration that a file has several times loses no result. */
class ExchangeRepeatedTrialsTest : public QObject {
  Q_OBJECT

 private slots:
  void recorded_spaces_have_all_samples();
  void sessions_have_all_trials();
  void a_key_that_is_twice_in_a_cache();
  void failures_do_not_hide_results();
};

void ExchangeRepeatedTrialsTest::recorded_spaces_have_all_samples() {
  for (const EntryFormat& format : entry_formats()) {
    if (format.name == "kernel-tuner") continue;
    StoredSessions sessions;
    write_text(QString::fromStdString(sessions.path("file.json")), repeated_text(format));
    const exchange::ImportOutcome outcome = must(
        exchange::import_file(sessions.store(), sessions.path("file.json"), exchange::ImportAs::Recorded));
    QVERIFY2(says(outcome.notices, "repeat the configuration of an earlier one: 1; the samples"),
             format.name.c_str());
    const store::SessionRecord record =
        must(sessions.store().sessions().get(outcome.sessions.at(0).session)).record;
    const auto recording = must(sessions.store().recordings().get(record.recording));
    QCOMPARE(recording->size(), 2U);
    bool found = false;
    for (std::uint32_t row = 0; row < recording->size(); ++row) {
      const trial::Measurement measurement = recording->measurement(row);
      if (measurement.samples_seconds.size() != 2) continue;
      found = true;
      QVERIFY(std::abs(measurement.ranking_seconds() - 1.5 * entry_seconds(0)) < 1e-9);
    }
    QVERIFY2(found, format.name.c_str());
  }
}

void ExchangeRepeatedTrialsTest::sessions_have_all_trials() {
  for (const EntryFormat& format : entry_formats()) {
    if (format.name == "kernel-tuner") continue;
    StoredSessions sessions;
    write_text(QString::fromStdString(sessions.path("file.json")), repeated_text(format));
    const exchange::ImportOutcome outcome = must(
        exchange::import_file(sessions.store(), sessions.path("file.json"), exchange::ImportAs::Session));
    QVERIFY2(says(outcome.notices, "each is a separate trial"), format.name.c_str());
    QCOMPARE(must(sessions.store().trials().of(outcome.sessions.at(0).session)).size(), std::size_t{3});
  }
}

void ExchangeRepeatedTrialsTest::a_key_that_is_twice_in_a_cache() {
  const std::string text =
      R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"], "tune_params": )"
      R"({"x": [1, 2]}, "cache": {"1": {"x": 1, "time": 4, "power": 7}, "2": {"x": 2, "time": 8}, )"
      R"("1": {"x": 1, "time": 6, "times": [5, 6, 7]}}})";
  StoredSessions sessions;
  write_text(QString::fromStdString(sessions.path("cache.json")), text);
  const exchange::ImportOutcome outcome =
      must(exchange::import_file(sessions.store(), sessions.path("cache.json")));
  QVERIFY(says(outcome.notices, "repeat"));
  const store::SessionRecord record =
      must(sessions.store().sessions().get(outcome.sessions.at(0).session)).record;
  const auto recording = must(sessions.store().recordings().get(record.recording));
  QCOMPARE(recording->size(), 2U);
  const trial::Measurement measurement = recording->measurement(0);
  QCOMPARE(measurement.samples_seconds.size(), std::size_t{4});
  QVERIFY(std::abs(measurement.ranking_seconds() - 5.5e-3) < 1e-9);
  // A later result without a number does not take the earlier one away.
  QCOMPARE(recording->columns().at(0).values.at(0), 7.0);
}

void ExchangeRepeatedTrialsTest::failures_do_not_hide_results() {
  const trial::Measurement good = recording_test::timed({1e-3, 2e-3}, 0.5, 0.25);
  const trial::Measurement bad = recording_test::failed(trial::ErrorCategory::RuntimeDevice, "out of memory");
  for (const auto& [first, second] : {std::pair{good, bad}, std::pair{bad, good}}) {
    trial::Measurement merged = first;
    exchange::merge_measurement(merged, second);
    QVERIFY(merged.valid() && merged.samples_seconds == good.samples_seconds);
    QCOMPARE(merged.build_seconds, good.build_seconds + bad.build_seconds);
  }
}

KERNELSCAPE_TEST(ExchangeRepeatedTrialsTest, QCoreApplication)

}  // namespace kernelscape::exchange_repeated_trials_test
#include "exchange_repeated_trials_test.moc"
