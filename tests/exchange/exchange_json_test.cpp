#include <QTest>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "tests/exchange/named_format.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_json_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

Result<exchange::ImportedFile> read(const std::string& text) {
  exchange::ImportText file("session.json", text);
  return read_as("kernelscape", file);
}

exchange::ImportedTrials must_read(const std::string& text) {
  Result<exchange::ImportedFile> file = read(text);
  if (!file) throw std::runtime_error(describe(file.error()));
  return std::move(file->parts.at(0));
}

/** Knobs of all kinds, with values that are hard to tell apart; constrained, listed or neither. */
space::SearchSpace random_space(base::Random& random) {
  std::vector<space::Knob> knobs;
  knobs.push_back(space::Knob::factorization("tile", 24, 3).value());
  knobs.push_back(
      space::Knob::ordinal("step", {space::KnobValue(0.1), space::KnobValue(1.0 / 3), space::KnobValue(2.5)})
          .value());
  knobs.push_back(
      space::Knob::categorical(
          "mode", {space::KnobValue("a,b"), space::KnobValue("say \"x\" \xc3\xa9"), space::KnobValue(true),
                   space::KnobValue(4.0), space::KnobValue(std::int64_t{4}), space::KnobValue("4")})
          .value());
  knobs.push_back(space::Knob::permutation("order", {"i", "j", "k"}).value());
  const space::SearchSpace whole = space::SearchSpace::make(knobs).value();
  if (random.chance(0.5)) return whole;
  std::vector<space::Configuration> members;
  for (int i = 0; i < 60; ++i) members.push_back(whole.random_member(random).value());
  return space::SearchSpace::make_explicit(std::move(knobs), std::move(members)).value();
}

std::vector<trial::Trial> random_trials(base::Random& random, const space::SearchSpace& space, int count) {
  std::vector<trial::Trial> trials;
  for (int i = 0; i < count; ++i) {
    trial::Trial trial = store_test::random_trial(random, i, 1);
    trial.configuration = space.random_member(random).value();
    if (trial.measurement.valid() && trial.measurement.samples_seconds.empty())
      trial.measurement.samples_seconds = {store_test::random_seconds(random)};
    if (trial.measurement.valid() && random.chance(0.3))
      trial.measurement.recorded_seconds = store_test::random_seconds(random) * 0x1p-20;
    trials.push_back(std::move(trial));
  }
  return trials;
}

/** Those that a machine can measure. */
std::vector<trial::Trial> possible_trials(base::Random& random, const space::SearchSpace& space, int count) {
  std::vector<trial::Trial> trials = random_trials(random, space, count);
  for (trial::Trial& trial : trials) {
    recording_test::make_possible(random, trial.measurement);
    if (trial.measurement.recorded_seconds > 0) trial.measurement.recorded_seconds = random.uniform() + 1e-6;
    trial.finished_seconds = random.uniform() * 1e4;
  }
  return trials;
}

task::Task task_of(base::Random& random) {
  if (random.chance(0.5)) return task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1 f32").value();
  return task::make_generic_task({"gemm \"big\"\n", "time", "s"}, "log").value();
}

store::SessionStatus some_status(base::Random& random) {
  store::SessionStatus status = store_test::random_status(random, 0);
  status.state_reason = "500 trials \"so\"\n";
  status.vendor_json = random.chance(0.5) ? "" : R"({"name":"oneDNN","samples":[0.1,1e-300]})";
  return status;
}

}  // namespace

/** Whole sessions as JSON, written and read back. */
class ExchangeJsonTest : public QObject {
  Q_OBJECT

 private slots:
  void sessionsReadBack();
  void filtersKeepWhatBelongs();
  void importedSessionsExportTheSame();
  void badFiles_data();
  void badFiles();
  void truncations();
};

