#include <QTemporaryDir>
#include <QtTest>

#include "core/base/text.h"
#include "core/session/parameter_effect.h"
#include "core/session/preparation.h"
#include "core/session/stop_request.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::session_parameter_effect_test {

/** Parameters whose values the C compiler gives one kernel for. */
class SessionParameterEffectTest : public QObject {
  Q_OBJECT

  QTemporaryDir home_;

  /** What is found before the first trial of a project with this source. */
  session::ParameterEffects found_of(const std::string& source, const session::EffectComparison& comparison) {
    const store::Store store =
        store::Store::open(std::filesystem::path(home_.path().toStdString()) / "test.db").value();
    const ProjectFolder folder;
    folder.write("kernel.c",
                 source + "void run(float* y, const float* x, int n) { y[0] = TILE * x[0] + n; }\n");
    nlohmann::json json = small_project();
    json["ConfigurationSpace"]["TuningParameters"].erase(1);
    json["kernelscape"].erase("Flags");
    session::TuningRequest request;
    request.task = folder.write("project.json", json.dump()).string();
    request.trust = true;
    const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, store);
    if (!tuning) return {.sentences = {describe(tuning.error())}};
    return session::parameters_without_effect(*tuning, comparison, session::StopRequest());
  }

 private slots:
  void initTestCase() { qputenv("XDG_CONFIG_HOME", home_.path().toUtf8()); }

  void what_only_the_compiler_knows_is_found_by_the_machine_code() {
    std::vector<std::string> steps;
    const session::ParameterEffects found =
        found_of("#if __STDC__ > 0\n#undef TILE\n#define TILE 4\n#endif\n",
                 {.max_seconds = 120, .step = [&](const std::string& text) { steps.push_back(text); }});
    const std::string said = base::join(found.sentences, "; ");
    QVERIFY2(said.starts_with("the values 1, 2 of TILE give the same machine code"), said.c_str());
    QCOMPARE(found.compared, std::size_t{1});
    QCOMPARE(steps.size(), std::size_t{1});
    QVERIFY2(steps[0].contains("at most"), steps[0].c_str());
  }

  /** Of a source that leaves no doubt nothing is built; of one that does, all values are. */
  void a_parameter_that_reaches_the_kernel_is_not_named() {
    const std::vector<std::pair<std::string, std::size_t>> sources{
        {"", 0},
        {"#ifndef TILE\n#define TILE 4\n#endif\n", 0},
        {"#if TILE == 1\n#define HALF 1\n#endif\n", 0},
        {"#if __STDC__ == 99\n#undef TILE\n#define TILE 4\n#endif\n", 1}};
    for (const auto& [source, compared] : sources) {
      const session::ParameterEffects found = found_of(source, {.max_seconds = 120, .step = {}});
      QCOMPARE(base::join(found.sentences, "; "), std::string());
      QCOMPARE(found.compared, compared);
    }
  }

  void without_time_nothing_is_compared() {
    bool reported = false;
    const session::ParameterEffects found =
        found_of("#if __STDC__ > 0\n#undef TILE\n#define TILE 4\n#endif\n",
                 {.max_seconds = 0, .step = [&](const std::string&) { reported = true; }});
    QVERIFY(found.sentences.empty() && found.compared == 0 && !reported);
  }
};

KERNELSCAPE_PLAIN_TEST(SessionParameterEffectTest)

}  // namespace kernelscape::session_parameter_effect_test
#include "session_parameter_effect_test.moc"
