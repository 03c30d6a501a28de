#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QFile>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <barrier>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/random.h"
#include "core/session/setup.h"
#include "core/study/layer_starts.h"
#include "core/study/model_export.h"
#include "core/study/network_export.h"
#include "core/study/network_progress.h"
#include "core/study/next_rounds.h"
#include "core/study/shared_budget.h"
#include "tests/study/network_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_shared_budget_test {
using namespace kernelscape::study_tests;

namespace {

study::Outcome ran(store::Store& store, store::StudyId id, const session::Runner& runner,
                   const session::StopRequest& stop = session::StopRequest()) {
  StudyNotes notes;
  return ran_network(store, id, runner, notes, stop);
}

/** The clock aside: a batch that was broken off is measured in two parts. */
void verify_same(const std::vector<std::vector<trial::Trial>>& a,
                 const std::vector<std::vector<trial::Trial>>& b) {
  QCOMPARE(a.size(), b.size());
  for (std::size_t run = 0; run < a.size(); ++run) {
    QCOMPARE(a[run].size(), b[run].size());
    for (std::size_t i = 0; i < a[run].size(); ++i) {
      QVERIFY(a[run][i].configuration == b[run][i].configuration);
      QVERIFY(a[run][i].measurement == b[run][i].measurement);
    }
  }
}

/** As rounds_runner(), of several threads: stops all with their `stop_after`th batch. */
session::Runner stopping_runner(session::StopRequest& stops, std::uint64_t stop_after) {
  auto left = std::make_shared<std::atomic<std::int64_t>>(static_cast<std::int64_t>(stop_after));
  return [=, &stops](store::Store& own, const session::PreparedTuning& tuning,
                     std::optional<store::SessionId> resumed, session::Observer& observer,
                     const session::StopRequest& stop) -> Result<session::Outcome> {
    session_tests::TestMeasurer measurer(session_tests::make_script());
    measurer.on_submit = [=, &stops] {
      if (--*left == 0) stops.stop_gracefully();
    };
    return run_by_script(measurer, own, tuning, resumed, observer, stop);
  };
}

MeasurementScript always_valid() {
  MeasurementScript script = session_tests::make_script();
  script.measure = [](const space::Configuration& configuration) {
    trial::Measurement measurement;
    measurement.samples_seconds = {session_tests::scripted_seconds(configuration)};
    return measurement;
  };
  return script;
}

/** Reports trials with the position of their layer. */
class ToldLayers final : public study::Observer {
 public:
  void trial_finished(const study::PlannedRun& run, const trial::Trial& trial,
                      const store::SessionStatus&) override {
    on_trial(run.task, trial);
  }
  void run_failed(const study::PlannedRun& run, const Error& error) override {
    failures += fmt::format("layer {}: {}\n", run.task, describe(error));
  }
  std::function<void(std::size_t, const trial::Trial&)> on_trial;
  std::string failures;
};

}  // namespace

class StudySharedBudgetTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void the_budget_is_of_all_layers_together() {
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::Gradient, study::LayerScheduler::RoundRobin,
          study::LayerScheduler::Proportional}) {
      store::Store store = *store::Store::open(database(study::to_string(scheduler)));
      const store::StudyId id = created_network(store, planned_network(scheduler, 70));
      const study::Outcome outcome = ran(store, id, rounds_runner());
      QVERIFY(!outcome.interrupted);
      QCOMPARE(outcome.progress.trials, std::int64_t{70});
      QCOMPARE(outcome.progress.done, std::int64_t{4});
      const study::NetworkOutcome network = *study::network_outcome(store, id);
      std::int64_t trials = 0;
      for (const study::NetworkLayerOutcome& layer : network.layers) {
        trials += layer.trials;
        QVERIFY2(layer.trial >= 0 && layer.confirmed, layer.task.c_str());
        QVERIFY(layer.share_of_vendor().has_value());
      }
      QCOMPARE(trials, std::int64_t{70});
      QCOMPARE(network.missing, std::int64_t{0});
      // Nothing is left to do.
      QCOMPARE(ran(store, id, rounds_runner()).progress.trials, std::int64_t{70});
    }
  }

  /**
   * With a tiny budget, under every scheduler and none, though first trials fail: every layer has its first
   * valid kernel before any layer has a later round, and what costs seconds a layer waits until then.
   */
  void every_layer_has_a_kernel_before_any_has_more() {
    for (const std::string scheduler : {"gradient", "round-robin", "proportional", ""}) {
      for (const int at_once : {1, 3}) {
        study::Definition study =
            planned_network(study::LayerScheduler::Gradient, scheduler.empty() ? 8 : 24);
        study.scheduler = scheduler;
        study.first_trials = 2;
        study.layers_at_once = at_once;
        store::Store store = *store::Store::open(database(scheduler + std::to_string(at_once)));
        const store::StudyId id = created_network(store, study);
        verify_first_kernels(store, id, study);
        if (QTest::currentTestFailed()) return qWarning("scheduler '%s', %d", scheduler.c_str(), at_once);
      }
    }
  }

  /** As many trials as there are layers are enough for a time; fewer are not, and nothing is hidden. */
  void a_tiny_budget_gives_the_network_a_time() {
    for (const std::int64_t trials : {4, 3}) {
      store::Store store = *store::Store::open(database(std::to_string(trials)));
      const store::StudyId id =
          created_network(store, planned_network(study::LayerScheduler::Gradient, trials));
      StudyNotes notes;
      ran_network(store, id, rounds_runner(nullptr, 0, [](const session::Setup&) { return always_valid(); }),
                  notes);
      const study::NetworkProgress progress = *study::read_network_progress(store, id);
      QCOMPARE(progress.trials, trials);
      QCOMPARE(progress.points.size(), std::size_t{trials == 4 ? 1U : 0U});
      QCOMPARE(progress.waiting.size(), std::size_t{trials == 4 ? 0U : 1U});
      QCOMPARE(study::network_outcome(store, id)->missing, std::int64_t{4} - trials);
      const auto reported = std::ranges::count_if(notes.messages, [](const session::Message& message) {
        return message.text.starts_with("every layer has a kernel");
      });
      QCOMPARE(reported, std::ptrdiff_t{trials == 4 ? 1 : 0});
    }
  }

  /** Layers that are alike begin with what is known of the others; the same starts are made again. */
  void a_layer_begins_with_the_best_of_one_that_is_alike() {
    task::WholeNetwork network{"alike", "a test's", {}};
    for (const char* text : {"conv2d 1x64x28x28 64x64x3x3 pad=1", "conv2d 1x64x14x14 64x64x3x3 pad=1",
                             "conv2d 1x64x28x28 128x64x3x3 pad=1"})
      network.layers.push_back({*task::parse_task(text), 1, {"a node"}});
    study::Definition study = planned_network(study::LayerScheduler::Gradient, 30, "ga", network);
    study.first_trials = 2;
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId id = created_network(store, study);
    ran(store, id, rounds_runner(nullptr, 0, [](const session::Setup&) { return always_valid(); }));
    int adapted = 0;
    const std::vector<store::StudyRun> runs = *store.studies().runs(id);
    for (const store::StudyRun& run : runs) {
      const store::SessionRecord record = store.sessions().get(*run.session)->record;
      const space::SearchSpace space = *space::space_from_json(record.space_json);
      const std::vector<space::Configuration> starts = *session::starts_from_json(record.history_json, space);
      QCOMPARE(starts.size(), std::size_t{2});
      for (std::size_t i = 0; i < starts.size(); ++i)
        QVERIFY(store.trials().get(*run.session, static_cast<std::int64_t>(i))->configuration == starts[i]);
      for (const store::StudyRun& other : runs) {
        if (*other.session >= *run.session) continue;
        const space::SearchSpace from =
            *space::space_from_json(store.sessions().get(*other.session)->record.space_json);
        for (const std::int64_t trial : {0, 1}) {
          const space::Configuration best = store.trials().get(*other.session, trial)->configuration;
          if (study::adapted_configuration(from, best, space) == starts.front()) ++adapted;
        }
      }
    }
    QVERIFY2(adapted > 0, std::to_string(adapted).c_str());
  }

  /** Stopped anywhere, any number of times, it measures what it would have measured without. */
  void a_stopped_network_resumes_exactly() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    store::Store through = *store::Store::open(database("through.db"));
    const store::StudyId whole =
        created_network(through, planned_network(study::LayerScheduler::Gradient, 120));
    ran(through, whole, rounds_runner());
    store::Store store = *store::Store::open(database("stopped.db"));
    const store::StudyId id = created_network(store, planned_network(study::LayerScheduler::Gradient, 120));
    int stops = 0;
    for (bool interrupted = true; interrupted; ++stops) {
      session::StopRequest stop;
      interrupted =
          ran(store, id, rounds_runner(&stop, static_cast<int>(1 + random.below(6))), stop).interrupted;
      QVERIFY(stops < 100);
    }
    QVERIFY(stops > 2);
    verify_same(study_trials(store, id), study_trials(through, whole));
  }

  /** Each waits for the other, so that they have to be at it together. */
  void rounds_are_made_at_the_same_time() {
    study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 64);
    study.layers_at_once = 2;
    study.first_trials = 8;
    QVERIFY(study::study_from_json(study::study_to_json(study), {}).value() == study);
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId id = created_network(store, study);
    auto met = std::make_shared<std::barrier<>>(2);
    const session::Runner alone =
        rounds_runner(nullptr, 0, [](const session::Setup&) { return always_valid(); });
    const study::Outcome outcome = ran(
        store, id,
        [=](store::Store& own, const session::PreparedTuning& tuning, std::optional<store::SessionId> resumed,
            session::Observer& observer, const session::StopRequest& stop) {
          met->arrive_and_wait();
          return alone(own, tuning, resumed, observer, stop);
        });
    QCOMPARE(outcome.progress.trials, std::int64_t{64});
    QCOMPARE(outcome.progress.done, std::int64_t{4});
    // What was chosen together is told as such.
    const study::NetworkProgress progress = *study::read_network_progress(store, id);
    QVERIFY(progress.order_known);
  }

  void layers_at_the_same_time_resume_exactly() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::Gradient, study::LayerScheduler::Proportional}) {
      study::Definition study = planned_network(scheduler, 120 + static_cast<std::int64_t>(random.below(10)));
      study.layers_at_once = 3;
      store::Store through =
          *store::Store::open(database("through" + std::string(study::to_string(scheduler))));
      const store::StudyId whole = created_network(through, study);
      ran(through, whole, rounds_runner());
      store::Store store =
          *store::Store::open(database("stopped" + std::string(study::to_string(scheduler))));
      const store::StudyId id = created_network(store, study);
      int stops = 0;
      for (bool interrupted = true; interrupted; ++stops) {
        session::StopRequest stop;
        interrupted = ran(store, id, stopping_runner(stop, 1 + random.below(12)), stop).interrupted;
        QVERIFY(stops < 200);
      }
      verify_same(study_trials(store, id), study_trials(through, whole));
    }
  }

  void a_model_is_stored_whole() {
    const study::Definition study = planned_network(study::LayerScheduler::Gradient, 40);
    QCOMPARE(study.network, std::string("my model"));
    QVERIFY(study::study_from_json(study::study_to_json(study), {}).value() == study);
    QCOMPARE(task::whole_network_from_json(study.network_json).value(), small_network());
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId id = created_network(store, study);
    ran(store, id, rounds_runner());
    QCOMPARE(*study::find_network_study(store, "my model"), id);
    QCOMPARE(*study::find_network_study(store, "models/my model.onnx"), id);
    const Result<study::NetworkKernels> kernels = study::network_kernels(store, id);
    QVERIFY2(kernels, kernels ? "" : describe(kernels.error()).c_str());
    QCOMPARE(kernels->kernels.size(), std::size_t{4});
    // What the catalogue has is named, and not stored once more.
    const Result<task::WholeNetwork> known =
        task::find_whole_network(*task::Catalogue::load_default(), "resnet-18");
    QVERIFY(planned_network(study::LayerScheduler::Gradient, 40, "random", *known).network_json.empty());
  }

  void the_file_of_a_model_is_stored() {
    study::Definition study = planned_network(study::LayerScheduler::Gradient, 40);
    QVERIFY(!study.model_source);
    study.model_source = study::ModelSource{"/models/my \"model\".onnx", {{"batch", 2}, {"data[0]", 1}}};
    const std::string json = study::study_to_json(study);
    QVERIFY(study::study_from_json(json, {}).value() == study);
    store::Store store = *store::Store::open(database("a.db"));
    QVERIFY(study::stored_study(store, created_network(store, study))->model_source == study.model_source);
    for (const char* wrong :
         {R"({"dimensions": {"batch": 2}})", R"({"path": ""})",
          R"({"path": "a", "dimensions": {"batch": "2"}})", R"({"path": "a", "other": 1})", R"("a.onnx")"}) {
      nlohmann::json object = nlohmann::json::parse(json);
      object["model_file"] = nlohmann::json::parse(wrong);
      const Result<study::Definition> read = study::study_from_json(object.dump(), {});
      QVERIFY2(!read && describe(read.error()).contains("model_file"), wrong);
    }
    // Only the existing file of a model is one.
    const QString path = folder_->filePath("net.onnx");
    QVERIFY(!study::model_source_of(path.toStdString(), {}));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(study::model_source_of(path.toStdString(), {{"batch", 3}})->dimensions.at("batch"),
             std::int64_t{3});
    QVERIFY(!study::model_source_of("resnet-18", {}));
    QVERIFY(!study::model_source_of(folder_->path().toStdString(), {}));
  }

  void a_layer_begins_with_what_was_tuned_before() {
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId first =
        created_network(store, planned_network(study::LayerScheduler::RoundRobin, 80));
    ran(store, first, rounds_runner());
    const study::NetworkOutcome before = *study::network_outcome(store, first);
    const store::StudyId second =
        created_network(store, planned_network(study::LayerScheduler::RoundRobin, 8));
    ran(store, second, rounds_runner());
    const study::NetworkOutcome after = *study::network_outcome(store, second);
    for (std::size_t i = 0; i < after.layers.size(); ++i) {
      const std::vector<store::StudyRun> runs = *store.studies().runs(second);
      QVERIFY(store.sessions().get(*runs[i].session)->record.history_json.contains("session"));
      QVERIFY2(after.layers[i].seconds <= before.layers[i].seconds, after.layers[i].task.c_str());
    }
  }

  void patience_ends_a_layer_and_not_the_network() {
    store::Store store = *store::Store::open(database("a.db"));
    study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 400);
    study.budget.patience = 20;
    const store::StudyId id = created_network(store, study);
    const study::Outcome outcome = ran(store, id, rounds_runner());
    QVERIFY(!outcome.interrupted);
    QVERIFY(outcome.progress.trials < 400);
    QCOMPARE(study::network_outcome(store, id)->missing, std::int64_t{0});
  }

  void minutes_are_those_of_all_layers() {
    store::Store store = *store::Store::open(database("a.db"));
    study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 0);
    study.budget.trials = 0;
    study.budget.minutes = 5;
    const store::StudyId id = created_network(store, study);
    ran(store, id, rounds_runner());
    const double seconds = study::network_outcome(store, id)->tuning_seconds;
    // With the round in which they were over.
    QVERIFY2(seconds >= 300 && seconds < 600, std::to_string(seconds).c_str());
  }

  /** Replayed, without a device: no time is lost, and nothing is measured again. */
  void recorded_layers_share_a_budget() {
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::Gradient, study::LayerScheduler::RoundRobin,
          study::LayerScheduler::Proportional}) {
      store::Store store = *store::Store::open(database(study::to_string(scheduler)));
      const store::StudyId id = created_network(store, recorded_network(scheduler, 90));
      const study::Outcome outcome = ran(store, id, session::run_on_this_machine);
      QCOMPARE(outcome.progress.trials, std::int64_t{90});
      QCOMPARE(outcome.progress.done, std::int64_t{3});
      const study::NetworkOutcome network = *study::network_outcome(store, id);
      double seconds = 0;
      for (const study::NetworkLayerOutcome& layer : network.layers) {
        QVERIFY(layer.trial >= 0 && !layer.confirmed);
        seconds += static_cast<double>(layer.multiplicity) *
                   store.sessions().get(*layer.session)->status.best_seconds;
        QCOMPARE(store.sessions().get(*layer.session)->record.history_json, std::string("[]"));
      }
      QCOMPARE(network.seconds, seconds);
      QCOMPARE(store.studies().get(id)->done_runs, std::int64_t{3});
      // With more than there is, all of it is visited.
      const store::StudyId whole = created_network(store, recorded_network(scheduler, 100'000));
      ran(store, whole, session::run_on_this_machine);
      for (const study::NetworkLayerOutcome& layer : study::network_outcome(store, whole)->layers)
        QCOMPARE(layer.trials, static_cast<std::int64_t>(recorded_space().size()));
    }
  }

  void a_replayed_network_hides_no_measured_one() {
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId measured =
        created_network(store, planned_network(study::LayerScheduler::RoundRobin, 8));
    study::Definition replay = recorded_network(study::LayerScheduler::RoundRobin, 8);
    replay.network = "my model";
    const store::StudyId replayed = created_network(store, replay);
    QCOMPARE(study::find_network_study(store, "my model").value(), measured);
    QVERIFY(store.studies().remove(measured));
    QCOMPARE(study::find_network_study(store, "my model").value(), replayed);
  }

  /** What a layer measured before something broke counts as what it is: trials of the budget. */
  void a_layer_that_breaks_keeps_its_trials() {
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId id = created_network(store, planned_network(study::LayerScheduler::RoundRobin, 80));
    study::Options options;
    bool broken = false;
    options.runner = [&](store::Store& own, const session::PreparedTuning& tuning,
                         std::optional<store::SessionId> resumed, session::Observer& observer,
                         const session::StopRequest& stop) {
      MeasurementScript script = session_tests::make_script();
      if (!broken) script.fault_after = 0;
      broken = true;
      session_tests::TestMeasurer measurer(std::move(script));
      return run_by_script(measurer, own, tuning, resumed, observer, stop);
    };
    StudyNotes notes;
    const study::Outcome outcome =
        *study::run_study(store.path(), id, options, notes, session::StopRequest());
    QCOMPARE(notes.failed.size(), std::size_t{1});
    QCOMPARE(outcome.progress.failed, std::int64_t{1});
    QCOMPARE(outcome.progress.trials, std::int64_t{80});
    std::int64_t trials = 0;
    for (const std::vector<trial::Trial>& run : study_trials(store, id)) trials += std::ssize(run);
    QCOMPARE(trials, std::int64_t{80});
    // It is not given up: going on ends its round.
    QCOMPARE(ran(store, id, rounds_runner()).progress.done, std::int64_t{4});
  }

  void wrong_definitions_are_refused() {
    study::Definition study = planned_network(study::LayerScheduler::Gradient, 40);
    study.scheduler = "steepest";
    QVERIFY(study::check_study(study).error().hint.contains("gradient"));
    study = planned_network(study::LayerScheduler::Gradient, 40);
    study.repeats = 2;
    QVERIFY(!study::check_study(study));
    study = planned_network(study::LayerScheduler::Gradient, 40);
    study.budget.target_gflops = 10;
    QVERIFY(!study::check_study(study));
    study = planned_network(study::LayerScheduler::Gradient, 40);
    study.purpose = study::Purpose::Comparison;
    QVERIFY(!study::check_study(study));
    study = recorded_network(study::LayerScheduler::Gradient, 40);
    QVERIFY(study::check_study(study));
    study.tasks.front().task = "resnet18/C6";
    study.tasks.front().target = "cpu";
    QVERIFY(!study::check_study(study));
  }

  void rounds_are_short_where_the_budget_is() {
    QCOMPARE(study::round_trials(planned_network(study::LayerScheduler::Gradient, 4)), std::int64_t{1});
    QCOMPARE(study::round_trials(planned_network(study::LayerScheduler::Gradient, 80)), std::int64_t{10});
    QCOMPARE(study::round_trials(planned_network(study::LayerScheduler::Gradient, 8000)), std::int64_t{16});
  }

 private:
  /** Runs the study with failing first trials. */
  void verify_first_kernels(store::Store& store, store::StudyId id, const study::Definition& study) {
    std::mutex mutex;
    std::map<std::string, std::int64_t> trials;  // by task, measured
    std::map<std::string, bool> valid;
    int first_runs = 0;
    std::string wrong;
    ToldLayers reported;
    reported.on_trial = [&](std::size_t layer, const trial::Trial& trial) {
      const std::scoped_lock lock(mutex);
      const std::string task = std::to_string(layer);
      const bool is_later = trials[task]++ >= study.first_trials && valid[task];
      if (is_later && std::ranges::count(valid, true, &std::pair<const std::string, bool>::second) <
                          std::ssize(study.tasks))
        wrong = fmt::format("layer {} has trial {} while another has no kernel", layer, trial.number);
      valid[task] = valid[task] || trial.measurement.valid();
    };
    int failures_left = 3;  // of the matrix multiplication
    const session::Runner alone = rounds_runner(nullptr, 0, [&](const session::Setup& setup) {
      MeasurementScript script = always_valid();
      if (!setup.task.text.starts_with("matmul")) return script;
      script.measure = [&, measure = script.measure](const space::Configuration& configuration) {
        trial::Measurement measurement = measure(configuration);
        if (failures_left-- > 0) {
          measurement.category = trial::ErrorCategory::WrongAnswer;
          measurement.samples_seconds.clear();
        }
        return measurement;
      };
      return script;
    });
    study::Options options;
    options.runner = [&](store::Store& own, const session::PreparedTuning& tuning,
                         std::optional<store::SessionId> resumed, session::Observer& observer,
                         const session::StopRequest& stop) {
      {
        const std::scoped_lock lock(mutex);
        const auto with = std::ranges::count(valid, true, &std::pair<const std::string, bool>::second);
        if (tuning.setup.first_kernel) ++first_runs;
        if (tuning.setup.first_kernel && with == std::ssize(study.tasks))
          wrong = "a first kernel is wanted where all layers have one";
        if (!tuning.setup.first_kernel && with < std::ssize(study.tasks))
          wrong = fmt::format("{} is surveyed when {} of {} layers have a kernel, after {} trials of layers",
                              tuning.setup.task.text, with, study.tasks.size(), trials);
      }
      return alone(own, tuning, resumed, observer, stop);
    };
    QVERIFY(study::run_study(store.path(), id, options, reported, session::StopRequest()));
    QVERIFY2(reported.failures.empty(), reported.failures.c_str());
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(first_runs >= std::ssize(study.tasks));
    QCOMPARE(study::network_outcome(store, id)->missing, std::int64_t{0});
    QVERIFY(!study::read_network_progress(store, id)->points.empty());
  }

  std::string database(std::string_view name) const {
    return folder_->filePath(QString::fromStdString(std::string(name))).toStdString();
  }

  study::Definition recorded_network(study::LayerScheduler scheduler, std::int64_t trials) const {
    study::Definition study =
        make_study({"random"},
                   {write_recording(*folder_, "x", 1), write_recording(*folder_, "y", 2),
                    write_recording(*folder_, "z", 3)},
                   1, trials);
    study.purpose = study::Purpose::Network;
    study.network = "made up";
    study.scheduler = study::to_string(scheduler);
    study.tasks.front().multiplicity = 5;
    return study;
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

KERNELSCAPE_TEST(StudySharedBudgetTest, QCoreApplication)

}  // namespace kernelscape::study_shared_budget_test
#include "study_shared_budget_test.moc"