void ExchangeJsonTest::sessionsReadBack() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  store::Store& store = sessions.store();
  for (int round = 0; round < 15; ++round) {
    const space::SearchSpace space = random_space(random);
    store::SessionRecord record =
        StoredSessions::record_of(task_of(random), schedule::default_cuda_target(), space);
    record.seed = random.bits();
    record.batch_size = static_cast<std::int64_t>(random.below(100));
    const store::SessionStatus status = some_status(random);
    const std::vector<trial::Trial> trials = random_trials(random, space, 40);
    const store::SessionId id = sessions.add(record, status, trials);
    const std::vector<store::StoredSeries> series{{0, "epsilon", 0.1}, {7, "spread \"x\"", 1e-310}};
    const std::vector<trial::Confirmation> confirmations{{-1, "2026-01-02T03:04:05Z", {0.25}},
                                                         {3, "2026-01-02T03:04:06Z", {0.1, 1.0 / 3}}};
    QVERIFY(store.series().append(id, series) && store.confirmations().append(id, confirmations));
    QVERIFY(store.interruptions().append(id, 1.5, "pause"));
    const std::vector<trial::SessionNotice> notices{{"machine", "the machine was loaded: \"x\"", 0},
                                                    {"problem", "trial 3\nwas not confirmed", 0.1}};
    for (const trial::SessionNotice& notice : notices) QVERIFY(store.notices().add(id, notice));
    QVERIFY(store.sessions().set_note(id, "two\nlines \xc3\xa9") &&
            store.sessions().set_tags(id, std::vector<std::string>{"a", "b"}));

    const std::string text = sessions.exported(id, "json");
    QVERIFY(json::accept(text));
    const exchange::ImportedTrials part = must_read(text);
    QCOMPARE(part.space.fingerprint(), space.fingerprint());
    QCOMPARE(space::space_to_json(part.space), space::space_to_json(space));
    const std::vector<trial::Trial> stored = store.trials().of(id).value();
    QCOMPARE(part.trials.size(), stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) {
      QVERIFY(part.trials[i].configuration == trials[i].configuration);
      QVERIFY(part.trials[i].measurement == stored[i].measurement);
      QVERIFY(part.trials[i].measurement.message == trials[i].measurement.message);
      QVERIFY(std::bit_cast<std::uint64_t>(part.trials[i].finished_seconds) ==
              std::bit_cast<std::uint64_t>(trials[i].finished_seconds));
      QCOMPARE(part.trials[i].batch, trials[i].batch);
      QCOMPARE(part.trials[i].position, trials[i].position);
    }
    const store::SessionSummary summary = store.sessions().get(id).value();
    QVERIFY(part.own.has_value());
    const exchange::ImportedOwnSession& own = *part.own;
    QCOMPARE(own.record.name, summary.record.name);
    QCOMPARE(own.record.task_json, summary.record.task_json);
    QCOMPARE(own.record.target_json, summary.record.target_json);
    QCOMPARE(own.record.settings_json, summary.record.settings_json);
    QCOMPARE(own.record.options_json, summary.record.options_json);
    QCOMPARE(own.record.budget_json, summary.record.budget_json);
    QCOMPARE(own.record.history_json, summary.record.history_json);
    QCOMPARE(own.record.seed, record.seed);
    QCOMPARE(own.record.batch_size, record.batch_size);
    QVERIFY(own.record.kind == summary.record.kind);
    QVERIFY(own.annotation == summary.annotation);
    QCOMPARE(own.status.vendor_json, status.vendor_json);
    QCOMPARE(own.status.state_reason, status.state_reason);
    QCOMPARE(own.status.search_seconds, status.search_seconds);
    QVERIFY(own.series == series);
    QVERIFY(own.confirmations == confirmations);
    QVERIFY(own.interruptions == (std::vector<store::SessionInterruption>{{1.5, "pause"}}));
    QVERIFY(own.notices == notices);
  }
}

void ExchangeJsonTest::filtersKeepWhatBelongs() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  const space::SearchSpace space = random_space(random);
  store::SessionStatus status = some_status(random);
  status.best_trial = 7;
  const store::SessionId id =
      sessions.add(StoredSessions::record_of(task_of(random), schedule::default_cuda_target(), space), status,
                   random_trials(random, space, 20));
  const std::vector<store::StoredSeries> series{{0, "s", 1}, {7, "s", 2}};
  const std::vector<trial::Confirmation> confirmations{{-1, "", {0.25}}, {3, "", {0.1}}, {7, "", {0.2}}};
  QVERIFY(sessions.store().series().append(id, series) &&
          sessions.store().confirmations().append(id, confirmations));
  const exchange::ImportedTrials part = must_read(sessions.exported(id, "json", "trial in (5..9)"));
  QCOMPARE(part.trials.size(), std::size_t{5});
  QVERIFY(part.trials[2].measurement == sessions.store().trials().get(id, 7)->measurement);
  QVERIFY(part.own->series == (std::vector<store::StoredSeries>{{2, "s", 2}}));
  QCOMPARE(part.own->confirmations.size(), std::size_t{2});
  QCOMPARE(part.own->confirmations[1].trial, std::int64_t{2});
  QCOMPARE(part.own->status.best_trial, std::int64_t{2});
  QCOMPARE(part.own->status.trial_count, std::int64_t{5});
}

void ExchangeJsonTest::importedSessionsExportTheSame() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  const space::SearchSpace space = random_space(random);
  const task::Task task = task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1 f32").value();
  const store::SessionId id =
      sessions.add(StoredSessions::record_of(task, schedule::default_cuda_target(), space), {},
                   possible_trials(random, space, 30));
  json first = json::parse(sessions.exported(id, "json"));
  const Result<exchange::ImportOutcome> outcome =
      exchange::import_file(sessions.store(), sessions.path("exported"), exchange::ImportAs::Session);
  VERIFY_RESULT(outcome);
  QCOMPARE(outcome->sessions.size(), std::size_t{1});
  QVERIFY(sessions.store().sessions().get(outcome->sessions[0].session)->record.kind ==
          store::SessionKind::Imported);
  const json second = json::parse(sessions.exported(outcome->sessions[0].session, "json"));
  QVERIFY(first.at("trials") == second.at("trials"));
  QVERIFY(first.at("session").at("space") == second.at("session").at("space"));
  QVERIFY(first.at("session").at("task") == second.at("session").at("task"));
}

