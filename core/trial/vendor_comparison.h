#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernelscape::trial {

/** The vendor's library that the kernel of a task was compared with. */
struct ComparedVendor {
  std::string name;       ///< VendorResult::name; empty: none was measured
  std::string algorithm;  ///< VendorResult::algorithm
  std::string task;       ///< written in full
};

/** The noun for the compared objects: "layer", "layers"; "session", "sessions". */
struct ComparedNoun {
  std::string_view one;
  std::string_view many;
};

/**
 * Returns the name of the library that all objects were compared with: with its algorithm if that is the same
 * for all, "several libraries" if names differ, empty if none was measured.
 */
std::string common_vendor_title(std::span<const ComparedVendor> vendors);

/**
 * Returns a notice if the shares of the vendor are not comparable, otherwise an empty string: versions of a
 * library differ, or libraries or algorithms of one task do. Over different tasks the fastest library and its
 * algorithm are chosen for each. "Compared with different libraries: oneDNN 2.6.3 direct (12 layers),
 * oneDNN 3.7.2 direct (3 layers). Shares of the vendor are not comparable."
 */
std::string vendor_difference_text(std::span<const ComparedVendor> vendors, ComparedNoun noun);

}  // namespace kernelscape::trial
