#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/study/execution.h"
#include "tests/study/recorded_files.h"

/** Studies as tests need them, and what they told and left. */
namespace kernelscape::study_tests {

/** Arms named by their tuners, tasks by their files; search time is not charged, no controls are added. */
inline study::Definition make_study(const std::vector<std::string>& tuners,
                                    const std::vector<std::string>& files, int repeats, std::int64_t trials) {
  study::Definition study;
  study.name = "a study";
  for (const std::string& tuner : tuners) study.arms.push_back(*study::parse_arm(tuner));
  for (const std::string& file : files) {
    study::Task task;
    task.target = "recorded:" + file;
    study.tasks.push_back(task);
  }
  study.repeats = repeats;
  study.budget.trials = trials;
  study.search_time.kind = trial::SearchTime::Kind::None;
  study.controls = false;
  return study;
}

/** Notes what a study tells, and calls back. */
class StudyNotes final : public study::Observer {
 public:
  void run_started(const study::PlannedRun& run, store::SessionId) override {
    started.push_back(run.run);
    if (on_event) on_event();
  }
  void run_ended(const study::PlannedRun& run, store::SessionId,
                 const store::SessionStatus& status) override {
    ended[run.run] = status;
    if (on_event) on_event();
  }
  void run_failed(const study::PlannedRun& run, const Error& error) override { failed[run.run] = error; }
  void progress(const study::Progress& now) override {
    last = now;
    max_running = std::max(max_running, now.running);
    if (on_event) on_event();
  }
  void message(const session::Message& message) override { messages.push_back(message); }

  std::function<void()> on_event;
  std::vector<std::int64_t> started;
  std::map<std::int64_t, store::SessionStatus> ended;
  std::map<std::int64_t, Error> failed;
  std::vector<session::Message> messages;
  study::Progress last;
  std::int64_t max_running = 0;
};

/** The names of the arms, in their order. */
inline std::vector<std::string> arm_names(const study::Definition& study) {
  std::vector<std::string> names;
  for (const study::Arm& arm : study.arms) names.push_back(arm.name);
  return names;
}

/** The seed of a run as studies had it that say nothing of rules. */
inline std::uint64_t seed_by_name(const study::Definition& study, const study::PlannedRun& run) {
  base::Random random = base::Random(study.seed)
                            .fork("task " + std::to_string(run.task))
                            .fork(study.arms[run.arm].name)
                            .fork("repeat " + std::to_string(run.repeat));
  return random.bits() >> 11;
}

/** The trials of every run, by number; empty where there is no session. */
inline std::vector<std::vector<trial::Trial>> study_trials(const store::Store& store, store::StudyId id) {
  std::vector<std::vector<trial::Trial>> trials;
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  for (const store::StudyRun& run : runs)
    trials.push_back(run.session ? *store.trials().of(*run.session) : std::vector<trial::Trial>());
  return trials;
}

/** Where two lists of runs differ first, in words; empty: they are equal. */
inline std::string first_difference(const std::vector<std::vector<trial::Trial>>& a,
                                    const std::vector<std::vector<trial::Trial>>& b) {
  if (a.size() != b.size()) return fmt::format("{} and {} runs", a.size(), b.size());
  for (std::size_t run = 0; run < a.size(); ++run) {
    if (a[run].size() != b[run].size())
      return fmt::format("run {}: {} and {} trials", run, a[run].size(), b[run].size());
    for (std::size_t i = 0; i < a[run].size(); ++i) {
      const trial::Trial& left = a[run][i];
      const trial::Trial& right = b[run][i];
      if (left == right) continue;
      return fmt::format("run {}, trial {}: same configuration {}, same measurement {}, known at {} and {}",
                         run, i, left.configuration == right.configuration,
                         left.measurement == right.measurement, left.finished_seconds,
                         right.finished_seconds);
    }
  }
  return {};
}

}  // namespace kernelscape::study_tests
