#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command_line.h"
#include "app/command_line/console.h"
#include "core/base/text.h"
#include "core/exchange/export_formats.h"
#include "core/session/preparation.h"
#include "core/session/targets.h"
#include "core/session/version.h"
#include "core/study/study.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/search_time.h"
#include "core/tuner/tuner.h"
#include "tests/base/media_readers.h"

using namespace kernelscape;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

/** As it is printed: a line of what is wrong and one of the way out, with nothing that a terminal obeys. */
void check_error(const Error& error) {
  must(!error.message.empty() && !error.hint.empty());
  must(command_line::exit_code_of(error) == command_line::exit_wrong_usage);
  const std::string text = command_line::error_text(error).text();
  must(text.ends_with('\n') && std::ranges::count(text, '\n') == 2 && !base_tests::steers(text, U"\n"));
}

template <typename T>
bool check_result(const Result<T>& result) {
  if (!result) check_error(result.error());
  return result.has_value();
}

/** The program's arguments as they are parsed; nothing is run. */
class Parsed {
 public:
  explicit Parsed(const std::vector<std::string>& arguments) {
    std::vector<const char*> words{"kernelscape"};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    result_ = line_.parse(static_cast<int>(words.size()), words.data(), output_);
  }

  const Result<std::optional<int>>& result() const { return result_; }
  const command_line::Command* command() const { return line_.command(); }
  std::string output() const { return output_.str(); }

 private:
  command_line::CommandLine line_{nullptr, nullptr};
  std::ostringstream output_;
  Result<std::optional<int>> result_;
};

void check_answer(const Parsed& parsed) {
  must(*parsed.result() == command_line::exit_done);
  const std::string output = parsed.output();
  must(output == std::string(session::program_version) + "\n" || output.contains("Usage: kernelscape"));
}

/** A command explains itself, whatever else was said of it. */
void check_help(const std::string& command) {
  static std::set<std::string> checked;
  if (!checked.insert(command).second) return;
  const Parsed help({command, "--help"});
  must(help.result() && *help.result());
  check_answer(help);
  must(help.output().contains("Usage: kernelscape " + command));
}

/** No option is the value of another, and whole numbers are what they look like. */
void check_values(const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& value : option->results()) must(!names.contains(value));
    if (option->count() == 0 || !option->get_type_name().starts_with("N:")) continue;
    must(std::to_string(option->as<std::uint64_t>()) == option->results().front());
  }
}

void check_task(const std::string& text) {
  const Result<task::OperandTypes> types = task::parse_operand_types(text);
  if (check_result(types)) must(task::to_string(*types) == text);
  if (const Result<task::Task> task = task::parse_task(text); check_result(task))
    must(task::parse_task(task->text) == *task);
  if (const Result<task::Task> task = task::task_from_json(text); check_result(task))
    must(task::task_from_json(task::task_to_json(*task)) == *task);
}

/** Knobs of every kind. */
space::SearchSpace some_space() {
  return *space::SearchSpace::make({*space::Knob::factorization("tile", 16, 2),
                                    *space::Knob::ordinal("step", {std::int64_t{0}, std::int64_t{16}}),
                                    *space::Knob::categorical("layout", {std::string("rows"), 0.5, true}),
                                    *space::Knob::permutation("order", {"x", "y"})});
}

void check_restriction(const std::string& text) {
  static const space::SearchSpace space = some_space();
  const Result<session::KnobRestriction> restriction = session::parse_restriction(text);
  if (!check_result(restriction)) return;
  const Result<space::SearchSpace> restricted = session::restrict_space(space, {*restriction});
  if (!check_result(restricted)) return;
  const std::optional<base::uint128> members = restricted->member_count();
  must(members && *members > 0 && *members <= space.size());
  const std::uint32_t knob = space.find_knob(restriction->knob).value();
  std::set<std::int64_t> kept;
  for (base::uint128 index = 0; index < space.size(); ++index) {
    const space::Configuration configuration = space.at(index);
    if (restricted->contains(configuration))
      kept.insert(space.knobs()[knob].element(configuration.indices[knob], restriction->position));
  }
  // Each that is named at most once, however it is written.
  must(kept.size() <= restriction->values.size() + restriction->texts.size());
}

void check_search(const std::string& text) {
  if (const Result<trial::SearchTime> time = trial::parse_search_time(text); check_result(time))
    must(trial::parse_search_time(trial::to_string(*time)) == *time);
  const Result<trial::AdaptivePerformance> performance = trial::parse_adaptive_performance(text);
  if (check_result(performance)) must(trial::to_string(*performance) == text);
  check_result(session::check_target_choice(text, "", false));
  check_result(session::check_target_choice("cuda", text, false));
  check_result(tuner::find_tuner(text));
  check_result(exchange::find_export_format(text));
}

/** A tuner with its settings, as `study --tuners` takes it and, of each tuner, `tune --set`. */
void check_arm(const std::string& text) {
  const Result<study::Arm> arm = study::parse_arm(text);
  if (check_result(arm)) {
    std::string again = study::default_arm_name(arm->tuner, {}, arm->batch);
    for (const auto& [name, value] : arm->settings) again += ":" + name + "=" + value;
    must(study::parse_arm(again) == *arm);
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;
  const std::map<std::string, std::string> setting{{text.substr(0, equals), text.substr(equals + 1)}};
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    check_result(tuner::parse_settings(tuner, setting));
}

}  // namespace

/** Arguments, each ended by a zero byte: they are parsed, or the error says what is wrong and the way out. So
 * does what reads the texts of single options. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments =
      base::split_text(std::string_view(reinterpret_cast<const char*>(data), size), '\0');
  if (arguments.back().empty()) arguments.pop_back();
  const Parsed parsed(arguments);
  if (check_result(parsed.result())) {
    if (*parsed.result()) check_answer(parsed);
    if (const command_line::Command* command = parsed.command()) check_values(*command->app);
  }
  if (const command_line::Command* command = parsed.command()) check_help(command->app->get_name());
  for (const std::string& argument : arguments) {
    check_task(argument);
    check_restriction(argument);
    check_search(argument);
    check_arm(argument);
  }
  return 0;
}
