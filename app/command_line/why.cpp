#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/why_advice.h"
#include "core/base/numbers.h"
#include "core/session/insight.h"
#include "core/session/trial_roofline.h"

namespace kernelscape::command_line {
namespace {

struct WhyOptions {
  std::string session;
  std::string database;
  std::optional<std::int64_t> trial;
  bool measure = false;
  bool json = false;
};

/** What is known of one trial's kernel. */
struct ExplainedTrial {
  store::SessionId session = 0;
  std::int64_t trial = 0;
  measure::KernelInsight insight;
  std::optional<session::MeasuredCycles> measured{};
  LinesAndAdvice lines{};
};

nlohmann::json mix_json(const machine_code::InstructionMix& mix) {
  nlohmann::json classes = nlohmann::json::object();
  for (std::size_t i = 0; i < machine_code::instruction_class_count; ++i)
    if (mix.counts[i] > 0)
      classes[std::string(machine_code::name_of(static_cast<machine_code::InstructionClass>(i)))] =
          mix.counts[i];
  return {{"instructions", mix.instructions()},       {"classes", classes},
          {"memory_reads", mix.memory_reads},         {"memory_writes", mix.memory_writes},
          {"bytes_loaded", mix.bytes_loaded},         {"bytes_stored", mix.bytes_stored},
          {"multiply_adds", mix.multiply_adds},       {"spills", mix.spills()},
          {"vector_registers", mix.vector_registers}, {"general_registers", mix.general_registers},
          {"accumulators", mix.accumulators},         {"vector_bits", mix.vector_bits}};
}

nlohmann::json bound_json(const machine_code::LoopBound& bound) {
  nlohmann::json parts = nlohmann::json::array();
  for (const machine_code::BoundPart& part : bound.parts)
    parts.push_back(
        {{"resource", machine_code::name_of(part.resource)}, {"cycles", part.cycles}, {"unit", part.unit}});
  return {{"by", bound.by},
          {"processor", bound.processor},
          {"assumed", bound.assumed},
          {"cycles", bound.cycles},
          {"resource", machine_code::name_of(bound.resource)},
          {"parts", parts}};
}

nlohmann::json lines_json(const machine_code::MachineCode& code, const codegen::SourceMap& map,
                          const measure::LineShares& shares) {
  nlohmann::json lines = nlohmann::json::array();
  const machine_code::MachineLoop* hot = code.hot();
  if (hot == nullptr) return lines;
  for (std::size_t i = hot->first_line; i <= hot->last_line; ++i) {
    const machine_code::MachineLine& line = code.lines[i];
    if (line.loop == code.hot_loop)
      lines.push_back({{"text", line.text},
                       {"source_line", line.source_line},
                       {"nest_line", map.nest_line(line.source_line)},
                       {"share", share_json(shares, i)}});
  }
  return lines;
}

nlohmann::json stages_json(const schedule::StageTree& stages) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const schedule::StageNode& node : stages.nodes)
    nodes.push_back({{"kind", schedule::to_string(node.kind)},
                     {"parent", node.parent < 0 ? nlohmann::json() : nlohmann::json(node.parent)},
                     {"text", node.text},
                     {"nest_lines", node.lines}});
  return nodes;
}

nlohmann::json why_event(const ExplainedTrial& explained) {
  const measure::KernelInsight& insight = explained.insight;
  const machine_code::MachineCode& code = insight.shown_code();
  nlohmann::json event = {{"event", "why"},
                          {"session", explained.session},
                          {"trial", explained.trial},
                          {"headline", measure::headline(insight)},
                          {"compiler", insight.compiler},
                          {"notes", insight.notes},
                          {"code_problem", insight.code_problem},
                          {"stages", stages_json(insight.stages)},
                          {"bounds", nlohmann::json::array()},
                          {"hot_loop", nullptr},
                          {"measured", nullptr}};
  for (const machine_code::LoopBound& bound : insight.bounds) event["bounds"].push_back(bound_json(bound));
  if (const machine_code::MachineLoop* hot = code.hot(); hot != nullptr)
    event["hot_loop"] = {{"iterations", number_or_null(hot->iterations)},
                         {"exact", hot->exact},
                         {"multiply_adds", hot->multiply_adds},
                         {"depth", hot->depth},
                         {"mix", mix_json(hot->mix)},
                         {"lines", lines_json(code, insight.map, explained.lines.shares)}};
  event.update(lines_and_advice_json(explained.lines, insight));
  if (explained.measured)
    event["measured"] = {{"cycles", explained.measured->cycles},
                         {"seconds", explained.measured->seconds},
                         {"clock_hertz", explained.measured->clock_hertz},
                         {"threads", explained.measured->threads},
                         {"memory_bound", explained.measured->memory_bound}};
  return event;
}

