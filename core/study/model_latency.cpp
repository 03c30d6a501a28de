#include "core/study/model_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/fleet/target.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/device_lease.h"
#include "core/measure/worker/timing_mark.h"
#include "core/space/knob_json.h"
#include "core/study/confined_build.h"
#include "core/study/execution.h"
#include "core/study/model_export.h"

namespace kernelscape::study {
namespace {

constexpr const char* latency_file = "latency.json";
constexpr const char* seconds_of_a_bench = "2";
constexpr const char* seconds_of_a_comparison = "4";

/** Where Debian and onnxruntime's own packages have its header. */
constexpr std::array<const char*, 4> onnxruntime_folders{
    "/usr/include/onnxruntime", "/usr/include/onnxruntime/core/session", "/usr/local/include/onnxruntime",
    "/usr/local/include/onnxruntime/core/session"};

Status read_number(const space::Json& json, const std::string& name, double& number) {
  const space::Json* found = space::member_of(json, name);
  constexpr double largest = 1e9;
  if (found == nullptr || !found->is_number() || !(found->get<double>() >= 0) ||
      !(found->get<double>() <= largest))
    return fail(ErrorCode::InvalidArgument, fmt::format("the latency of a model has no valid \"{}\"", name));
  number = found->get<double>();
  return {};
}

Status read_times(const space::Json& json, const std::string& prefix, LatencyTimes& times) {
  TRY(read_number(json, prefix + "median_seconds", times.median));
  TRY(read_number(json, prefix + "first_quartile_seconds", times.first_quartile));
  return read_number(json, prefix + "third_quartile_seconds", times.third_quartile);
}

void write_times(const LatencyTimes& times, const std::string& prefix, space::Json& json) {
  json[prefix + "median_seconds"] = times.median;
  json[prefix + "first_quartile_seconds"] = times.first_quartile;
  json[prefix + "third_quartile_seconds"] = times.third_quartile;
}

Status read_parts(const space::Json& json, LatencyParts& parts) {
  TRY(read_number(json, "layer_seconds", parts.layers));
  TRY(read_number(json, "operator_seconds", parts.operators));
  return read_number(json, "conversion_seconds", parts.conversions);
}

Status read_vendor(const space::Json& json, LatencyComparison& vendor) {
  TRY(read_times(json, "vendor_", vendor.times));
  TRY(read_number(json, "ratio", vendor.ratio));
  TRY(read_number(json, "ratio_low", vendor.ratio_low));
  return read_number(json, "ratio_high", vendor.ratio_high);
}

std::string text_of(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

Result<std::int64_t> count_of(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  constexpr std::int64_t largest = 1'000'000;
  if (found == nullptr || !found->is_number_integer() || found->get<std::int64_t>() < 0 ||
      found->get<std::int64_t>() > largest)
    return fail(ErrorCode::InvalidArgument, fmt::format("the latency of a model has no valid \"{}\"", name));
  return found->get<std::int64_t>();
}

/** Builds and runs the programs of a model's library. */
class LatencyBuild {
 public:
  LatencyBuild(std::string folder, std::string compiler, const PlannedModel& model, int threads,
               const session::StopRequest& stop)
      : build_(std::move(folder), std::move(compiler), threads, stop), model_(model), threads_(threads) {}

  Status run() {
    std::vector<ConfinedSource> sources;
    for (const exchange::LibrarySource& source : model_.library.sources) {
      sources.push_back({source.name + ".c", source.flags});
      objects_.push_back(source.name + ".c.o");
    }
    TRY(build_.compile_all(sources));
    TRY(link("check", {}));
    return link("bench", {});
  }

  /** Compares the outputs of the library with the reference's. */
  Status check() const { return run_program("check", {}, nullptr); }  // which prints what differs

  Status bench(ModelLatency& latency) const {
    TRY(run_program("bench", {"--steps", "--seconds", seconds_of_a_bench, "--json"}, latency_file));
    const space::Json json = space::parse_json(build_.text_of(latency_file));
    latency.threads = static_cast<int>(TRY(count_of(json, "threads")));
    TRY(read_times(json, "", latency.times));
    return read_parts(json, latency.parts);
  }

  /** Runs the model beside onnxruntime. Returns the reason if that is not possible. */
  Result<LatencyComparison> compare(const std::filesystem::path& file) const {
    if (Status linked = link("bench_onnxruntime", vendor_flags()); !linked)
      return vendor_error(linked.error());
    // The sandbox shows the program no file outside of its folder.
    const std::filesystem::path copy = std::filesystem::path(build_.folder()) / "model" / file.filename();
    TRY(copy_to(file, copy));
    for (const std::filesystem::path& data : model_.data_files)
      TRY(copy_to(data, copy.parent_path() / TRY(place_beside(file, data))));
    TRY(run_program("bench_onnxruntime", {copy.string(), "--seconds", seconds_of_a_comparison, "--json"},
                    latency_file));
    const space::Json json = space::parse_json(build_.text_of(latency_file));
    LatencyComparison comparison{.name = text_of(json, "vendor")};
    TRY(read_vendor(json, comparison));
    return comparison;
  }

 private:
  static Status copy_to(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code error;
    std::filesystem::create_directories(to.parent_path(), error);
    if (!error) std::filesystem::copy_file(from, to, error);
    if (!error) return {};
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be copied: {}", from.string(), error.message()));
  }

  /** Returns the path by which a model names a file of its weights: relative to the model's folder. */
  static Result<std::filesystem::path> place_beside(const std::filesystem::path& model,
                                                    const std::filesystem::path& data) {
    std::error_code error;
    const std::filesystem::path place =
        data.lexically_relative(std::filesystem::canonical(model, error).parent_path());
    if (!error && !place.empty() && *place.begin() != "..") return place;
    return fail(ErrorCode::Refused, fmt::format("{} is not in the folder of the model", data.string()));
  }

  /** Says that onnxruntime is missing, or else why its program cannot be linked. */
  static std::unexpected<Error> vendor_error(Error error) {
    if (!error.message.contains("onnxruntime_c_api.h")) return std::unexpected(std::move(error));
    return fail(ErrorCode::NotFound, "onnxruntime's C API is missing here (libonnxruntime-dev)");
  }

  static std::vector<std::string> vendor_flags() {
    std::vector<std::string> flags;
    for (const char* folder : onnxruntime_folders) flags.push_back(fmt::format("-I{}", folder));
    flags.emplace_back("-ldl");
    return flags;
  }

  Status link(const std::string& program, const std::vector<std::string>& more) const {
    std::vector<std::string> words = build_.compiler_words(std::vector<std::string>{
        "-O2", fmt::format("-DMODEL_FOLDER=\"{}\"", build_.folder()), program + ".c", "-o", program});
    words.insert(words.end(), objects_.begin(), objects_.end());
    words.insert(words.end(), more.begin(), more.end());
    for (const char* word : {"-lm", "-pthread"}) words.emplace_back(word);
    return build_.run_compiler(std::move(words));
  }

  Status run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const char* output_file) const {
    std::vector<std::string> words{build_.folder() + "/" + program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"--threads", std::to_string(threads_)});
    measure::TimingMark mark;
    const measure::TimingMark::Scope timing(mark);
    return build_.run_program(std::move(words), measure::confined_environment(build_.folder()), output_file);
  }

