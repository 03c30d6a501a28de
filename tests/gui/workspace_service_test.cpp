#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "tests/test_program.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/service.h"

namespace kernelscape::workspace_service_test {
namespace {

constexpr std::chrono::milliseconds moment{1};

}  // namespace

class WorkspaceServiceTest : public QObject {
  Q_OBJECT

 private slots:
  void no_wake_up_is_lost() {
    std::atomic<int> wanted{0};
    std::atomic<int> seen{0};
    workspace::Service service([&]() -> workspace::Service::Pause {
      seen = wanted.load();
      return {};
    });
    for (int round = 1; round <= 2000; ++round) {
      wanted = round;
      service.wake();
      if (round % 50 == 0) QTRY_COMPARE(seen.load(), round);
    }
    QTRY_COMPARE(seen.load(), 2000);
  }

  void nothing_is_done_unasked() {
    std::atomic<int> done{0};
    workspace::Service service([&]() -> workspace::Service::Pause {
      ++done;
      return {};
    });
    QTest::qWait(20);
    QCOMPARE(done.load(), 0);
    service.wake();
    QTRY_COMPARE(done.load(), 1);
    QTest::qWait(20);
    QCOMPARE(done.load(), 1);
  }

  void work_is_done_again_when_it_wants_to() {
    std::atomic<int> done{0};
    workspace::Service service([&]() -> workspace::Service::Pause {
      if (++done == 10) return {};
      return done % 2 == 0 ? moment : std::chrono::milliseconds(0);
    });
    service.wake();
    QTRY_COMPARE(done.load(), 10);
  }

  void work_that_runs_out_of_memory_is_done_again() {
    std::atomic<int> done{0};
    workspace::Service service([&]() -> workspace::Service::Pause {
      if (++done == 1) throw std::bad_alloc();
      return {};
    });
    service.wake();
    QTRY_COMPARE(done.load(), 2);
  }

  void jobs_that_run_out_of_memory_end() {
    workspace::JobTracker job;
    std::optional<Result<int>> outcome;
    job.start([](const workspace::JobControl&) -> Result<int> { throw std::bad_alloc(); },
              [&](const Result<int>& result) { outcome = result; });
    QTRY_VERIFY(outcome.has_value());
    QVERIFY(!*outcome && outcome->error().message.contains("memory"));
    QVERIFY(!job.busy());
    // What cannot say it is told by all trackers.
    std::optional<Error> reported;
    bool is_done = false;
    connect(&workspace::JobTracker::failures(), &workspace::JobFailures::failed, this,
            [&](const Error& error) { reported = error; });
    job.start([](const workspace::JobControl&) -> int { throw std::bad_alloc(); },
              [&](int) { is_done = true; });
    QTRY_VERIFY(reported.has_value());
    disconnect(&workspace::JobTracker::failures(), nullptr, this, nullptr);
    QVERIFY(reported->message.contains("memory") && !is_done && !job.busy());
  }

  void a_pause_ends_when_it_is_woken() {
    std::atomic<int> done{0};
    workspace::Service service([&]() -> workspace::Service::Pause {
      ++done;
      return std::chrono::hours(1);
    });
    service.wake();
    QTRY_COMPARE(done.load(), 1);
    service.wake();
    QTRY_COMPARE(done.load(), 2);
  }

  void results_come_in_order_on_the_windows_thread() {
    std::vector<int> results;
    std::vector<QThread*> threads;
    workspace::Service* reported = nullptr;
    workspace::Service service([&, next = 0]() mutable -> workspace::Service::Pause {
      for (int i = 0; i < 100; ++i)
        reported->deliver([&, result = next++] {
          results.push_back(result);
          threads.push_back(QThread::currentThread());
        });
      return next < 1000 ? std::optional(std::chrono::milliseconds(0)) : workspace::Service::Pause();
    });
    reported = &service;
    service.wake();
    QTRY_COMPARE(results.size(), std::size_t{1000});
    QVERIFY(std::ranges::is_sorted(results));
    QVERIFY(std::ranges::all_of(threads, [this](QThread* thread) { return thread == this->thread(); }));
  }

  void many_announcements_are_few_signals_and_the_last_one_counts() {
    std::atomic<int> value{0};
    workspace::Service* reported = nullptr;
    workspace::Service service([&]() -> workspace::Service::Pause {
      while (value < 10'000) {
        ++value;
        reported->announce();
      }
      return {};
    });
    reported = &service;
    int signals_come = 0;
    int seen = 0;
    connect(&service, &workspace::Service::announced, this, [&] {
      ++signals_come;
      seen = value;
    });
    service.wake();
    QTRY_COMPARE(seen, 10'000);
    QVERIFY2(signals_come < 10'000, qPrintable(QString::number(signals_come)));
  }

  void it_waits_for_its_work_and_delivers_nothing_afterwards() {
    std::atomic<bool> begun{false};
    std::atomic<bool> ended{false};
    bool delivered = false;
    workspace::Service* reported = nullptr;
    auto service = std::make_unique<workspace::Service>([&]() -> workspace::Service::Pause {
      begun = true;
      std::this_thread::sleep_for(20 * moment);
      reported->deliver([&] { delivered = true; });
      ended = true;
      return {};
    });
    reported = service.get();
    service->wake();
    while (!begun) std::this_thread::yield();
    service.reset();
    QVERIFY(ended);
    QTest::qWait(5);
    QVERIFY(!delivered);
  }

  /** Ended at once, asleep, at work, telling: whatever the thread does just then. */
  void it_ends_at_any_moment() {
    for (int round = 0; round < 300; ++round) {
      std::atomic<int> done{0};
      int delivered = 0;
      {
        workspace::Service* reported = nullptr;
        workspace::Service service([&]() -> workspace::Service::Pause {
          ++done;
          reported->announce();
          reported->deliver([&] { ++delivered; });
          switch (round % 3) {
            case 0:
              return {};
            case 1:
              return std::chrono::milliseconds(0);
            default:
              return moment;
          }
        });
        reported = &service;
        for (int wakes = 0; wakes < round % 7; ++wakes) service.wake();
        if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
        if (round % 4 == 0) QCoreApplication::processEvents();
      }
      const int before = delivered;
      QCoreApplication::processEvents();
      QCOMPARE(delivered, before);
      QVERIFY(delivered <= done);
    }
  }
};

KERNELSCAPE_TEST(WorkspaceServiceTest, QCoreApplication)

}  // namespace kernelscape::workspace_service_test
#include "workspace_service_test.moc"
