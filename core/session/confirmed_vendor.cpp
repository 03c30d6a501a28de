#include "core/session/confirmed_vendor.h"

namespace kernelscape::session {
namespace {

/** Returns true if both are results of one library. Results of older versions do not name their algorithm. */
bool is_same_library(const trial::VendorResult& a, const trial::VendorResult& b) {
  return a.name == b.name && (a.algorithm == b.algorithm || a.algorithm.empty() || b.algorithm.empty());
}

/** Returns true if the vendor's new result replaces the stored one. */
bool replaces_vendor(const trial::VendorResult& stored, const measure::Confirmations& measured) {
  const trial::VendorResult& vendor = measured.vendor;
  if (!stored.available()) return vendor.available() || !vendor.reason.empty();
  return vendor.available() && !measured.slow && !measured.loaded;
}

}  // namespace

bool take_vendor(trial::Baselines& baselines, const measure::Confirmations& measured,
                 const std::string& measured_utc) {
  const bool same = is_same_library(baselines.vendor, measured.vendor);
  const bool replaced = replaces_vendor(baselines.vendor, measured);
  if (replaced && !same && baselines.vendor.available()) baselines.vendor_since_utc = measured_utc;
  if (replaced) baselines.vendor = measured.vendor;
  return (same || replaced) && !measured.vendor.samples_seconds.empty();
}

}  // namespace kernelscape::session
