#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/schedule/template.h"
#include "core/session/setup.h"
#include "core/space/compiled_constraints.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_limits_test {
using namespace kernelscape::session_tests;

namespace {

constexpr auto whole_name = "matmul-32x509x64-matmul-tiled-whole";        // 0.6 % exceed the limits
constexpr auto beyond_name = "matmul-1024x256x1024-matmul-tiled-beyond";  // built whatever the limits
constexpr auto limited_name = "matmul-64x256x256-matmul-tiled";           // none exceeds them

std::shared_ptr<const trial::Recording> recorded(const std::string& name) {
  const auto recording = trial::Recording::open(std::filesystem::path(KERNELSCAPE_SOURCE_DIR) /
                                                "data/recorded" / (name + ".ksrec"));
  if (!recording) throw std::runtime_error(recording.error().message);
  return *recording;
}

const std::set<std::string> enforcing{"heron", "cga-1",      "ga-1",     "ga-2",
                                      "ga-3",  "heron-rand", "heron-sa", "heron-ga"};

/** Register tiles of this multiplication may be larger than the limit of its template. */
session::TuningRequest measured_request(const std::string& tuner) {
  session::TuningRequest request;
  request.task = "matmul 32x509 509x64 f32";
  request.template_name = "matmul-tiled";
  request.tuner = tuner;
  request.seed = 7;
  request.budget.trials = 20;
  return request;
}

/** The kernel that a measured request tunes. */
schedule::ScheduledKernel kernel_of(const session::Setup& setup) {
  return *schedule::apply_template(setup.task, setup.target, setup.template_name);
}

}  // namespace

/** Whether device limits are constraints of the space: by request, else by tuner, and as it was stored. */
class SessionLimitsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void the_default_is_the_tuners_and_a_choice_overrides_it() {
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      session::TuningRequest request;
      request.tuner = tuner.name;
      QCOMPARE(session::enforces_limits(request), enforcing.contains(tuner.name));
      request.measuring.beyond_limits = true;
      QVERIFY(!session::enforces_limits(request));
      request.measuring.beyond_limits = false;
      for (const bool chosen : {false, true}) {
        request.respect_limits = chosen;
        QCOMPARE(session::enforces_limits(request), chosen);
      }
    }
  }

  void measured_spaces_are_limited_and_made_again_as_they_were() {
    for (const char* tuner : {"heron", "heron-sa", "ga-2", "gp", "random"}) {
      for (const std::optional<bool> choice :
           {std::optional<bool>(), std::optional(false), std::optional(true)}) {
        session::TuningRequest request = measured_request(tuner);
        request.respect_limits = choice;
        const auto prepared = session::prepare_tuning(request, bench_->store);
        VERIFY_RESULT(prepared);
        const schedule::ScheduledKernel kernel = kernel_of(prepared->setup);
        QVERIFY(!kernel.limits().empty());
        const bool limited = choice.value_or(enforcing.contains(tuner));
        const space::SearchSpace expected =
            limited ? *kernel.space().restricted_by(kernel.limits()) : kernel.space();
        QCOMPARE(prepared->setup.space.fingerprint(), expected.fingerprint());
        // The request of the stored session names a choice only where it differs from the default.
        const auto again = session::request_of(session::make_record(prepared->setup));
        VERIFY_RESULT(again);
        QCOMPARE(again->respect_limits.has_value(), limited != enforcing.contains(tuner));
        const std::string command = session::command_line_of(*again);
        QCOMPARE(command.contains(" --respect-limits"), limited && !enforcing.contains(tuner));
        QCOMPARE(command.contains(" --no-respect-limits"), !limited && enforcing.contains(tuner));
        const auto prepared_again = session::prepare_tuning(*again, bench_->store);
        VERIFY_RESULT(prepared_again);
        QCOMPARE(prepared_again->setup.space.fingerprint(), expected.fingerprint());
      }
    }
  }

  void what_exceeds_the_limits_is_built_only_without_them() {
    session::TuningRequest request = measured_request("heron");
    request.measuring.beyond_limits = true;
    const auto prepared = session::prepare_tuning(request, bench_->store);
    VERIFY_RESULT(prepared);
    QCOMPARE(prepared->setup.space.fingerprint(), kernel_of(prepared->setup).space().fingerprint());
    request.respect_limits = true;
    QVERIFY(!session::prepare_tuning(request, bench_->store));
  }

  void recorded_spaces_are_limited_where_that_excludes_what_was_refused() {
    const auto whole = recorded(whole_name);
    const auto limited = session::prepare_replay(replay_request("heron", 1, 64), bench_->store, whole);
    VERIFY_RESULT(limited);
    const schedule::ScheduledKernel kernel = kernel_of(limited->setup);
    const space::CompiledConstraints limits(kernel.limits());
    std::uint32_t within = 0;
    for (std::uint32_t row = 0; row < whole->size(); ++row) {
      const space::Configuration configuration = whole->configuration(row);
      const bool satisfied = limits.satisfied(kernel.space().knobs(), configuration);
      within += satisfied ? 1 : 0;
      QCOMPARE(limited->setup.space.contains(configuration), satisfied);
    }
    QVERIFY(within < whole->size());
    for (const char* name : {beyond_name, limited_name}) {
      const auto recording = recorded(name);
      const auto same = session::prepare_replay(replay_request("heron", 1, 64), bench_->store, recording);
      VERIFY_RESULT(same);
      QCOMPARE(same->setup.space.fingerprint(), recording->space().fingerprint());
    }
    const auto plain = session::prepare_replay(replay_request("gp", 1, 64), bench_->store, whole);
    QCOMPARE(plain->setup.space.fingerprint(), whole->space().fingerprint());
  }

  void sessions_of_before_resume_in_the_space_that_they_have() {
    const auto whole = recorded(whole_name);
    session::TuningRequest request = replay_request("heron", 3, 64);
    request.respect_limits = false;  // as all sessions were made before tuners had a default
    const auto begun = bench_->run(request, whole);
    VERIFY_RESULT(begun);
    const auto resumed = bench_->resume(begun->id, [](trial::Budget& budget) { budget.trials = 160; });
    VERIFY_RESULT(resumed);
    request.budget.trials = 160;
    const auto at_once = bench_->run(request, whole);
    VERIFY_RESULT(at_once);
    const auto parts = *bench_->store.trials().of(begun->id);
    const auto all = *bench_->store.trials().of(at_once->id);
    QCOMPARE(parts.size(), std::size_t{160});
    QVERIFY(std::ranges::equal(parts, all, {}, &trial::Trial::configuration, &trial::Trial::configuration));
    QCOMPARE(bench_->store.sessions().get(begun->id)->record.space_fingerprint, whole->space().fingerprint());
  }
};

KERNELSCAPE_PLAIN_TEST(SessionLimitsTest)

}  // namespace kernelscape::session_limits_test
#include "session_limits_test.moc"
