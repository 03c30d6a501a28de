#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/base/last_handler.h"
#include "tests/test_program.h"

namespace kernelscape::base_last_handler_test {
namespace {

struct Ended {
  int code = -1;  ///< -1: by a signal
  std::string output;
  std::string error;
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 256> piece{};
  for (ssize_t count = 0; (count = read(descriptor, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(count));
  close(descriptor);
  return text;
}

/** Runs `work` in a child with the last handler. */
Ended run_in_child(const std::function<void()>& work) {
  std::array<int, 2> output{};
  std::array<int, 2> error{};
  if (pipe(output.data()) != 0 || pipe(error.data()) != 0) return {};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(output[1], STDOUT_FILENO);
    dup2(error[1], STDERR_FILENO);
    for (const int descriptor : {output[0], output[1], error[0], error[1]}) close(descriptor);
    std::signal(SIGABRT, SIG_DFL);  // not the test library's handler, which calls a debugger
    base::install_last_handler("kernelscape", "see the sessions");
    std::thread(work).join();
    _exit(0);
  }
  close(output[1]);
  close(error[1]);
  Ended ended{-1, read_all(output[0]), read_all(error[0])};
  int state = 0;
  if (waitpid(child, &state, 0) == child && WIFEXITED(state)) ended.code = WEXITSTATUS(state);
  return ended;
}

}  // namespace

/** What nobody catches ends the program with a message, not with a signal. */
class BaseLastHandlerTest : public QObject {
  Q_OBJECT

 private slots:
  void an_exception_is_a_message() {
    const Ended ended = run_in_child([] {
      std::fputs("half a line", stdout);
      throw std::runtime_error("read \x1b[2J failed");
    });
    QCOMPARE(ended.code, 1);
    QCOMPARE(ended.error, std::string("kernelscape: error: kernelscape ended by an internal error: read ?[2J "
                                      "failed\n  see the sessions\n"));
    QCOMPARE(ended.output, std::string("half a line"));
  }

  void without_the_handler_an_exception_is_a_signal_again() {
    const Ended ended = run_in_child([] {
      base::install_last_handler("kernelscape", "again");
      base::remove_last_handler();
      base::remove_last_handler();
      throw std::runtime_error("the tile is too large");
    });
    QCOMPARE(ended.code, -1);
    QVERIFY2(ended.error.contains("the tile is too large") && !ended.error.contains("internal error"),
             ended.error.c_str());
  }

  void exceptions_of_any_kind_are_messages() {
    for (const std::function<void()>& work :
         {std::function<void()>([] { throw 7; }), std::function<void()>([] { std::terminate(); }),
          std::function<void()>([] { const std::thread left([] {}); }),
          std::function<void()>([] { throw std::runtime_error(std::string(5000, 'x')); })}) {
      const Ended ended = run_in_child(work);
      QCOMPARE(ended.code, 1);
      QVERIFY2(
          ended.error.starts_with("kernelscape: error: ") && ended.error.ends_with("\n  see the sessions\n"),
          ended.error.c_str());
    }
  }
};

KERNELSCAPE_TEST(BaseLastHandlerTest, QCoreApplication)

}  // namespace kernelscape::base_last_handler_test
#include "base_last_handler_test.moc"
