// Imports Triton's autotuning caches, KERNEL.autotune.json: all configurations of one kernel for one key.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/skipped_entries.h"
#include "core/exchange/validation_values.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"

namespace kernelscape::exchange {
namespace {

constexpr std::uint64_t max_cache_numbers = 1ULL << 21;
constexpr std::string_view failed_configuration =
    "Triton writes Infinity for configurations that exceed resources or cannot be compiled, and stores no "
    "reason";

std::unexpected<Error> wrong_cache(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message),
              "Triton writes it as KERNEL.autotune.json, with cache_results or TRITON_CACHE_AUTOTUNING=1");
}

/** Parses a value as Python's str() writes it: True, 4, 0.5, a text. */
space::KnobValue value_of_python(std::string_view text) {
  if (text == "True" || text == "False") return text == "True";
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, whole); at == end && error == std::errc())
    return whole;
  double real = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, real);
      at == end && error == std::errc() && std::isfinite(real))
    return real;
  return std::string(text);
}

/** Returns the parts between ", " outside of brackets. */
std::vector<std::string_view> python_items(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("([{").contains(text[i])) ++depth;
    if (std::string_view(")]}").contains(text[i])) --depth;
    if (text[i] != ',' || depth != 0) continue;
    items.push_back(base::trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  items.push_back(base::trimmed(text.substr(begin)));
  return items;
}

/** Parses "BLOCK_M: 128, num_warps: 4"; empty if the text has another form. @param divider ':' or '=' */
std::vector<LoggedChoice> choices_of_text(std::string_view text, char divider) {
  std::vector<LoggedChoice> choices;
  for (const std::string_view item : python_items(text)) {
    const std::size_t at = item.find(divider);
    if (at == 0 || at == std::string_view::npos) return {};
    const std::string_view value = base::trimmed(item.substr(at + 1));
    // A class of options: "config: GemmConfig(tile_m=128, tile_n=192)".
    const std::size_t bracket = value.find('(');
    if (bracket != std::string_view::npos && bracket > 0 && value.ends_with(')')) {
      const std::string_view members = value.substr(bracket + 1, value.size() - bracket - 2);
      std::vector<LoggedChoice> inner = divider == ':' ? choices_of_text(members, '=') : choices;
      if (divider == ':' && !inner.empty()) {
        std::ranges::move(inner, std::back_inserter(choices));
        continue;
      }
    }
    if (value == "None") continue;
    choices.push_back(plain_choice(std::string(base::trimmed(item.substr(0, at))), value_of_python(value)));
  }
  return choices;
}

/** Adds a choice: numbers, booleans and texts unchanged, lists as their JSON; null means not set. */
void add_choice(const std::string& name, const space::Json& value, std::vector<LoggedChoice>& choices) {
  if (value.is_null()) return;
  const std::optional<space::KnobValue> known = space::value_from_json(value);
  choices.push_back(plain_choice(name, known ? *known : space::KnobValue(space::to_text(value))));
}

/**
 * Parses {"kwargs": {"BLOCK_M": 128}, "num_warps": 4, ...}, or a single text, as programs derived from Triton
 * write.
 */
Result<VaryingTrial> trial_of_config(const space::Json& config) {
  VaryingTrial trial;
  if (config.is_string()) {
    const auto& text = config.get_ref<const std::string&>();
    trial.choices = choices_of_text(text, ':');
    if (trial.choices.empty()) trial.choices.push_back(plain_choice("config", text));
    return trial;
  }
  if (!config.is_object()) return wrong_cache("its configuration is neither an object nor a text");
  if (const space::Json* arguments = space::member_of(config, "kwargs")) {
    if (!arguments->is_object()) return wrong_cache("the kwargs of its configuration are not an object");
    for (const auto& [name, value] : arguments->items()) add_choice(name, value, trial.choices);
  }
  for (const auto& [name, value] : config.items())
    if (name != "kwargs") add_choice(name, value, trial.choices);
  return trial;
}

/** The time of one configuration in seconds: the value by which Triton compares, and optional quantiles. */
struct Timing {
  std::optional<double> seconds{};  ///< nullopt: it failed
  std::optional<double> quantile_20{};
  std::optional<double> quantile_80{};
};

Result<std::optional<double>> seconds_of(const space::Json& json) {
  const bool infinite = json.is_number() && json.get<double>() == std::numeric_limits<double>::infinity();
  if (json.is_null() || infinite) return std::optional<double>();
  const double value = json.is_number() ? json.get<double>() / milliseconds_per_second : no_logged_value;
  if (std::isnan(value)) return wrong_cache(fmt::format("its timing {} is not a time", shown_json(json)));
  if (const std::string why = impossible_call(value, 0); !why.empty())
    return wrong_cache(fmt::format("its timing is impossible, {}", why));
  return std::optional(value);
}

/** Parses a number of milliseconds, or [median, 20 %, 80 %]. */
Result<Timing> timing_of(const space::Json& json) {
  if (!json.is_array()) return Timing{.seconds = TRY(seconds_of(json))};
  if (json.empty()) return wrong_cache("its timing is an empty list");
  Timing timing{.seconds = TRY(seconds_of(json[0]))};
  constexpr std::size_t quantiles = 3;
  if (!timing.seconds || json.size() != quantiles) return timing;
  timing.quantile_20 = TRY(seconds_of(json[1]));
  timing.quantile_80 = TRY(seconds_of(json[2]));
  return timing;
}

trial::Measurement measurement_of_timing(const Timing& timing) {
  trial::Measurement measurement;
  if (timing.seconds) {
    measurement.samples_seconds = {*timing.seconds};
    measurement.recorded_seconds = *timing.seconds;
    return measurement;
  }
  measurement.category = trial::ErrorCategory::UnknownError;
  measurement.message = failed_configuration;
  return measurement;
}

