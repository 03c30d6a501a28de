#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/session/project_preparation.h"
#include "core/session/request_json.h"
#include "tests/project/project_folder.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_project_request_test {

/** What a session of a user's own kernel was asked for, to be asked for again. */
class SessionProjectRequestTest : public QObject {
  Q_OBJECT

 private slots:
  void the_command_line_names_the_project_and_never_trusts_it() {
    session::TuningRequest request;
    request.task = "/home/a user/it's/stencil.json";
    request.outside_files = true;
    request.trust = true;
    QCOMPARE(session::command_line_of(request),
             std::string("kernelscape tune '/home/a user/it'\\''s/stencil.json' --outside-files"));
    const std::string json = session::request_to_json(request);
    QVERIFY(!json.contains("trust"));
    QVERIFY(session::request_from_json(json)->outside_files);
    QVERIFY(!session::request_from_json(json)->trust);
  }

  void setups_that_were_kept_before_there_were_projects_are_read() {
    session::TuningRequest kept;
    kept.task = "resnet18/C2";
    std::string json = session::request_to_json(kept);
    const std::string member = "\"outside_files\":false";
    const auto place = json.find(member);
    QVERIFY(place != std::string::npos);
    json.replace(place, member.size() + 1, "");  // with the comma behind it
    const auto request = session::request_from_json(json);
    QVERIFY2(request, request ? "" : describe(request.error()).c_str());
    QVERIFY(!request->outside_files);
  }

  void a_session_of_a_project_is_asked_for_by_its_number() {
    QTemporaryDir home;
    qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
    QTemporaryDir folder;
    store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    store::SessionId id = 0;
    {
      const ProjectFolder project;
      project.write("kernel.c", small_kernel);
      session::TuningRequest request;
      request.task = project.write("small.json", small_project().dump()).string();
      request.tuner = "random";
      request.seed = 5;
      request.budget.trials = 3;
      request.restrictions = {*session::parse_restriction("TILE=2")};
      request.trust = true;
      session::PreparedTuning tuning = session::prepare_tuning(request, store).value();
      tuning.setup.real_measurements = false;
      session_tests::RecordingObserver observer;
      MeasurementScript script;
      script.measure = [](const space::Configuration&) {
        trial::Measurement measurement;
        measurement.samples_seconds = {1e-3};
        return measurement;
      };
      ScriptedMeasurer measurer(script);
      const session::Tools tools{
          measurer, observer, session::StopRequest(), [&measurer] { return measurer.clock()->seconds; }, {}};
      id = session::run_session(store, tuning.setup, tools).value().id;
    }
    // The files are gone: the database has them.
    const store::SessionRecord record = store.sessions().get(id)->record;
    const session::TuningRequest again = session::request_of(record).value();
    QCOMPARE(again.task, std::string(session::project_task_prefix) + std::to_string(id));
    QVERIFY(again.template_name.empty() && !again.trust && !again.respect_limits);
    QCOMPARE(again.restrictions.size(), std::size_t{1});
    const auto prepared = session::prepare_tuning(again, store);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    QCOMPARE(project::content_hash(*prepared->setup.project), record.project_hash);
  }
};

KERNELSCAPE_TEST(SessionProjectRequestTest, QCoreApplication)

}  // namespace kernelscape::session_project_request_test
#include "session_project_request_test.moc"
