#include <fmt/ranges.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "core/schedule/template.h"
#include "tests/exchange/autotvm_lines.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_export_autotvm_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

class ExchangeExportAutotvmTest : public QObject {
  Q_OBJECT

 private slots:
  void exportsReadBack();
  void exportsOfMappedTemplates();
};

void ExchangeExportAutotvmTest::exportsReadBack() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  for (int round = 0; round < 12; ++round) {
    const schedule::TargetKind kind =
        random.chance(0.5) ? schedule::TargetKind::Cpu : schedule::TargetKind::Cuda;
    const auto templates = testing::templates_of(kind);
    const schedule::TemplateDeclaration& declaration = *templates[random.below(templates.size())];
    const schedule::TargetDescription target =
        kind == schedule::TargetKind::Cpu ? testing::cpu_with_lanes(16) : testing::cuda_with_tensor_cores();
    const task::Task task = testing::random_task(declaration, target, random, 1e7);
    const space::SearchSpace space = declaration.apply(task, target)->space();
    std::vector<trial::Trial> trials;
    for (int i = 0; i < 40; ++i) {
      trial::Trial trial;
      trial.number = i;
      trial.batch = i / 8;
      trial.position = i % 8;
      trial.configuration = space.random_member(random).value();
      if (random.chance(0.3)) {
        trial.measurement.category = static_cast<trial::ErrorCategory>(1 + random.below(8));
        trial.measurement.message = "a message";
      } else {
        for (int s = 0; s < 3; ++s) trial.measurement.samples_seconds.push_back(random.uniform() + 1e-12);
      }
      trial.measurement.build_seconds = random.uniform();
      trial.measurement.run_seconds = random.uniform();
      trial.finished_seconds = i * 2.5;
      trials.push_back(trial);
    }
    store::SessionRecord record = StoredSessions::record_of(task, target, space);
    record.template_name = declaration.name;
    record.template_version = declaration.version;
    const std::string text = sessions.exported(sessions.add(record, {}, trials), "autotvm");
    const exchange::ImportedFile file = must_read(text);
    QCOMPARE(file.parts.size(), std::size_t{1});
    const exchange::ImportedTrials& part = file.parts[0];
    QVERIFY2(part.header.template_name == declaration.name,
             (task.text + " " + declaration.name + ": " + fmt::format("{}", fmt::join(file.notices, "; ")))
                 .c_str());
    QCOMPARE(task_of(part).text, task.text);
    QCOMPARE(part.space.fingerprint(), space.fingerprint());
    QCOMPARE(part.trials.size(), trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const trial::Measurement& measurement = part.trials[i].measurement;
      QVERIFY(part.trials[i].configuration == trials[i].configuration);
      QVERIFY(measurement.samples_seconds == trials[i].measurement.samples_seconds);
      QVERIFY(measurement.category == trials[i].measurement.category);
      QCOMPARE(measurement.run_seconds,
               trials[i].measurement.build_seconds + trials[i].measurement.run_seconds);
    }
  }
}

void ExchangeExportAutotvmTest::exportsOfMappedTemplates() {
  base::Random random(testing::random_seed());
  StoredSessions sessions;
  const task::Task task = task::parse_task("conv2d 1x32x14x14 64x32x3x3 pad=1 f32").value();
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.device = "NVIDIA \"H200\" =x";
  const space::SearchSpace whole = schedule::apply_template(task, target, "conv2d-direct")->space();
  // A user's restriction: other indices in the session than in the template.
  std::vector<space::Knob> knobs = whole.knobs();
  knobs[0] = knobs[0].restricted({3, 5, 11}).value();
  const space::SearchSpace space = space::SearchSpace::make(knobs).value();
  trial::Trial trial;
  trial.configuration = space.random_member(random).value();
  trial.measurement.samples_seconds = {0.1, 0.2};
  store::SessionRecord record = StoredSessions::record_of(task, target, space);
  record.template_name = "conv2d-direct";
  record.template_version = 1;
  const std::string text = sessions.exported(sessions.add(record, {}, {trial}), "autotvm");
  const json line = json::parse(text);
  QCOMPARE(line.at("input").at(1).get<std::string>(), std::string("conv2d_nchw.cuda"));
  QCOMPARE(line.at("version").get<double>(), 0.2);
  QVERIFY(line.at("tvm_version").get<std::string>().starts_with("kernelscape"));
  QVERIFY(line.at("result").at(3).get<double>() > 1.7e9);
  const exchange::ImportedTrials part = must_read(text).parts.at(0);
  QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
  QCOMPARE(part.space.fingerprint(), whole.fingerprint());
  QCOMPARE(part.space.describe(part.trials.at(0).configuration), space.describe(trial.configuration));
}

KERNELSCAPE_TEST(ExchangeExportAutotvmTest, QCoreApplication)

}  // namespace kernelscape::exchange_export_autotvm_test
#include "exchange_export_autotvm_test.moc"
