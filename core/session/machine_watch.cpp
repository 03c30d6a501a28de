#include "core/session/machine_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/schedule/target.h"
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

Status MachineWatch::find_usual_probe() {
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

void MachineWatch::notify_no_probe() const {
  const std::string problem = tools_.measurer.probe_problem();
  if (problem.empty()) return;  // a request was stopped
  session_.observer.message(
      {MessageKind::Note, fmt::format("the speed of {} is not measured, so that its slow phases are not "
                                      "noticed: {}",
                                      session_.setup.target.name, problem)});
}

void MachineWatch::set_usual_probe(const trial::ProbeSeconds& usual) {
  if (!usual.known()) return;
  if (tracks_.rows() == 0) tracks_ = trial::WorkerTracks(usual, store::bound_of(session_.setup.task));
  tools_.measurer.set_usual_probe(usual);
  usual_known_ = true;
  if (tools_.usual_speed_known) tools_.usual_speed_known({.seconds = usual, .loaded = false});
}

void MachineWatch::report_usual_speeds() const {
  trial::WorkerUsualTimes usual;
  for (const auto& [name, number] : workers_)
    if (const trial::ProbeSeconds seconds = tracks_.usual_of(number); seconds.known()) usual[name] = seconds;
  if (tools_.worker_usual_known) tools_.worker_usual_known(usual);
  if (const trial::ProbeSeconds here = tracks_.usual_of(0); tools_.usual_speed_known && here.known())
    tools_.usual_speed_known({.seconds = here, .loaded = !usual_known_});
}

std::uint16_t MachineWatch::worker_number(const std::string& worker) {
  if (worker.empty()) return 0;
  return workers_.try_emplace(worker, static_cast<std::uint16_t>(workers_.size() + 1)).first->second;
}

void MachineWatch::add_conditions(std::uint16_t worker, const measure::MachineConditions& conditions) {
  if (worker == 0 || !conditions.known()) return;
  worker_conditions_[worker].add(conditions.at_seconds, tracks_.rows(), conditions, tracks_.slow());
}

double MachineWatch::device_best_seconds() const {
  const double seconds = session_.status.best_seconds;
  return tracks_.slow() ? seconds / std::min(1.0, tracks_.now().lowest()) : seconds;
}

void MachineWatch::show_waiting(const measure::BatchProgress& progress) {
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

bool MachineWatch::reported(const trial::SlowPhase& phase) const {
  return std::ranges::any_of(reported_, [&](const trial::SlowPhase& other) {
    return other.worker == phase.worker && other.first_row <= phase.last_row &&
           phase.first_row <= other.last_row;
  });
}

void MachineWatch::read_conditions(const measure::BatchProgress& progress) {
  const double now = tools_.clock();
  if (!tools_.conditions || !conditions_.due(now)) return;
  measure::MachineConditions conditions = tools_.conditions();
  conditions.gpu = progress.gpu;
  if (progress.waiting) conditions.hertz.reset();  // the clock of a processor that rests says nothing
  conditions_.add(now, tracks_.rows(), std::move(conditions), tracks_.slow());
}

std::string MachineWatch::explain(const trial::SlowPhase& phase) const {
  const auto reported = worker_conditions_.find(phase.worker);
  if (phase.worker != 0 && reported == worker_conditions_.end()) return {};
  const ConditionLog& log = phase.worker == 0 ? conditions_ : reported->second;
  std::int64_t usual_from = 0;
  for (const trial::SlowPhase& other : tracks_.phases())
    if (other.worker == phase.worker && other.last_row < phase.first_row)
      usual_from = std::max(usual_from, other.last_row + 1);
  return log.explain(phase, usual_from);
}

void MachineWatch::skip_ended_phases() {
  for (const trial::SlowPhase& phase : tracks_.phases())
    if (phase.ended) reported_.push_back(phase);
}

bool MachineWatch::report_phases(bool at_end) {
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

}  // namespace kernelscape::session
