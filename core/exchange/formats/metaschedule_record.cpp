#include "core/exchange/formats/metaschedule_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/visible_text.h"
#include "core/exchange/import_json.h"
#include "core/exchange/validation_values.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

/** A failure has 10^10 instead of a time; in 32-bit numbers approximately that. */
constexpr double min_seconds_of_failures = 9e9;
constexpr std::string_view failed_candidate = "it failed: MetaSchedule stores no reason";
constexpr std::string_view annotation_prefix = "meta_schedule.";
constexpr std::int64_t location_inlined = -2;
constexpr std::int64_t location_root = -1;
constexpr std::size_t max_workload_blocks = 64;
/** Limits of the name of a variable's subject; names of copies of copies grow. */
constexpr TextLimits subject_limits{128, false};

std::unexpected<Error> wrong_record_line(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message),
              "a line of MetaSchedule's tuning records is [workload, [trace, seconds, target, arguments]]");
}

/** Returns the texts of a list; other values are ignored. */
std::vector<std::string> texts_of(const space::Json& list) {
  std::vector<std::string> texts;
  for (const space::Json& item : list)
    if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

/** An instruction of a trace: [name, inputs, attributes, outputs]. */
struct Instruction {
  const std::string& name;
  const space::Json& inputs;
  const space::Json& attributes;
  std::vector<std::string> outputs;
};

Result<Instruction> instruction_of(const space::Json& json) {
  const bool formed = json.is_array() && json.size() >= 4 && json[0].is_string() && json[1].is_array() &&
                      json[2].is_array() && json[3].is_array();
  if (!formed)
    return wrong_record_line(fmt::format("its trace has {} instead of an instruction", shown_json(json)));
  return Instruction{json[0].get_ref<const std::string&>(), json[1], json[2], texts_of(json[3])};
}

bool gets_block(const Instruction& instruction) {
  return instruction.name == "GetBlock" || instruction.name == "GetSBlock";
}

/** Reads a trace and names its decisions. */
class TraceReader {
 public:
  Status read(const space::Json& trace) {
    const bool formed = trace.is_array() && trace.size() >= 2 && trace[0].is_array() && trace[1].is_array();
    if (!formed) return wrong_record_line("its trace is not [instructions, decisions]");
    TRY(read_decisions(trace[1], trace[0].size()));
    space::Json structure = space::Json::array();
    bool postprocessed = false;
    for (std::size_t i = 0; i < trace[0].size(); ++i) {
      const Instruction instruction = TRY(instruction_of(trace[0][i]));
      postprocessed = postprocessed || instruction.name == "EnterPostproc";
      if (postprocessed && !decisions_.contains(i)) continue;
      TRY(take(i, instruction));
      // The later instructions follow from the earlier decisions.
      if (!postprocessed) structure.push_back(trace[0][i]);
    }
    number_names(trial_.choices);
    trial_.structure = space::to_text(structure);
    return {};
  }

  VaryingTrial& trial() { return trial_; }
  std::vector<std::string>& blocks() { return blocks_; }

 private:
  Status read_decisions(const space::Json& decisions, std::size_t instructions) {
    if (decisions.size() > space::max_space_knobs)
      return wrong_record_line(
          fmt::format("it has {} decisions, at most {} are read", decisions.size(), space::max_space_knobs));
    for (const space::Json& entry : decisions) {
      const bool formed = entry.is_array() && entry.size() == 2;
      const std::optional<std::int64_t> index = formed ? space::integer_of(entry[0]) : std::nullopt;
      if (!index || *index < 0 || static_cast<std::size_t>(*index) >= instructions)
        return wrong_record_line(fmt::format("its decision {} belongs to no instruction", shown_json(entry)));
      if (!decisions_.emplace(static_cast<std::size_t>(*index), &entry[1]).second)
        return wrong_record_line(fmt::format("it has two decisions for instruction {}", *index));
    }
    return {};
  }

  Status take(std::size_t index, const Instruction& instruction) {
    const auto decision = decisions_.find(index);
    if (decision != decisions_.end()) TRY(take_decision(instruction, *decision->second));
    if (instruction.name == "Annotate") name_use(instruction);
    name_outputs(instruction);
    return {};
  }

  /** Returns the subject of a variable: "conv2d_0" for a block's first loop. */
  std::string subject_of(const space::Json& inputs) const {
    for (const std::string& variable : texts_of(inputs))
      if (const auto found = subjects_.find(variable); found != subjects_.end()) return found->second;
    return {};
  }

  void name_outputs(const Instruction& instruction) {
    std::string subject = subject_of(instruction.inputs);
    if (gets_block(instruction)) {
      const bool named = !instruction.attributes.empty() && instruction.attributes[0].is_string();
      subject = named ? cleaned_text(instruction.attributes[0].get_ref<const std::string&>(), subject_limits)
                      : std::string();
      const bool fresh = std::ranges::find(blocks_, subject) == blocks_.end();
      if (!subject.empty() && subject != "root" && fresh && blocks_.size() < max_workload_blocks)
        blocks_.push_back(subject);
    }
    const bool loops = instruction.name == "GetLoops";
    const bool copies = instruction.name == "CacheRead" || instruction.name == "CacheWrite";
    if (copies) subject += copy_name(instruction);
    for (std::size_t i = 0; i < instruction.outputs.size(); ++i)
      subjects_[instruction.outputs[i]] =
          cleaned_text(loops ? fmt::format("{}_{}", subject, i) : subject, subject_limits);
  }

  /** Returns the name of a copy of a block's input or output, which is a separate block. */
  static std::string copy_name(const Instruction& instruction) {
    const bool numbered = !instruction.attributes.empty() && instruction.attributes[0].is_number_integer();
    return fmt::format("_{}{}", instruction.name == "CacheRead" ? "read" : "write",
                       numbered ? space::to_text(instruction.attributes[0]) : "");
  }

  /** Returns the joined name, cut if it is too long for a knob. */
  static std::string joined_name(std::string_view what, std::string_view subject) {
    what = what.substr(0, subject_limits.max_bytes);
    return knob_name_of(subject.empty() ? std::string(what) : fmt::format("{}_{}", what, subject));
  }

  Status take_decision(const Instruction& instruction, const space::Json& decision) {
    const std::string subject = subject_of(instruction.inputs);
    const bool tile = instruction.name == "SamplePerfectTile" || instruction.name == "SamplePartitionedTile";
    if (tile) {
      LoggedChoice choice{.knob = joined_name("tile", subject), .kind = ChoiceKind::Split};
      TRY(read_factors(decision, choice.numbers));
      trial_.choices.push_back(std::move(choice));
    } else if (instruction.name == "SampleCategorical") {
      if (!instruction.outputs.empty()) unnamed_[instruction.outputs[0]] = trial_.choices.size();
      trial_.choices.push_back(plain_choice("categorical", TRY(category_of(instruction, decision))));
    } else if (instruction.name == "SampleComputeLocation") {
      trial_.choices.push_back(plain_choice(joined_name("compute_at", subject), location_of(decision)));
    } else {
      trial_.choices.push_back(plain_choice(joined_name(instruction.name, subject), value_of(decision)));
    }
    return {};
  }

  static space::KnobValue value_of(const space::Json& json) {
    const std::optional<space::KnobValue> known = space::value_from_json(json);
    return known ? *known : space::KnobValue(space::to_text(json));
  }

  static space::KnobValue location_of(const space::Json& decision) {
    const std::optional<std::int64_t> location = space::integer_of(decision);
    if (location == location_inlined) return std::string("inlined");
    if (location == location_root) return std::string("root");
    return location ? space::KnobValue(fmt::format("loop {}", *location)) : value_of(decision);
  }

  static Status read_factors(const space::Json& decision, std::vector<std::int64_t>& factors) {
    if (!decision.is_array() || decision.empty())
      return wrong_record_line(fmt::format("its decision {} is not a list of factors", shown_json(decision)));
    for (const space::Json& item : decision) {
      const std::optional<std::int64_t> factor = space::integer_of(item);
      if (!factor || *factor < 1)
        return wrong_record_line(
            fmt::format("its decision {} is not a list of factors", shown_json(decision)));
      factors.push_back(*factor);
    }
    return {};
  }

  /** Returns the chosen candidate: attributes are [candidates, probabilities], a decision is an index. */
  static Result<space::KnobValue> category_of(const Instruction& instruction, const space::Json& decision) {
    const std::optional<std::int64_t> place = space::integer_of(decision);
    const bool listed = !instruction.attributes.empty() && instruction.attributes[0].is_array();
    if (!place || !listed) return value_of(decision);
    const space::Json& candidates = instruction.attributes[0];
    if (*place < 0 || static_cast<std::size_t>(*place) >= candidates.size())
      return wrong_record_line(
          fmt::format("its decision {} is not one of {} candidates", *place, candidates.size()));
    return value_of(candidates[static_cast<std::size_t>(*place)]);
  }

  /** Names the use of a category from an annotation: "meta_schedule.unroll_explicit". */
  void name_use(const Instruction& instruction) {
    if (instruction.attributes.empty() || !instruction.attributes[0].is_string()) return;
    std::string_view use = instruction.attributes[0].get_ref<const std::string&>();
    if (use.starts_with(annotation_prefix)) use.remove_prefix(annotation_prefix.size());
    const std::string subject = subject_of(instruction.inputs);
    for (const std::string& variable : texts_of(instruction.inputs)) {
      const auto found = unnamed_.find(variable);
      if (found == unnamed_.end()) continue;
      trial_.choices[found->second].knob = joined_name(use, subject == "root" ? "" : subject);
      unnamed_.erase(found);
    }
  }

  std::map<std::size_t, const space::Json*> decisions_;
  std::map<std::string, std::string> subjects_;  ///< by variable
  std::vector<std::string> blocks_;
  std::map<std::string, std::size_t> unnamed_;  ///< choices of categories by variable, until they are used
  VaryingTrial trial_;
};

/** Returns a target as options on one line. A target is an object; older versions have fewer members. */
std::string target_text(const space::Json& target) {
  if (target.is_string()) return target.get<std::string>();
  if (!target.is_object()) return {};
  const space::Json* kind = space::member_of(target, "kind");
  std::string text = kind && kind->is_string() ? kind->get<std::string>() : std::string("unknown");
  const auto add = [&](std::string_view name, const space::Json& value) {
    std::string word = value.is_string() ? value.get<std::string>() : space::to_text(value);
    std::ranges::replace(word, ' ', '-');
    if (!word.empty()) text += fmt::format(" -{}={}", name, word);
  };
  for (const auto& [name, value] : target.items())
    if (name != "kind" && name != "tag" && name != "host" && !value.is_structured()) add(name, value);
  // The name of a device that TVM knows.
  const space::Json* tag = space::member_of(target, "tag");
  if (tag && tag->is_string() && !target.contains("model")) add("model", *tag);
  return text;
}

/** Converts [["TENSOR", type, shape], ...] to the order of AutoTVM's logs, with shapes before types. */
std::string arguments_text(const space::Json& arguments) {
  if (!arguments.is_array() || arguments.empty()) return {};
  space::Json tensors = space::Json::array();
  for (const space::Json& argument : arguments) {
    const bool tensor = argument.is_array() && argument.size() == 3 && argument[2].is_array();
    tensors.push_back(tensor ? space::Json::array({argument[0], argument[2], argument[1]}) : argument);
  }
  return space::to_text(tensors);
}

Result<trial::Measurement> measurement_of_seconds(const space::Json& seconds) {
  if (!seconds.is_array() || seconds.empty()) return wrong_record_line("it has no time");
  trial::Measurement measurement;
  bool failed = false;
  for (const space::Json& item : seconds) {
    if (!item.is_number()) return wrong_record_line(fmt::format("its time {} is invalid", shown_json(item)));
    measurement.samples_seconds.push_back(item.get<double>());
    failed = failed || measurement.samples_seconds.back() >= min_seconds_of_failures;
  }
  std::vector<double>& samples = measurement.samples_seconds;
  if (failed) {
    samples.clear();
    measurement.category = trial::ErrorCategory::UnknownError;
    measurement.message = failed_candidate;
    return measurement;
  }
  if (const auto wrong = impossible_sample(samples, 0))
    return wrong_record_line(fmt::format("one of its times is impossible, {}", wrong->reason));
  // The value by which MetaSchedule sorts.
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  measurement.recorded_seconds = sum / static_cast<double>(samples.size());
  measurement.run_seconds = sum;
  return measurement;
}

}  // namespace

Result<MetaScheduleRecord> metaschedule_record(const nlohmann::json& line) {
  const bool formed = line.is_array() && line.size() == 2 && line[0].is_number_unsigned() &&
                      line[1].is_array() && line[1].size() >= 2;
  if (!formed) return wrong_record_line("it is not a tuning record");
  const space::Json& said = line[1];
  MetaScheduleRecord record;
  record.workload = line[0].get<std::uint64_t>();
  record.measurement = TRY(measurement_of_seconds(said[1]));
  if (said.size() > 2) record.target = target_text(said[2]);
  if (said.size() > 3) record.arguments = arguments_text(said[3]);
  for (const std::string* text : {&record.target, &record.arguments})
    if (!is_clean_text(*text, note_limits))
      return wrong_record_line("its target or its arguments are too long, or have control characters");
  TraceReader trace;
  TRY(trace.read(said[0]));
  record.trial = std::move(trace.trial());
  record.blocks = std::move(trace.blocks());
  return record;
}

}  // namespace kernelscape::exchange
