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

  /** What is said before the first trial of a project with this source. */
  std::string said_of(const std::string& source) {
    const Store store = Store::open(std::filesystem::path(home_.path().toStdString()) / "test.db").value();
    const ProjectFolder folder;
    folder.write("kernel.c",
                 source + "void run(float* y, const float* x, int n) { y[0] = TILE * x[0] + n; }\n");
    nlohmann::json json = small_project();
    json["ConfigurationSpace"]["TuningParameters"].erase(1);
    json["kernelscape"].erase("Flags");
    TuningRequest request;
    request.task = folder.write("project.json", json.dump()).string();
    request.trust = true;
    const Result<PreparedTuning> tuning = prepare_tuning(request, store);
    if (!tuning) return describe(tuning.error());
    return join(parameters_without_effect(*tuning, StopRequest()), "; ");
  }

 private slots:
  void initTestCase() { qputenv("XDG_CONFIG_HOME", home_.path().toUtf8()); }

  void what_only_the_compiler_knows_is_found_by_the_machine_code() {
    const std::string said = said_of("#if __STDC__ > 0\n#undef TILE\n#define TILE 4\n#endif\n");
    QVERIFY2(said.starts_with("the values 1, 2 of TILE give the same machine code"), said.c_str());
  }

  void a_parameter_that_reaches_the_kernel_is_not_named() {
    for (const char* source :
         {"", "#ifndef TILE\n#define TILE 4\n#endif\n", "#if __STDC__ == 99\n#define TILE 4\n#endif\n",
          "#if TILE == 1\n#define HALF 1\n#endif\n"})
      QCOMPARE(said_of(source), std::string());
  }
};

KERNELSCAPE_PLAIN_TEST(SessionParameterEffectTest)

}  // namespace kernelscape::session_parameter_effect_test
#include "session_parameter_effect_test.moc"
