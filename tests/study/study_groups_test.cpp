#include <QTest>
#include <algorithm>
#include <set>

#include "core/exchange/kernels/kernel_library.h"
#include "core/study/data_set_plan.h"
#include "core/study/data_set_tasks.h"
#include "core/study/network_export.h"
#include "core/study/network_run.h"
#include "core/trial/baselines.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/session/session_support.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_groups_test {
using namespace kernelscape::study_tests;

namespace {

task::Catalogue bundled_catalogue() { return *task::Catalogue::load_default(); }

schedule::TargetDescription some_cpu() { return testing::cpu_with_lanes(16); }

std::set<std::string> texts_of_network(const task::Catalogue& catalogue, const std::string& name) {
  std::set<std::string> texts;
  for (const task::Network& network : catalogue.networks()) {
    if (network.name != name) continue;
    for (const task::NetworkLayer& layer : network.layers) texts.insert(catalogue.find(layer.task)->text);
  }
  return texts;
}

study::DataSetRequest small_request(const std::string& template_name, std::uint64_t seed) {
  study::DataSetRequest request;
  request.template_name = template_name;
  request.tasks = 12;
  request.trials = 6;
  request.seed = seed;
  return request;
}

/** Measures by the script; confirmed where `confirms`. Stops the study after so many sessions. */
session::Runner scripted_runner(bool confirms, int* sessions = nullptr, std::vector<bool>* alone = nullptr) {
  return
      [=](store::Store& own, const session::PreparedTuning& tuning, std::optional<store::SessionId> resumed,
          session::Observer& observer, const session::StopRequest& stop) -> Result<session::Outcome> {
        if (sessions != nullptr) ++*sessions;
        if (alone != nullptr) alone->push_back(tuning.setup.trials_alone);
        session_tests::TestMeasurer measurer(session_tests::make_script());
        session::Confirmer confirmer;
        if (confirms) confirmer = session_tests::confirm_by_script;
        const session::Tools tools{
            measurer, observer, stop,       [&] { return measurer.clock().seconds; }, std::move(confirmer),
            {},       {},       tuning.kept};
        return resumed ? session::resume_session(own, *resumed, tuning.setup, tools)
                       : session::run_session(own, tuning.setup, tools);
      };
}

}  // namespace

/** Studies with another purpose than to compare: data sets and networks. */
class StudyGroupsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;

  std::string database(const char* name) const { return folder_->filePath(name).toStdString(); }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void dataSetsHaveTasksThatTheirTemplateFits();
  void heldOutShapesAreNotDrawn();
  void layersComeFromNamesAndFiles();
  void refusesWrongDataSets_data();
  void refusesWrongDataSets();
  void dataSetsAreTrialsAlone();
  void stoppedDataSetsResume();
  void networksHaveTheirLayersOnce();
  void layersHaveTheTemplateOfASingleTask();
  void sumsAreOverLayersByMultiplicity();
  void kernelsOfNetworksAreOneLibrary();
  void vendorsKernelsAreChosenByLayer();
  void networksAreFoundByTheirNames();
};

