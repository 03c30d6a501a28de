#pragma once

#include <string>
#include <vector>

namespace kernelscape {

/** What the vendor's library gave on a task, or why there is no number. Times hold no reordering of tensors.
 */
struct VendorResult {
  std::string name;                     ///< "oneDNN 2.6.3"
  std::string implementation;           ///< as the library calls what it chose: "jit:avx512_core"
  std::string layouts;                  ///< of its choice: "data aBcd16b, weight ABcd16b16a, output aBcd16b"
  std::vector<double> samples_seconds;  ///< seconds per call, one per repeat; empty: none was taken
  double worst_error = 0;               ///< largest |actual - expected| of the check
  std::string reason;                   ///< why there is none
  std::string algorithm = {};           ///< of oneDNN's convolutions: "direct", "Winograd"; empty: not known

  /** There are samples, and they count. */
  bool available() const { return reason.empty() && !samples_seconds.empty(); }
  bool operator==(const VendorResult&) const = default;
};

/** Returns what texts for users call a library: "oneDNN 2.6.3 direct"; without an algorithm its name alone.
 */
inline std::string vendor_title(const std::string& name, const std::string& algorithm) {
  return algorithm.empty() ? name : name + ' ' + algorithm;
}
/** Returns the same text for a result. */
inline std::string vendor_title(const VendorResult& vendor) {
  return vendor_title(vendor.name, vendor.algorithm);
}

}  // namespace kernelscape
