#include "core/exchange/formats/ansor_record.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/visible_text.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/import_json.h"
#include "core/exchange/validation_values.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

/** Ansor's annotations of a loop, by number. */
constexpr std::array annotations{"for",         "unroll",     "vectorize",   "parallel",
                                 "vthread",     "blockIdx.x", "threadIdx.x", "blockIdx.y",
                                 "threadIdx.y", "blockIdx.z", "threadIdx.z", "tensorize"};
/** Between a pragma and its number: "auto_unroll_max_step$512". */
constexpr char pragma_divider = '$';
constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

std::unexpected<Error> wrong_line(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message),
              R"(a line of Ansor is {"i": [[workload, target, ...], [stages, steps]], "r": [costs, error, )"
              R"(all cost, timestamp], "v": "v0.6"})");
}

/** Converts the steps of one record to choices. */
class StepReader {
 public:
  Status take(const space::Json& step) {
    if (!step.is_array() || step.empty() || !step[0].is_string())
      return wrong_line(fmt::format("its step {} has no name", shown_json(step)));
    if (trial_.choices.size() + trial_.background.size() == space::max_space_knobs)
      return wrong_line(fmt::format("it has more than {} choices", space::max_space_knobs));
    const auto& kind = step[0].get_ref<const std::string&>();
    if (kind == "SP") return take_split(step);
    if (kind == "AN") return take_annotation(step);
    if (kind == "FU") return take_fuse(step);
    if (kind == "PR") return take_pragma(step);
    if (kind == "CA" || kind == "CI" || kind == "CR") return take_place(step, kind);
    structure_.push_back(step);
    return {};
  }

  VaryingTrial finish() {
    number_names(trial_.choices);
    number_names(trial_.background);
    trial_.structure = space::to_text(structure_);
    return std::move(trial_);
  }

 private:
  /** Returns the step's integer at a position. */
  static Result<std::int64_t> number(const space::Json& step, std::size_t position) {
    const std::optional<std::int64_t> found =
        position < step.size() ? space::integer_of(step[position]) : std::nullopt;
    if (!found || *found < 0)
      return wrong_line(fmt::format("its step {} has no number at position {}", shown_json(step), position));
    return *found;
  }

  static Result<std::vector<std::int64_t>> list(const space::Json& step, std::size_t position) {
    if (position >= step.size() || !step[position].is_array())
      return wrong_line(fmt::format("its step {} has no list at position {}", shown_json(step), position));
    std::vector<std::int64_t> numbers;
    for (const space::Json& item : step[position]) {
      const std::optional<std::int64_t> found = space::integer_of(item);
      if (!found || *found < 0)
        return wrong_line(fmt::format("its step {} has {} in its list", shown_json(step), shown_json(item)));
      numbers.push_back(*found);
    }
    return numbers;
  }

  static std::string name_of(std::string_view what, std::int64_t stage, std::int64_t loop) {
    return fmt::format("{}_{}_{}", what, stage, loop);
  }

  /**
   * Reads [SP, stage, loop, extent, lengths, inner to outer]: the missing outermost length is the remainder.
   */
  Status take_split(const space::Json& step) {
    const std::int64_t stage = TRY(number(step, 1));
    const std::int64_t loop = TRY(number(step, 2));
    const std::int64_t extent = step.size() > 3 && step[3].is_null() ? 0 : TRY(number(step, 3));
    const std::vector<std::int64_t> lengths = TRY(list(step, 4));
    const bool inner_to_outer = step.size() < 6 || TRY(number(step, 5)) != 0;
    std::int64_t product = 1;
    for (const std::int64_t length : lengths) {
      if (length < 1 || length > largest_extent / product)
        return wrong_line(fmt::format("its step {} splits into {}", shown_json(step), length));
      product *= length;
    }
    // If the product of the lengths does not divide the extent, the remainder is not an integer.
    const std::int64_t rest = extent > 0 && extent % product == 0 ? extent / product : -1;
    LoggedChoice choice{.knob = name_of("split", stage, loop), .kind = ChoiceKind::Split, .numbers = lengths};
    if (inner_to_outer || rest == -1)
      choice.numbers.insert(choice.numbers.begin(), rest);
    else
      choice.numbers.push_back(rest);
    trial_.choices.push_back(std::move(choice));
    structure_.push_back({"SP", stage, loop, lengths.size(), inner_to_outer});
    return {};
  }

  Status take_annotation(const space::Json& step) {
    const std::int64_t stage = TRY(number(step, 1));
    const std::int64_t loop = TRY(number(step, 2));
    const auto kind = static_cast<std::size_t>(TRY(number(step, 3)));
    std::string value = kind < annotations.size() ? annotations[kind] : fmt::format("annotation {}", kind);
    trial_.choices.push_back(plain_choice(name_of("annotate", stage, loop), std::move(value)));
    structure_.push_back({"AN", stage, loop});
    return {};
  }

  /** Reads a fusion of consecutive loops, whose number is the choice. */
  Status take_fuse(const space::Json& step) {
    const std::int64_t stage = TRY(number(step, 1));
    const std::vector<std::int64_t> loops = TRY(list(step, 2));
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (loops[i] != loops.front() + static_cast<std::int64_t>(i))
        return wrong_line(fmt::format("its step {} fuses loops that are not consecutive", shown_json(step)));
    const std::int64_t first = loops.empty() ? 0 : loops.front();
    trial_.background.push_back(
        plain_choice(name_of("fuse", stage, first), static_cast<std::int64_t>(loops.size())));
    structure_.push_back({"FU", stage, first});
    return {};
  }

