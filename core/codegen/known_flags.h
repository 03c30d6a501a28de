#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/codegen/dialect.h"

namespace kernelscape {

struct SortedFlags;

/**
 * Compiler flags that kernels may be built with: only those that this program knows can be in here. What a
 * file or a database says of flags may be anything, and a compiler's flag can run programs (-wrapper), load
 * them (-fplugin=) and name files (@file, -include, -B): such texts are shown, never used.
 */
class KnownFlags {
 public:
  KnownFlags() = default;
  /** In the order in which they were given; a word is one argument. */
  const std::vector<std::string>& words() const& { return words_; }
  /** Of one that ends here: a reference into it would outlive it. */
  std::vector<std::string> words() && { return std::move(words_); }
  bool empty() const { return words_.empty(); }  ///< a kernel that needs none
  bool operator==(const KnownFlags&) const = default;

 private:
  friend SortedFlags sort_flags(Dialect dialect, const std::vector<std::string>& flags);
  std::vector<std::string> words_;
};

/** Flags told apart. */
struct SortedFlags {
  KnownFlags known;                 ///< to build with
  std::vector<std::string> unused;  ///< to be shown, in their order
};

/**
 * Known is what has exactly the form of one of a list: switches of optimization, of floating-point arithmetic
 * and of instruction sets, standards of the language, names of processors.
 */
SortedFlags sort_flags(Dialect dialect, const std::vector<std::string>& flags);

/** What this program builds kernels of the dialect with; OpenCL's depend on the device: here are none. */
KnownFlags own_flags(Dialect dialect);

/**
 * What a kernel is built with whose target's description has these flags: the known ones. C whose known flags
 * ask for no optimization, such as another program's, is built with this program's own flags instead.
 */
SortedFlags flags_to_build_with(Dialect dialect, const std::vector<std::string>& flags);

}  // namespace kernelscape
