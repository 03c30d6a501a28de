#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "tests/gpu/child.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr const char* first_name = "record";
constexpr const char* recorded_task = "resnet18-nose/C5";
constexpr const char* fake_task = "conv2d 1x16x14x14 16x16x1x1 stride=2 pad=0 f32";
constexpr int max_trials = 12'000;  // of which a database is below 16 MB
constexpr int fake_trials = 12;
constexpr double slice_seconds = 240;  // after which what there is so far is exported
constexpr double around_seconds = 10;

/** A new session, or the way on with the one of before. Its trials come in the order in which the seed draws
 * members, so that the first so many are a random sample of all. */
std::vector<std::string> text_of_words(const Settings& settings, const std::string& session, bool begun,
                                       double session_seconds) {
  std::vector<std::string> words;
  if (begun) {
    words = {"resume", session};
  } else {
    words = {"sweep",         settings.fake ? fake_task : recorded_task,
             "--target",      settings.device,
             "--seed",        std::to_string(settings.seed),
             "--name",        session,
             "--run-timeout", "3",
             "--sample",      std::to_string(settings.fake ? fake_trials : max_trials)};
  }
  if (!begun && !settings.fake) words.insert(words.end(), {"--min-repeat-ms", "5"});
  words.insert(words.end(), {"--minutes", minutes_text(session_seconds), "--db",
                             settings.kept_file("record.db").string()});
  return words;
}

void export_recording(const Settings& settings, const std::string& session, PartResult& result) {
  const std::string file = settings.kept_file("record.ksrec").string();
  const ChildEnded ended =
      run_child({settings.program("kernelscape"), "export", session, "--format", "recorded", "--force",
                 "--db", settings.kept_file("record.db").string(), "--out", file},
                {.seconds = 60});
  if (ended.code != 0) result.note("no recorded space was exported: " + ended.output);
}

}  // namespace

void run_record(const Settings& settings, PartResult& result) {
  std::string session = first_name;
  double session_seconds = 0;
  bool begun = std::filesystem::exists(settings.kept_file("record.db"));
  if (begun && result.content().contains("earlier"))
    session_seconds = result.content()["earlier"]["numbers"].value("session seconds", 0.0);
  result.set("task", settings.fake ? fake_task : recorded_task);
  for (;;) {
    const double left = result.seconds_left() - around_seconds;
    if (left < around_seconds || stop_asked()) break;
    const double slice = std::min(slice_seconds, left);
    const TuningEnded ended =
        run_tuning(settings, text_of_words(settings, session, begun, session_seconds + slice), slice + 60);
    const bool went_on = ended.trials() > 0;
    if (!went_on && begun && session == first_name) {
      // An earlier visit's was on another device or driver: it stays as it is, and a new one begins.
      result.note(ended.problem);
      session = fmt::format("{} {}", first_name, std::time(nullptr));
      session_seconds = 0;
      begun = false;
      continue;
    }
    if (went_on) {
      begun = true;
      session_seconds = ended.session_seconds();
      result.set("trials", ended.trials());
      result.set("valid trials", ended.valid_trials());
      result.set("categories", ended.categories());
      result.set("best GFLOP/s", ended.best_gflops());
      result.set("session seconds", session_seconds);
      result.set("reason", ended.summary.value("reason", ""));
      export_recording(settings, session, result);
    }
    if (!ended.problem.empty()) result.fail("recording", ended.problem);
    result.save();
    if (!went_on || !ended.problem.empty()) return;
    if (ended.trials() >= (settings.fake ? fake_trials : max_trials)) return result.done();
  }
  result.pause(fmt::format("{} trials are planned", max_trials));
}

}  // namespace kernelscape::gpu_proof