void StudyGroupsTest::dataSetsHaveTasksThatTheirTemplateFits() {
  const task::Catalogue catalogue = bundled_catalogue();
  const std::uint64_t seed = testing::random_seed() % 1'000'000;
  for (const char* name : {"conv2d-packed", "matmul-packed", "matmul-tiled"}) {
    study::DataSetRequest request = small_request(name, seed);
    request.max_gflop = 2;
    const Result<study::DataSetPlan> plan = study::plan_data_set(request, catalogue, some_cpu());
    QVERIFY2(plan, plan ? "" : describe(plan.error()).c_str());
    const study::Definition& study = plan->study;
    QVERIFY(study.purpose == study::Purpose::DataSet);
    QCOMPARE(study.tasks.size(), request.tasks);
    QCOMPARE(study.budget.trials, request.trials);
    QCOMPARE(study.arms.size(), 1U);
    QCOMPARE(study.arms[0].tuner, std::string("xgb"));
    QCOMPARE(study.arms[0].settings.at("features"), std::string("curve"));
    QCOMPARE(study.arms[0].settings.at("loss"), std::string("regression"));
    QVERIFY(study.measuring == study::data_set_measuring);
    const schedule::TemplateDeclaration* declaration =
        *schedule::find_template(name, schedule::TargetKind::Cpu);
    std::set<std::string> texts;
    for (const study::Task& task : study.tasks) {
      const Result<task::Task> drawn = task::parse_task(task.task);
      QVERIFY2(drawn && declaration->fits(*drawn, some_cpu()), task.task.c_str());
      QVERIFY2(drawn->flops() <= 2e9, task.task.c_str());
      QCOMPARE(task.template_name, std::string(name));
      texts.insert(drawn->text);
    }
    QCOMPARE(texts.size(), request.tasks);
    QVERIFY(study::plan_data_set(request, catalogue, some_cpu())->study == study);
    QVERIFY(study::study_from_json(study::study_to_json(study), {}).value() == study);
    request.seed += 1;
    QVERIFY(!(study::plan_data_set(request, catalogue, some_cpu())->study.tasks == study.tasks));
  }
}

void StudyGroupsTest::heldOutShapesAreNotDrawn() {
  const task::Catalogue catalogue = bundled_catalogue();
  study::DataSetRequest request = small_request("conv2d-packed", testing::random_seed() % 1'000'000);
  request.sampling = task::Sampling::Rows;
  request.layers = {"resnet-18", "resnet-50"};
  request.held_out = {"resnet-18"};
  const Result<study::DataSetPlan> plan = study::plan_data_set(request, catalogue, some_cpu());
  QVERIFY2(plan, plan ? "" : describe(plan.error()).c_str());
  const std::set<std::string> held_out = texts_of_network(catalogue, "resnet-18");
  QVERIFY(!held_out.empty());
  for (const study::Task& task : plan->study.tasks)
    QVERIFY2(!held_out.contains(task.task), task.task.c_str());
  QVERIFY(plan->sampled.refused_held_out > 0);
}

void StudyGroupsTest::layersComeFromNamesAndFiles() {
  const task::Catalogue catalogue = bundled_catalogue();
  const std::string file = folder_->filePath("mine.csv").toStdString();
  QVERIFY(
      base::write_file_atomically(file, "task,count\nmatmul 24x36 36x48 f32,3\nmatmul 32x64 64x96 f32,1\n"));
  study::DataSetRequest request = small_request("matmul-tiled", 1);
  request.sampling = task::Sampling::Rows;
  request.tasks = 2;
  request.layers = {file};
  const Result<study::DataSetPlan> own = study::plan_data_set(request, catalogue, some_cpu());
  QVERIFY2(own, own ? "" : describe(own.error()).c_str());
  std::set<std::string> texts;
  for (const study::Task& task : own->study.tasks) texts.insert(task.task);
  QCOMPARE(texts, (std::set<std::string>{"matmul 24x36 36x48 f32", "matmul 32x64 64x96 f32"}));
  // A list of tasks with convolutions too: those are no layers of this template.
  request.layers = {"heron"};
  const Result<study::DataSetPlan> listed = study::plan_data_set(request, catalogue, some_cpu());
  QVERIFY2(listed, listed ? "" : describe(listed.error()).c_str());
}

void StudyGroupsTest::refusesWrongDataSets_data() {
  QTest::addColumn<QString>("template_name");
  QTest::addColumn<QString>("layers");
  QTest::addColumn<QString>("held_out");
  QTest::addColumn<int>("tasks");
  QTest::addColumn<QString>("said");
  QTest::newRow("unknown template") << "matmul-tilde" << "" << "" << 5 << "matmul-tilde";
  QTest::newRow("unknown layers") << "matmul-tiled" << "resnet-19" << "" << 5 << "resnet-19";
  QTest::newRow("missing file") << "matmul-tiled" << "/no/such.csv" << "" << 5 << "/no/such.csv";
  QTest::newRow("unknown held out") << "matmul-tiled" << "" << "bert-bass" << 5 << "bert-bass";
  QTest::newRow("no layer fits") << "matmul-tiled" << "squeezenet-v1.1" << "" << 5 << "supports none";
  QTest::newRow("no tasks") << "matmul-tiled" << "" << "" << 0 << "0 tasks";
}

