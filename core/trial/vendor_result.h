#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::trial {

/**
 * A library or algorithm of a choice: the candidates were timed in turns, and the fastest is the one that
 * kernels are compared with.
 */
struct VendorCandidate {
  std::string name;                       ///< "OpenBLAS 0.3.21"
  std::string algorithm = {};             ///< as VendorResult::algorithm
  std::string implementation = {};        ///< as VendorResult::implementation
  std::vector<double> samples_seconds{};  ///< seconds per call, taken for the choice; empty: none was taken
  std::string reason = {};                ///< why it could not be chosen; empty: it could

  /** Returns true if it could be chosen. */
  bool available() const { return reason.empty() && !samples_seconds.empty(); }
  bool operator==(const VendorCandidate&) const = default;
};

/**
 * The result of the vendor's library on a task, or the reason why there is none. If several libraries or
 * algorithms are installed, it is the result of the fastest. Times do not include reordering of tensors.
 */
struct VendorResult {
  std::string name;  ///< "oneDNN 2.6.3"
  /// the library's name of the chosen implementation: "jit:avx512_core"
  std::string implementation;
  std::string layouts;                  ///< chosen layouts: "data aBcd16b, weight ABcd16b16a, output aBcd16b"
  std::vector<double> samples_seconds;  ///< seconds per call, one per repeat; empty: none was taken
  double worst_error = 0;               ///< largest |actual - expected| of the check
  std::string reason;                   ///< why there is no result
  std::string algorithm = {};           ///< of oneDNN's convolutions: "direct", "Winograd"; empty: not known
  /// what it was chosen from, the fastest first, then those with a reason; empty: there was no choice
  std::vector<VendorCandidate> candidates = {};

  /** Returns true if there is a usable result. */
  bool available() const { return reason.empty() && !samples_seconds.empty(); }
  bool operator==(const VendorResult&) const = default;
};

/**
 * Returns the library's title in texts for users: "oneDNN 2.6.3 direct"; without an algorithm only its name.
 */
inline std::string vendor_title(const std::string& name, const std::string& algorithm) {
  return algorithm.empty() ? name : name + ' ' + algorithm;
}
/** Returns the library's title for a result. */
inline std::string vendor_title(const VendorResult& vendor) {
  return vendor_title(vendor.name, vendor.algorithm);
}

constexpr std::string_view winograd_algorithm = "Winograd";
/** The sentence that belongs to a result by Winograd's algorithm. */
constexpr std::string_view winograd_remark =
    "Winograd's algorithm multiplies less than a direct convolution, but its rounding error is larger.";

}  // namespace kernelscape::trial