/** Returns "matmul_kernel" for "matmul_kernel.autotune.json.gz". */
std::string kernel_of_path(const std::filesystem::path& path) {
  std::filesystem::path stem = path.filename();
  for (const char* extension : {".gz", ".json", ".autotune"})
    if (stem.extension() == extension) stem = stem.stem();
  const std::string name = cleaned_text(stem.string(), name_limits);
  return name.empty() ? "kernel" : name;
}

class TritonCacheReader {
 public:
  explicit TritonCacheReader(ImportText& file) : file_(file), skipped_(file.path()) {}

  Result<ImportedFile> run() {
    const Result<StreamedJson> cache = stream_import_json(
        file_, {{.path = {"configs_timings"},
                 .visit = [this](const space::Json&, JsonEntry entry) { return take(entry); }}});
    if (!cache) return in_file(cache.error());
    if (!cache->rest->is_object()) return in_file(wrong_cache("it is not an object").error());
    const space::Json* timings = space::member_of(*cache->rest, "configs_timings");
    if (!timings || !timings->is_array())
      return in_file(wrong_cache("its configs_timings are not a list").error());
    if (measurements_.empty())
      return in_file(skipped_.first().value_or(wrong_cache("its configs_timings are empty").error()));
    Result<ImportedTrials> part = part_of(*cache->rest);
    if (!part) return in_file(part.error());
    ImportedFile imported{.format = "triton", .path = file_.path(), .natural = ImportAs::Recorded};
    imported.parts.push_back(std::move(*part));
    imported.notices = notices();
    return imported;
  }

 private:
  std::unexpected<Error> in_file(const Error& error) const {
    return fail(error.code, fmt::format("{}: {}", file_.path().string(), error.message), error.hint);
  }

  Status take(const JsonEntry& entry) {
    const Status added = entry.error ? Status(std::unexpected(*entry.error)) : add(*entry.value);
    if (added) return {};
    return skipped_.skip(fmt::format("configs_timings[{}]", entry.number), added.error());
  }

  Status add(const space::Json& entry) {
    constexpr std::size_t members = 2;
    if (!entry.is_array() || entry.size() != members) return wrong_cache("it is not [configuration, timing]");
    const Timing timing = TRY(timing_of(entry[1]));
    VaryingTrial trial = TRY(trial_of_config(entry[0]));
    trial::Measurement measurement = measurement_of_timing(timing);
    TRY(file_.keep(kept_trial_bytes(measurement, trial.choices.size())));
    TRY(knobs_.add(file_, std::move(trial)));
    failed_ += measurement.valid() ? 0U : 1U;
    measurements_.push_back(std::move(measurement));
    quantiles_[0].push_back(timing.quantile_20.value_or(no_logged_value));
    quantiles_[1].push_back(timing.quantile_80.value_or(no_logged_value));
    return {};
  }

  Result<ImportedTrials> part_of(const space::Json& cache) {
    const space::Json* key = space::member_of(cache, "key");
    const std::string key_text = key ? space::to_text(*key) : std::string();
    if (!is_clean_text(key_text, note_limits)) return wrong_cache("its key is too long");
    trial::RecordingHeader header = TRY(header_of(key_text));
    std::uint64_t numbers = max_cache_numbers;
    LoggedSpace space = TRY(knobs_.space(file_, numbers));
    if (!space.notice.empty()) notices_.push_back(space.notice);
    const std::vector<double> no_times(measurements_.size(), 0);
    ImportedTrials part =
        logged_part(std::move(header), std::move(space), std::move(measurements_), no_times);
    constexpr std::array names{"20 % quantile [s]", "80 % quantile [s]"};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::ranges::any_of(quantiles_[i], [](double value) { return std::isfinite(value); }))
        part.columns.push_back({names[i], std::move(quantiles_[i])});
    return part;
  }

  Result<trial::RecordingHeader> header_of(const std::string& key) const {
    const std::string kernel = kernel_of_path(file_.path());
    const task::Task task =
        TRY(task::make_generic_task({key.empty() ? kernel : kernel + " " + key, "time", "s"}, kernel));
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.isa.clear();
    target.device = "unknown GPU";
    target.compiler = "triton";
    return logged_header(task, target, "Triton's autotuning cache " + file_.path().filename().string());
  }

  std::vector<std::string> notices() {
    std::ranges::move(skipped_.notices(), std::back_inserter(notices_));
    notices_.emplace_back(
        "Triton's cache contains neither the device nor Triton's version: the target is assumed to be a CUDA "
        "device");
    if (failed_ > 0)
      notices_.push_back(fmt::format("{} of {} configurations failed: {}", failed_, knobs_.trial_count(),
                                     failed_configuration));
    return std::move(notices_);
  }

  ImportText& file_;
  VaryingKnobs knobs_;
  std::vector<trial::Measurement> measurements_;
  std::array<std::vector<double>, 2> quantiles_;
  std::vector<std::string> notices_;
  SkippedEntries skipped_;
  std::size_t failed_ = 0;
};

bool recognises_triton(std::string_view head) {
  return begins_as_object(head) && names_key(head, "configs_timings");
}

Result<ImportedFile> read_triton_cache(ImportText& file) { return TritonCacheReader(file).run(); }

}  // namespace

ImportFormat triton_import() {
  return {.name = "triton",
          .summary = "an autotuning cache of Triton",
          .files = "Triton's autotuning caches",
          .endings = {".json"},
          .recognises = recognises_triton,
          .read = read_triton_cache};
}

}  // namespace kernelscape::exchange