void StudyGroupsTest::refusesWrongDataSets() {
  QFETCH(QString, template_name);
  QFETCH(QString, layers);
  QFETCH(QString, held_out);
  QFETCH(int, tasks);
  QFETCH(QString, said);
  study::DataSetRequest request = small_request(template_name.toStdString(), 1);
  if (!layers.isEmpty()) request.layers = {layers.toStdString()};
  if (!held_out.isEmpty()) request.held_out = {held_out.toStdString()};
  request.tasks = static_cast<std::size_t>(tasks);
  const Result<study::DataSetPlan> plan = study::plan_data_set(request, bundled_catalogue(), some_cpu());
  QVERIFY(!plan);
  QVERIFY2(plan.error().message.contains(said.toStdString()), plan.error().message.c_str());
  QVERIFY2(!plan.error().hint.empty(), plan.error().message.c_str());
}

void StudyGroupsTest::dataSetsAreTrialsAlone() {
  study::DataSetRequest request = small_request("matmul-tiled", 3);
  request.tasks = 3;
  request.tuner = "random";
  request.max_gflop = 1;
  const study::DataSetPlan plan = *study::plan_data_set(request, bundled_catalogue(), some_cpu());
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, plan.study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  QVERIFY(study::purpose_of(store.studies().get(*id)->record) == study::Purpose::DataSet);
  const std::vector<study::DataSetTask> planned = *study::data_set_tasks(store, *id);
  for (const study::DataSetTask& task : planned) QVERIFY(!task.session && task.valid == 0);
  std::vector<bool> alone;
  study::Options options;
  options.runner = scripted_runner(false, nullptr, &alone);
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), *id, options, notes, session::StopRequest()));
  QCOMPARE(alone, std::vector<bool>(3, true));
  const std::vector<study::DataSetTask> tasks = *study::data_set_tasks(store, *id);
  QCOMPARE(tasks.size(), 3U);
  const auto trials = study_trials(store, *id);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    QCOMPARE(tasks[i].task, plan.study.tasks[i].task);
    QCOMPARE(tasks[i].status.trial_count, 6);
    QCOMPARE(tasks[i].valid, std::ranges::count_if(trials[i], [](const trial::Trial& trial) {
               return trial.measurement.valid();
             }));
    // The random tuner has no model.
    QCOMPARE(tasks[i].before_model, 6);
    QVERIFY(tasks[i].flops > 0);
  }
}

void StudyGroupsTest::stoppedDataSetsResume() {
  study::DataSetRequest request = small_request("matmul-tiled", 4);
  request.tasks = 4;
  request.tuner = "random";
  request.max_gflop = 1;
  const study::DataSetPlan plan = *study::plan_data_set(request, bundled_catalogue(), some_cpu());
  store::Store through = *store::Store::open(database("through.db"));
  const store::StudyId whole = *study::create_study(through, plan.study);
  study::Options options;
  options.runner = scripted_runner(false);
  StudyNotes notes;
  QVERIFY(study::run_study(through.path(), whole, options, notes, session::StopRequest()));

  store::Store store = *store::Store::open(database("stopped.db"));
  const store::StudyId id = *study::create_study(store, plan.study);
  session::StopRequest stop;
  StudyNotes stopping;
  stopping.on_event = [&] {
    if (stopping.ended.size() == 2) stop.stop_gracefully();
  };
  const Result<study::Outcome> first = study::run_study(store.path(), id, options, stopping, stop);
  QVERIFY(first && first->interrupted);
  QCOMPARE(first->progress.done, 2);
  StudyNotes going_on;
  const Result<study::Outcome> second =
      study::run_study(store.path(), id, options, going_on, session::StopRequest());
  QVERIFY(second && !second->interrupted);
  QCOMPARE(second->progress.done, 4);
  QCOMPARE(first_difference(study_trials(store, id), study_trials(through, whole)), std::string());
}