constexpr std::size_t max_shown_ranges = 8;

/** "3, 17-20", of many the first: numbers ascend. */
std::string ranges_text(const std::vector<int>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < numbers.size();) {
    if (ranges.size() == max_shown_ranges) {
      ranges.emplace_back("...");
      break;
    }
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(first == last ? std::to_string(numbers[first])
                                   : fmt::format("{}-{}", numbers[first], numbers[last]));
    first = last + 1;
  }
  return base::join(ranges, ", ");
}

base::TerminalText stages_text(const schedule::StageTree& stages) {
  if (stages.nodes.empty()) return {};
  TextTable table({"stages and their loops [lines of the nest]"});
  for (std::size_t i = 0; i < stages.nodes.size(); ++i) {
    const schedule::StageNode& node = stages.nodes[i];
    std::string text = fmt::format("{:{}}{}", "", 2 * stages.depth_of(static_cast<int>(i)), node.text);
    if (!node.lines.empty()) text += fmt::format(" [{}]", ranges_text(node.lines));
    table.add({text});
  }
  return "\n" + table.text();
}

base::TerminalText mix_text(const machine_code::MachineLoop& hot) {
  const machine_code::InstructionMix& mix = hot.mix;
  TextTable table({"per iteration", "count"});
  for (std::size_t i = 0; i < machine_code::instruction_class_count; ++i)
    if (mix.counts[i] > 0)
      table.add({std::string(machine_code::plural_of(static_cast<machine_code::InstructionClass>(i))),
                 std::to_string(mix.counts[i])});
  table.add({"multiply-adds, lanes counted", std::to_string(mix.multiply_adds)});
  table.add({"bytes loaded", std::to_string(mix.bytes_loaded)});
  table.add({"bytes stored", std::to_string(mix.bytes_stored)});
  table.add({"vector registers", std::to_string(mix.vector_registers)});
  table.add({"general registers", std::to_string(mix.general_registers)});
  table.add({"accumulators", std::to_string(mix.accumulators)});
  if (hot.iterations > 0)
    table.add({hot.exact ? "iterations per call" : "iterations per call, about",
               base::number_text(hot.iterations)});
  return "\n" + table.text();
}

base::TerminalText bounds_text(const measure::KernelInsight& insight) {
  if (insight.bounds.empty()) return {};
  TextTable table({"cycles per iteration", "what needs them", "by", "processor"});
  for (const machine_code::LoopBound& bound : insight.bounds)
    for (const machine_code::BoundPart& part : bound.parts)
      table.add({base::number_text(part.cycles),
                 std::string(machine_code::name_of(part.resource)) +
                     (part.unit.empty() ? "" : " (" + part.unit + ")"),
                 bound.by, bound.processor});
  return "\n" + table.text();
}

base::TerminalText loop_text(const machine_code::MachineCode& code, const codegen::SourceMap& map,
                             const measure::LineShares& shares) {
  const machine_code::MachineLoop* hot = code.hot();
  if (hot == nullptr) return {};
  const bool time = shares.kind == measure::ShareKind::Time;
  TextTable table({time ? "time" : "instructions", "line of source", "of nest", "instruction"});
  const auto number = [](int line) { return line > 0 ? std::to_string(line) : std::string("-"); };
  for (std::size_t i = hot->first_line; i <= hot->last_line; ++i) {
    const machine_code::MachineLine& line = code.lines[i];
    if (line.loop == code.hot_loop)
      table.add({line.instruction() ? share_cell(shares, i) : "",
                 line.instruction() ? number(line.source_line) : "",
                 line.instruction() ? number(map.nest_line(line.source_line)) : "",
                 line.instruction() ? line.text : line.text + ":"});
  }
  return "\n" + table.text();
}

