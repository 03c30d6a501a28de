#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <atomic>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/first_exception.h"
#include "core/base/long_json.h"
#include "core/base/memory.h"
#include "tests/test_program.h"

namespace kernelscape::base_memory_test {

namespace {

using Block = std::unique_ptr<char[]>;

void take_more(std::vector<Block>& blocks) {
  for (;;) blocks.push_back(std::make_unique<char[]>(4096));
}

/** Until there is none left, also for less. */
void take_all(std::vector<Block>& blocks) {
  blocks.reserve(1 << 17);
  for (std::size_t bytes = 1 << 16; bytes >= 64; bytes /= 2) {
    try {
      while (blocks.size() < blocks.capacity()) blocks.push_back(std::make_unique<char[]>(bytes));
    } catch (const std::bad_alloc&) {
    }
  }
}

/**
 * How a child process ends that may take so much memory beyond what it has: 0 where `holds` was true. The
 * limit holds for it alone.
 */
int state_of_limited_child(std::uint64_t left_bytes, const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t max_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + left_bytes;
    const rlimit limit{max_bytes, max_bytes};
    _exit(setrlimit(RLIMIT_AS, &limit) == 0 && holds() ? 0 : 1);
  }
  int state = -1;
  return waitpid(child, &state, 0) == child ? state : -1;
}

}  // namespace

/** Running out of memory as an error of what was being done. */
class BaseMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void results_pass_through() {
    const Result<int> seven = base::guarded("counting", [] { return Result<int>(7); });
    QCOMPARE(seven.value(), 7);
    const Status refused =
        base::guarded("counting", []() -> Status { return fail(ErrorCode::Refused, "no"); });
    QCOMPARE(refused.error().message, std::string("no"));
  }

  void running_out_of_memory_is_an_error() {
    const auto exhausted = [](auto exception) {
      return base::guarded("importing log.json", [&]() -> Result<int> { throw exception; }).error();
    };
    for (const Error& error : {exhausted(std::bad_alloc()), exhausted(std::length_error("vector")),
                               exhausted(std::bad_array_new_length())}) {
      QVERIFY(error.code == ErrorCode::Environment);
      QVERIFY(error.message.contains("memory") && error.message.contains("importing log.json"));
      QVERIFY(!error.hint.empty());
    }
  }

  void every_other_exception_ends_its_job_alone() {
    const auto wrong = base::guarded("tuning", []() -> Status { throw std::logic_error("a bug"); });
    QVERIFY(wrong.error().code == ErrorCode::Internal);
    QVERIFY(wrong.error().message.contains("tuning") && wrong.error().message.contains("a bug"));
    QVERIFY(!wrong.error().hint.empty());
  }

  void running_out_of_threads_is_an_error() {
    const auto failing = [](std::errc reason) {
      return base::guarded("tuning",
                           [&]() -> Status { throw std::system_error(std::make_error_code(reason)); });
    };
    const Error error = failing(std::errc::resource_unavailable_try_again).error();
    QVERIFY(error.code == ErrorCode::Environment);
    QVERIFY(error.message.contains("thread") && error.message.contains("tuning") && !error.hint.empty());
    QVERIFY(failing(std::errc::broken_pipe).error().code == ErrorCode::Internal);
  }

  void what_is_free_keeps_to_a_limit() {
    const std::uint64_t before = base::available_memory_bytes();
    const auto machine_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    QVERIFY(before > 0 && before <= machine_bytes);
    constexpr std::uint64_t left_bytes = 256ULL << 20;
    QCOMPARE(state_of_limited_child(left_bytes,
                                    [] {
                                      return base::available_memory_bytes() <= left_bytes &&
                                             base::available_memory_bytes() > left_bytes / 2;
                                    }),
             0);
  }

#ifndef KERNELSCAPE_SANITIZED  // whose allocator ends the program by itself
  /** Its destructor needs memory when there is none: a job still ends with its error, again and again. */
  void destructors_on_the_way_out_may_take_memory() {
    struct Needy {
      ~Needy() { taken.resize(1 << 20, 'x'); }
      std::vector<char> taken;
    };
    QCOMPARE(state_of_limited_child(64ULL << 20,
                                    [] {
                                      for (int round = 0; round < 3; ++round) {
                                        const Status ended = base::guarded("filling", []() -> Status {
                                          std::vector<Block> blocks;
                                          const Needy needy;
                                          take_all(blocks);
                                          take_more(blocks);
                                          return {};
                                        });
                                        if (ended || !ended.error().message.contains("filling")) return false;
                                      }
                                      return true;
                                    }),
             0);
  }

  /** It goes where there is no memory, and no exception on its way. */
  void long_json_goes_without_memory() {
    QCOMPARE(state_of_limited_child(256ULL << 20,
                                    [] {
                                      std::vector<Block> blocks;
                                      using Json = nlohmann::json;
                                      Json list = Json::array();
                                      for (int i = 0; i < 300'000; ++i) list.push_back(i);
                                      Json members = {{"list", list}, {"objects", {{"a", list}, {"b", 1}}}};
                                      members["nested"] = {{1, {2, list}}, members};
                                      {
                                        base::LongJson<Json> document(std::move(members));
                                        base::LongJson<Json> other(std::move(list));
                                        take_all(blocks);
                                        other = std::move(document);
                                      }
                                      return !blocks.empty();
                                    }),
             0);
  }
#endif

  void threads_hand_their_exceptions_on() {
    base::FirstException exception;
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
    base::FirstException().throw_again();
  }
};

KERNELSCAPE_TEST(BaseMemoryTest, QCoreApplication)

}  // namespace kernelscape::base_memory_test
#include "base_memory_test.moc"
