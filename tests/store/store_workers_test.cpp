#include <QTest>
#include <algorithm>

#include "core/store/schema.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_workers_test {
using namespace kernelscape::store_test;

namespace {

constexpr std::size_t knob_count = 4;

/** A quarter are of no fleet, the others of one of so many workers. */
std::vector<trial::Trial> random_fleet_trials(base::Random& random, std::int64_t count,
                                              std::uint64_t workers) {
  std::vector<trial::Trial> trials;
  for (std::int64_t number = 0; number < count; ++number) {
    trials.push_back(random_trial(random, number, knob_count));
    if (!random.chance(0.25))
      trials.back().measurement.worker = "host-" + std::to_string(random.below(workers));
  }
  return trials;
}

}  // namespace

/** Which worker of a fleet measured a trial. */
class StoreWorkersTest : public QObject {
  Q_OBJECT

 private slots:
  void every_trial_keeps_its_worker() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    std::vector<std::vector<trial::Trial>> all;
    for (int session = 0; session < 3; ++session) {
      const store::SessionId id =
          store->sessions().create(random_record(random), store::Owner::this_process()).value();
      all.push_back(random_fleet_trials(random, 80, 1 + random.below(9)));
      // Some at a time, as a session stores them; the workers of others are none of this one's.
      for (std::size_t first = 0; first < all.back().size();) {
        const std::size_t count = std::min<std::size_t>(1 + random.below(20), all.back().size() - first);
        VERIFY_RESULT(store->trials().append(id, std::span(all.back()).subspan(first, count),
                                             counted(static_cast<std::int64_t>(first + count))));
        first += count;
      }
    }
    store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    for (store::SessionId id = 1; id <= std::ssize(all); ++id) {
      const std::vector<trial::Trial>& trials = all[static_cast<std::size_t>(id - 1)];
      QVERIFY(store->trials().of(id).value() == trials);
      const std::vector<std::string> workers = store->trials().workers(id).value();
      const std::vector<store::ArrivedRow> rows = store->trials().rows(id).value();
      for (const store::ArrivedRow& row : rows) {
        const std::string& expected = trials[static_cast<std::size_t>(row.number)].measurement.worker;
        QCOMPARE(row.worker == 0 ? std::string() : workers.at(row.worker - 1U), expected);
      }
      std::vector<std::string> distinct = workers;
      std::ranges::sort(distinct);
      QVERIFY(std::ranges::adjacent_find(distinct) == distinct.end());
    }
    VERIFY_RESULT(read_everything(*store));
  }

  void a_name_beyond_reason_is_left_out() {
    base::Random random(5);
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, knob_count);
    trial.measurement.worker = std::string(100'000, 'w');
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, counted(1)));
    trial.measurement.worker.clear();
    QVERIFY(store->trials().of(id).value() == std::vector{trial});
    QVERIFY(store->trials().workers(id)->empty());
  }

  void trials_of_the_version_before_stay_as_they_are() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(
        RawDatabase(folder.file())
            .run(
                without_probes +
                "DROP TABLE session_worker; ALTER TABLE trial DROP COLUMN worker; PRAGMA user_version = 10"));
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QVERIFY(store->trials().workers(1)->empty());
    base::Random random(7);
    trial::Trial trial = random_trial(random, std::ssize(trials), 5);
    trial.measurement.worker = "a new one";
    VERIFY_RESULT(store->trials().append(1, std::vector{trial}, counted(std::ssize(trials) + 1)));
    QVERIFY(store->trials().get(1, trial.number).value() == trial);
  }

  void damage_is_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("another name") << "UPDATE session_worker SET name = 'mallory' WHERE place = 1";
    QTest::addRow("another order") << "UPDATE session_worker SET place = place + 1 WHERE place = 2";
    QTest::addRow("none") << "DELETE FROM session_worker";
    QTest::addRow("another worker") << "UPDATE trial SET worker = 2 WHERE worker = 1";
    QTest::addRow("no worker") << "UPDATE trial SET worker = NULL";
    QTest::addRow("a worker beyond all") << "UPDATE trial SET worker = 70000 WHERE worker = 1";
    QTest::addRow("less than none") << "UPDATE trial SET worker = -1 WHERE worker = 1";
  }
  void damage_is_named() {
    QFETCH(const QString, sql);
    base::Random random(13);
    const Folder folder;
    {
      auto store = store::Store::open(folder.file());
      const store::SessionId id =
          store->sessions().create(random_record(random), store::Owner::this_process()).value();
      std::vector<trial::Trial> trials = random_fleet_trials(random, 6, 2);
      trials[0].measurement.worker = "host-0";
      trials[1].measurement.worker = "host-1";
      VERIFY_RESULT(store->trials().append(id, trials, counted(6)));
    }
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA ignore_check_constraints = ON; " + sql.toStdString()));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    QVERIFY(is_error(store->trials().of(1).error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(is_error(store->trials().rows(1).error(), ErrorCode::Corrupt, folder.file()));
  }
};

KERNELSCAPE_TEST(StoreWorkersTest, QCoreApplication)

}  // namespace kernelscape::store_workers_test
#include "store_workers_test.moc"
