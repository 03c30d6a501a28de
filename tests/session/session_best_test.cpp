#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/stored_best.h"
#include "core/session/confirmed_vendor.h"
#include "core/session/kernel_library.h"
#include "core/session/report.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_best_test {
using namespace kernelscape::session_tests;

namespace {

constexpr trial::ProbeSeconds usual{1e-3, 1e-3};

trial::ConfirmationSpeed speed_at(const std::string& utc, double share) {
  return {.measured_utc = utc, .probe = {usual.compute / share, usual.memory / share}, .slow = share < 1};
}

}  // namespace

/** One best result of a stored session, in every place that shows it. */
class SessionBestTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Bench> bench_;
  store::SessionId id_ = 0;

  /** Stores confirmations of the best and another trial, and of the vendor, with their factor on the time. */
  void confirm(const std::string& utc, double factor, double share) {
    store::Store& store = bench_->store;
    store::SessionSummary session = *store.sessions().get(id_);
    const double seconds = session.status.best_seconds * factor;
    const std::int64_t best = session.status.best_trial;
    QVERIFY(store.confirmations().append(
        id_, std::vector<trial::Confirmation>{{best, utc, {seconds, seconds}},
                                              {-1, utc, {seconds / 2, seconds / 2}}}));
    trial::Baselines baselines = *trial::baselines_from_json(session.status.vendor_json);
    baselines.vendor.name = "a library";
    baselines.vendor.samples_seconds = {seconds / 2, seconds / 2};
    if (share > 0) baselines.confirmation_speeds.push_back(speed_at(utc, share));
    session.status.vendor_json = trial::baselines_to_json(baselines);
    QVERIFY(store.sessions().update_status(id_, session.status));
  }

  session::Report report() const { return *session::make_session_report(bench_->store, id_); }

  /** Every place shows the same trial, number and mark. */
  void agree() {
    const store::Store& store = bench_->store;
    const session::Report whole = report();
    QVERIFY(whole.best_trial);
    const store::SessionSummary session = *store.sessions().get(id_);
    const analysis::BestResult best = *exchange::read_best(store, session);
    QCOMPARE(best.trial, *whole.best_trial);
    QCOMPARE(best.value.seconds, whole.best.seconds);
    QCOMPARE(analysis::best_mark(best), analysis::best_mark(whole.result));
    const session::LibraryKernel kernel = session::best_kernels(store)->kernels.front();
    QCOMPARE(kernel.trial, best.trial);
    QCOMPARE(kernel.value.seconds, best.value.seconds);
    QCOMPARE(kernel.mark, analysis::best_mark(best));
    QCOMPARE(kernel.confirmed, whole.best_confirmed);
    QCOMPARE(kernel.share_of_vendor.value_or(0), whole.compared.vendor.share);
    const exchange::MeasuredConfiguration measured =
        *exchange::read_measured_configuration(store, id_, best.trial);
    QCOMPARE(measured.result.value.seconds, best.value.seconds);
    QVERIFY(QString::fromStdString(exchange::result_text(measured))
                .endsWith(QString::fromStdString(analysis::best_mark(best))));
  }

 private slots:
  void the_choice_of_the_vendor_is_told_in_sentences() {
    trial::VendorResult vendor;
    vendor.name = "oneDNN 2.6.3";
    QVERIFY(session::vendor_details(vendor, 2e9).empty());
    vendor.algorithm = "Winograd";
    QCOMPARE(session::vendor_details(vendor, 2e9), std::vector{std::string(trial::winograd_remark)});
    vendor.candidates = {{.name = "oneDNN 2.6.3", .algorithm = "Winograd", .samples_seconds = {1e-3}},
                         {.name = "oneDNN 2.6.3", .algorithm = "direct", .samples_seconds = {1e-3, 3e-3}},
                         {.name = "BLIS 0.9.0", .reason = "its process was lost"}};
    const std::vector<std::string> details = session::vendor_details(vendor, 2e9);
    QCOMPARE(details.size(), std::size_t{3});
    QCOMPARE(details[0], "It is the fastest of 2 that were timed in turns: oneDNN 2.6.3 Winograd " +
                             base::speed_text(2e9, 1e-3) + ", oneDNN 2.6.3 direct " +
                             base::speed_text(2e9, 2e-3) + ".");
    vendor.candidates[1].samples_seconds = {2e-3};  // there was no time for rounds
    QVERIFY(
        session::vendor_details(vendor, 2e9)[0].starts_with("It is the fastest of 2 that were timed once: "));
    QCOMPARE(details[1], std::string("BLIS 0.9.0 was left out: its process was lost."));
  }

  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<Bench>(folder_->filePath("test.db").toStdString());
    id_ = bench_->run(make_setup("random", 7, 30, 5))->id;
  }

  void an_old_session_has_the_numbers_of_before() {
    QVERIFY(!report().best_confirmed);
    agree();
    confirm("2026-01-01T00:00:00Z", 1.5, 0);
    confirm("2026-01-02T00:00:00Z", 2, 0);
    QVERIFY(report().best_confirmed);
    QCOMPARE(report().best.seconds, bench_->store.sessions().get(id_)->status.best_seconds * 2);
    QCOMPARE(report().compared.vendor.share, 0.5);
    agree();
  }

  void a_slow_confirmation_is_marked_and_never_replaces_another() {
    QVERIFY(bench_->store.sessions().set_usual_probe(id_, "this machine", usual));
    agree();
    confirm("2026-01-01T00:00:00Z", 4, 0.25);
    QVERIFY(!report().best_confirmed);
    QCOMPARE(report().result.kind, analysis::BestKind::ConfirmedSlow);
    QCOMPARE(report().compared.vendor.share, 0.0);
    QVERIFY(QString::fromStdString(report().compared.vendor.withheld).contains("25 %"));
    agree();
    confirm("2026-01-02T00:00:00Z", 1, 1);
    agree();
    const double quiet = report().best.seconds;
    QVERIFY(report().best_confirmed);
    QCOMPARE(report().compared.vendor.share, 0.5);
    confirm("2026-01-03T00:00:00Z", 3, 0.3);
    agree();
    QCOMPARE(report().best.seconds, quiet);
    QCOMPARE(report().compared.vendor.share, 0.5);
  }

  /** Samples name no library: those from before a change are not shown under the new name. */
  void samples_of_another_library_are_not_compared() {
    QVERIFY(bench_->store.sessions().set_usual_probe(id_, "this machine", usual));
    confirm("2026-01-01T00:00:00Z", 1, 1);
    QCOMPARE(report().compared.vendor.share, 0.5);
    store::SessionSummary session = *bench_->store.sessions().get(id_);
    trial::Baselines baselines = *trial::baselines_from_json(session.status.vendor_json);
    measure::Confirmations measured;
    measured.vendor.name = "another library";
    measured.vendor.samples_seconds = {session.status.best_seconds / 4};
    for (bool* disturbed : {&measured.slow, &measured.loaded}) {
      *disturbed = true;
      QVERIFY(!session::take_vendor(baselines, measured, "2026-01-02T00:00:00Z"));
      QCOMPARE(baselines.vendor.name, std::string("a library"));
      *disturbed = false;
    }
    QVERIFY(session::take_vendor(baselines, measured, "2026-01-02T00:00:00Z"));
    QCOMPARE(baselines.vendor.name, measured.vendor.name);
    session.status.vendor_json = trial::baselines_to_json(baselines);
    QVERIFY(bench_->store.sessions().update_status(id_, session.status));
    QCOMPARE(report().compared.vendor.share, 0.0);
    QVERIFY(report().compared.vendor.withheld.contains("another library, which was not measured in turns"));
    // Samples of the same library are stored, and those of a disturbed machine replace none.
    measured.slow = true;
    measured.vendor.samples_seconds = {1};
    QVERIFY(session::take_vendor(baselines, measured, "2026-01-03T00:00:00Z"));
    QVERIFY(baselines.vendor.samples_seconds != measured.vendor.samples_seconds);
    QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(baselines)) == baselines);
  }

  void all_places_agree_on_random_sessions() {
    base::Random random(testing::random_seed());
    QVERIFY(bench_->store.sessions().set_usual_probe(id_, "this machine", usual));
    for (int day = 1; day < 10; ++day) {
      const double share = random.chance(0.5) ? 1 : 0.2 + 0.5 * random.uniform();
      confirm("2026-01-0" + std::to_string(day) + "T00:00:00Z", 0.9 / share, share);
      agree();
    }
  }

  void a_confirmation_under_load_is_marked_and_replaces_none_in_quiet() {
    const std::string first = "2026-01-01T00:00:00Z";
    confirm(first, 2, 0);
    const auto add_load = [&](const std::string& utc) {
      store::SessionSummary session = *bench_->store.sessions().get(id_);
      trial::Baselines baselines = *trial::baselines_from_json(session.status.vendor_json);
      baselines.limits.peak_gflops = 1e6;
      baselines.confirmation_speeds.push_back({.measured_utc = utc, .probe = usual, .loaded = true});
      session.status.vendor_json = trial::baselines_to_json(baselines);
      QVERIFY(bench_->store.sessions().update_status(id_, session.status));
    };
    add_load(first);
    agree();
    QCOMPARE(analysis::best_mark(report().result),
             std::string("confirmed while other programs used the machine"));
    QVERIFY(!report().best_confirmed);
    for (const session::QuotedShare& share : {report().compared.vendor, report().compared.limit}) {
      QCOMPARE(share.share, 0.0);
      QVERIFY2(share.withheld.contains("other programs"), share.withheld.c_str());
    }
    confirm("2026-01-02T00:00:00Z", 1, 1);
    agree();
    QVERIFY(report().best_confirmed);
    QCOMPARE(report().compared.vendor.share, 0.5);
    confirm("2026-01-03T00:00:00Z", 0.5, 0);
    add_load("2026-01-03T00:00:00Z");
    agree();
    QCOMPARE(report().result.confirmed_utc, std::string("2026-01-02T00:00:00Z"));
  }

  void a_share_above_the_peak_is_explained() {
    confirm("2026-01-01T00:00:00Z", 1, 0);
    store::Store& store = bench_->store;
    store::SessionSummary session = *store.sessions().get(id_);
    trial::Baselines baselines = *trial::baselines_from_json(session.status.vendor_json);
    const task::Task task = *task::task_from_json(session.record.task_json);
    baselines.limits.peak_gflops = task.flops() / report().best.seconds * 1e-9 / 1.01;
    session.status.vendor_json = trial::baselines_to_json(baselines);
    QVERIFY(store.sessions().update_status(id_, session.status));
    const session::QuotedShare limit = report().compared.limit;
    QCOMPARE(limit.share, 0.0);
    QVERIFY(std::abs(limit.seconds / report().best.seconds - 1.01) < 1e-9);
    QVERIFY2(limit.withheld.contains("slower") && limit.withheld.contains("% faster"),
             limit.withheld.c_str());
  }

  /** A kernel of Winograd's algorithm may be faster than a direct one can be: the peak was no less. */
  void the_peak_is_no_limit_of_fewer_multiply_adds() {
    const task::Task task = *task::parse_task("conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32");
    trial::Baselines baselines;
    baselines.limits.peak_gflops = 100;
    const double seconds_at_peak = task.flops() / 100e9;
    for (const double share : {0.5, 1.5}) {
      const analysis::BestResult best{.trial = 0,
                                      .row = 0,
                                      .value = {.seconds = seconds_at_peak / share},
                                      .kind = analysis::BestKind::Confirmed};
      const auto direct = session::compare_best(best, {}, baselines, task, "conv2d-packed");
      QCOMPARE(direct.limit.share > 0, share < 1);
      const auto winograd = session::compare_best(best, {}, baselines, task, "conv2d-winograd-4x4");
      QVERIFY(winograd.fewer_multiply_adds && !direct.fewer_multiply_adds);
      QCOMPARE(winograd.limit.share, 0.0);
      QCOMPARE(winograd.limit.seconds, direct.limit.seconds);
      QVERIFY2(winograd.limit.withheld.contains("fewer multiply-adds"), winograd.limit.withheld.c_str());
    }
  }

  void a_trial_that_is_measured_again_says_what_was_found() {
    QVERIFY(!session::measured_again_text(bench_->store, id_,
                                          bench_->store.sessions().get(id_)->status.best_trial));
    confirm("2026-01-01T00:00:00Z", 1.5, 0);
    const auto found = session::measured_again_text(bench_->store, id_,
                                                    bench_->store.sessions().get(id_)->status.best_trial);
    QVERIFY(found);
    QVERIFY(QString::fromStdString(*found).contains("confirmed"));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionBestTest)

}  // namespace kernelscape::session_best_test
#include "session_best_test.moc"
