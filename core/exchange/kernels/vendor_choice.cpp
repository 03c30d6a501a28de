#include "core/exchange/kernels/vendor_choice.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/analysis/order_statistics.h"
#include "core/base/numbers.h"
#include "core/exchange/kernels/onednn_layout.h"

namespace kernelscape::exchange {
namespace {

VendorChoice ours(std::string_view why) { return {false, fmt::format("ours stays: {}", why)}; }

/** Returns "90.2 us [89.9, 91.0]". */
std::string text_of(const std::vector<double>& samples, const analysis::MedianInterval& interval) {
  return fmt::format("{} [{}, {}]", base::time_text(analysis::quartiles(samples).median),
                     base::time_text(interval.low), base::time_text(interval.high));
}

bool is_transposed(const task::Task& task) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  return convolution != nullptr && convolution->transposed;
}

/** Chooses by the times only. */
VendorChoice choose_faster(const MeasuredConfiguration& measured) {
  const trial::VendorResult& vendor = measured.vendor;
  if (measured.target.kind != schedule::TargetKind::Cpu) return ours("kernels of oneDNN's are for CPUs");
  if (!measured.provenance.origin.empty()) return ours("its numbers were not measured here");
  if (measured.confirmed_seconds.empty()) return ours("it was not measured again at its session's end");
  if (!vendor.reason.empty()) return ours(vendor.reason);
  if (vendor.samples_seconds.empty()) return ours("no vendor's library was measured in turns with it");
  if (!vendor.name.starts_with("oneDNN ")) return ours(vendor.name + " is not oneDNN");
  if (task::operand_types(*measured.task.op) != task::OperandTypes{})
    return ours("oneDNN's kernels are taken for f32 alone");
  if (!measured.task.op->epilogue.empty()) return ours("oneDNN's kernels are taken without an epilogue");
  const std::optional<analysis::MedianInterval> own = analysis::median_interval(measured.confirmed_seconds);
  const std::optional<analysis::MedianInterval> theirs = analysis::median_interval(vendor.samples_seconds);
  if (!own || !theirs) {
    return ours(fmt::format("not decided, {} samples of it and {} of {} are too few",
                            measured.confirmed_seconds.size(), vendor.samples_seconds.size(),
                            trial::vendor_title(vendor)));
  }
  const std::string times =
      fmt::format("{} {}, ours {}", trial::vendor_title(vendor), text_of(vendor.samples_seconds, *theirs),
                  text_of(measured.confirmed_seconds, *own));
  if (own->high < theirs->low) return {false, "ours is faster: " + times};
  if (own->low <= theirs->high) return ours("not decided, " + times);
  return {true, "oneDNN's is faster: " + times};
}

}  // namespace

void take_vendor_where_faster(ExportedKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  VendorChoice& choice = kernel.vendor.emplace(choose_faster(measured));
  if (!choice.taken) return;
  if (is_transposed(measured.task)) {
    choice = ours("oneDNN's transposed convolutions are not taken; " + choice.why);
    return;
  }
  // The library's source leaves the choice of the algorithm to oneDNN, which may choose another algorithm
  // there.
  if (measured.vendor.algorithm == "Winograd") {
    choice = ours("oneDNN's Winograd convolutions are not taken; " + choice.why);
    return;
  }
  std::optional<std::array<loop_nest::Layout, 3>> layouts =
      onednn_layouts(measured.task, measured.vendor.layouts);
  if (!layouts) {
    choice =
        ours(fmt::format("oneDNN's layouts can't be declared ({}); {}", measured.vendor.layouts, choice.why));
    return;
  }
  for (std::size_t i = 0; i < layouts->size(); ++i)
    kernel.source.arguments[i].layout = std::move((*layouts)[i]);
}

std::string vendor_text(const trial::VendorResult& vendor) {
  const std::string title = trial::vendor_title(vendor);
  return vendor.implementation.empty() ? title : fmt::format("{}, {}", title, vendor.implementation);
}

}  // namespace kernelscape::exchange
