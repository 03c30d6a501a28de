#include "core/measure/program/program_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/quantile.h"
#include "core/base/visible_text.h"
#include "core/measure/program/result_numbers.h"
#include "core/measure/program/run_folder.h"
#include "core/project/source.h"
#include "core/trial/adaptive_evaluator.h"

namespace kernelscape::measure {
namespace {

constexpr std::size_t max_notice_letters = 300;

void fail_trial(trial::Measurement& measurement, CommandFailure failure) {
  measurement.category = failure.category;
  measurement.message = std::move(failure.message);
  measurement.samples_seconds.clear();
}

/** One trial of a program: its runs, and what they report. */
class ProgramTrial {
 public:
  ProgramTrial(const project::KernelProject& project, const ProgramRun& run, CommandWorker& worker,
               TimingMark& timing_mark, const Interruption& interruption)
      : project_(project),
        program_(*project.program),
        run_(run),
        worker_(worker),
        timing_mark_(timing_mark),
        interruption_(interruption),
        evaluator_(run.options),
        metrics_(program_.metrics.size()),
        unread_(program_.metrics.size()) {}

  Result<std::optional<trial::Measurement>> measure() {
    const auto start = std::chrono::steady_clock::now();
    for (int repeat = -run_.options.warmups; wants_more(); ++repeat) {
      if (!TRY(run_once(repeat >= 0))) return std::nullopt;
    }
    if (result_.valid()) finish();
    result_.run_seconds = seconds_since(start);
    return std::move(result_);
  }

  /** Returns why a metric could not be read from the last run that lacked it; empty: each run had it. */
  const std::vector<std::optional<Error>>& unread_metrics() const { return unread_; }

 private:
  std::size_t repeats() const { return static_cast<std::size_t>(run_.options.repeats); }

  bool wants_more() const {
    return result_.valid() && !enough_ && result_.samples_seconds.size() < repeats();
  }

  /** Runs the program once; returns false if it was interrupted. */
  Result<bool> run_once(bool timed) {
    remove_results();
    CommandRequest request = request_of(run_.commands.run, program_.run.timeout_seconds);
    if (run_.timeout_seconds > 0)
      request.timeout_seconds = std::min(request.timeout_seconds, run_.timeout_seconds);
    const std::optional<CommandReply> reply = TRY(run_marked(request, timed));
    if (!reply) return false;
    if (auto failure = failure_of(ProgramStepKind::Run, request, *reply))
      return fail_trial(result_, *std::move(failure)), true;
    if (!std::exchange(checked_, true) && !TRY(check(*reply))) return false;
    return !result_.valid() || take_numbers(*reply, timed);
  }

  Result<std::optional<CommandReply>> run_marked(const CommandRequest& request, bool timed) {
    std::optional<TimingMark::Scope> timing;
    if (timed) timing.emplace(timing_mark_);
    return worker_.run(request, interruption_);
  }

  /** A file of an earlier run must not be taken for a result; the size of a file that was built may be. */
  void remove_results() const {
    const auto remove = [this](const project::ProgramNumber& number) {
      const bool built =
          number.kind == project::ReadingKind::FileSize && run_.build.sized_files.contains(number.file);
      if (!number.file.empty() && !built) remove_run_file(run_.build.folder, number.file);
    };
    remove(program_.objective);
    std::ranges::for_each(program_.metrics, remove);
  }

  CommandRequest request_of(const project::StepCommands& step, double project_timeout) const {
    CommandRequest request = command_request(project_, step, 0, run_.build.folder, run_.options);
    request.timeout_seconds = project_timeout > 0 ? project_timeout : run_.options.run_timeout_seconds;
    return request;
  }

  /** Runs the check command, which reads what the run printed; returns false if it was interrupted. */
  Result<bool> check(const CommandReply& ran) {
    if (!run_.check || run_.commands.check.commands.empty()) return true;
    CommandRequest request = request_of(run_.commands.check, program_.check.timeout_seconds);
    request.input = ran.output;
    const std::optional<CommandReply> reply = TRY(worker_.run(request, interruption_));
    if (!reply) return false;
    if (auto failure = failure_of(ProgramStepKind::Check, request, *reply))
      fail_trial(result_, *std::move(failure));
    return true;
  }

  /** Reads the numbers of a run; returns false if it was interrupted. */
  bool take_numbers(const CommandReply& reply, bool timed) {
    const auto numbers = read(program_.objective, reply);
    if (!numbers && interruption_.now()) return false;
    if (!numbers) return fail_reading(describe(numbers.error()), reply), true;
    for (const double number : *numbers) {
      const double seconds = project::objective_seconds(project_, number);
      if (!(number > 0) || !std::isfinite(seconds) || !(seconds > 0)) {
        fail_reading(fmt::format("{} is {}, and an objective is above 0", program_.objective.name, number),
                     reply);
        return true;
      }
      if (timed) add_sample(number, seconds);
    }
    for (std::size_t i = 0; timed && i < program_.metrics.size(); ++i) {
      const auto numbers_of_metric = read(program_.metrics[i], reply);
      if (!numbers_of_metric && interruption_.now()) return false;
      if (numbers_of_metric)
        metrics_[i].insert(metrics_[i].end(), numbers_of_metric->begin(), numbers_of_metric->end());
      else
        unread_[i] = numbers_of_metric.error();
    }
    return true;
  }

