#include "core/trial/vendor_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/trial/vendor_result.h"

namespace kernelscape::trial {
namespace {

std::set<std::string> names_of(std::span<const ComparedVendor> vendors) {
  std::set<std::string> names;
  for (const ComparedVendor& vendor : vendors)
    if (!vendor.name.empty()) names.insert(vendor.name);
  return names;
}

/**
 * Returns true if any task was compared with different libraries, or if versions of one library differ. The
 * fastest installed library of a task may be another one than that of another task.
 */
bool libraries_differ(std::span<const ComparedVendor> vendors) {
  std::map<std::string, std::string> by_task;
  std::map<std::string, std::string> by_library;
  return std::ranges::any_of(vendors, [&](const ComparedVendor& vendor) {
    if (vendor.name.empty()) return false;
    const std::string library = vendor.name.substr(0, vendor.name.find(' '));
    return by_task.try_emplace(vendor.task, vendor.name).first->second != vendor.name ||
           by_library.try_emplace(library, vendor.name).first->second != vendor.name;
  });
}

/**
 * Returns true if the algorithms of any task differ. Sessions of older versions do not name their algorithm,
 * which does not count as a difference.
 */
bool algorithms_of_a_task_differ(std::span<const ComparedVendor> vendors) {
  std::map<std::string, std::string> by_task;
  return std::ranges::any_of(vendors, [&](const ComparedVendor& vendor) {
    if (vendor.name.empty() || vendor.algorithm.empty()) return false;
    return by_task.try_emplace(vendor.task, vendor.algorithm).first->second != vendor.algorithm;
  });
}

}  // namespace

std::string common_vendor_title(std::span<const ComparedVendor> vendors) {
  const std::set<std::string> names = names_of(vendors);
  if (names.empty()) return {};
  if (names.size() > 1) return "several libraries";
  std::set<std::string> algorithms;
  for (const ComparedVendor& vendor : vendors)
    if (!vendor.name.empty()) algorithms.insert(vendor.algorithm);
  return vendor_title(*names.begin(), algorithms.size() == 1 ? *algorithms.begin() : std::string());
}

std::string vendor_difference_text(std::span<const ComparedVendor> vendors, ComparedNoun noun) {
  const bool names_differ = libraries_differ(vendors);
  if (!names_differ && !algorithms_of_a_task_differ(vendors)) return {};
  std::map<std::string, int> counts;
  for (const ComparedVendor& vendor : vendors)
    if (!vendor.name.empty()) ++counts[vendor_title(vendor.name, vendor.algorithm)];
  std::string list;
  for (const auto& [title, count] : counts)
    list += fmt::format("{}{} ({} {})", list.empty() ? "" : ", ", title, count,
                        count == 1 ? noun.one : noun.many);
  return fmt::format("Compared with different {}: {}. Shares of the vendor are not comparable.",
                     names_differ ? "libraries" : "algorithms", list);
}

}  // namespace kernelscape::trial
