#include "core/study/model_latency.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/fleet/target.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/device_lease.h"
#include "core/space/knob_json.h"
#include "core/study/execution.h"
#include "core/study/latency_json.h"
#include "core/study/model_build.h"
#include "core/study/model_export.h"

namespace kernelscape::study {
namespace {

constexpr double bench_seconds = 2;

Result<ModelSource> model_of(const store::Store& store, store::StudyId id) {
  const Definition study = TRY(stored_study(store, id));
  if (!study.model_source)
    return fail(ErrorCode::Refused, fmt::format("study {} does not name a model's file", id),
                "tune the model again with `kernelscape tune --network MODEL.onnx`");
  for (const Task& task : study.tasks) {
    if (task.target == "cpu" || fleet::is_fleet_target(task.target)) continue;
    return fail(ErrorCode::Refused,
                fmt::format("study {} is for {}, but whole models are measured on CPUs", id, task.target),
                "tune the model with --target cpu");
  }
  return *study.model_source;
}

/**
 * Returns "62 % are spent in layers, 30 % in other operators and 8 % in conversions of layouts". The runs
 * whose parts are timed are others than those of the median, so that only shares can be compared with it.
 */
std::string parts_text(const LatencyParts& parts) {
  const auto share = [&](double seconds) { return base::percent_text(seconds / parts.sum()); };
  return fmt::format("{} are spent in layers, {} in other operators and {} in conversions of layouts",
                     share(parts.layers), share(parts.operators), share(parts.conversions));
}

}  // namespace

std::vector<std::string> latency_sentences(const ModelLatency& latency) {
  std::vector<std::string> sentences;
  sentences.push_back(fmt::format(
      "The whole model takes {} [{}, {}] with {} thread{}, warm, with {} kernels of which {} {} tuned.",
      base::quantity_text(latency.times.median, "s"), base::quantity_text(latency.times.first_quartile, "s"),
      base::quantity_text(latency.times.third_quartile, "s"), latency.threads,
      latency.threads == 1 ? "" : "s", latency.kernels, latency.tuned_kernels,
      latency.tuned_kernels == 1 ? "was" : "were"));
  if (latency.parts.sum() > 0)
    sentences.push_back(fmt::format("Of this time, {}.", parts_text(latency.parts)));
  if (latency.vendor)
    sentences.push_back(fmt::format(
        "{} takes {} in turns with it: the model's library takes {:.3f} of its time [{:.3f}, {:.3f}].",
        latency.vendor->name, base::quantity_text(latency.vendor->times.median, "s"), latency.vendor->ratio,
        latency.vendor->ratio_low, latency.vendor->ratio_high));
  else
    sentences.push_back(fmt::format("It was not compared with onnxruntime: {}.", latency.vendor_problem));
  return sentences;
}

std::string model_latency_to_json(const ModelLatency& latency) {
  space::Json json{{"measured_utc", latency.measured_utc},
                   {"threads", latency.threads},
                   {"kernels", latency.kernels},
                   {"tuned_kernels", latency.tuned_kernels}};
  write_latency_parts(latency.parts, json);
  write_latency_times(latency.times, "", json);
  if (latency.vendor) {
    json["vendor"] = latency.vendor->name;
    write_latency_times(latency.vendor->times, "vendor_", json);
    json["ratio"] = latency.vendor->ratio;
    json["ratio_low"] = latency.vendor->ratio_low;
    json["ratio_high"] = latency.vendor->ratio_high;
  }
  if (!latency.vendor_problem.empty()) json["vendor_problem"] = latency.vendor_problem;
  return json.dump(-1, ' ', false, space::Json::error_handler_t::replace);
}

Result<ModelLatency> model_latency_from_json(std::string_view text) {
  const space::Json json = space::parse_json(text);
  ModelLatency latency;
  latency.measured_utc = latency_text_member(json, "measured_utc");
  latency.threads = static_cast<int>(TRY(latency_count(json, "threads")));
  latency.kernels = TRY(latency_count(json, "kernels"));
  latency.tuned_kernels = TRY(latency_count(json, "tuned_kernels"));
  TRY(read_latency_times(json, "", latency.times));
  TRY(read_latency_parts(json, latency.parts));
  latency.vendor_problem = latency_text_member(json, "vendor_problem");
  if (std::string name = latency_text_member(json, "vendor"); !name.empty()) {
    LatencyComparison vendor{.name = std::move(name)};
    TRY(read_latency_times(json, "vendor_", vendor.times));
    TRY(read_latency_number(json, "ratio", vendor.ratio));
    TRY(read_latency_number(json, "ratio_low", vendor.ratio_low));
    TRY(read_latency_number(json, "ratio_high", vendor.ratio_high));
    latency.vendor = std::move(vendor);
  }
  return latency;
}

Result<std::optional<ModelLatency>> stored_model_latency(const store::Store& store, store::StudyId id) {
  const std::optional<std::string> json = TRY(store.studies().measure(id, model_latency_kind));
  if (!json) return std::nullopt;
  return TRY(model_latency_from_json(*json));
}

Result<ModelLatency> measure_model_latency(store::Store& store, store::StudyId id,
                                           const session::StopRequest& stop, const PassDevice& device) {
  const ModelSource source = TRY(model_of(store, id));
  const schedule::TargetDescription target = TRY(measure::describe_cpu_target());
  std::vector<std::string> notices;
  std::vector<exchange::ExportedKernel> kernels = TRY(model_kernels(store, id, notices));
  const int threads = model_threads(kernels, target);
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make("latency"));
  ModelExport wanted{.model = source.file, .dimensions = dimensions_of(source), .folder = folder.path()};
  wanted.proceed = [&stop](ModelExportStep) { return stop.level() == 0; };
  Result<PlannedModel> planned = plan_model(wanted, std::move(kernels));
  if (stop.level() > 0) return build_stopped();
  const PlannedModel model = TRY(std::move(planned));
  const measure::DeviceLease lease = TRY(lease_device(
      target, fmt::format("the latency of {}", std::filesystem::path(source.file).filename().string()), stop,
      device));
  LibraryBuilder builder(folder.path(), target.compiler, threads, stop);
  const BuiltModel built = TRY(builder.build(model.library));
  TRY(builder.check(built));
  const ModelBench bench = TRY(builder.bench(built, bench_seconds));
  ModelLatency latency{.measured_utc = base::utc_now(),
                       .threads = bench.threads,
                       .kernels = static_cast<std::int64_t>(model.library.summary.kernels),
                       .tuned_kernels = static_cast<std::int64_t>(model.library.summary.tuned_kernels),
                       .times = bench.times,
                       .parts = bench.parts};
  if (stop.level() > 0) return build_stopped();
  if (Result<LatencyComparison> vendor = builder.compare(built, source.file, model.data_files))
    latency.vendor = std::move(*vendor);
  else
    latency.vendor_problem = vendor.error().message;
  TRY(store.studies().save_measure(id, model_latency_kind, model_latency_to_json(latency)));
  return latency;
}

}  // namespace kernelscape::study