  Status take_pragma(const space::Json& step) {
    const std::int64_t stage = TRY(number(step, 1));
    const std::int64_t loop = TRY(number(step, 2));
    if (step.size() < 4 || !step[3].is_string())
      return wrong_line(fmt::format("its step {} names no pragma", shown_json(step)));
    const auto& text = step[3].get_ref<const std::string&>();
    const std::size_t divider = text.find(pragma_divider);
    const std::string pragma = knob_name_of(text.substr(0, divider));
    space::KnobValue value = text;
    if (divider != std::string::npos)
      if (const std::optional<std::int64_t> steps =
              space::integer_of(space::parse_json(text.substr(divider + 1))))
        value = *steps;
    trial_.choices.push_back(plain_choice(name_of(pragma, stage, loop), std::move(value)));
    structure_.push_back({"PR", stage, loop, pragma});
    return {};
  }

  /** Reads where a stage is computed: at a loop of another stage, inlined, or separately. */
  Status take_place(const space::Json& step, std::string_view kind) {
    const std::int64_t stage = TRY(number(step, 1));
    std::string place = kind == "CI" ? "inlined" : "root";
    if (kind == "CA") {
      const std::int64_t target = TRY(number(step, 2));
      place = fmt::format("at stage {} loop {}", target, TRY(number(step, 3)));
    }
    trial_.background.push_back(plain_choice(fmt::format("compute_{}", stage), std::move(place)));
    structure_.push_back({"at", stage});
    return {};
  }

  VaryingTrial trial_;
  space::Json structure_ = space::Json::array();
};

Status read_input_of(const space::Json& input, AnsorRecord& record) {
  const bool formed = input.is_array() && input.size() >= 2 && input[0].is_array() && input[1].is_array() &&
                      input[0].size() >= 2 && input[0][0].is_string() && input[0][1].is_string();
  if (!formed) return wrong_line(R"(its "i" is not [[workload, target, ...], [stages, steps]])");
  record.workload = input[0][0].get<std::string>();
  record.target = input[0][1].get<std::string>();
  if (record.workload.empty() || !is_clean_text(record.workload, note_limits))
    return wrong_line("its workload is empty, too long, or has control characters");
  if (!is_clean_text(record.target, note_limits))
    return wrong_line("its target is too long, or has control characters");
  const space::Json& state = input[1];
  if (state.size() < 2 || !state[1].is_array()) return wrong_line("its state has no list of steps");
  StepReader steps;
  for (const space::Json& step : state[1]) TRY(steps.take(step));
  record.trial = steps.finish();
  return {};
}

Result<double> duration_of(const space::Json& json, std::string_view what) {
  const double seconds = json.is_number() ? json.get<double>() : std::nan("");
  if (!(seconds >= 0) || !std::isfinite(seconds))
    return wrong_line(fmt::format("its {} {} is not a number of seconds", what, shown_json(json)));
  return seconds;
}

Status read_costs(const space::Json& costs, trial::Measurement& measurement) {
  // The log has 10^10 s instead of a time for failures.
  if (!measurement.valid()) return {};
  for (const space::Json& cost : costs) measurement.samples_seconds.push_back(TRY(duration_of(cost, "cost")));
  std::vector<double>& samples = measurement.samples_seconds;
  if (samples.empty()) return wrong_line("it has neither costs nor an error");
  if (const auto wrong = impossible_sample(samples, 0))
    return wrong_line(fmt::format("one of its costs is impossible, {}", wrong->reason));
  // Ansor's objective.
  measurement.recorded_seconds =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  return {};
}

Status read_result_of(const space::Json& result, AnsorRecord& record) {
  if (!result.is_array() || result.size() < 4 || !result[0].is_array())
    return wrong_line(R"(its "r" is not [costs, error number, all cost, timestamp])");
  const std::optional<std::int64_t> category = space::integer_of(result[1]);
  if (!category || *category < 0)
    return wrong_line(fmt::format("its error number {} is not 0 to 8", shown_json(result[1])));
  set_error(*category, record.measurement.category, record.measurement.message);
  record.measurement.run_seconds = TRY(duration_of(result[2], "total cost"));
  if (const std::string why = impossible_duration(record.measurement.run_seconds); !why.empty())
    return wrong_line(fmt::format("its total cost is impossible, {}", why));
  record.timestamp_seconds = TRY(duration_of(result[3], "timestamp"));
  return read_costs(result[0], record.measurement);
}

}  // namespace

Result<AnsorRecord> ansor_record(const nlohmann::json& line) {
  const space::Json* input = space::member_of(line, "i");
  const space::Json* result = space::member_of(line, "r");
  if (!input || !result) return wrong_line(R"(it has no "i" or no "r")");
  AnsorRecord record;
  if (const space::Json* version = space::member_of(line, "v"); version && version->is_string())
    record.version = base::one_line(version->get<std::string>());
  TRY(read_input_of(*input, record));
  TRY(read_result_of(*result, record));
  return record;
}

}  // namespace kernelscape::exchange
