#pragma once

#include <string>
#include <vector>

namespace kernelscape::trial {

/**
 * The result of the vendor's library on a task, or the reason why there is none. Times do not include
 * reordering of tensors.
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

}  // namespace kernelscape::trial
