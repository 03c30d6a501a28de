#include <QTest>
#include <atomic>
#include <vector>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/workspace/database_poller.h"

namespace kernelscape::workspace_poller_test {
namespace {

/** Reads numbers, and records on the window's thread what was reported. */
struct NumberReader {
  explicit NumberReader(const std::filesystem::path& database)
      : poller(database, {.work = "reading a number",
                          .pace = {.interval = std::chrono::milliseconds(1)},
                          .read = [this](const store::Store&, const int& number) { return read(number); },
                          .report_again = [this] { notified.reset(); },
                          .forget = [this] { notified.reset(); },
                          .failed = [this](const Error& error) { failures.push_back(error.message); },
                          .recovered = [this] { ++recoveries; }}) {}

  Status read(int number) {
    ++readings;
    if (number < 0) return fail(ErrorCode::InvalidArgument, "the number is negative");
    if (notified != number) poller.deliver([this, number] { numbers.push_back(number); });
    notified = number;
    return {};
  }

  std::atomic<int> readings{0};
  std::vector<int> numbers;
  std::vector<std::string> failures;
  int recoveries = 0;
  std::optional<int> notified;  ///< used by the poller's thread only
  workspace::DatabasePoller<int> poller;
};

}  // namespace

class WorkspacePollerTest : public QObject {
  Q_OBJECT

 private slots:
  void nothing_is_read_before_it_is_active() {
    const gui_tests::Database database;
    NumberReader reader(database.path());
    reader.poller.watch(1);
    reader.poller.wake();
    QCOMPARE(reader.readings.load(), 0);
    reader.poller.watch(2);
    reader.poller.set_active(true);
    QTRY_COMPARE(reader.numbers, std::vector<int>{2});
  }

  void unchanged_data_are_reported_only_when_asked_for() {
    const gui_tests::Database database;
    NumberReader reader(database.path());
    reader.poller.set_active(true);
    reader.poller.watch(3);
    QTRY_VERIFY(!reader.numbers.empty() && reader.numbers.back() == 3);
    const std::size_t reported = reader.numbers.size();
    const int readings = reader.readings;
    QTRY_VERIFY(reader.readings > readings + 5);
    QCOMPARE(reader.numbers.size(), reported);
    reader.poller.watch(3);
    QTRY_COMPARE(reader.numbers.size(), reported + 1);
    reader.poller.change([](int& number) { ++number; });
    QTRY_COMPARE(reader.numbers.back(), 4);
  }

  void an_error_is_reported_once_until_the_reading_succeeds() {
    const gui_tests::Database database;
    NumberReader reader(database.path());
    reader.poller.watch(-1);
    reader.poller.set_active(true);
    QTRY_COMPARE(reader.failures.size(), std::size_t{1});
    const int readings = reader.readings;
    QTRY_VERIFY(reader.readings > readings + 5);
    QCOMPARE(reader.failures, std::vector<std::string>{"the number is negative"});
    reader.poller.change([](int& number) { number = 5; });
    QTRY_COMPARE(reader.numbers, std::vector<int>{5});
    QTRY_COMPARE(reader.recoveries, 1);
    reader.poller.change([](int& number) { number = -1; });
    QTRY_COMPARE(reader.failures.size(), std::size_t{2});
  }

  void a_reading_in_progress_ends_before_its_owner() {
    const gui_tests::Database database;
    for (int round = 0; round < 20; ++round) {
      NumberReader reader(database.path());
      reader.poller.watch(round);
      reader.poller.set_active(true);
      QVERIFY(reader.failures.empty());  // nothing is delivered before the event loop runs
    }
  }
};

KERNELSCAPE_TEST(WorkspacePollerTest, QCoreApplication)

}  // namespace kernelscape::workspace_poller_test
#include "workspace_poller_test.moc"