base::TerminalText measured_text(const session::MeasuredCycles& measured,
                                 const machine_code::LoopBound* bound) {
  base::TerminalText text = base::write<base::Terminal>(
      "\nmeasured    {} cycles per iteration at {} GHz, {} per call\n", base::number_text(measured.cycles),
      base::number_text(measured.clock_hertz * 1e-9), base::time_text(measured.seconds));
  if (bound != nullptr && measured.cycles > 0)
    text += base::write<base::Terminal>(
        "            the bound is {} of that{}\n", base::percent_text(bound->cycles / measured.cycles),
        std::string(measured.memory_bound ? "; memory takes longer than the bound" : ""));
  return text;
}

/** Returns the counters that were stored when the trial was counted; nullopt: it was not, or they are
 * damaged. */
Result<std::optional<trial::CounterReading>> stored_counters(const store::Store& store,
                                                             const ExplainedTrial& explained) {
  const auto text = TRY(store.trials().insight(explained.session, explained.trial, session::counters_kind));
  if (!text) return std::nullopt;
  const Result<trial::CounterReading> reading = trial::counter_reading_from_json(*text);
  return reading ? std::optional(*reading) : std::nullopt;
}

Result<ExplainedTrial> explain(const WhyOptions& options) {
  const store::Store store = TRY(open_store(options.database));
  ExplainedTrial explained;
  explained.session = TRY(find_one_session(store, options.session));
  const session::Report report = TRY(session::make_session_report(store, explained.session));
  if (!options.trial && !report.best_trial)
    return fail(ErrorCode::NotFound, fmt::format("session {} has no valid trial", explained.session),
                "name a trial with --trial; `kernelscape show` says what went wrong");
  explained.trial = options.trial ? *options.trial : *report.best_trial;
  const trial::Trial trial = TRY(store.trials().get(explained.session, explained.trial));
  const measure::InsightRequest request =
      TRY(session::insight_request_of(report.session.record, trial.configuration));
  explained.insight = TRY(measure::kernel_insight(request));
  std::optional<trial::CounterReading> counters = TRY(stored_counters(store, explained));
  if (options.measure) {
    explained.measured =
        TRY(session::measure_cycles(store, explained.session, trial.configuration, explained.insight));
    counters = explained.measured->counters;
  }
  const session::ScheduleFacts schedule =
      TRY(session::schedule_facts(report.session.record, trial.configuration));
  explained.lines = lines_and_advice(explained.insight, schedule, counters ? &*counters : nullptr);
  return explained;
}

Result<int> run_why(const WhyOptions& options) {
  const ExplainedTrial explained = TRY(explain(options));
  if (options.json) {
    print_json_line(why_event(explained));
    return exit_done;
  }
  const measure::KernelInsight& insight = explained.insight;
  const machine_code::MachineCode& code = insight.shown_code();
  print("session {}, trial {}\n{}\n", explained.session, explained.trial, measure::headline(insight));
  print(stages_text(insight.stages));
  if (const machine_code::MachineLoop* hot = code.hot(); hot != nullptr) print(mix_text(*hot));
  print(bounds_text(insight));
  if (explained.measured) print(measured_text(*explained.measured, insight.bound()));
  print(shares_text(explained.lines, insight));
  print(advice_text(explained.lines));
  print(loop_text(code, insight.map, explained.lines.shares));
  for (const std::string& note : insight.notes) print("\n{}\n", note);
  return exit_done;
}

}  // namespace

Command add_why_command(CLI::App& program) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* app =
      program.add_subcommand("why",
                             "Explain a kernel's performance: its stages and loops, its hot loop, "
                             "instructions and registers, and on a processor the bounds of the loop");
  app->add_option("SESSION", options->session, "Its number or name")->required();
  app->add_option("--trial", options->trial, "Which trial (default: the best one)")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
  app->add_flag("--measure", options->measure,
                "Measure the trial again on this machine's processor, as soon as no other process uses it: "
                "the cycles per iteration and their bound, counters, and the time of each line");
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_why(*options); }};
}

}  // namespace kernelscape::command_line
