#include "core/codegen/known_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kernelscape::codegen {
namespace {

constexpr std::size_t max_name_bytes = 64;
constexpr std::size_t max_digits = 6;

// Space-separated lists of words.
constexpr std::string_view optimization_levels = "-O -O0 -O1 -O2 -O3 -Os -Og -Ofast";
constexpr std::string_view language_standards =
    "c90 c99 c11 c17 c18 c2x c23 gnu90 gnu99 gnu11 gnu17 gnu18 gnu2x gnu23";
/** Each also has a -fno- form. */
constexpr std::string_view code_switches =
    "aggressive-loop-optimizations associative-math asynchronous-unwind-tables builtin common "
    "cx-limited-range "
    "exceptions fast-math finite-math-only gcse inline inline-functions ipa-pta ivopts loop-interchange "
    "math-errno omit-frame-pointer peel-loops pic PIC plt prefetch-loop-arrays reciprocal-math "
    "rename-registers rounding-math schedule-insns schedule-insns2 semantic-interposition signed-zeros "
    "slp-vectorize split-loops stack-protector strict-aliasing strict-overflow trapping-math "
    "tree-loop-vectorize tree-slp-vectorize tree-vectorize unroll-all-loops unroll-loops "
    "unsafe-math-optimizations unwind-tables vectorize wrapv";
/** Each also has a -mno- form. */
constexpr std::string_view machine_switches =
    "32 64 adx aes altivec amx-bf16 amx-fp16 amx-int8 amx-tile avx avx2 avx512bf16 avx512bitalg avx512bw "
    "avx512cd avx512dq avx512er avx512f avx512fp16 avx512ifma avx512pf avx512vbmi avx512vbmi2 avx512vl "
    "avx512vnni avx512vp2intersect avx512vpopcntdq avxifma avxneconvert avxvnni avxvnniint8 bmi bmi2 cx16 "
    "f16c "
    "fma fma4 fxsr gfni lzcnt mmx movbe pclmul popcnt prefetchwt1 recip red-zone sse sse2 sse3 sse4 sse4.1 "
    "sse4.2 sse4a ssse3 strict-align tbm vaes vpclmulqdq vsx vzeroupper xop";
constexpr std::string_view vector_widths = "128 256 512 none";
constexpr std::string_view contractions = "fast on off";
constexpr std::string_view vector_costs = "unlimited dynamic cheap very-cheap";
constexpr std::string_view float_conventions = "soft softfp hard";
constexpr std::string_view cuda_standards = "c++03 c++11 c++14 c++17 c++20 c++23";
constexpr std::string_view cuda_switches =
    "use_fast_math extra-device-vectorization restrict generate-line-info no-cache";
constexpr std::string_view truths = "true false";
constexpr std::string_view opencl_standards = "CL1.0 CL1.1 CL1.2 CL2.0 CL3.0";
constexpr std::string_view opencl_switches =
    "denorms-are-zero fast-relaxed-math finite-math-only fp32-correctly-rounded-divide-sqrt kernel-arg-info "
    "mad-enable no-signed-zeros no-subgroup-ifp nv-verbose opt-disable single-precision-constant "
    "strict-aliasing uniform-work-group-size unsafe-math-optimizations";

bool is_word_of(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= max_digits && std::ranges::all_of(text, is_digit);
}

/**
 * Returns true for the name of a processor or its parts: "x86-64-v3", "armv8.2-a+fp16", "rv64gc_zba"; no path
 * has such a form.
 */
bool is_processor(std::string_view text) {
  const auto plain = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= max_name_bytes && plain(text.front()) &&
         std::ranges::all_of(
             text, [&](char c) { return plain(c) || c == '-' || c == '+' || c == '.' || c == '_'; });
}

/** Returns true for the name of an architecture: "sm_90a", "compute_80". */
bool is_architecture(std::string_view text) {
  const std::size_t end = text.find('_');
  if (end == std::string_view::npos || !is_word_of("sm compute", text.substr(0, end))) return false;
  text.remove_prefix(end + 1);
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return is_number(text);
}

template <const std::string_view& list>
bool is_listed(std::string_view text) {
  return is_word_of(list, text);
}

/** An option with a value: the text before the value, and the possible values. */
struct ValuedFlag {
  std::string_view prefix;
  bool (*is_value)(std::string_view value);
};

constexpr std::array c_values{ValuedFlag{"-march=", is_processor},
                              ValuedFlag{"-mtune=", is_processor},
                              ValuedFlag{"-mcpu=", is_processor},
                              ValuedFlag{"-mfpu=", is_processor},
                              ValuedFlag{"-mfloat-abi=", is_listed<float_conventions>},
                              ValuedFlag{"-mprefer-vector-width=", is_listed<vector_widths>},
                              ValuedFlag{"-ffp-contract=", is_listed<contractions>},
                              ValuedFlag{"-fvect-cost-model=", is_listed<vector_costs>},
                              ValuedFlag{"-std=", is_listed<language_standards>}};
/** After one or two hyphens. */
constexpr std::array cuda_values{
    ValuedFlag{"std=", is_listed<cuda_standards>}, ValuedFlag{"gpu-architecture=", is_architecture},
    ValuedFlag{"arch=", is_architecture},          ValuedFlag{"maxrregcount=", is_number},
    ValuedFlag{"fmad=", is_listed<truths>},        ValuedFlag{"ftz=", is_listed<truths>},
    ValuedFlag{"prec-div=", is_listed<truths>},    ValuedFlag{"prec-sqrt=", is_listed<truths>}};
constexpr std::array opencl_values{ValuedFlag{"std=", is_listed<opencl_standards>},
                                   ValuedFlag{"nv-maxrregcount=", is_number},
                                   ValuedFlag{"nv-opt-level=", is_number}};

template <typename Values>
bool has_known_value(const Values& flags, std::string_view text) {
  return std::ranges::any_of(flags, [&](const ValuedFlag& flag) {
    return text.starts_with(flag.prefix) && flag.is_value(text.substr(flag.prefix.size()));
  });
}

/** Returns true for a switch such as "-ftree-vectorize" and "-fno-tree-vectorize", with "-f" and the list. */
bool is_switch(std::string_view text, std::string_view prefix, std::string_view list) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  if (is_word_of(list, text)) return true;
  constexpr std::string_view off = "no-";
  return text.starts_with(off) && is_word_of(list, text.substr(off.size()));
}

