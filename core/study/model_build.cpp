#include "core/study/model_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/timing_mark.h"
#include "core/study/latency_json.h"

namespace kernelscape::study {
namespace {

constexpr const char* latency_file = "latency.json";
constexpr const char* seconds_of_a_comparison = "4";
constexpr std::size_t key_digits = 24;

/** Where Debian and onnxruntime's own packages have its header. */
constexpr std::array<const char*, 4> onnxruntime_folders{
    "/usr/include/onnxruntime", "/usr/include/onnxruntime/core/session", "/usr/local/include/onnxruntime",
    "/usr/local/include/onnxruntime/core/session"};

Status copy_file_to(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to.parent_path(), error);
  if (!error) std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (!error) return {};
  return fail(ErrorCode::Environment, fmt::format("{} cannot be copied: {}", from.string(), error.message()));
}

/** Returns the path by which a model names a file of its weights: relative to the model's folder. */
Result<std::filesystem::path> place_beside(const std::filesystem::path& model,
                                           const std::filesystem::path& data) {
  std::error_code error;
  const std::filesystem::path place =
      data.lexically_relative(std::filesystem::canonical(model, error).parent_path());
  if (!error && !place.empty() && *place.begin() != "..") return place;
  return fail(ErrorCode::Refused, fmt::format("{} is not in the folder of the model", data.string()));
}

/** Says that onnxruntime is missing, or else why its program cannot be linked. */
std::unexpected<Error> onnxruntime_error(Error error) {
  if (!error.message.contains("onnxruntime_c_api.h")) return std::unexpected(std::move(error));
  return fail(ErrorCode::NotFound, "onnxruntime's C API is missing here (libonnxruntime-dev)");
}

std::vector<std::string> onnxruntime_flags() {
  std::vector<std::string> flags;
  for (const char* folder : onnxruntime_folders) flags.push_back(fmt::format("-I{}", folder));
  flags.emplace_back("-ldl");
  return flags;
}

Result<std::string> text_of_file(const exchange::ModelLibrary& library, const std::string& name) {
  const auto found = std::ranges::find(library.files, name, &exchange::ExportedFile::name);
  if (found != library.files.end()) return found->text;
  return fail(ErrorCode::NotFound, fmt::format("the library of the model has no file {}", name));
}

std::string key_of(std::string_view text) { return base::sha256(text).substr(0, key_digits); }

/** Returns the name under which a source is compiled: another one for another text or other options. */
std::string source_name(const exchange::LibrarySource& source, const std::string& text) {
  return fmt::format("{}_{}.c", source.name, key_of(base::join(source.flags, " ") + "\n" + text));
}

Status read_step_seconds(const space::Json& json, std::vector<double>& seconds) {
  const space::Json* found = space::member_of(json, "step_seconds");
  const bool good =
      found != nullptr && found->is_array() && std::ranges::all_of(*found, [](const space::Json& value) {
        return value.is_number() && value.get<double>() >= 0;
      });
  if (!good) return fail(ErrorCode::InvalidArgument, "the times of the model's steps are missing");
  seconds = found->get<std::vector<double>>();
  return {};
}

}  // namespace

Result<BuiltModel> LibraryBuilder::build(const exchange::ModelLibrary& library) {
  BuiltModel built;
  std::vector<ConfinedSource> missing;
  std::string all = TRY(text_of_file(library, "check.c"));
  for (const exchange::LibrarySource& source : library.sources) {
    const std::string text = TRY(text_of_file(library, source.name + ".c"));
    const std::string name = source_name(source, text);
    built.objects.push_back(name + ".o");
    all += name;
    if (object_files_.contains(name)) continue;
    TRY(write(name, text));
    missing.push_back({name, source.flags});
  }
  const std::string key = key_of(all);
  built.bench = "bench_" + key;
  built.check = "check_" + key;
  for (const exchange::ExportedFile& file : library.files) {
    const bool compiled = std::ranges::any_of(library.sources, [&](const exchange::LibrarySource& source) {
      return file.name == source.name + ".c";
    });
    if (!compiled) TRY(write(file.name, file.text));
  }
  // The places of the weights and their checksum are in the library's sources, hence in the key.
  for (const exchange::ExportedFile& tensors : library.tensors) {
    const bool weights = tensors.name.ends_with("_weights.tensors");
    const std::string name = weights ? fmt::format("{}_{}", key, tensors.name) : tensors.name;
    (weights ? built.weights : built.reference) = name;
    if (tensor_files_.contains(name)) continue;
    TRY(write(name, tensors.text));
    tensor_files_.insert(name);
  }
  TRY(compile(missing));
  TRY(link("check.c", built.check, built, {}));
  TRY(link("bench.c", built.bench, built, {}));
  return built;
}