  ConfinedBuild build_;
  const PlannedModel& model_;
  int threads_;
  std::vector<std::string> objects_;
};

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

/** Returns the number of threads of a model: that of its kernels, which may come from a larger machine. */
int threads_of(const std::vector<exchange::ExportedKernel>& kernels,
               const schedule::TargetDescription& target) {
  const int cores = static_cast<int>(target.cores);
  return kernels.empty() ? cores : std::min(exchange::most_threads(kernels), cores);
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
                   {"tuned_kernels", latency.tuned_kernels},
                   {"layer_seconds", latency.parts.layers},
                   {"operator_seconds", latency.parts.operators},
                   {"conversion_seconds", latency.parts.conversions}};
  write_times(latency.times, "", json);
  if (latency.vendor) {
    json["vendor"] = latency.vendor->name;
    write_times(latency.vendor->times, "vendor_", json);
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
  latency.measured_utc = text_of(json, "measured_utc");
  latency.threads = static_cast<int>(TRY(count_of(json, "threads")));
  latency.kernels = TRY(count_of(json, "kernels"));
  latency.tuned_kernels = TRY(count_of(json, "tuned_kernels"));
  TRY(read_times(json, "", latency.times));
  TRY(read_parts(json, latency.parts));
  latency.vendor_problem = text_of(json, "vendor_problem");
  if (std::string name = text_of(json, "vendor"); !name.empty()) {
    LatencyComparison vendor{.name = std::move(name)};
    TRY(read_vendor(json, vendor));
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
  const int threads = threads_of(kernels, target);
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make("latency"));
  ModelExport wanted{.model = source.file, .dimensions = dimensions_of(source), .folder = folder.path()};
  wanted.proceed = [&stop](ModelExportStep) { return stop.level() == 0; };
  Result<PlannedModel> planned = plan_model(wanted, std::move(kernels));
  if (stop.level() > 0) return build_stopped();
  const PlannedModel model = TRY(std::move(planned));
  TRY(exchange::write_model_library(model.library, wanted.folder, /*force=*/false));
  const measure::DeviceLease lease = TRY(lease_device(
      target, fmt::format("the latency of {}", std::filesystem::path(source.file).filename().string()), stop,
      device));
  LatencyBuild build(folder.path(), target.compiler, model, threads, stop);
  TRY(build.run());
  TRY(build.check());
  ModelLatency latency{.measured_utc = base::utc_now(),
                       .kernels = static_cast<std::int64_t>(model.library.summary.kernels),
                       .tuned_kernels = static_cast<std::int64_t>(model.library.summary.tuned_kernels)};
  TRY(build.bench(latency));
  if (stop.level() > 0) return build_stopped();
  if (Result<LatencyComparison> vendor = build.compare(source.file))
    latency.vendor = std::move(*vendor);
  else
    latency.vendor_problem = vendor.error().message;
  TRY(store.studies().save_measure(id, model_latency_kind, model_latency_to_json(latency)));
  return latency;
}

}  // namespace kernelscape::study
