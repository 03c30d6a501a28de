#pragma once

#include <linux/filter.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace kernelscape {

/**
 * System calls that the system refuses to a process and to all that it starts (seccomp). A refused call fails
 * with an error number, so that a program can say what it was not allowed. The calls of other architectures
 * and of x32 don't exist, since they have other numbers. A number may stand in one of the
 * rules with an argument. Made before a fork; install() makes system calls only.
 */
class SystemCallFilter {
 public:
  SystemCallFilter();

  /** Fail with `error`. */
  void refuse(std::span<const long> numbers, int error = EPERM);
  /** Numbers beyond this one fail with ENOSYS, as on a system that does not know them. */
  void refuse_beyond(long last);
  /** Where the argument, counted from 0, is one of these. */
  void refuse_if(long number, int argument, std::initializer_list<std::uint32_t> values);
  /** Where the argument is none of these. */
  void refuse_unless(long number, int argument, std::initializer_list<std::uint32_t> values);
  /** Where the argument is neither this process's id nor 0. @param zero whether 0 is let through */
  void refuse_other_processes(long number, int argument, bool zero);
  /** Where the argument has one of these bits. */
  void refuse_with_bits(long number, int argument, std::uint32_t bits);
  /** Where the argument has none of these bits. */
  void refuse_without_bits(long number, int argument, std::uint32_t bits);

  /** For all threads of the calling process, for ever; false where the system can't. */
  bool install();

  /** Whether the system has such filters, for this kind of processor. */
  static bool supported();

 private:
  void add(unsigned code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0);
  void add_argument_rule(long number, int argument, unsigned test, std::span<const std::uint32_t> values,
                         std::uint32_t matched, std::uint32_t otherwise);

  std::vector<sock_filter> program_;
  std::vector<std::size_t> own_process_;  ///< instructions that compare with the id of the process
};

}  // namespace kernelscape