void StudyGroupsTest::networksHaveTheirLayersOnce() {
  const task::Catalogue catalogue = bundled_catalogue();
  study::NetworkRequest request;
  request.network = "bert-base";
  request.template_name = "matmul-tiled";
  request.tuner = "random";
  const Result<study::NetworkPlan> plan = study::plan_network(request, catalogue, some_cpu());
  QVERIFY2(plan, plan ? "" : describe(plan.error()).c_str());
  QVERIFY(plan->study.purpose == study::Purpose::Network);
  QCOMPARE(plan->study.network, std::string("bert-base"));
  QVERIFY(study::study_from_json(study::study_to_json(plan->study), {}).value() == plan->study);
  // Its batched multiplications are another template's.
  QVERIFY(!plan->left_out.empty());
  std::map<std::string, std::int64_t> found;
  for (const study::Task& task : plan->study.tasks) found[task.task] += task.multiplicity;
  for (const study::LeftOutLayer& layer : plan->left_out) {
    QVERIFY2(!layer.reason.empty() && plan->study.about.contains(layer.task), layer.task.c_str());
    found[layer.task] += layer.multiplicity;
  }
  std::map<std::string, std::int64_t> real;
  for (const task::Network& network : catalogue.networks()) {
    if (network.name != request.network) continue;
    for (const task::NetworkLayer& layer : network.layers) real[layer.task] += layer.multiplicity;
  }
  QVERIFY(found == real);
  request.network = "bert-bass";
  const Result<study::NetworkPlan> unknown = study::plan_network(request, catalogue, some_cpu());
  QVERIFY(!unknown && unknown.error().hint.contains("bert-base"));
  request.network = "squeezenet-v1.1";
  request.template_name = "batch-matmul-tiled";
  const Result<study::NetworkPlan> none = study::plan_network(request, catalogue, some_cpu());
  QVERIFY(!none && none.error().message.contains("no template supports"));
}

void StudyGroupsTest::layersHaveTheTemplateOfASingleTask() {
  task::WholeNetwork network{"a network", "of a test", {}};
  network.layers.push_back({*task::parse_task("conv2d 1x64x28x28 64x64x3x3 pad=1"), 2, {}});
  network.layers.push_back({*task::parse_task("conv2d 1x64x28x28 64x64x1x1"), 1, {}});
  const schedule::TargetDescription target = some_cpu();
  const std::string winograd = schedule::default_template(network.layers[0].task, target, false);
  QVERIFY(winograd.contains("winograd"));
  const auto templates = [&](const study::NetworkRequest& request) {
    const Result<study::NetworkPlan> plan =
        study::plan_network(request, network, bundled_catalogue(), target);
    if (!plan) qFatal("%s", describe(plan.error()).c_str());
    return std::vector<std::string>{plan->study.tasks[0].template_name, plan->study.tasks[1].template_name};
  };
  const std::vector<std::string> definitions(2);
  study::NetworkRequest request;
  request.tuner = "random";
  QCOMPARE(templates(request), (std::vector<std::string>{winograd, ""}));
  // The request of a session says so to the template's choice: it is not exact.
  const study::Definition study = study::plan_network(request, network, bundled_catalogue(), target)->study;
  const std::vector<study::PlannedRun> runs = study::plan_runs(study);
  QVERIFY(!study::request_of(study, runs[0]).exact && study::request_of(study, runs[1]).exact);
  request.exact = true;
  QCOMPARE(templates(request), definitions);
  request.template_name = winograd;
  QVERIFY(!study::plan_network(request, network, bundled_catalogue(), target));
  // Weights that another layer computes cannot be transformed ahead.
  request = {};
  request.tuner = "random";
  network.calls.push_back({1, {task::CallOperand{false}, task::CallOperand{true}}});
  network.calls.push_back({0, {task::CallOperand{false, {0}}, task::CallOperand{false, {0}}}});
  QCOMPARE(templates(request), definitions);
}