bool sets_optimization(std::string_view flag) { return is_word_of(optimization_levels, flag); }

bool is_known_of_c(std::string_view flag) {
  return sets_optimization(flag) || is_switch(flag, "-f", code_switches) ||
         is_switch(flag, "-m", machine_switches) || has_known_value(c_values, flag);
}

bool is_known_of_cuda(std::string_view flag) {
  if (!flag.starts_with('-')) return false;
  flag.remove_prefix(flag.starts_with("--") ? 2 : 1);
  return is_word_of(cuda_switches, flag) || has_known_value(cuda_values, flag);
}

bool is_known_of_opencl(std::string_view flag) {
  constexpr std::string_view prefix = "-cl-";
  if (!flag.starts_with(prefix)) return false;
  flag.remove_prefix(prefix.size());
  return is_word_of(opencl_switches, flag) || has_known_value(opencl_values, flag);
}

bool is_known(Dialect dialect, std::string_view flag) {
  switch (dialect) {
    case Dialect::C:
      return is_known_of_c(flag);
    case Dialect::Cuda:
      return is_known_of_cuda(flag);
    case Dialect::OpenCl:
      break;
  }
  return is_known_of_opencl(flag);
}

}  // namespace

SortedFlags sort_flags(Dialect dialect, const std::vector<std::string>& flags) {
  SortedFlags sorted;
  for (const std::string& flag : flags)
    (is_known(dialect, flag) ? sorted.known.words_ : sorted.unused).push_back(flag);
  return sorted;
}

KnownFlags own_flags(Dialect dialect) {
  switch (dialect) {
    case Dialect::C:
      return sort_flags(dialect, {"-O2", "-fno-tree-vectorize", "-march=native"}).known;
    case Dialect::Cuda:
      return sort_flags(dialect, {"--std=c++17"}).known;
    case Dialect::OpenCl:
      break;
  }
  return {};
}

SortedFlags flags_to_build_with(Dialect dialect, const std::vector<std::string>& flags) {
  SortedFlags sorted = sort_flags(dialect, flags);
  if (dialect != Dialect::C || std::ranges::any_of(sorted.known.words(), sets_optimization)) return sorted;
  return {own_flags(dialect), flags};
}

}  // namespace kernelscape::codegen