Status LibraryBuilder::check(const BuiltModel& model) const {
  return run_program(model, model.check, {}, nullptr);  // the error quotes what differs
}

Result<ModelBench> LibraryBuilder::bench(const BuiltModel& model, double seconds) const {
  TRY(run_program(model, model.bench, {"--steps", "--seconds", fmt::format("{:.3f}", seconds), "--json"},
                  latency_file));
  const space::Json json = space::parse_json(build_.text_of(latency_file));
  ModelBench bench;
  bench.threads = static_cast<int>(TRY(latency_count(json, "threads")));
  TRY(read_latency_times(json, "", bench.times));
  TRY(read_latency_parts(json, bench.parts));
  TRY(read_step_seconds(json, bench.step_seconds));
  return bench;
}

Result<LatencyComparison> LibraryBuilder::compare(const BuiltModel& model, const std::filesystem::path& file,
                                                  std::span<const std::filesystem::path> data) const {
  if (Status linked = link("bench_onnxruntime.c", "bench_onnxruntime", model, onnxruntime_flags()); !linked)
    return onnxruntime_error(linked.error());
  const std::filesystem::path copy = std::filesystem::path(build_.folder()) / "model" / file.filename();
  TRY(copy_file_to(file, copy));
  for (const std::filesystem::path& part : data)
    TRY(copy_file_to(part, copy.parent_path() / TRY(place_beside(file, part))));
  TRY(run_program(model, "bench_onnxruntime", {copy.string(), "--seconds", seconds_of_a_comparison, "--json"},
                  latency_file));
  const space::Json json = space::parse_json(build_.text_of(latency_file));
  LatencyComparison comparison{.name = latency_text_member(json, "vendor")};
  TRY(read_latency_times(json, "vendor_", comparison.times));
  TRY(read_latency_number(json, "ratio", comparison.ratio));
  TRY(read_latency_number(json, "ratio_low", comparison.ratio_low));
  TRY(read_latency_number(json, "ratio_high", comparison.ratio_high));
  return comparison;
}

void LibraryBuilder::discard(const BuiltModel& model) {
  tensor_files_.erase(model.weights);
  for (const std::string& file : {model.bench, model.check, model.weights}) {
    std::error_code unknown;
    std::filesystem::remove(std::filesystem::path(build_.folder()) / file, unknown);
  }
}

Status LibraryBuilder::write(const std::string& file, const std::string& text) {
  if (measure::write_private_file(build_.folder() + "/" + file, text) == 0) return {};
  return fail(ErrorCode::Environment, fmt::format("the library cannot be written into {}", build_.folder()),
              "free some space there, or set TMPDIR to another folder");
}

Status LibraryBuilder::compile(std::span<const ConfinedSource> sources) {
  TRY(build_.compile_all(sources));
  for (const ConfinedSource& source : sources) object_files_.insert(source.file);
  compiled_ += sources.size();
  return {};
}

Status LibraryBuilder::link(const std::string& source, const std::string& program, const BuiltModel& model,
                            const std::vector<std::string>& more) const {
  std::vector<std::string> words = build_.compiler_words(std::vector<std::string>{
      "-O2", fmt::format("-DMODEL_FOLDER=\"{}\"", build_.folder()), source, "-o", program});
  words.insert(words.end(), model.objects.begin(), model.objects.end());
  words.insert(words.end(), more.begin(), more.end());
  for (const char* word : {"-lm", "-pthread"}) words.emplace_back(word);
  return build_.run_compiler(std::move(words));
}

Status LibraryBuilder::run_program(const BuiltModel& model, const std::string& program,
                                   const std::vector<std::string>& arguments, const char* output_file) const {
  std::vector<std::string> words{build_.folder() + "/" + program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (const std::string& word :
       {std::string("--weights"), build_.folder() + "/" + model.weights, std::string("--reference"),
        build_.folder() + "/" + model.reference, std::string("--threads"), std::to_string(threads_)})
    words.push_back(word);
  measure::TimingMark mark;
  const measure::TimingMark::Scope timing(mark);
  return build_.run_program(std::move(words), measure::confined_environment(build_.folder()), output_file);
}

}  // namespace kernelscape::study
