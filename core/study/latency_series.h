#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/study/model_latency.h"

namespace kernelscape::study {

/** A kernel, named by the trial that found it. */
struct KernelOfTrial {
  store::SessionId session = 0;
  std::int64_t trial = -1;

  bool operator==(const KernelOfTrial&) const = default;
};

/** A kernel that is the fastest of its layer alone, but makes the whole model slower. */
struct HeldBackKernel {
  KernelOfTrial kernel = {};
  KernelOfTrial used = {};  ///< the kernel that stays in the model

  bool operator==(const HeldBackKernel&) const = default;
};

/** The latency of a whole model after a round of its tuning. Layers are positions in the study. */
struct LatencyPoint {
  std::string measured_utc = {};
  double elapsed_seconds = 0;  ///< session time of all layers together
  std::int64_t trials = 0;     ///< of all layers together
  std::int64_t rounds = 0;     ///< rounds of all layers together
  LatencyTimes times = {};
  LatencyParts parts = {};
  /** By layer: the mean time of its calls in one run, with their epilogues; 0: the model has no such call. */
  std::vector<double> layer_seconds = {};
  /**
   * By layer: layer_seconds / the time of a call of its best kernel alone, the number of calls if a kernel in
   * the model were as fast as it is alone; 0: not known.
   */
  std::vector<double> layer_weights = {};
  std::vector<std::size_t> changed = {};  ///< layers whose kernel differs from that of the point before
  /** True: the changed kernels make the model slower, so that it keeps those of the point before. */
  bool slower = false;

  /** Returns the share of a layer in the time of all parts; nullopt: it is not known. */
  std::optional<double> share_of(std::size_t layer) const;
  bool operator==(const LatencyPoint&) const = default;
};

/** The latencies of a whole model during the tuning of its layers. */
struct LatencySeries {
  std::vector<LatencyPoint> points = {};  ///< in the order of time
  std::vector<HeldBackKernel> held_back = {};
  std::vector<KernelOfTrial> in_place = {};  ///< by layer: the kernels of current(); trial -1: a default one
  std::int64_t skipped =
      0;  ///< rounds after which the model was not measured despite a new kernel: too costly
  double cost_seconds = 0;  ///< time that all these measurements took

  /** Returns the latest point whose kernels the model keeps; null: there is none. */
  const LatencyPoint* current() const;
  /** Returns the latest of these points after at most `rounds` rounds; null: there is none. */
  const LatencyPoint* after(std::int64_t rounds) const;
  /** Returns LayerProgress::latency_weight of a layer after a number of rounds. */
  double weight_after(std::int64_t rounds, std::size_t layer) const;
  bool operator==(const LatencySeries&) const = default;
};

/**
 * Returns which of the changed layers of a slower model does not keep its new kernel: the one whose time in
 * the model grew most since the series' current point. Nullopt if none of them had a tuned kernel before.
 */
std::optional<std::size_t> layer_to_hold_back(const LatencySeries& series, const LatencyPoint& slower);

/** Serializes a point, for JSON output. */
std::string latency_point_to_json(const LatencyPoint& point);
/** Serializes a series for the store, and for JSON output. */
std::string latency_series_to_json(const LatencySeries& series);
/** Parses the output of latency_series_to_json(). Returns InvalidArgument for anything else. */
Result<LatencySeries> latency_series_from_json(std::string_view json);

/** The kind under which the store keeps these series. */
inline constexpr std::string_view latency_series_kind = "model latency series";

/** Returns the latencies that were measured while a network's study ran; empty: none. */
Result<LatencySeries> stored_latency_series(const store::Store& store, store::StudyId id);

/**
 * Describes a series in sentences for users: how the latency developed, and what was held back. Empty if
 * there is no point.
 */
std::vector<std::string> latency_series_sentences(const LatencySeries& series);

}  // namespace kernelscape::study
