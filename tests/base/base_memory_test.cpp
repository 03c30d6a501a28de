#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <atomic>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/first_exception.h"
#include "core/base/memory.h"
#include "tests/test_program.h"

using namespace kernelscape;

/** Running out of memory as an error of what was being done. */
class BaseMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void results_pass_through() {
    const Result<int> seven = guarded("counting", [] { return Result<int>(7); });
    QCOMPARE(seven.value(), 7);
    const Status refused = guarded("counting", []() -> Status { return fail(ErrorCode::Refused, "no"); });
    QCOMPARE(refused.error().message, std::string("no"));
  }

  void running_out_of_memory_is_an_error() {
    const auto exhausted = [](auto exception) {
      return guarded("importing log.json", [&]() -> Result<int> { throw exception; }).error();
    };
    for (const Error& error : {exhausted(std::bad_alloc()), exhausted(std::length_error("vector")),
                               exhausted(std::bad_array_new_length())}) {
      QVERIFY(error.code == ErrorCode::Environment);
      QVERIFY(error.message.contains("memory") && error.message.contains("importing log.json"));
      QVERIFY(!error.hint.empty());
    }
  }

  void programming_errors_are_none_of_it() {
    const auto wrong = [] { return guarded("x", []() -> Status { throw std::logic_error("a bug"); }); };
    QVERIFY_EXCEPTION_THROWN(wrong(), std::logic_error);
  }

  void what_is_free_keeps_to_a_limit() {
    const std::uint64_t before = available_memory_bytes();
    const auto machine_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    QVERIFY(before > 0 && before <= machine_bytes);
    // The limit holds for a child alone.
    const pid_t child = fork();
    if (child == 0) {
      constexpr std::uint64_t left_bytes = 256ULL << 20;
      std::uint64_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlim_t most_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + left_bytes;
      const rlimit limit{most_bytes, most_bytes};
      const bool kept = setrlimit(RLIMIT_AS, &limit) == 0 && available_memory_bytes() <= left_bytes &&
                        available_memory_bytes() > left_bytes / 2;
      _exit(kept ? 0 : 1);
    }
    int state = -1;
    QCOMPARE(waitpid(child, &state, 0), child);
    QVERIFY(WIFEXITED(state));
    QCOMPARE(WEXITSTATUS(state), 0);
  }

  void threads_hand_their_exceptions_on() {
    FirstException exception;
    std::atomic<int> failed = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
          if (!exception.run([&] {
                if (i > 1) throw std::bad_alloc();
              }))
            ++failed;
        });
    }
    QCOMPARE(failed.load(), 2);
    QVERIFY_EXCEPTION_THROWN(exception.throw_again(), std::bad_alloc);
    FirstException().throw_again();
  }
};

KERNELSCAPE_TEST(BaseMemoryTest, QCoreApplication)
#include "base_memory_test.moc"
