#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/session/preparation.h"
#include "core/task/catalogue.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_task_kinds_test {

using namespace session_tests;

/** Every tuner on every kind of task of the catalogue, with the space and the features that a user's run has.
 */
class SessionTaskKindsTest : public QObject {
  Q_OBJECT

 private slots:
  void everyTunerOnEveryTemplate_data();
  void everyTunerOnEveryTemplate();

 private:
  QTemporaryDir folder_;
};

namespace {

/** The catalogue's cheapest task that a template fits; empty: none. */
std::string cheapest_task(const task::Catalogue& catalogue, const schedule::TemplateDeclaration& declaration,
                          const schedule::TargetDescription& target) {
  const task::Task* cheapest = nullptr;
  for (const task::Task& task : catalogue.tasks()) {
    if (!task.op || !declaration.fits(task, target)) continue;
    if (cheapest == nullptr || task.flops() < cheapest->flops()) cheapest = &task;
  }
  if (cheapest != nullptr) return cheapest->name;
  // No network of the catalogue has such layers.
  for (const char* text : {"conv2d 1x8x6x6 8x4x3x3 pad=1 groups=2 f32", "conv2d 1x8x6x6 8x8x3x3 pad=1 bf16",
                           "matmul 16x16 16x16 bf16"})
    if (const Result<task::Task> task = task::parse_task(text); task && declaration.fits(*task, target))
      return text;
  return {};
}

/** Returns true if each knob with a choice is a factorization, as those of a small task may be. */
bool only_factorizations(session::TuningRequest request, store::Store& store) {
  request.tuner = "random";
  request.settings.clear();
  const Result<session::PreparedTuning> prepared = session::prepare_tuning(request, store);
  if (!prepared) qFatal("%s", describe(prepared.error()).c_str());
  return std::ranges::all_of(prepared->setup.space.knobs(), [](const space::Knob& knob) {
    return knob.kind() == space::KnobKind::Factorization || knob.count() == 1;
  });
}

}  // namespace

void SessionTaskKindsTest::everyTunerOnEveryTemplate_data() {
  QTest::addColumn<QString>("tuner");
  QTest::addColumn<QString>("template_name");
  QTest::addColumn<QString>("task");
  const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
  const Result<schedule::TargetDescription> target =
      session::resolve_target("cpu", measure::CompilerNeed::Required);
  QVERIFY(catalogue && target);
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
    if (!schedule::supports(declaration, schedule::TargetKind::Cpu)) continue;
    const std::string task = cheapest_task(*catalogue, declaration, *target);
    QVERIFY2(!task.empty(), declaration.name.c_str());
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      // There is no predictor for every template: session_predictor_test.
      if (tuner.uses_predictor) continue;
      QTest::addRow("%s, %s", tuner.name.c_str(), declaration.name.c_str())
          << QString::fromStdString(tuner.name) << QString::fromStdString(declaration.name)
          << QString::fromStdString(task);
    }
  }
}

void SessionTaskKindsTest::everyTunerOnEveryTemplate() {
  QFETCH(QString, tuner);
  QFETCH(QString, template_name);
  QFETCH(QString, task);
  Bench bench(folder_.filePath(tuner + template_name + ".db").toStdString());
  session::TuningRequest request;
  request.task = task.toStdString();
  request.template_name = template_name.toStdString();
  request.tuner = tuner.toStdString();
  request.seed = 11;
  request.budget.trials = 90;
  // Two plans of every surrogate, so that each has been learnt from.
  const tuner::Declaration& declaration = **tuner::find_tuner(request.tuner);
  for (const tuner::HyperparameterDeclaration& declared : declaration.hyperparameters)
    if (declared.name == "plan_size" || declared.name == "population") request.settings[declared.name] = "30";
  Result<session::PreparedTuning> prepared = session::prepare_tuning(request, bench.store);
  if ((tuner == "gbfs" || tuner == "na2c") && !only_factorizations(request, bench.store)) {
    QVERIFY(!prepared);
    QVERIFY2(prepared.error().message.find("not factorizations") != std::string::npos,
             describe(prepared.error()).c_str());
    return;
  }
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  session::Setup& setup = prepared->setup;
  QVERIFY(setup.features.itervar && setup.features.curve);
  setup.real_measurements = false;
  const auto outcome = bench.run(setup);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  const std::vector<trial::Trial> trials = *bench.store.trials().of(outcome->id);
  const std::optional<base::uint128> members = setup.space.member_count();
  QCOMPARE(std::ssize(trials),
           members ? static_cast<std::int64_t>(std::min<base::uint128>(*members, 90)) : 90);
  std::set<space::Configuration> seen;
  for (const trial::Trial& trial : trials) {
    QVERIFY(setup.space.contains(trial.configuration));
    QVERIFY(seen.insert(trial.configuration).second);
  }
}

KERNELSCAPE_PLAIN_TEST(SessionTaskKindsTest)

}  // namespace kernelscape::session_task_kinds_test
#include "session_task_kinds_test.moc"
