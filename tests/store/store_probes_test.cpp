#include <QTest>
#include <algorithm>

#include "core/store/schema.h"
#include "core/trial/fields.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_probes_test {
using namespace kernelscape::store_test;

namespace {

constexpr std::size_t knob_count = 3;
constexpr auto machine = "a processor, avx2, 4 threads";

trial::ProbeSeconds random_probe(base::Random& random) {
  return {.compute = 1e-6 + random.uniform(), .memory = 1e-6 + random.uniform()};
}

trial::Trial without_probes_of(trial::Trial trial) {
  trial::for_each_field<trial::probe_fields>(
      [&](auto field) { trial::value_in(field, trial.measurement) = 0; });
  return trial;
}

}  // namespace

/** Times of the speed probe: those around trials, and the usual ones of sessions. */
class StoreProbesTest : public QObject {
  Q_OBJECT

 private slots:
  void every_trial_keeps_its_probes() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    std::vector<trial::Trial> trials;
    for (int number = 0; number < 100; ++number) trials.push_back(random_trial(random, number, knob_count));
    VERIFY_RESULT(store->trials().append(id, trials, counted(100)));
    QVERIFY(store->trials().of(id).value() == trials);
    const std::vector<store::ArrivedRow> rows = store->trials().rows(id).value();
    for (const store::ArrivedRow& row : rows) {
      const trial::Measurement& measurement = trials[static_cast<std::size_t>(row.number)].measurement;
      QCOMPARE(row.probe_before.compute, measurement.compute_probe_before_seconds);
      QCOMPARE(row.probe_before.memory, measurement.memory_probe_before_seconds);
      QCOMPARE(row.probe_after.compute, measurement.compute_probe_after_seconds);
      QCOMPARE(row.probe_after.memory, measurement.memory_probe_after_seconds);
      QCOMPARE(row.interrupted_share, measurement.interrupted_share);
      QCOMPARE(row.uninterrupted_seconds, measurement.uninterrupted_seconds);
    }
    VERIFY_RESULT(read_everything(*store));
  }

  void trials_and_sessions_of_the_version_before_stay_as_they_are() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run(without_probes + "PRAGMA user_version = 11"));
    QVERIFY(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->trials().of(1).value() == trials);
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QCOMPARE(store->trials().has_probes(1), false);
    QVERIFY(!store->sessions().get(1)->record.usual_probe.known());
    QVERIFY(!store->machines().usual_probe(machine)->has_value());
    trial::Trial trial = random_trial(random, std::ssize(trials), 5);
    trial.measurement.compute_probe_before_seconds = 1e-3;
    VERIFY_RESULT(store->trials().append(1, std::vector{trial}, counted(std::ssize(trials) + 1)));
    QVERIFY(store->trials().get(1, trial.number).value() == trial);
    QCOMPARE(store->trials().has_probes(1), true);
  }

  void sessions_have_probes_once_a_trial_or_their_usual_times_do() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto session = [&] { return store->sessions().create({}, store::Owner::this_process()).value(); };
    const store::SessionId by_trial = session();
    QCOMPARE(store->trials().has_probes(by_trial), false);
    trial::Trial failed = without_probes_of(random_trial(random, 0, knob_count));
    VERIFY_RESULT(store->trials().append(by_trial, std::vector{failed}, counted(1)));
    QCOMPARE(store->trials().has_probes(by_trial), false);
    failed.number = 1;
    failed.measurement.memory_probe_after_seconds = 1e-3;
    VERIFY_RESULT(store->trials().append(by_trial, std::vector{failed}, counted(2)));
    QCOMPARE(store->trials().has_probes(by_trial), true);
    const store::SessionId by_usual = session();
    VERIFY_RESULT(store->sessions().set_usual_probe(by_usual, machine, {1e-3, 1e-3}));
    QCOMPARE(store->trials().has_probes(by_usual), true);
    QCOMPARE(store->trials().has_probes(session()), false);
    QCOMPARE(store->trials().has_probes(99), false);
  }

  void usual_times_change_nothing_else() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::SessionRecord record = random_record(random);
    record.usual_probe = {};
    const store::SessionId id = store->sessions().create(record, store::Owner::this_process()).value();
    const store::SessionRecord before = store->sessions().get(id)->record;
    QVERIFY(!before.usual_probe.known() && before.probe_machine.empty());
    for (int time = 0; time < 2; ++time) {
      const trial::ProbeSeconds usual = random_probe(random);
      VERIFY_RESULT(store->sessions().set_usual_probe(id, machine, usual));
      const store::SessionRecord after =
          store::Store::open(folder.file(), store::OpenMode::ReadOnly)->sessions().get(id)->record;
      QVERIFY(after.usual_probe == usual);
      QCOMPARE(after.probe_machine, std::string(machine));
      QCOMPARE(after.probe_version, trial::probe_version);
      QCOMPARE(after.options_json, before.options_json);
      QCOMPARE(after.name, before.name);
      QCOMPARE(after.seed, before.seed);
    }
    QCOMPARE(store->sessions().set_usual_probe(id, machine, {1, 0}).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(store->sessions().set_usual_probe(id, "", {1, 1}).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(store->sessions().set_usual_probe(77, machine, {1, 1}).error().code, ErrorCode::NotFound);
  }

  void a_machine_has_the_best_times_of_its_last_sessions() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    std::vector<trial::ProbeSeconds> known;
    for (int session = 0; session < 50; ++session) {
      const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
      const trial::ProbeSeconds usual = random_probe(random);
      const bool other = random.chance(0.3);
      VERIFY_RESULT(store->sessions().set_usual_probe(id, other ? "another" : machine, usual));
      if (!other) known.push_back(usual);
      if (known.empty()) continue;
      const auto last = std::span(known).last(std::min<std::size_t>(known.size(), 20));
      const trial::ProbeSeconds found = store->machines().usual_probe(machine)->value();
      QCOMPARE(found.compute, std::ranges::min(last, {}, &trial::ProbeSeconds::compute).compute);
      QCOMPARE(found.memory, std::ranges::min(last, {}, &trial::ProbeSeconds::memory).memory);
    }
    QVERIFY(!store->machines().usual_probe("a third")->has_value());
    // Times of another version of the probe, and those of a file from elsewhere, are not compared.
    QVERIFY(RawDatabase(folder.file()).run("UPDATE session SET probe_version = 1000"));
    QVERIFY(!store->machines().usual_probe(machine)->has_value());
    store::SessionRecord imported;
    imported.kind = store::SessionKind::Imported;
    imported.probe_machine = machine;
    imported.usual_probe = {1e-9, 1e-9};
    imported.probe_version = trial::probe_version;
    VERIFY_RESULT(store->sessions().create(imported, store::Owner::this_process()));
    QVERIFY(!store->machines().usual_probe(machine)->has_value());
  }

  void damage_is_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("of_trials");
    QTest::addRow("another time") << "UPDATE trial SET memory_probe_after_seconds = 7 WHERE number = 1"
                                  << true;
    QTest::addRow("another share") << "UPDATE trial SET interrupted_share = 0.75 WHERE number = 1" << true;
    QTest::addRow("a share above 1") << "UPDATE trial SET interrupted_share = 2 WHERE number = 1" << true;
    QTest::addRow("no time") << "UPDATE trial SET compute_probe_before_seconds = NULL WHERE number = 1"
                             << true;
    QTest::addRow("an endless time") << "UPDATE trial SET compute_probe_after_seconds = 9e999" << true;
    QTest::addRow("a time below 0") << "UPDATE trial SET memory_probe_before_seconds = -1" << true;
    QTest::addRow("other usual times") << "UPDATE session SET usual_memory_probe_seconds = 7" << false;
    QTest::addRow("another machine") << "UPDATE session SET probe_machine = 'another'" << false;
    QTest::addRow("a version below 1") << "UPDATE session SET probe_version = -1" << false;
    QTest::addRow("usual times that are gone") << "UPDATE session SET probe_version = NULL" << false;
  }
  void damage_is_named() {
    QFETCH(const QString, sql);
    QFETCH(const bool, of_trials);
    base::Random random(17);
    const Folder folder;
    {
      auto store = store::Store::open(folder.file());
      const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
      VERIFY_RESULT(store->sessions().set_usual_probe(id, machine, {1e-3, 2e-3}));
      std::vector<trial::Trial> trials;
      for (int number = 0; number < 3; ++number) {
        trials.push_back(random_trial(random, number, knob_count));
        trials.back().measurement.compute_probe_before_seconds = 1e-3;
      }
      VERIFY_RESULT(store->trials().append(id, trials, counted(3)));
    }
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA ignore_check_constraints = ON; " + sql.toStdString()));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    if (of_trials) {
      QVERIFY(is_error(store->trials().of(1).error(), ErrorCode::Corrupt, folder.file()));
      QVERIFY(is_error(store->trials().rows(1).error(), ErrorCode::Corrupt, folder.file()));
    } else {
      QVERIFY(is_error(store->sessions().get(1).error(), ErrorCode::Corrupt, folder.file()));
    }
  }
};

KERNELSCAPE_TEST(StoreProbesTest, QCoreApplication)

}  // namespace kernelscape::store_probes_test
#include "store_probes_test.moc"
