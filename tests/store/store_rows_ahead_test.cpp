#include <sqlite3.h>

#include <QTest>
#include <algorithm>
#include <atomic>
#include <string_view>

#include "core/store/rows_ahead.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::store_rows_ahead_test {
using namespace kernelscape::store_test;

namespace {

namespace fs = std::filesystem;
using ArrivedRow = store::ArrivedRow;

constexpr std::size_t knobs = 3;

/** Session 1 of a new database. */
void make_session(const fs::path& path, const std::vector<trial::Trial>& trials, base::Random& random) {
  auto store = store::Store::open(path);
  VERIFY_RESULT(store);
  VERIFY_RESULT(store->sessions().create(random_record(random), store::Owner::this_process()));
  VERIFY_RESULT(store->trials().append(1, trials, counted(std::ssize(trials))));
}

std::vector<trial::Trial> random_trials(base::Random& random, std::int64_t count) {
  std::vector<trial::Trial> trials;
  for (std::int64_t number = 0; number < count; ++number)
    trials.push_back(random_trial(random, number, knobs));
  return trials;
}

store::sqlite::Database opened(const fs::path& path) {
  return *store::sqlite::Database::open(path, SQLITE_OPEN_READONLY, false, std::chrono::milliseconds(1000));
}

/** Resources and logs of GPU kernels are compared where they were read. */
bool same_row(const ArrivedRow& read, const trial::Trial& trial, bool of_gpu) {
  const trial::Row wanted = trial::make_row(trial, read.message, read.build_log);
  return read.number == wanted.number && read.batch == wanted.batch && read.position == wanted.position &&
         read.category == wanted.category && read.sample_count == wanted.sample_count &&
         read.median_seconds == wanted.median_seconds && read.build_seconds == wanted.build_seconds &&
         read.run_seconds == wanted.run_seconds && read.finished_seconds == wanted.finished_seconds &&
         (!of_gpu || read.resources == wanted.resources) && read.configuration == trial.configuration;
}

/** How many rows come, all of which must be those trials. */
std::int64_t count_ahead(store::RowsAhead& ahead, const std::vector<trial::Trial>& trials,
                         const store::RowsAhead::Rows& rows) {
  std::int64_t count = 0;
  for (auto read = ahead.next(); !read.empty(); read = ahead.next()) {
    for (const ArrivedRow& row : read) {
      if (!same_row(row, trials[static_cast<std::size_t>(rows.first + count)], rows.of_gpu)) return -1;
      ++count;
    }
  }
  return count;
}

/** Counts the parts that are read by connections which are opened while an object lives. */
class ReadParts {
 public:
  ReadParts() {
    count_ = 0;
    sqlite3_auto_extension(begin());
  }
  ~ReadParts() { sqlite3_cancel_auto_extension(begin()); }
  ReadParts(const ReadParts&) = delete;
  ReadParts& operator=(const ReadParts&) = delete;

  int count() const { return count_; }

 private:
  static int notice_statement(unsigned /*event*/, void* /*context*/, void* /*statement*/, void* sql) {
    if (std::string_view(static_cast<const char*>(sql)).contains("FROM trial")) ++count_;
    return 0;
  }
  static int trace(sqlite3* database, char** /*error*/, const void* /*routines*/) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, notice_statement, nullptr);
  }
  static auto begin() -> void (*)() { return reinterpret_cast<void (*)()>(trace); }

  static inline std::atomic<int> count_ = 0;
};

store::RowsAhead::Shares random_shares(base::Random& random) {
  return {2 + static_cast<int>(random.below(4)), 1 + static_cast<std::int64_t>(random.below(100)), 1};
}

}  // namespace

/** Many rows of a session, read by several connections at the same time. */
class StoreRowsAheadTest : public QObject {
  Q_OBJECT

