#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/schedule/target.h"
#include "core/session/confirmed_vendor.h"
#include "core/session/measured_batches.h"
#include "core/session/time_limits.h"
#include "core/session/uncertain_trials.h"
#include "core/session/usual_speed.h"
#include "core/store/stored_speeds.h"
#include "core/trial/slow_phase_notice.h"

namespace kernelscape::session {
namespace {

/** Returns a note if a machine that got slower for good has another usual speed from now on. */
std::string relearned_note(const trial::UsualSpeed& before, const trial::UsualSpeed& now) {
  const trial::MachineSpeed speed = trial::relative_speed(now.seconds, before.seconds);
  if (!speed.slower_than_usual() || before.loaded) return {};
  return fmt::format(
      "on its last days the machine ran at {:.2f} of its earlier speed, which is its usual speed from now on",
      speed.lowest());
}

}  // namespace

/**
 * Determines the usual times of the probe once, before the first trial: a resumed session must find the same
 * slow phases. If they are not known, since the machine was never seen without other programs, none are
 * stored: the fastest readings of the session stand for them.
 */
Status MeasuredBatches::find_usual_probe() {
  const Setup& setup = session_.setup;
  const store::SessionRecord record = TRY(session_.store.sessions().get(session_.id)).record;
  if (record.usual_probe.known()) return set_usual_probe(record.usual_probe), Status();
  if (session_.status.trial_count > 0 || setup.options.build_only || !setup.target.fleet.empty()) return {};
  // If the device cannot be prepared, the first batch says why.
  const auto measured = tools_.measurer.probe_speed([this] { return session_.stop.level() > 0; });
  if (!measured || !*measured) return notify_no_probe(), Status();
  const std::string machine =
      measure::machine_key(setup.target, setup.options.kernel_threads(schedule::host_cores(setup.target)));
  const trial::UsualSpeed before = TRY(stored_usual_speed(session_.store, machine));
  const trial::UsualSpeed usual = TRY(learn_usual_speed(session_.store, machine, **measured, tools_.loaded));
  if (usual.loaded) {
    session_.observer.message(
        {MessageKind::Machine,
         "the machine's usual speed is not known: other programs used it when its sessions began"});
    return {};
  }
  if (const std::string note = relearned_note(before, usual); !note.empty())
    session_.observer.message({MessageKind::Note, note});
  TRY(session_.store.sessions().set_usual_probe(session_.id, machine, usual.seconds));
  set_usual_probe(usual.seconds);
  return {};
}

/** A stopped request has no problem. */
void MeasuredBatches::notify_no_probe() const {
  const std::string problem = tools_.measurer.probe_problem();
  if (problem.empty()) return;
  session_.observer.message(
      {MessageKind::Note, fmt::format("the speed of {} is not measured, so that its slow phases are not "
                                      "noticed: {}",
                                      session_.setup.target.name, problem)});
}

void MeasuredBatches::set_usual_probe(const trial::ProbeSeconds& usual) {
  if (!usual.known()) return;
  if (tracks_.rows() == 0) tracks_ = trial::WorkerTracks(usual, store::bound_of(session_.setup.task));
  tools_.measurer.set_usual_probe(usual);
  usual_known_ = true;
  if (tools_.usual_speed_known) tools_.usual_speed_known({.seconds = usual, .loaded = false});
}

/** The best time at the machine's present speed: good kernels must not be given up because it is slow. */
double MeasuredBatches::device_best_seconds() const {
  const double seconds = session_.status.best_seconds;
  return tracks_.slow() ? seconds / std::min(1.0, tracks_.now().lowest()) : seconds;
}

/** A wait is reported when it is over as well: the session's clock, and so all its charts, do not have it. */
void MeasuredBatches::show_waiting(const measure::BatchProgress& progress) {
  constexpr double min_reported_seconds = 1;
  const double speed = progress.speed.lowest();
  if (progress.waiting && !waits_at_) {
    waits_at_ = speed;
    session_.observer.message(
        {MessageKind::Waiting,
         fmt::format("waiting for the machine: it runs at {:.2f} of its speed", speed)});
  } else if (progress.waiting) {
    waits_at_ = std::min(*waits_at_, speed);
  } else if (const std::optional<double> lowest = std::exchange(waits_at_, std::nullopt)) {
    accounting_.charge(tools_.measurer.take_busy_times());  // also the wait's last stretch
    const double seconds = accounting_.waiting_seconds() - reported_waiting_seconds_;
    if (seconds < min_reported_seconds) return;
    reported_waiting_seconds_ = accounting_.waiting_seconds();
    session_.observer.message(
        {MessageKind::Note,
         fmt::format("waited {:.0f} s for the machine, which ran at {:.2f} of its speed", seconds, *lowest)});
  }
}

bool MeasuredBatches::reported(const trial::SlowPhase& phase) const {
  return std::ranges::any_of(reported_, [&](const trial::SlowPhase& other) {
    return other.worker == phase.worker && other.first_row <= phase.last_row &&
           phase.first_row <= other.last_row;
  });
}

/** The clock of a processor that rests says nothing. */
void MeasuredBatches::read_conditions(const measure::BatchProgress& progress) {
  const double now = tools_.clock();
  if (!tools_.conditions || !conditions_.due(now)) return;
  measure::MachineConditions conditions = tools_.conditions();
  conditions.gpu = progress.gpu;
  if (progress.waiting) conditions.hertz.reset();
  conditions_.add(now, tracks_.rows(), std::move(conditions), tracks_.slow());
}

/**
 * Returns what was different in a phase, of this machine or as a fleet's worker reported it; empty if that is
 * not known.
 */
std::string MeasuredBatches::explain(const trial::SlowPhase& phase) const {
  const auto reported = worker_conditions_.find(phase.worker);
  if (phase.worker != 0 && reported == worker_conditions_.end()) return {};
  const ConditionLog& log = phase.worker == 0 ? conditions_ : reported->second;
  std::int64_t usual_from = 0;
  for (const trial::SlowPhase& other : tracks_.phases())
    if (other.worker == phase.worker && other.last_row < phase.first_row)
      usual_from = std::max(usual_from, other.last_row + 1);
  return log.explain(phase, usual_from);
}

/**
 * Notifies the observer of slow phases that ended, at the session's end also of one that did not.
 * @return true if there was one
 */
bool MeasuredBatches::report_phases(bool at_end) {
  bool any = false;
  for (const trial::SlowPhase& phase : tracks_.phases()) {
    if ((!phase.ended && !at_end) || reported(phase)) continue;
    const auto named =
        std::ranges::find_if(workers_, [&](const auto& worker) { return worker.second == phase.worker; });
    const std::string machine = named == workers_.end() ? "the machine" : "worker " + named->first;
    session_.observer.message(
        {MessageKind::Machine, trial::slow_phase_notice(phase, machine, explain(phase))});
    reported_.push_back(phase);
    any = true;
  }
  return any;
}

/** Returns the uncertain trials that were not measured again yet. */
Result<MeasuredBatches::Entries> MeasuredBatches::uncertain() const {
  if (tracks_.phases().empty()) return Entries();
  Entries trials = TRY(uncertain_trials(session_.store, session_.id, tracks_));
  std::erase_if(trials,
                [this](const BestTrials::Entry& entry) { return measured_again_.contains(entry.trial); });
  return trials;
}

/**
 * After a slow phase: which trial is the best is known only after those of the phase were measured again.
 * A failure loses this, not the session: they are measured again at its end, too.
 */
void MeasuredBatches::measure_uncertain_again() {
  if (!tools_.confirmer || session_.stop.level() > 0 || session_.out_of_time() || tracks_.slow()) return;
  Result<Entries> trials = uncertain();
  if (trials && trials->empty()) return;
  if (trials && trials->size() > BestTrials::most) trials->resize(BestTrials::most);
  const Status measured = trials ? confirm_uncertain(*trials) : std::unexpected(trials.error());
  if (measured || session_.stop.level() > 0) return;
  session_.observer.message({MessageKind::Problem, "trials of a slow phase could not be measured again: " +
                                                       describe(measured.error())});
}

/** Stores the results as a confirmation; the trials keep their own samples. */
Status MeasuredBatches::confirm_uncertain(const Entries& trials) {
  session_.enter(Phase::Confirming);
  std::vector<space::Configuration> configurations;
  for (const BestTrials::Entry& trial : trials) configurations.push_back(trial.configuration);
  accounting_.begin_measuring();
  const double max_seconds = measuring_again_seconds(accounting_.session_seconds());
  measure::Confirmations measured = TRY(measure_again(configurations, max_seconds));
  accounting_.charge(measured.busy);
  if (measured.interrupted || measured.rounds == 0 || measured.slow) return {};
  const std::string now = base::utc_now();
  trial::Baselines baselines =
      trial::baselines_from_json(session_.status.vendor_json).value_or(trial::Baselines());
  add_machine(baselines, measured, now);
  const bool with_vendor = take_vendor(baselines, measured, now);
  session_.status.vendor_json = trial::baselines_to_json(baselines);
  for (std::size_t i = 0; i < trials.size() && i < measured.configurations.size(); ++i) {
    const trial::Measurement& again = measured.configurations[i];
    measured_again_.insert(trials[i].trial);
    if (again.valid()) best_.add({trials[i].trial, again.median_seconds(), trials[i].configuration});
  }
  store_best();
  TRY(session_.store.confirmations().append(session_.id,
                                            confirmations_of(trials, measured, with_vendor, now)));
  return session_.store.sessions().update_status(session_.id, session_.status_now());
}

}  // namespace kernelscape::session
