#pragma once

#include <linux/filter.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace kernelscape::measure {

/**
 * System calls that are refused to a process and all its descendants (seccomp). A refused call fails with an
 * error number, so that a program can report what it was not allowed to do. System calls of other
 * architectures and of x32, which have other numbers, fail as unknown. A number may be used in only one of
 * the rules with an argument. Make the filter before a fork; install() makes system calls only.
 */
class SystemCallFilter {
 public:
  SystemCallFilter();

  /** Makes these calls fail with `error`. */
  void refuse(std::span<const long> numbers, int error = EPERM);
  /** Makes calls with numbers beyond `last` fail with ENOSYS, as on a system that does not know them. */
  void refuse_beyond(long last);
  /** Refuses the call if the argument, counted from 0, is one of these values. */
  void refuse_if(long number, int argument, std::initializer_list<std::uint32_t> values);
  /** Refuses the call if the argument is none of these values. */
  void refuse_unless(long number, int argument, std::initializer_list<std::uint32_t> values);
  /**
   * Refuses the call if the argument is neither this process's id nor 0.
   * @param zero whether 0 is allowed
   */
  void refuse_other_processes(long number, int argument, bool zero);
  /** Refuses the call if the argument has any of these bits. */
  void refuse_with_bits(long number, int argument, std::uint32_t bits);
  /** Refuses the call if the argument has none of these bits. */
  void refuse_without_bits(long number, int argument, std::uint32_t bits);

  /**
   * Installs the filter permanently for all threads of the calling process; returns false if the system
   * can't.
   */
  bool install();

  /** Returns true if the system supports such filters for this kind of processor. */
  static bool supported();

 private:
  void add(unsigned code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0);
  void add_argument_rule(long number, int argument, unsigned test, std::span<const std::uint32_t> values,
                         std::uint32_t matched, std::uint32_t otherwise);

  std::vector<sock_filter> program_;
  std::vector<std::size_t> own_process_;  ///< instructions that compare with the id of the process
};

}  // namespace kernelscape::measure
