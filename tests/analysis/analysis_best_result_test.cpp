#include <QTest>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/best_result.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_best_result_test {

namespace {

constexpr trial::ProbeSeconds usual{1e-3, 2e-3};

trial::Row row_of(std::int64_t number, double seconds, bool slow = false) {
  trial::Row row;
  row.number = number;
  trial::set_samples(row, {seconds, seconds, seconds});
  if (slow) row.machine = {{0.25, 0.25}, true, 0.25, 0.01};
  return row;
}

/** Returns a snapshot whose rows have the machine's speed. */
trial::Snapshot snapshot_of(const std::vector<trial::Row>& rows) {
  trial::Table table(0);
  auto speeds = std::make_shared<std::vector<trial::Speed>>();
  for (const trial::Row& row : rows) {
    table.append(row, {});
    speeds->push_back(row.machine);
  }
  return table.snapshot().with_speeds(speeds);
}

trial::ConfirmationSpeed slow_at(const std::string& utc, double share) {
  return {.measured_utc = utc, .probe = {usual.compute / share, usual.memory / share}, .slow = true};
}

}  // namespace

/** Which result of a session is the best, and how it is marked. */
class AnalysisBestResultTest : public QObject {
  Q_OBJECT

 private slots:
  void a_slow_confirmation_never_replaces_one_at_the_usual_speed() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int session = 0; session < 300; ++session) {
      std::vector<trial::Row> rows;
      const auto count = 2 + static_cast<std::int64_t>(random.below(40));
      for (std::int64_t number = 0; number < count; ++number)
        rows.push_back(row_of(number, 1 + random.uniform(), random.chance(0.3)));
      const trial::Snapshot trials = snapshot_of(rows);
      const analysis::MeasuredBest measured = analysis::best_measured(trials);
      std::vector<trial::Confirmation> confirmations;
      std::vector<trial::ConfirmationSpeed> speeds;
      std::string usual_utc;
      const auto times = 1 + static_cast<int>(random.below(5));
      for (int time = 0; time < times; ++time) {
        const std::string utc = "2026-01-0" + std::to_string(time + 1) + "T00:00:00Z";
        const bool slow = random.chance(0.5);
        if (slow) speeds.push_back(slow_at(utc, 0.25));
        if (!slow) usual_utc = utc;
        for (const std::int64_t trial : std::set{measured.trial, std::int64_t{0}}) {
          // A slow machine that measures a shorter time must not win either.
          const double seconds = slow ? 0.1 + random.uniform() : 1 + random.uniform();
          confirmations.push_back({trial, utc, {seconds, seconds, seconds}});
        }
      }
      const analysis::BestResult best = analysis::best_result({measured, confirmations, speeds, usual});
      QVERIFY(best.exists());
      if (usual_utc.empty()) {
        QCOMPARE(best.kind, analysis::BestKind::ConfirmedSlow);
        QCOMPARE(best.machine_share, 0.25);
      } else {
        QVERIFY(best.confirmed());
        QCOMPARE(best.confirmed_utc, usual_utc);
        QVERIFY(best.value.seconds >= 1);
      }
      QCOMPARE(best.trial, analysis::last_confirmed(confirmations, speeds).front().trial);
      const trial::Confirmation* own = analysis::confirmation_of(confirmations, speeds, best.trial);
      QVERIFY(own != nullptr);
      QCOMPARE(own->measured_utc, best.confirmed_utc);
    }
  }

  void a_confirmation_under_load_stands_between_quiet_and_slow_ones() {
    const analysis::MeasuredBest measured =
        analysis::best_measured(snapshot_of({row_of(0, 2), row_of(1, 3)}));
    const std::vector<trial::Confirmation> confirmations{{0, "2026-01-01T00:00:00Z", {2.5}},
                                                         {0, "2026-01-02T00:00:00Z", {2.2}},
                                                         {0, "2026-01-03T00:00:00Z", {9}}};
    const trial::ConfirmationSpeed loaded{
        .measured_utc = "2026-01-02T00:00:00Z", .probe = usual, .loaded = true};
    std::vector<trial::ConfirmationSpeed> speeds{loaded, slow_at("2026-01-03T00:00:00Z", 0.25)};
    const auto result = [&] { return analysis::best_result({measured, confirmations, speeds, usual}); };
    QVERIFY(result().confirmed());
    QCOMPARE(result().value.seconds, 2.5);
    speeds.push_back(slow_at("2026-01-01T00:00:00Z", 0.5));
    QCOMPARE(result().kind, analysis::BestKind::ConfirmedLoaded);
    QCOMPARE(result().value.seconds, 2.2);
    QVERIFY(!result().confirmed() && !result().slow());
    QCOMPARE(analysis::confirmation_of(confirmations, speeds, 0)->measured_utc, loaded.measured_utc);
    QCOMPARE(analysis::last_confirmed(confirmations, speeds).front().seconds.median, 2.2);
  }

  void a_stored_share_of_the_speed_is_preferred() {
    // The workers of a fleet have different usual times.
    const analysis::MeasuredBest measured = analysis::best_measured(snapshot_of({row_of(0, 2)}));
    const std::vector<trial::Confirmation> confirmations{{0, "2026-01-01T00:00:00Z", {8}}};
    trial::ConfirmationSpeed speed = slow_at("2026-01-01T00:00:00Z", 0.25);
    speed.machine_share = 0.3;
    const std::vector<trial::ConfirmationSpeed> speeds{speed};
    QCOMPARE(analysis::best_result({measured, confirmations, speeds, usual}).machine_share, 0.3);
  }

  void trials_of_slow_phases_count_only_without_others() {
    // Corrected, the slow trial would be four times as fast as the other.
    const analysis::MeasuredBest best =
        analysis::best_measured(snapshot_of({row_of(0, 2, true), row_of(1, 2)}));
    QCOMPARE(best.trial, 1);
    QCOMPARE(analysis::best_result({.measured = best, .usual = usual}).kind, analysis::BestKind::Measured);
    // A slow machine that is faster than all others is surely better.
    const analysis::MeasuredBest sure =
        analysis::best_measured(snapshot_of({row_of(0, 1.5, true), row_of(1, 2)}));
    QCOMPARE(sure.trial, 0);
    const analysis::BestResult corrected_result = analysis::best_result({.measured = sure, .usual = usual});
    QCOMPARE(corrected_result.kind, analysis::BestKind::MeasuredSlow);
    QCOMPARE(corrected_result.value.seconds, 1.5 * 0.25);
    QVERIFY(QString::fromStdString(analysis::best_mark(corrected_result)).contains("25 %"));
    QCOMPARE(analysis::best_measured(snapshot_of({row_of(0, 3, true), row_of(1, 2.5, true)})).trial, 1);
  }

  void sessions_without_readings_have_the_numbers_of_before() {
    const analysis::MeasuredBest measured =
        analysis::best_measured(snapshot_of({row_of(0, 3), row_of(1, 2), row_of(2, 2)}));
    QCOMPARE(measured.trial, 1);
    const std::vector<trial::Confirmation> confirmations{{1, "2026-01-01T00:00:00Z", {4, 4}},
                                                         {0, "2026-01-01T00:00:00Z", {3, 3}},
                                                         {1, "2026-01-02T00:00:00Z", {5, 5}},
                                                         {0, "2026-01-02T00:00:00Z", {6, 6}}};
    // The latest confirmation counts.
    const analysis::BestResult confirmed =
        analysis::best_result({.measured = measured, .confirmations = confirmations});
    QCOMPARE(confirmed.trial, 1);
    QCOMPARE(confirmed.value.seconds, 5.0);
    QCOMPARE(analysis::best_mark(confirmed), std::string("confirmed"));
    QVERIFY(!confirmed.speed_known);
    // A better trial that was not confirmed is the best.
    const analysis::MeasuredBest better =
        analysis::best_measured(snapshot_of({row_of(0, 3), row_of(1, 2), row_of(2, 1)}));
    const analysis::BestResult unconfirmed =
        analysis::best_result({.measured = better, .confirmations = confirmations});
    QCOMPARE(unconfirmed.trial, 2);
    QCOMPARE(analysis::best_mark(unconfirmed), std::string("unconfirmed"));
  }

  void a_session_without_a_valid_trial_has_no_result() {
    trial::Row failed;
    failed.category = trial::ErrorCategory::WrongAnswer;
    QVERIFY(!analysis::best_result({.measured = analysis::best_measured(snapshot_of({failed}))}).exists());
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisBestResultTest)

}  // namespace kernelscape::analysis_best_result_test
#include "analysis_best_result_test.moc"
