#include "core/session/client_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/validation_values.h"
#include "core/measure/worker/message_text.h"
#include "core/session/version.h"
#include "core/space/knob_json.h"

namespace kernelscape::session {
namespace {

using space::Json;

constexpr std::int64_t max_per_request = 65'536;

std::unexpected<Error> bad_request(std::string message, std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

/** Refuses members that the protocol does not have, such as misspelled ones, instead of ignoring them. */
Status check_request_members(const Json& object, std::string_view what,
                             std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    return bad_request(fmt::format("{} has the unknown member {}", what, base::quoted_line(name)),
                       base::suggest(name, names));
  }
  return {};
}

std::optional<trial::ErrorCategory> failure_named(std::string_view name) {
  for (std::size_t code = 1; code < trial::error_category_count; ++code) {
    const auto category = static_cast<trial::ErrorCategory>(code);
    if (trial::to_string(category) == name) return category;
  }
  return std::nullopt;
}

Result<trial::ErrorCategory> failure_of(const Json& json) {
  const std::string name = json.is_string() ? json.get<std::string>() : std::string();
  if (const auto category = failure_named(name)) return *category;
  std::vector<std::string> known;
  for (std::size_t code = 1; code < trial::error_category_count; ++code)
    known.emplace_back(trial::to_string(static_cast<trial::ErrorCategory>(code)));
  return bad_request(fmt::format("{} is no category of errors", base::one_line(space::to_text(json))),
                     base::suggest(name, known));
}

/** Reads the time of one run. */
Result<double> call_seconds(const Json& json) {
  const double seconds = json.is_number() ? json.get<double>() : std::nan("");
  if (seconds >= exchange::shortest_call_seconds && seconds <= exchange::longest_seconds) return seconds;
  return bad_request(fmt::format("{} is no time of a run in seconds", base::one_line(space::to_text(json))),
                     fmt::format("give numbers from {} to {}, or an \"error\"",
                                 exchange::shortest_call_seconds, exchange::longest_seconds));
}

Result<std::vector<double>> call_samples(const Json& json) {
  if (json.is_number()) return std::vector<double>{TRY(call_seconds(json))};
  if (!json.is_array() || json.empty() || json.size() > trial::max_repeats)
    return bad_request("\"seconds\" is not the time of a run, or a list of times",
                       fmt::format("give 1 to {} times in seconds", trial::max_repeats));
  std::vector<double> samples;
  for (const Json& sample : json) samples.push_back(TRY(call_seconds(sample)));
  return samples;
}

/** Reads the time that a part of the measurement took; 0 if it is missing. */
Result<double> spent_seconds(const Json& result, std::string_view name) {
  const Json* member = space::member_of(result, name);
  if (member == nullptr) return 0.0;
  const double seconds = member->is_number() ? member->get<double>() : std::nan("");
  if (seconds >= 0 && seconds <= exchange::longest_seconds) return seconds;
  return bad_request(fmt::format("\"{}\" is {}, which is no time in seconds", name,
                                 base::one_line(space::to_text(*member))));
}

/** Reads a metric: a number, or an object with a value and a unit. */
Result<trial::Metric> client_metric(const std::string& name, const Json& json) {
  trial::Metric metric{.name = name, .unit = {}};
  const Json* value = &json;
  if (json.is_object()) {
    TRY(check_request_members(json, fmt::format("the metric {}", base::quoted_line(name)),
                              {"value", "unit"}));
    value = space::member_of(json, "value");
    const Json* unit = space::member_of(json, "unit");
    if (unit != nullptr && !unit->is_string())
      return bad_request(fmt::format("the unit of the metric {} is not a text", base::quoted_line(name)));
    if (unit != nullptr) metric.unit = unit->get<std::string>();
  }
  const bool names = exchange::is_clean_text(name, exchange::name_limits) &&
                     exchange::is_clean_text(metric.unit, exchange::name_limits);
  if (value != nullptr && value->is_number()) metric.value = value->get<double>();
  if (names && value != nullptr && value->is_number() && trial::plausible_metrics({&metric, 1}))
    return metric;
  return bad_request(
      fmt::format("{} is no metric: {}", base::quoted_line(name), base::one_line(space::to_text(json))),
      R"(give a name and a finite number: {"energy": {"value": 0.12, "unit": "J"}}, or {"error": 1e-6})");
}

Result<std::vector<trial::Metric>> client_metrics(const Json& json) {
  const Json* object = space::member_of(json, "metrics");
  if (object == nullptr) return std::vector<trial::Metric>();
  if (!object->is_object() || object->size() > trial::max_metrics)
    return bad_request("\"metrics\" is not an object of names and numbers",
                       fmt::format("give at most {} metrics", trial::max_metrics));
  std::vector<trial::Metric> metrics;
  for (const auto& [name, value] : object->items()) metrics.push_back(TRY(client_metric(name, value)));
  return metrics;
}

Result<ClientResult> client_result(const Json& json) {
  if (!json.is_object()) return bad_request("a result is not an object");
  TRY(check_request_members(
      json, "a result", {"trial", "seconds", "error", "message", "build_seconds", "run_seconds", "metrics"}));
  const Json* trial = space::member_of(json, "trial");
  const auto number = trial == nullptr ? std::nullopt : space::integer_of(*trial);
  if (!number || *number < 0)
    return bad_request("a result has no number \"trial\"", "name the trial as `configurations` did");
  ClientResult read{.trial = *number, .measurement = {}};
  const Json* seconds = space::member_of(json, "seconds");
  const Json* error = space::member_of(json, "error");
  if ((seconds == nullptr) == (error == nullptr))
    return bad_request(fmt::format("the result of trial {} has {}", *number,
                                   seconds == nullptr ? "neither \"seconds\" nor \"error\""
                                                      : "both \"seconds\" and \"error\""),
                       "give \"seconds\", or the \"error\" of a configuration that failed");
  if (seconds != nullptr) read.measurement.samples_seconds = TRY(call_samples(*seconds));
  if (error != nullptr) read.measurement.category = TRY(failure_of(*error));
  if (const Json* message = space::member_of(json, "message")) {
    if (error == nullptr || !message->is_string())
      return bad_request("\"message\" is the text of an \"error\"", "leave it out of a result with seconds");
    read.measurement.message = measure::clean_message(message->get_ref<const std::string&>());
  }
  read.measurement.build_seconds = TRY(spent_seconds(json, "build_seconds"));
  read.measurement.run_seconds = TRY(spent_seconds(json, "run_seconds"));
  read.measurement.metrics = TRY(client_metrics(json));
  return read;
}

Result<ClientRequest> results_request(const Json& object) {
  TRY(check_request_members(object, "tell", {"command", "results"}));
  const Json* results = space::member_of(object, "results");
  if (results == nullptr || !results->is_array() || results->empty() || results->size() > max_per_request)
    return bad_request("tell has no list \"results\"", fmt::format("list 1 to {} results", max_per_request));
  TellRequest request;
  std::set<std::int64_t> trials;
  for (const Json& json : *results) {
    request.results.push_back(TRY(client_result(json)));
    const std::int64_t trial = request.results.back().trial;
    if (!trials.insert(trial).second)
      return bad_request(fmt::format("trial {} occurs twice", trial), "list all its samples as \"seconds\"");
  }
  return request;
}

Result<ClientRequest> ask_request(const Json& object) {
  TRY(check_request_members(object, "ask", {"command", "n"}));
  const Json* count = space::member_of(object, "n");
  if (count == nullptr) return AskRequest{};
  const auto number = space::integer_of(*count);
  if (!number || *number < 1 || *number > max_per_request)
    return bad_request(fmt::format("\"n\" is {}", base::one_line(space::to_text(*count))),
                       fmt::format("ask for 1 to {} configurations", max_per_request));
  return AskRequest{static_cast<std::size_t>(*number)};
}

Result<ClientRequest> hello_request(const Json& object) {
  // A later version may have more members: the version decides.
  const Json* protocol = space::member_of(object, "protocol");
  const auto version = protocol == nullptr ? std::nullopt : space::integer_of(*protocol);
  if (!version) return bad_request("hello has no number \"protocol\"");
  return HelloRequest{*version};
}

Json best_trial(const store::SessionStatus& status) {
  if (status.best_trial < 0) return nullptr;
  return {{"trial", status.best_trial}, {"seconds", status.best_seconds}};
}

}  // namespace

std::string_view to_string(LineError error) {
  static constexpr std::array<std::string_view, 6> names{"bad_line",       "protocol",      "unknown_trial",
                                                         "already_stored", "session_ended", "failed"};
  return names.at(static_cast<std::size_t>(error));
}

Result<ClientRequest> parse_client_request(std::string_view line) {
  const Json object = space::parse_json(line);
  const Json* command = object.is_object() ? space::member_of(object, "command") : nullptr;
  if (command == nullptr || !command->is_string())
    return bad_request("the line is not a JSON object with a \"command\"",
                       R"(write {"command": "ask", "n": 1} on one line)");
  const std::string name = command->get<std::string>();
  if (name == "ask") return ask_request(object);
  if (name == "tell") return results_request(object);
  if (name == "hello") return hello_request(object);
  const std::vector<std::string> known{"ask", "tell", "hello"};
  return bad_request(fmt::format("there is no command {}", base::quoted_line(name)),
                     base::suggest(name, known));
}

std::string hello_line(const store::SessionRecord& record, const Setup& setup, const std::string& database,
                       const store::SessionStatus& earlier, bool resumed) {
  Json parameters = Json::array();
  for (const space::Knob& knob : setup.space.knobs()) parameters.push_back(knob.name());
  const trial::Budget& budget = setup.budget;
  return space::to_text({{"event", "hello"},
                         {"protocol", client_protocol_version},
                         {"program", fmt::format("kernelscape {}", program_version)},
                         {"database", database},
                         {"session", record.id},
                         {"name", record.name},
                         {"resumed", resumed},
                         {"task", setup.task.name},
                         {"parameters", std::move(parameters)},
                         {"tuner", setup.tuner},
                         {"seed", setup.seed},
                         {"batch", record.batch_size},
                         {"budget",
                          {{"trials", budget.trials},
                           {"minutes", budget.minutes},
                           {"target_gflops", budget.target_gflops},
                           {"patience", budget.patience}}},
                         {"trials", earlier.trial_count},
                         {"best", best_trial(earlier)}});
}

std::string message_line(std::string_view text) {
  return space::to_text({{"event", "message"}, {"text", text}});
}

std::string welcome_line() {
  return space::to_text({{"event", "welcome"}, {"protocol", client_protocol_version}});
}

std::string configurations_line(const space::SearchSpace& space, std::span<const HandedOut> configurations,
                                std::size_t outstanding, std::string_view done_reason) {
  Json list = Json::array();
  for (const HandedOut& handed : configurations)
    list.push_back({{"trial", handed.trial},
                    {"configuration", space::parse_json(space.configuration_to_json(handed.configuration))}});
  Json line = {{"event", "configurations"},
               {"configurations", std::move(list)},
               {"outstanding", outstanding},
               {"done", !done_reason.empty()}};
  if (!done_reason.empty()) line["reason"] = done_reason;
  return space::to_text(line);
}

std::string stored_line(std::span<const std::int64_t> trials, const store::SessionStatus& status) {
  Json numbers = Json::array();
  for (const std::int64_t trial : trials) numbers.push_back(trial);
  return space::to_text({{"event", "stored"},
                         {"stored", std::move(numbers)},
                         {"trials", status.trial_count},
                         {"best", best_trial(status)}});
}

std::string error_line(LineError kind, const Error& error) {
  return space::to_text(
      {{"event", "error"}, {"code", to_string(kind)}, {"message", error.message}, {"hint", error.hint}});
}

std::string ended_line(const Outcome& outcome, const space::SearchSpace& space,
                       const space::Configuration* best) {
  Json line = {{"event", "ended"},
               {"session", outcome.id},
               {"state", store::to_string(outcome.status.state)},
               {"reason", outcome.status.state_reason},
               {"trials", outcome.status.trial_count},
               {"best", best_trial(outcome.status)}};
  if (best != nullptr) line["best"]["configuration"] = space::parse_json(space.configuration_to_json(*best));
  return space::to_text(line);
}

}  // namespace kernelscape::session