void StudyGroupsTest::sumsAreOverLayersByMultiplicity() {
  study::NetworkRequest request;
  request.network = "bert-base";
  request.tuner = "random";
  request.budget.trials = 6;
  const study::NetworkPlan plan = *study::plan_network(request, bundled_catalogue(), some_cpu());
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, plan.study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  const study::NetworkOutcome nothing = *study::network_outcome(store, *id);
  QCOMPARE(nothing.missing, std::ssize(plan.study.tasks));
  QCOMPARE(nothing.seconds, 0.0);
  study::Options options;
  std::vector<bool> alone;
  options.runner = scripted_runner(true, nullptr, &alone);
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), *id, options, notes, session::StopRequest()));
  QVERIFY(std::ranges::count(alone, true) == 0);
  const study::NetworkOutcome outcome = *study::network_outcome(store, *id);
  QCOMPARE(outcome.layers.size(), plan.study.tasks.size());
  double seconds = 0;
  double vendor = 0;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    const study::NetworkLayerOutcome& layer = outcome.layers[i];
    QCOMPARE(layer.task, plan.study.tasks[i].task);
    QCOMPARE(layer.multiplicity, plan.study.tasks[i].multiplicity);
    QVERIFY2(layer.trial >= 0 && layer.confirmed && layer.missing.empty(), layer.task.c_str());
    QCOMPARE(layer.trials, 6);
    const trial::Trial trial = *store.trials().get(*layer.session, layer.trial);
    QCOMPARE(layer.seconds, session_tests::scripted_seconds(trial.configuration));
    QCOMPARE(*layer.share_of_vendor(), session_tests::scripted_vendor_seconds / layer.seconds);
    seconds += static_cast<double>(layer.multiplicity) * layer.seconds;
    vendor += static_cast<double>(layer.multiplicity) * session_tests::scripted_vendor_seconds;
  }
  QCOMPARE(outcome.missing, 0);
  QCOMPARE(outcome.seconds, seconds);
  QCOMPARE(outcome.seconds_beside_vendor, seconds);
  QCOMPARE(outcome.vendor_seconds, vendor);
  QVERIFY(outcome.vendor_notice.empty());

  // A layer that was measured again after the library had been updated.
  const store::SessionId updated = *outcome.layers.front().session;
  store::SessionStatus status = store.sessions().get(updated)->status;
  trial::Baselines baselines = *trial::baselines_from_json(status.vendor_json);
  const std::string before = baselines.vendor.name;
  baselines.vendor.name = "a library 3.7.2";
  baselines.vendor.algorithm = "direct";
  status.vendor_json = trial::baselines_to_json(baselines);
  QVERIFY(store.sessions().update_status(updated, status));
  const study::NetworkOutcome mixed = *study::network_outcome(store, *id);
  QCOMPARE(mixed.vendor_title, std::string("several libraries"));
  QVERIFY2(mixed.vendor_notice.contains("a library 3.7.2 direct (1 layer)") &&
               mixed.vendor_notice.contains(before),
           mixed.vendor_notice.c_str());
}

void StudyGroupsTest::kernelsOfNetworksAreOneLibrary() {
  study::NetworkRequest request;
  request.network = "bert-base";
  request.tuner = "random";
  request.budget.trials = 6;
  // The kernels are generated again for this machine's own target, as they were measured on.
  study::NetworkPlan plan = *study::plan_network(request, bundled_catalogue(), some_cpu());
  plan.study.first_trials = 0;  // one layer after the other, as of studies of before
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, plan.study);
  const Result<study::NetworkKernels> nothing = study::network_kernels(store, id);
  QVERIFY(!nothing && nothing.error().code == ErrorCode::NotFound);
  int sessions = 0;
  session::StopRequest stop;
  study::Options options;
  options.runner = scripted_runner(true, &sessions);
  StudyNotes notes;
  notes.on_event = [&] {
    if (notes.ended.size() == 2) stop.stop_gracefully();
  };
  QVERIFY(study::run_study(store.path(), id, options, notes, stop));
  const Result<study::NetworkKernels> some = study::network_kernels(store, id);
  QVERIFY2(some, some ? "" : describe(some.error()).c_str());
  QCOMPARE(some->kernels.size(), 2U);
  QCOMPARE(some->notices.size(), plan.study.tasks.size() - 2);
  QCOMPARE(some->kernels[0].multiplicity, plan.study.tasks[0].multiplicity);
  const Result<std::vector<exchange::ExportedFile>> files =
      exchange::kernel_library_files(some->kernels, "bert_base");
  QVERIFY2(files, files ? "" : describe(files.error()).c_str());
  const auto readme = std::ranges::find(*files, "README.md", &exchange::ExportedFile::name);
  QVERIFY(readme != files->end());
  QVERIFY2(readme->text.contains("| layer | times |"), readme->text.c_str());
  for (const exchange::ExportedKernel& kernel : some->kernels) {
    QVERIFY2(readme->text.contains(fmt::format("`{}` | {} | `{}` |", kernel.measured.task.name,
                                               kernel.multiplicity, kernel.name)),
             readme->text.c_str());
  }
}