 private slots:
  void rows_come_in_their_order() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials =
        random_trials(random, 1000 + static_cast<std::int64_t>(random.below(500)));
    make_session(folder.file(), trials, random);
    store::sqlite::Database database = opened(folder.file());
    for (int round = 0; round < 40; ++round) {
      store::RowsAhead::Rows rows{1, random.chance(0.5), true, 0, 0};
      rows.first = static_cast<std::int64_t>(random.below(trials.size() - 1));
      rows.count =
          1 + static_cast<std::int64_t>(random.below(trials.size() - static_cast<std::size_t>(rows.first)));
      const auto ahead = store::RowsAhead::begin(database, rows, random_shares(random));
      QVERIFY(ahead != nullptr);
      QCOMPARE(count_ahead(*ahead, trials, rows), rows.count);
    }
  }

  /** A caller that stops early waits for the parts that were begun, of which there are two per reader. */
  void a_caller_that_stops_early_has_no_more_read() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = random_trials(random, 500);
    make_session(folder.file(), trials, random);
    store::sqlite::Database database = opened(folder.file());
    for (int round = 0; round < 40; ++round) {
      const auto taken = static_cast<int>(random.below(10));
      const ReadParts read;
      {
        const auto ahead = store::RowsAhead::begin(database, {1, false, true, 0, 500}, {3, 10, 1});
        QVERIFY(ahead != nullptr);
        for (int part = 0; part < taken; ++part) QVERIFY(!ahead->next().empty());
      }
      QVERIFY2(read.count() >= taken && read.count() <= std::max(taken - 1, 0) + 2 * 3,
               qPrintable(QString("%1 of 50 parts were read for %2").arg(read.count()).arg(taken)));
    }
  }

  /** Nothing of a part that is not sound is handed out, and nothing behind it. */
  void it_ends_where_a_row_is_not_what_was_stored() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = random_trials(random, 600);
    make_session(folder.file(), trials, random);
    const auto damaged = static_cast<std::int64_t>(random.below(600));
    QVERIFY(RawDatabase(folder.file())
                .run("UPDATE trial SET position = position + 1 WHERE number = " + std::to_string(damaged)));
    store::sqlite::Database database = opened(folder.file());
    const store::RowsAhead::Rows rows{1, false, true, 0, 600};
    const store::RowsAhead::Shares shares = random_shares(random);
    const auto ahead = store::RowsAhead::begin(database, rows, shares);
    QVERIFY(ahead != nullptr);
    QCOMPARE(count_ahead(*ahead, trials, rows), damaged / shares.rows_at_once * shares.rows_at_once);
  }

  void a_session_that_lost_rows_ends_it() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = random_trials(random, 300);
    make_session(folder.file(), trials, random);
    store::sqlite::Database database = opened(folder.file());
    QVERIFY(RawDatabase(folder.file()).run("DELETE FROM trial WHERE number >= 150"));
    const store::RowsAhead::Rows rows{1, false, true, 0, 300};
    const auto ahead = store::RowsAhead::begin(database, rows, {3, 100, 1});
    QVERIFY(ahead != nullptr);
    QCOMPARE(count_ahead(*ahead, trials, rows), 100);
  }

  void one_connection_does_where_no_second_one_can_be() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> trials = random_trials(random, 50);
    make_session(folder.file(), trials, random);
    const store::RowsAhead::Rows rows{1, false, true, 0, 50};
    const store::RowsAhead::Shares shares{2, 10, 1};
    store::sqlite::Database database = opened(folder.file());
    QVERIFY(store::RowsAhead::begin(database, rows, {2, 10, 51}) == nullptr);  // too few
    VERIFY_RESULT(database.execute("BEGIN"));
    QVERIFY(store::RowsAhead::begin(database, rows, shares) == nullptr);
    VERIFY_RESULT(database.execute("COMMIT"));
    QVERIFY(store::RowsAhead::begin(database, rows, shares) != nullptr);
    // Another file under its name has other rows.
    make_session(folder.file("other.db"), random_trials(random, 50), random);
    fs::rename(folder.file("other.db"), folder.file());
    QVERIFY(store::RowsAhead::begin(database, rows, shares) == nullptr);
    store::sqlite::Database in_memory = *store::sqlite::Database::open_in_memory("memory");
    QVERIFY(store::RowsAhead::begin(in_memory, rows, shares) == nullptr);
  }

  /** More than a store reads by one connection: everything as it was stored, and damage where it is. */
  void a_store_with_many_rows_reads_them_all() {
    base::Random random = printed_random();
    const Folder folder;
    const std::vector<trial::Trial> few = random_trials(random, 100);
    std::vector<trial::Trial> trials;
    for (std::int64_t number = 0; number < 70'000; ++number) {
      trials.push_back(few[random.below(few.size())]);
      trials.back().number = number;
    }
    make_session(folder.file(), trials, random);
    const std::size_t skipped = random.below(1000);
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    const bool of_gpu = store->trials().has_resources(1).value();
    std::size_t next = skipped;
    VERIFY_RESULT(
        store->trials().visit_rows(1, static_cast<std::int64_t>(skipped), [&](const ArrivedRow& row) {
          next = next < trials.size() && same_row(row, trials[next], of_gpu) ? next + 1 : trials.size() + 1;
        }));
    QCOMPARE(next, trials.size());

    const std::size_t damaged = random.below(trials.size());
    QVERIFY(RawDatabase(folder.file())
                .run("UPDATE trial SET position = position + 1 WHERE number = " + std::to_string(damaged)));
    std::size_t before = 0;
    const Status read = store->trials().visit_rows(1, 0, [&](const ArrivedRow&) { ++before; });
    QVERIFY(!read);
    QVERIFY2(read.error().message.contains("trial " + std::to_string(damaged)), read.error().message.c_str());
    QCOMPARE(before, damaged);
  }
};

KERNELSCAPE_PLAIN_TEST(StoreRowsAheadTest)

}  // namespace kernelscape::store_rows_ahead_test
#include "store_rows_ahead_test.moc"
