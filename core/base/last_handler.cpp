#include "core/base/last_handler.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace kernelscape::base {
namespace {

const char* program_name = "";
const char* way_out = "";
std::terminate_handler handler_before = nullptr;

/** Describes the current exception, without allocating memory. */
void describe_exception(std::array<char, 512>& text) noexcept {
  const auto copy = [&](const char* reason) { std::snprintf(text.data(), text.size(), "%s", reason); };
  try {
    if (const std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(thrown);
    else
      copy("a violated invariant");
  } catch (const std::bad_alloc&) {
    copy("out of memory");
  } catch (const std::exception& error) {
    copy(error.what());
  } catch (...) {
    copy("an exception of an unknown kind");
  }
  // The text may quote a file: control characters must not reach the terminal.
  std::replace_if(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::strlen(text.data())),
      [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; }, '?');
}

[[noreturn]] void end_program() noexcept {
  std::array<char, 512> reason{};
  describe_exception(reason);
  std::array<char, 1536> message{};
  std::snprintf(message.data(), message.size(), "%s: error: %s ended by an internal error: %s\n  %s\n",
                program_name, program_name, reason.data(), way_out);
  // The thread that threw may hold the stream.
  if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), std::strlen(message.data()));
  // Destructors would wait for threads that still run.
  _exit(1);
}

/** Constructors of static objects run before main(), and may find no memory. */
[[gnu::constructor(101)]] void install_before_main() {
  install_last_handler(program_invocation_short_name, "close other programs and try again");
}

}  // namespace

void install_last_handler(const char* program, const char* hint) {
  program_name = program;
  way_out = hint;
  const std::terminate_handler before = std::set_terminate(end_program);
  if (before != end_program) handler_before = before;
}

void remove_last_handler() {
  if (std::get_terminate() == end_program) std::set_terminate(handler_before);
}

}  // namespace kernelscape::base
