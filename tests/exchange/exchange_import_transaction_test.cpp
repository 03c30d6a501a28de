#include <fmt/format.h>

#include <QTest>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/exchange/database_dump.h"
#include "tests/exchange/import_support.h"
#include "tests/store/child_process.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_transaction_test {
using namespace kernelscape::exchange_tests;
using store_test::ChildProcess;
using store_test::FileSizeLimit;
using store_test::printed_random;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kernels = 12;
constexpr std::int64_t trials_of_kernel = 150;

/** Results of KTT: each kernel becomes a recorded space, or a session where that is asked for. */
std::string many_kernels() {
  std::string text = R"({"Metadata": {"TimeUnit": "Milliseconds", "ComputeApi": "CUDA"}, "Results": [)";
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    for (std::int64_t value = 0; value < trials_of_kernel; ++value)
      text += fmt::format(
          R"({}{{"KernelName": "kernel {}", "Status": "Ok", "TotalDuration": {}, "Configuration": )"
          R"([{{"Name": "x", "Value": {}, "ValueType": "Int"}}]}})",
          kernel + static_cast<std::size_t>(value) == 0 ? "" : ",", kernel, 5 + value, value);
  return text + "]}";
}

/** A database that holds a session already, and the file that is imported into it. */
class Desk {
 public:
  Desk() {
    write_text(QString::fromStdString(file()), many_kernels());
    store::Store store = must(store::Store::open(database()));
    if (!store.sessions().create({}, store::Owner::this_process())) qFatal("no session");
  }

  std::string file() const { return folder_.filePath("many.json").toStdString(); }
  std::string database() const { return folder_.filePath("test.db").toStdString(); }
  std::string dump() const { return database_dump(database()); }
  /** One: nothing of the file was stored. */
  std::size_t sessions() const { return must(must(store::Store::open(database())).sessions().all()).size(); }

 private:
  QTemporaryDir folder_;
};

const std::vector<exchange::ImportAs>& both_ways() {
  static const std::vector<exchange::ImportAs> ways{exchange::ImportAs::Recorded,
                                                    exchange::ImportAs::Session};
  return ways;
}

}  // namespace

/** What one file has is stored as a whole. */
class ExchangeImportTransactionTest : public QObject {
  Q_OBJECT

 private slots:
  void what_fails_halfway_leaves_all_as_it_was() {
    base::Random random = printed_random();
    for (const exchange::ImportAs as : both_ways()) {
      std::uint64_t grown = 0;  // bytes of the log that the whole import takes
      for (int round = 0; round < 12; ++round) {
        const Desk desk;
        store::Store store = must(store::Store::open(desk.database()));
        const std::string before = desk.dump();
        QVERIFY(store.sessions().set_note(1, ""));
        const fs::path log = desk.database() + "-wal";
        const std::uint64_t log_bytes = fs::file_size(log);
        Result<exchange::ImportOutcome> outcome;
        {
          const std::uint64_t most = round == 0 ? RLIM_INFINITY : log_bytes + random.below(grown);
          const FileSizeLimit full(most);
          outcome = exchange::import_file(store, desk.file(), as);
        }
        if (round == 0) {
          QVERIFY2(outcome, error_of(outcome).c_str());
          QCOMPARE(outcome->sessions.size(), kernels);
          QCOMPARE(must(store.sessions().all()).size(), kernels + 1);
          grown = fs::file_size(log) - log_bytes;
          continue;
        }
        QVERIFY(!outcome);
        QVERIFY2(outcome.error().message.contains(desk.file()), outcome.error().message.c_str());
        QVERIFY(desk.dump() == before);
        // With space there is nothing in the way.
        QCOMPARE(must(exchange::import_file(store, desk.file(), as)).sessions.size(), kernels);
      }
    }
  }

  void a_kill_leaves_all_or_nothing() {
    base::Random random = printed_random();
    const auto import_into = [](const Desk& desk, exchange::ImportAs as, int pipe_end) {
      auto store = store::Store::open(desk.database());
      if (!store) return 1;
      store_test::write_byte(pipe_end);
      return exchange::import_file(*store, desk.file(), as) ? 0 : 2;
    };
    using Clock = std::chrono::steady_clock;
    for (const exchange::ImportAs as : both_ways()) {
      std::uint64_t whole_microseconds = 0;
      for (int round = 0; round < 20; ++round) {
        const Desk desk;
        const std::string before = desk.dump();
        ChildProcess child([&](int pipe_end) { return import_into(desk, as, pipe_end); });
        QVERIFY(child.read_byte());
        const auto begin = Clock::now();
        if (round == 0) {
          QCOMPARE(child.wait(), 0);
          whole_microseconds = static_cast<std::uint64_t>(
              std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
        } else {
          const auto end = begin + std::chrono::microseconds(random.below(whole_microseconds + 1));
          while (Clock::now() < end) continue;
          child.kill_now();
          child.wait();
        }
        const std::size_t sessions = desk.sessions();
        QVERIFY2(sessions == kernels + 1 || (sessions == 1 && round > 0), std::to_string(sessions).c_str());
        if (sessions == 1) {
          QVERIFY(desk.dump() == before);
          continue;
        }
        const store::Store store = must(store::Store::open(desk.database(), store::OpenMode::ReadOnly));
        for (const store::SessionSummary& session : must(store.sessions().all())) {
          if (session.record.id == 1) continue;
          QVERIFY(!session.owner);
          QCOMPARE(session.status.trial_count, trials_of_kernel);
          QCOMPARE(std::ssize(must(store.trials().of(session.record.id))), trials_of_kernel);
        }
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeImportTransactionTest)

}  // namespace kernelscape::exchange_import_transaction_test
#include "exchange_import_transaction_test.moc"
