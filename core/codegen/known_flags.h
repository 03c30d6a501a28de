#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/codegen/dialect.h"

namespace kernelscape::codegen {

struct SortedFlags;

/**
 * Compiler flags that kernels may be built with: only flags that this program knows. The flags in a file or a
 * database can be any text, and a compiler's flag can run programs (-wrapper), load them (-fplugin=) and name
 * files (@file, -include, -B): such texts are shown, never used.
 */
class KnownFlags {
 public:
  KnownFlags() = default;
  /** Returns the flags in the order in which they were given; a word is one argument. */
  const std::vector<std::string>& words() const& { return words_; }
  /** Returns the flags of a temporary by value, because a reference would outlive it. */
  std::vector<std::string> words() && { return std::move(words_); }
  bool empty() const { return words_.empty(); }  ///< true if there are no flags
  bool operator==(const KnownFlags&) const = default;

 private:
  friend SortedFlags sort_flags(Dialect dialect, const std::vector<std::string>& flags);
  std::vector<std::string> words_;
};

/** Flags, separated into known and unknown ones. */
struct SortedFlags {
  KnownFlags known;                 ///< to build with
  std::vector<std::string> unused;  ///< unknown flags to be shown, in their order
};

/**
 * Separates known flags from unknown ones. A flag is known if it exactly matches an entry of a list: switches
 * of optimization, of floating-point arithmetic and of instruction sets, language standards, processor names.
 */
SortedFlags sort_flags(Dialect dialect, const std::vector<std::string>& flags);

/**
 * Returns the flags with which this program builds kernels of the dialect; empty for OpenCL, whose flags
 * depend on the device.
 */
KnownFlags own_flags(Dialect dialect);

/**
 * Returns the flags to build a kernel with, given the flags in its target's description: the known ones. A C
 * kernel whose known flags request no optimization, such as another program's, is built with this program's
 * own flags instead.
 */
SortedFlags flags_to_build_with(Dialect dialect, const std::vector<std::string>& flags);

}  // namespace kernelscape::codegen