void StudyGroupsTest::vendorsKernelsAreChosenByLayer() {
  study::NetworkRequest request;
  request.network = "bert-base";
  request.tuner = "random";
  request.budget.trials = 6;
  study::NetworkPlan plan = *study::plan_network(request, bundled_catalogue(), some_cpu());
  plan.study.first_trials = 0;  // one layer after the other, as of studies of before
  for (const bool confirms : {true, false}) {
    store::Store store = *store::Store::open(database(confirms ? "confirmed.db" : "unconfirmed.db"));
    const store::StudyId id = *study::create_study(store, plan.study);
    session::StopRequest stop;
    study::Options options;
    options.runner = scripted_runner(confirms);
    StudyNotes notes;
    notes.on_event = [&] {
      if (notes.ended.size() == 2) stop.stop_gracefully();
    };
    QVERIFY(study::run_study(store.path(), id, options, notes, stop));
    study::NetworkKernels network = *study::network_kernels(store, id);
    QVERIFY(study::choice_texts(network).empty());
    const Status chosen = study::take_vendor_where_faster(network);
    QCOMPARE(chosen.has_value(), confirms);
    if (!confirms) {
      QCOMPARE(chosen.error().code, ErrorCode::NotFound);
      QVERIFY2(chosen.error().message.contains("not measured again"), chosen.error().message.c_str());
      network.kernels.back().measured.target.kind = schedule::TargetKind::Cuda;
      QCOMPARE(study::take_vendor_where_faster(network).error().code, ErrorCode::Refused);
      continue;
    }
    const std::vector<std::string> choices = study::choice_texts(network);
    QCOMPARE(choices.size(), std::size_t{2});
    for (std::size_t i = 0; i < choices.size(); ++i)
      QCOMPARE(choices[i], network.kernels[i].name + ": ours stays: a library is not oneDNN");
  }
}

void StudyGroupsTest::networksAreFoundByTheirNames() {
  store::Store store = *store::Store::open(database("a.db"));
  study::NetworkRequest request;
  request.network = "bert-base";
  request.tuner = "random";
  request.name = "mine";
  const store::StudyId first =
      *study::create_study(store, study::plan_network(request, bundled_catalogue(), some_cpu())->study);
  request.name = "again";
  const store::StudyId second =
      *study::create_study(store, study::plan_network(request, bundled_catalogue(), some_cpu())->study);
  const store::StudyId comparison =
      *study::create_study(store, make_study({"random"}, {write_recording(*folder_, "x", 1)}, 1, 5));
  QCOMPARE(*study::find_network_study(store, "mine"), first);
  QCOMPARE(*study::find_network_study(store, std::to_string(first)), first);
  QCOMPARE(*study::find_network_study(store, "bert-base"), second);
  const Result<store::StudyId> other = study::find_network_study(store, std::to_string(comparison));
  QVERIFY(!other && other.error().message.contains("comparison"));
  QVERIFY(!study::network_outcome(store, comparison));
  const Result<store::StudyId> unknown = study::find_network_study(store, "vgg-16");
  QVERIFY(!unknown && unknown.error().hint.contains("tune --network vgg-16"));
}

KERNELSCAPE_TEST(StudyGroupsTest, QCoreApplication)

}  // namespace kernelscape::study_groups_test
#include "study_groups_test.moc"
