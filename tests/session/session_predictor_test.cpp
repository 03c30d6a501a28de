#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/session/predictor_choice.h"
#include "core/session/preparation.h"
#include "core/trial/recording_builder.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/predictor/synthetic_data.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_predictor_test {
using namespace kernelscape::session_tests;

namespace {

using Trained = std::shared_ptr<const predictor::Predictor>;

/** For matmul-tiled on avx2, another one each time. */
Trained train_predictor(base::Random& random, const std::string& name) {
  predictor::TrainingSetup setup =
      predictor_tests::small_setup(random, {{"model", "perceptron"}, {"epochs", "1"}, {"width", "4"}});
  setup.name = name;
  return predictor_tests::trained(std::move(setup));
}

store::PredictorId keep(store::Store& store, const Trained& predictor) {
  const predictor::Description& description = predictor->description();
  store::PredictorRecord record;
  record.name = description.name;
  record.template_name = predictor::templates_text(description.templates());
  record.isa = description.isa;
  return store.predictors().add(record, predictor->bytes(), predictor->hash()).value();
}

schedule::ScheduledKernel small_kernel() { return predictor_tests::kernel_of("matmul 32x32 32x32"); }

session::PredictorUse use_of(const schedule::ScheduledKernel& kernel) {
  return {kernel.template_name(), kernel.template_version(), kernel.target()};
}

/** Some hundred of a kernel's configurations, as they were measured. */
std::shared_ptr<const trial::Recording> record_kernel(const schedule::ScheduledKernel& kernel,
                                                      base::Random& random, std::string template_name) {
  trial::RecordingHeader header;
  header.name = "recorded";
  header.task_json = task::task_to_json(kernel.task());
  header.target_name = "cpu";
  header.target_json = schedule::target_to_json(kernel.target());
  header.template_name = std::move(template_name);
  header.template_version = kernel.template_version();
  trial::MeasureOptions options;
  options.repeats = 1;
  header.options_json = trial::measure_options_to_json(options);
  trial::RecordingBuilder builder(header, kernel.space());
  for (const space::Configuration& configuration : predictor_tests::random_members(kernel, 300, random)) {
    trial::Measurement measurement;
    measurement.build_seconds = 0.5;
    measurement.run_seconds = 0.25;
    if (kernel.within_limits(configuration)) {
      measurement.samples_seconds = {kernel.task().flops() /
                                     double{predictor_tests::synthetic_fitness(kernel, configuration)}};
    } else {
      measurement.category = trial::ErrorCategory::InstantiationError;
    }
    if (!builder.add(configuration, measurement)) qFatal("cannot record");
  }
  return builder.build().value();
}

session::TuningRequest one_shot_request(std::int64_t trials) {
  session::TuningRequest request = replay_request("one-shot", 5, trials);
  request.settings["top"] = "40";
  return request;
}

bool says(const Error& error, const std::string& word) { return describe(error).contains(word); }

}  // namespace

class SessionPredictorTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void the_newest_that_fits_is_taken() {
    base::Random random(testing::random_seed());
    store::Store& store = bench_->store;
    const session::PredictorUse use = use_of(small_kernel());
    const auto none = session::choose_predictor(store, "", use);
    QCOMPARE(none.error().code, ErrorCode::NotFound);
    QVERIFY(says(none.error(), "no predictor for matmul-tiled on avx2"));
    QVERIFY(says(none.error(), "kernelscape train"));
    const Trained first = train_predictor(random, "first");
    const Trained second = train_predictor(random, "second");
    keep(store, first);
    QCOMPARE((*session::choose_predictor(store, "", use))->hash(), first->hash());
    keep(store, second);
    QCOMPARE((*session::choose_predictor(store, "", use))->hash(), second->hash());
    // One that is still trained is none yet.
    store::PredictorRecord begun;
    begun.template_name = use.template_name;
    VERIFY_RESULT(store.predictors().create_training(begun, store::Owner::this_process()));
    QCOMPARE((*session::choose_predictor(store, "", use))->hash(), second->hash());
    const Trained several = train_predictor(random, "several");
    store::PredictorRecord of_operation;
    of_operation.template_name = "matmul-packed+" + use.template_name;
    VERIFY_RESULT(store.predictors().add(of_operation, several->bytes(), several->hash()));
    QCOMPARE((*session::choose_predictor(store, "", use))->hash(), several->hash());
  }

  void one_is_named_by_name_number_or_hash() {
    base::Random random(testing::random_seed());
    store::Store& store = bench_->store;
    const session::PredictorUse use = use_of(small_kernel());
    const Trained first = train_predictor(random, "twice");
    const Trained second = train_predictor(random, "twice");
    const store::PredictorId id = keep(store, first);
    keep(store, second);
    const auto hash_of_chosen = [&](const std::string& wanted) {
      const auto chosen = session::choose_predictor(store, wanted, use);
      return chosen ? (*chosen)->hash() : describe(chosen.error());
    };
    QCOMPARE(hash_of_chosen("twice"), second->hash());
    QCOMPARE(hash_of_chosen(std::to_string(id)), first->hash());
    QCOMPARE(hash_of_chosen(first->hash()), first->hash());
    QCOMPARE(hash_of_chosen(predictor::predictor_text(*first)), first->hash());
    const auto unknown = session::choose_predictor(store, "twise", use);
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(says(unknown.error(), "twice"));
    // A name alone does not stand for the one that is gone.
    QCOMPARE(session::choose_predictor(store, "twice 0123456789ab", use).error().code, ErrorCode::NotFound);
    store::PredictorRecord begun;
    begun.name = "begun";
    const store::PredictorId in_training =
        store.predictors().create_training(begun, store::Owner::this_process()).value();
    for (const std::string& wanted : {std::string("begun"), std::to_string(in_training)}) {
      const auto refused = session::choose_predictor(store, wanted, use);
      QCOMPARE(refused.error().code, ErrorCode::Refused);
      QVERIFY(says(refused.error(), "not trained yet"));
    }
  }

  void one_that_does_not_fit_is_refused() {
    base::Random random(testing::random_seed());
    store::Store& store = bench_->store;
    keep(store, train_predictor(random, "tiled"));
    const session::PredictorUse fitting = use_of(small_kernel());
    session::PredictorUse other_isa = fitting;
    other_isa.target.isa = "neon";
    session::PredictorUse other_version = fitting;
    ++other_version.template_version;
    session::PredictorUse other_template = fitting;
    other_template.template_name = "no-such-template";
    for (const session::PredictorUse& use : {other_isa, other_version, other_template}) {
      const auto named = session::choose_predictor(store, "tiled", use);
      QCOMPARE(named.error().code, ErrorCode::Refused);
      QVERIFY(!named.error().hint.empty());
      const auto newest = session::choose_predictor(store, "", use);
      QCOMPARE(newest.error().code, ErrorCode::NotFound);
      QVERIFY(says(newest.error(), use.template_name + " on " + use.target.isa));
    }
    QVERIFY(says(session::choose_predictor(store, "", other_isa).error(), "avx2"));
  }

  void another_device_of_the_isa_is_reported() {
    base::Random random(testing::random_seed());
    const Trained predictor = train_predictor(random, "tiled");
    schedule::TargetDescription target = small_kernel().target();
    QCOMPARE(session::predictor_notice(*predictor, target), std::string());
    target.device = "another CPU";
    const std::string notice = session::predictor_notice(*predictor, target);
    QVERIFY(notice.contains("a test's CPU") && notice.contains("another CPU"));
    VERIFY_RESULT(session::choose_predictor(
        bench_->store, std::to_string(keep(bench_->store, predictor)),
        {predictor->description().template_name, predictor->description().template_version, target}));
  }

  void a_session_measures_what_its_predictor_expects_most_of() {
    base::Random random(testing::random_seed());
    const schedule::ScheduledKernel kernel = small_kernel();
    const Trained predictor = train_predictor(random, "tiled");
    keep(bench_->store, predictor);
    const auto recording = record_kernel(kernel, random, kernel.template_name());
    const auto outcome = bench_->run(one_shot_request(100), recording);
    VERIFY_RESULT(outcome);
    QCOMPARE(outcome->status.state, store::SessionState::Done);
    QVERIFY(outcome->status.state_reason.contains("one round: the 40 best predictions"));
    const auto trials = bench_->store.trials().of(outcome->id).value();
    QCOMPARE(trials.size(), std::size_t{40});
    std::vector<space::Configuration> members;
    for (std::uint32_t row = 0; row < recording->size(); ++row)
      if (kernel.within_limits(recording->configuration(row)))
        members.push_back(recording->configuration(row));
    const auto bound = predictor->bind(kernel).value();
    std::vector<float> expected = bound->predict(members).value();
    std::ranges::sort(expected, std::greater{});
    std::map<std::int64_t, double> reported;
    const std::vector<store::StoredSeries> series = bench_->store.series().of(outcome->id).value();
    for (const store::StoredSeries& value : series)
      if (value.series == "predicted_mean") reported[value.trial] = value.value;
    QCOMPARE(reported.size(), trials.size());
    for (const trial::Trial& trial : trials) {
      QVERIFY(kernel.within_limits(trial.configuration));
      QCOMPARE(reported[trial.number], double{expected[static_cast<std::size_t>(trial.number)]});
      QCOMPARE(reported[trial.number], double{bound->predict({&trial.configuration, 1})->front()});
    }
    const store::SessionRecord record = bench_->store.sessions().get(outcome->id)->record;
    QVERIFY(record.settings_json.contains(predictor::predictor_text(*predictor)));
    QCOMPARE(session::request_of(record)->settings.at("predictor"), predictor::predictor_text(*predictor));
  }

  void a_session_resumes_with_its_own_predictor_alone() {
    base::Random random(testing::random_seed());
    const schedule::ScheduledKernel kernel = small_kernel();
    const Trained own = train_predictor(random, "tiled");
    const store::PredictorId id = keep(bench_->store, own);
    const auto recording = record_kernel(kernel, random, kernel.template_name());
    const auto whole = bench_->run(one_shot_request(100), recording);
    const auto begun = bench_->run(one_shot_request(15), recording);
    VERIFY_RESULT(begun);
    QCOMPARE(begun->status.trial_count, 15);
    // A newer one is for new sessions.
    keep(bench_->store, train_predictor(random, "tiled"));
    const auto raise = [](trial::Budget& budget) { budget.trials = 25; };
    VERIFY_RESULT(bench_->resume(begun->id, raise));
    VERIFY_RESULT(bench_->store.predictors().remove(id));
    const auto gone = bench_->resume(begun->id);
    QCOMPARE(gone.error().code, ErrorCode::Refused);
    QVERIFY(says(gone.error(), predictor::predictor_text(*own)));
    QVERIFY(says(gone.error(), "import its file"));
    keep(bench_->store, own);
    VERIFY_RESULT(bench_->resume(begun->id, [](trial::Budget& budget) { budget.trials = 100; }));
    const auto configurations = [&](store::SessionId session) {
      std::vector<space::Configuration> all;
      const std::vector<trial::Trial> trials = bench_->store.trials().of(session).value();
      for (const trial::Trial& trial : trials) all.push_back(trial.configuration);
      return all;
    };
    QVERIFY(configurations(begun->id) == configurations(whole->id));
  }

  void kernels_that_are_not_known_have_no_predictor() {
    base::Random random(testing::random_seed());
    const schedule::ScheduledKernel kernel = small_kernel();
    keep(bench_->store, train_predictor(random, "tiled"));
    const auto foreign = bench_->run(one_shot_request(10), record_kernel(kernel, random, ""));
    QCOMPARE(foreign.error().code, ErrorCode::Refused);
    QVERIFY(says(foreign.error(), "another program"));
    // Others need none.
    VERIFY_RESULT(bench_->run(replay_request("random", 5, 10), record_kernel(kernel, random, "")));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionPredictorTest)

}  // namespace kernelscape::session_predictor_test
#include "session_predictor_test.moc"