  Result<std::vector<double>> read(const project::ProgramNumber& number, const CommandReply& reply) const {
    return read_numbers(number, reply, run_.build.folder, interruption_);
  }

  void fail_reading(const std::string& sentence, const CommandReply& reply) {
    fail_trial(result_, {trial::ErrorCategory::RuntimeDevice, with_log_end(sentence, reply)});
  }

  void add_sample(double number, double seconds) {
    if (result_.samples_seconds.size() == static_cast<std::size_t>(trial::max_repeats)) return;
    const double limit = run_.options.give_up_factor * run_.best_seconds;
    const bool first = result_.samples_seconds.empty();
    objective_.push_back(number);
    result_.samples_seconds.push_back(seconds);
    if (first && limit > 0 && seconds > limit) result_.cut_short = enough_ = true;
    if (evaluator_.ends_after(seconds)) enough_ = true;
  }

  void finish() {
    if (!result_.cut_short && result_.samples_seconds.size() < repeats()) result_.count_saved(repeats());
    const project::ProgramNumber& objective = program_.objective;
    // What is stored as seconds is shown as the program reported it as well.
    if (!project::is_time_unit(objective.unit)) add_metric(objective, objective_);
    for (std::size_t i = 0; i < program_.metrics.size(); ++i) add_metric(program_.metrics[i], metrics_[i]);
  }

  void add_metric(const project::ProgramNumber& number, const std::vector<double>& values) {
    if (!values.empty()) result_.add_metric({number.name, number.unit, base::quantile(values, 0.5)});
  }

  const project::KernelProject& project_;
  const project::Program& program_;
  const ProgramRun& run_;
  CommandWorker& worker_;
  TimingMark& timing_mark_;
  const Interruption& interruption_;
  trial::AdaptiveEvaluator evaluator_;
  trial::Measurement result_;
  std::vector<double> objective_;             ///< numbers of the samples, in the project's unit
  std::vector<std::vector<double>> metrics_;  ///< numbers of the timed runs
  std::vector<std::optional<Error>> unread_;
  bool checked_ = false;
  bool enough_ = false;  ///< no further sample is needed
};

}  // namespace

Result<ProgramCommands> commands_of(const kernel::ProjectFamily& family,
                                    const space::Configuration& configuration) {
  const project::KernelProject& project = family.project();
  const project::PythonNames names = project::names_of_configuration(project, family.space(), configuration);
  ProgramCommands commands;
  commands.build = TRY(project::step_commands(project.program->build, names));
  commands.run = TRY(project::step_commands(project.program->run, names));
  commands.check = TRY(project::step_commands(project.program->check, names));
  return commands;
}

ProgramRunner::ProgramRunner(const project::KernelProject& project, int threads)
    : project_(project),
      threads_(project::follows_machine_speed(project.program->objective) ? threads : 0),
      probed_([this](int probe_threads) { return reading(probe_threads); }) {}

Result<std::optional<trial::Measurement>> ProgramRunner::run(const ProgramRun& run,
                                                             const Interruption& interruption) {
  const auto start = std::chrono::steady_clock::now();
  interruption_ = interruption;
  Result<std::optional<trial::Measurement>> measured;
  std::vector<std::optional<Error>> unread;
  const auto run_once = [&]() -> RunReply {
    ProgramTrial trial(project_, run, worker_, timing_mark_, interruption);
    measured = trial.measure();
    unread = trial.unread_metrics();
    if (!measured || !*measured)
      return {.measurement = {}, .machine_fault = "nothing was measured"};  // ends it
    return {.measurement = **measured, .machine_fault = {}};
  };
  const RunReply reply =
      threads_ > 0 ? probed_.run(threads_, {.options = run.options}, run_once) : run_once();
  if (!measured || !*measured) return measured;
  if (reply.measurement.valid())
    for (std::size_t i = 0; i < unread.size(); ++i)
      if (unread[i]) note_unread(project_.program->metrics[i].name, *unread[i]);
  trial::Measurement measurement = reply.measurement;
  measurement.run_seconds = seconds_since(start);
  return measurement;
}

Result<std::optional<trial::ProbeSeconds>> ProgramRunner::probe_speed(const Interruption& interruption) {
  if (threads_ == 0) return std::nullopt;
  const TimingMark::Scope timing(timing_mark_);
  return worker_.probe_speed(threads_, interruption);
}

/** Returns a reading; unknown: a command will say what is wrong. */
trial::ProbeSeconds ProgramRunner::reading(int threads) {
  const TimingMark::Scope timing(timing_mark_);
  const auto seconds = worker_.probe_speed(threads, interruption_);
  return seconds && *seconds ? **seconds : trial::ProbeSeconds();
}

void ProgramRunner::note_unread(const std::string& metric, const Error& error) {
  if (!unread_metrics_.insert(metric).second) return;
  notices_.push_back(fmt::format("a run has no metric {}: {}", base::quoted_line(metric),
                                 base::one_line(describe(error), max_notice_letters)));
}

}  // namespace kernelscape::measure