void ExchangeJsonTest::badFiles_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("says");
  base::Random random(3);
  StoredSessions sessions;
  const space::SearchSpace space = random_space(random);
  std::vector<trial::Trial> trials = random_trials(random, space, 3);
  trials[0].measurement = {};
  trials[0].measurement.samples_seconds = {0.5};
  trials[0].measurement.resources.emplace();
  const store::SessionId id =
      sessions.add(StoredSessions::record_of(task_of(random), schedule::default_cuda_target(), space),
                   some_status(random), trials);
  const json good = json::parse(sessions.exported(id, "json"));
  const auto add = [](const char* row, const std::string& text, const char* says) {
    QTest::newRow(row) << QByteArray::fromStdString(text) << says;
  };
  const auto changed = [&](const std::string& pointer, const json& value) {
    json file = good;
    file[json::json_pointer(pointer)] = value;
    return file.dump();
  };
  add("empty", "", "session.json");
  add("no object", "[1]", "format");
  add("another format", changed("/format", "other"), "format");
  add("a newer version", changed("/format_version", 2), "newer");
  add("no session", changed("/session", 1), "session");
  add("kind", changed("/session/kind", "stolen"), "kind");
  add("state", changed("/status/state", 4), "state");
  add("task", changed("/session/task", {{"name", "x"}}), "task");
  add("target", changed("/session/target", {{"kind", 1}}), "target");
  add("options", changed("/session/options", {{"repeats", "many"}}), "repeats");
  add("space", changed("/session/space", {{"knobs", 1}}), "space");
  add("seed", changed("/session/seed", -1), "seed");
  add("trials", changed("/trials", 5), "trials");
  add("a trial of a wrong type", changed("/trials/1", 5), "trial");
  add("order", changed("/trials/1/number", 0), "trial 0");
  add("a huge number", changed("/trials/0/position", 1ULL << 40), "position");
  add("indices outside", changed("/trials/0/indices", {0, 0, 0, 77}), "trial 0");
  add("too few indices", changed("/trials/0/indices", {0}), "trial 0");
  add("contradiction", changed("/trials/0/configuration/tile", {1, 1, 1}), "contradicts");
  add("category", changed("/trials/0/category", "FINE"), "category");
  add("negative sample", changed("/trials/0/samples_seconds", {-1.0}), "samples_seconds");
  add("infinite sample", changed("/trials/0/samples_seconds", {"inf"}), "samples_seconds");
  add("samples of an error", changed("/trials/0/category", "RUN_TIMEOUT"), "samples_seconds");
  add("time", changed("/trials/0/finished_seconds", "nan"), "finished_seconds");
  add("message", changed("/trials/0/message", {300}), "message");
  add("resources", changed("/trials/0/resources", 5), "trial 0");
  add("a missing resource", changed("/trials/0/resources", {{"registers", 1}}), "spilled_bytes");
  add("negative registers", changed("/trials/0/resources/registers", -1), "resources");
  add("over full occupancy", changed("/trials/0/resources/occupancy", 1.5), "resources");
  add("an unknown limit", changed("/trials/0/resources/limited_by", "luck"), "limited_by");
  add("build log", changed("/trials/0/build_log", 5), "build_log");
  add("confirmation", changed("/confirmations", {{{"trial", 0}}}), "confirmation");
  add("series", changed("/series", {1}), "series");
  add("interruptions", changed("/interruptions", {1}), "interruption");
  add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "line 1");
}

void ExchangeJsonTest::badFiles() {
  QFETCH(QByteArray, text);
  QFETCH(QString, says);
  const auto file = read(text.toStdString());
  QVERIFY(!file);
  QVERIFY2(describe(file.error()).contains(says.toStdString()), describe(file.error()).c_str());
  QVERIFY2(file.error().message.contains("session.json"), file.error().message.c_str());
}

void ExchangeJsonTest::truncations() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  const space::SearchSpace space = random_space(random);
  const store::SessionId id =
      sessions.add(StoredSessions::record_of(task_of(random), schedule::default_cuda_target(), space),
                   some_status(random), random_trials(random, space, 4));
  const std::string text = sessions.exported(id, "json");
  QVERIFY(read(text));
  for (std::size_t size = 0; size + 2 < text.size(); size += 1 + random.below(40))
    QVERIFY(!read(text.substr(0, size)));
}

KERNELSCAPE_TEST(ExchangeJsonTest, QCoreApplication)

}  // namespace kernelscape::exchange_json_test
#include "exchange_json_test.moc"
