#include "core/measure/worker/system_call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace kernelscape::measure {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t native_architecture = 0;  // on x32, system calls have other numbers and arguments
#endif

constexpr unsigned load_word = BPF_LD | BPF_W | BPF_ABS;
constexpr unsigned jump_if_equal = BPF_JMP | BPF_JEQ | BPF_K;
constexpr unsigned jump_if_greater = BPF_JMP | BPF_JGT | BPF_K;
constexpr unsigned jump_if_bits = BPF_JMP | BPF_JSET | BPF_K;
constexpr unsigned return_value = BPF_RET | BPF_K;

constexpr std::uint32_t let_through = SECCOMP_RET_ALLOW;
constexpr sock_filter final_instruction{.code = return_value, .jt = 0, .jf = 0, .k = let_through};

constexpr std::uint32_t failing_with(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

/**
 * Returns the offset of the argument's lower half, which contains all of an int: both processors are
 * little-endian.
 */
constexpr std::uint32_t offset_of_argument(int argument) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    sizeof(std::uint64_t) * static_cast<std::size_t>(argument));
}

}  // namespace

SystemCallFilter::SystemCallFilter() : program_{final_instruction} {
  add(load_word, offsetof(seccomp_data, arch));
  add(jump_if_equal, native_architecture, 1, 0);
  // The calls of another architecture (32 bits) have other numbers.
  add(return_value, failing_with(ENOSYS));
  add(load_word, offsetof(seccomp_data, nr));
  // The calls of x32 have the same architecture, but other numbers.
  constexpr long last_native = 0x3fffffff;
  refuse_beyond(last_native);
}

/** Inserts an instruction before the last one, which allows what no rule refused. */
void SystemCallFilter::add(unsigned code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
  program_.back() = {.code = static_cast<std::uint16_t>(code), .jt = if_true, .jf = if_false, .k = value};
  program_.push_back(final_instruction);
}

/**
 * Refuses calls in groups, which a call with a higher number skips with one comparison: at installation, once
 * for each kernel, a filter costs time in proportion to its length.
 */
void SystemCallFilter::refuse(std::span<const long> numbers, int error) {
  constexpr std::size_t group = 16;
  std::vector<long> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  for (std::size_t first = 0; first < sorted.size(); first += group) {
    const std::size_t count = std::min(group, sorted.size() - first);
    const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(sorted[first + i]); };
    add(jump_if_greater, number(count - 1), static_cast<std::uint8_t>(count + 1), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to_refusal = count - 1 - i;
      add(jump_if_equal, number(i), static_cast<std::uint8_t>(to_refusal), to_refusal == 0 ? 1 : 0);
    }
    add(return_value, failing_with(error));
  }
}

void SystemCallFilter::refuse_beyond(long last) {
  add(jump_if_greater, static_cast<std::uint32_t>(last), 0, 1);
  add(return_value, failing_with(ENOSYS));
}

/** After the rule the number is no longer loaded, so the rule's decision on the call is final. */
void SystemCallFilter::add_argument_rule(long number, int argument, unsigned test,
                                         std::span<const std::uint32_t> values, std::uint32_t matched,
                                         std::uint32_t otherwise) {
  add(jump_if_equal, static_cast<std::uint32_t>(number), 0, static_cast<std::uint8_t>(2 + 2 * values.size()));
  add(load_word, offset_of_argument(argument));
  for (const std::uint32_t value : values) {
    add(test, value, 0, 1);
    add(return_value, matched);
  }
  add(return_value, otherwise);
}

void SystemCallFilter::refuse_if(long number, int argument, std::initializer_list<std::uint32_t> values) {
  add_argument_rule(number, argument, jump_if_equal, values, failing_with(EPERM), let_through);
}

void SystemCallFilter::refuse_unless(long number, int argument, std::initializer_list<std::uint32_t> values) {
  add_argument_rule(number, argument, jump_if_equal, values, let_through, failing_with(EPERM));
}

void SystemCallFilter::refuse_other_processes(long number, int argument, bool zero) {
  // install() inserts the process id into the rule's first comparison, its third instruction.
  own_process_.push_back(program_.size() - 1 + 2);
  constexpr std::array<std::uint32_t, 2> own_and_zero{};
  add_argument_rule(number, argument, jump_if_equal, std::span(own_and_zero).first(zero ? 2 : 1), let_through,
                    failing_with(EPERM));
}

void SystemCallFilter::refuse_with_bits(long number, int argument, std::uint32_t bits) {
  add_argument_rule(number, argument, jump_if_bits, {&bits, 1}, failing_with(EPERM), let_through);
}

void SystemCallFilter::refuse_without_bits(long number, int argument, std::uint32_t bits) {
  add_argument_rule(number, argument, jump_if_bits, {&bits, 1}, let_through, failing_with(EPERM));
}

bool SystemCallFilter::install() {
  if (native_architecture == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  for (const std::size_t position : own_process_) program_[position].k = static_cast<std::uint32_t>(getpid());
  const sock_fprog program{.len = static_cast<unsigned short>(program_.size()), .filter = program_.data()};
  // Systems before 4.17 do not know SPEC_ALLOW. Later systems would otherwise forbid the processor to
  // speculate, and timings would be slower than without the filter.
  constexpr std::array<unsigned, 3> flags{SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                                          SECCOMP_FILTER_FLAG_TSYNC, 0};
  return std::ranges::any_of(flags, [&](unsigned flag) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, &program) == 0;
  });
}

bool SystemCallFilter::supported() {
  if (native_architecture == 0) return false;
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace kernelscape::measure
