#include "core/analysis/roofline.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"

namespace kernelscape::analysis {
namespace {

constexpr double flops_per_gflop = 1e9;
constexpr double line_bytes_of_misses = 64;
/** Below this share of each roof, a kernel is limited neither by compute nor by memory. */
constexpr double idle_share = 0.5;
/** Above this share, a kernel is reported to exceed a bandwidth: measurements vary by a percent or two. */
constexpr double beaten_share = 1.05;

std::optional<RooflinePoint> point_of(const trial::MachineCeilings& ceilings, const RooflineKernel& kernel,
                                      base::MemoryLevel level) {
  const LevelBytes& traffic = kernel.traffic[base::place_of(level)];
  const std::optional<double> speed = ceilings.bytes_per_second(level);
  if (!traffic.bytes || *traffic.bytes <= 0 || !speed) return std::nullopt;
  RooflinePoint point;
  point.level = level;
  point.intensity = kernel.flops / *traffic.bytes;
  point.gflops = kernel.gflops();
  point.roof_gflops = std::min(ceilings.peak(kernel.peak), point.intensity * *speed / flops_per_gflop);
  point.share_of_level = *traffic.bytes / kernel.seconds / *speed;
  point.stays_nearer = traffic.stays_nearer;
  point.origin = traffic.origin;
  return point;
}

/** Returns the lowest roof below the peak; of equal ones that of the farther level. */
const RooflinePoint* lowest_roof(const RooflinePlace& place, double peak_gflops) {
  const RooflinePoint* lowest = nullptr;
  for (const RooflinePoint& point : place.points) {
    if (point.stays_nearer || point.roof_gflops >= peak_gflops) continue;
    if (lowest == nullptr || point.roof_gflops <= lowest->roof_gflops) lowest = &point;
  }
  return lowest;
}

std::string share_text(double share) { return fmt::format("{:.0f} %", share * 100); }

/** Returns a share above 1 with so many digits that it does not read as 100 %. */
std::string exceeding_text(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string sentence_of(const RooflinePlace& place) {
  if (!place.bound)
    return fmt::format("compute: {} of the {} at this intensity", share_text(place.share_of_peak),
                       trial::to_string(place.peak));
  const auto point = std::ranges::find(place.points, *place.bound, &RooflinePoint::level);
  return fmt::format("{}: {} of the bandwidth of {}{}", base::to_string(*place.bound),
                     share_text(place.share_of_bound), base::to_string(*place.bound),
                     point->origin == TrafficOrigin::Estimated ? ", by the estimated traffic" : "");
}

void add_notices(RooflinePlace& place) {
  if (place.share_of_peak > 1) {
    place.notices.push_back(fmt::format(
        "it reaches {} of the measured {}: the peak was measured while the machine was slower, at "
        "a lower clock or with other programs beside it; measure the ceilings again",
        exceeding_text(place.share_of_peak), trial::to_string(place.peak)));
  }
  for (const RooflinePoint& point : place.points) {
    if (point.stays_nearer || point.share_of_level <= beaten_share) continue;
    place.notices.push_back(
        fmt::format("it would use {} of the measured bandwidth of {}: {}", share_text(point.share_of_level),
                    base::to_string(point.level),
                    point.origin == TrafficOrigin::Estimated
                        ? "the traffic is estimated too high, or the ceiling was measured too low"
                        : "the ceiling was measured too low; measure the ceilings again"));
  }
  if (place.share_of_peak < idle_share && place.share_of_bound < idle_share) {
    place.notices.emplace_back(
        "it is far below every roof: latencies, instructions that compute nothing, or idle threads "
        "limit it");
  }
  const auto estimated = [](const RooflinePoint& point) { return point.origin == TrafficOrigin::Estimated; };
  if (std::ranges::any_of(place.points, estimated))
    place.notices.emplace_back("bytes are estimated from the loop nest, unless they are marked as counted");
}

}  // namespace

double RooflineKernel::gflops() const { return seconds > 0 ? flops / seconds / flops_per_gflop : 0; }

Result<RooflinePlace> roofline_place(const trial::MachineCeilings& ceilings, const RooflineKernel& kernel) {
  const double peak = ceilings.peak(kernel.peak);
  if (peak <= 0) {
    return fail(ErrorCode::Refused,
                fmt::format("the machine's {} was not measured", trial::to_string(kernel.peak)),
                "measure it with `kernelscape devices --ceilings`");
  }
  if (kernel.flops <= 0)
    return fail(ErrorCode::Refused, "the task's operations are not known, so a kernel has no intensity");
  if (kernel.seconds <= 0)
    return fail(ErrorCode::Refused, "the kernel was not timed", "choose a trial without an error");
  RooflinePlace place;
  for (const base::MemoryLevel level : base::memory_levels)
    if (const auto point = point_of(ceilings, kernel, level)) place.points.push_back(*point);
  place.peak = kernel.peak;
  place.share_of_peak = kernel.gflops() / peak;
  place.share_of_bound = place.share_of_peak;
  if (const RooflinePoint* lowest = lowest_roof(place, peak)) {
    place.bound = lowest->level;
    place.share_of_bound = lowest->share_of_level;
  }
  place.sentence = sentence_of(place);
  add_notices(place);
  return place;
}

base::PerLevel<LevelBytes> with_counted_traffic(base::PerLevel<LevelBytes> estimated,
                                                const trial::CounterReading& reading) {
  const auto count = [&](base::MemoryLevel level, const std::optional<double>& misses) {
    if (misses)
      estimated[base::place_of(level)] = {*misses * line_bytes_of_misses, false, TrafficOrigin::Counted};
  };
  count(base::MemoryLevel::L2, reading.l1_misses);
  count(base::MemoryLevel::L3, reading.l2_misses);
  count(base::MemoryLevel::Memory, reading.llc_misses);
  return estimated;
}

}  // namespace kernelscape::analysis
