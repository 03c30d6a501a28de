#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/study/network_pass.h"

namespace kernelscape::study {

/** The median and the quartiles of the time of a whole model, in seconds. */
struct LatencyTimes {
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;

  bool operator==(const LatencyTimes&) const = default;
};

/** The mean time of the parts of one run of a model, in seconds. */
struct LatencyParts {
  double layers = 0;       ///< convolutions and multiplications with their epilogues
  double operators = 0;    ///< other operators
  double conversions = 0;  ///< changes of a memory layout

  double sum() const { return layers + operators + conversions; }
  bool operator==(const LatencyParts&) const = default;
};

/** onnxruntime's time of the same model, measured in turns with ours. */
struct LatencyComparison {
  std::string name;  ///< "onnxruntime 1.21.0"
  LatencyTimes times = {};
  double ratio = 0;  ///< the median over the rounds of our time / onnxruntime's
  double ratio_low = 0;
  double ratio_high = 0;

  bool operator==(const LatencyComparison&) const = default;
};

/**
 * The latency of a whole model: the time of one run of its library, warm, with the best kernels of a study
 * and default kernels for layers that have none.
 */
struct ModelLatency {
  std::string measured_utc = {};
  int threads = 1;
  std::int64_t kernels = 0;        ///< distinct kernels of layers
  std::int64_t tuned_kernels = 0;  ///< of these, those of the study
  LatencyTimes times = {};
  LatencyParts parts = {};
  std::optional<LatencyComparison> vendor = {};
  std::string vendor_problem = {};  ///< why there is no comparison; empty: there is one

  bool operator==(const ModelLatency&) const = default;
};

/** Describes a latency in sentences for users: the time, where it goes, and onnxruntime's. */
std::vector<std::string> latency_sentences(const ModelLatency& latency);

/** Serializes a latency for the store, and for JSON output. */
std::string model_latency_to_json(const ModelLatency& latency);
/** Parses the output of model_latency_to_json(). Returns InvalidArgument for anything else. */
Result<ModelLatency> model_latency_from_json(std::string_view json);

/** The kind under which the store keeps latencies of models. */
inline constexpr std::string_view model_latency_kind = "model latency";

/** Returns the latest latency of the model of a network's study, or nullopt if none was measured. */
Result<std::optional<ModelLatency>> stored_model_latency(const store::Store& store, store::StudyId id);

/**
 * Writes the library of the model of a network's study into a private folder, builds it, compares its outputs
 * with those of the reference interpreter, measures its latency in the sandbox of compilers, and stores the
 * result. Where onnxruntime is installed, both run in turns. The device is leased meanwhile.
 *
 * Returns Refused if the study is not of a model's file or is for GPUs, if no library can be written for the
 * model, or if the user stopped the run; the error of network::open_graph() if the file cannot be read;
 * Environment if a program does not build or run, or if outputs are wrong.
 */
Result<ModelLatency> measure_model_latency(store::Store& store, store::StudyId id,
                                           const session::StopRequest& stop, const PassDevice& device = {});

}  // namespace kernelscape::study
