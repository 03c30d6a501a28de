#include <QTemporaryDir>
#include <QtTest>

#include "core/project/trust.h"
#include "core/session/kernels.h"
#include "core/session/project_preparation.h"
#include "core/session/setup.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::session_project_test {

/** Sessions of users' own kernels, without running any. */
class SessionProjectTest : public QObject {
  Q_OBJECT

  QTemporaryDir home_;
  ProjectFolder folder_;

  store::Store store_of(const char* name) const {
    return store::Store::open(std::filesystem::path(home_.path().toStdString()) / name).value();
  }

  session::TuningRequest request_of_project(const nlohmann::json& project = small_project()) {
    session::TuningRequest request;
    request.task = folder_.write("project.json", project.dump()).string();
    request.budget.trials = 3;
    request.seed = 1;
    return request;
  }

  /** A session that was made and given back, as one that was interrupted. */
  store::SessionId session_of(store::Store& store, const session::PreparedTuning& tuning) {
    session::Setup setup = tuning.setup;
    setup.batch_size = 2;
    const store::Owner owner = store::Owner::this_process();
    const store::SessionId id = store.sessions().create(session::make_record(setup), owner).value();
    store.sessions().release(id, owner).value();
    return id;
  }

 private slots:
  void initTestCase() {
    qputenv("XDG_CONFIG_HOME", home_.path().toUtf8());
    folder_.write("kernel.c", small_kernel);
  }

  void consent_is_for_one_content() {
    const store::Store store = store_of("consent.db");
    const auto refused = session::prepare_tuning(request_of_project(), store);
    QVERIFY(!refused && refused.error().code == ErrorCode::Refused &&
            refused.error().hint.contains("--trust"));
    session::TuningRequest trusting = request_of_project();
    trusting.trust = true;
    const auto prepared = session::prepare_tuning(trusting, store);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    QCOMPARE(prepared->setup.task.name, std::string("small"));
    QCOMPARE(prepared->setup.task.flops(), 16.0);
    QVERIFY(project::is_trusted(project::content_hash(*prepared->setup.project)));
    QVERIFY(session::prepare_tuning(request_of_project(), store).has_value());
    nlohmann::json other = small_project();
    other["kernelscape"]["Flags"] = {"-D{MODE}", "-O3"};
    QVERIFY(!session::prepare_tuning(request_of_project(other), store));
  }

  void a_stored_session_has_its_project_again() {
    store::Store store = store_of("stored.db");
    session::TuningRequest trusting = request_of_project();
    trusting.trust = true;
    const auto prepared = session::prepare_tuning(trusting, store);
    QVERIFY(prepared);
    const store::SessionId id = session_of(store, *prepared);
    // The file may be gone.
    std::filesystem::remove(trusting.task);
    const auto again = session::prepare_resume(store, id);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QCOMPARE(project::content_hash(*again->setup.project), project::content_hash(*prepared->setup.project));
    const auto family = session::family_of_session(store, store.sessions().get(id)->record);
    QVERIFY(family);
    const space::Configuration first = again->setup.space.at(0);
    QCOMPARE((*family)->source(first)->text, prepared->family->source(first)->text);
    session::TuningRequest by_session = trusting;
    by_session.trust = false;
    by_session.task = "project:" + std::to_string(id);
    QVERIFY(session::prepare_tuning(by_session, store).has_value());
    QVERIFY(!insight_refused(store, id).empty());
  }

  std::string insight_refused(const store::Store& store, store::SessionId id) {
    const auto kernels = session::session_kernels(store.sessions().get(id)->record);
    return kernels ? std::string() : kernels.error().message;
  }

  /** A database is a file: what it says of a project's hash is checked against the project. */
  void a_changed_project_is_noticed() {
    store::Store store = store_of("changed.db");
    session::TuningRequest trusting = request_of_project();
    trusting.trust = true;
    const auto prepared = session::prepare_tuning(trusting, store);
    QVERIFY(prepared);
    store::SessionRecord record = session::make_record(prepared->setup);
    record.batch_size = 2;
    project::KernelProject evil = *prepared->setup.project;
    evil.source = "void run(float* y, const float* x, int n) { for (;;); }\n";
    record.project_json = project::project_to_json(evil);
    const store::Owner owner = store::Owner::this_process();
    const store::SessionId id = store.sessions().create(record, owner).value();
    store.sessions().release(id, owner).value();
    const auto resumed = session::prepare_resume(store, id);
    QVERIFY(!resumed && resumed.error().code == ErrorCode::Corrupt);
    QVERIFY(!session::family_of_session(store, store.sessions().get(id)->record));
  }

  void projects_are_stored_once_and_go_with_their_last_session() {
    store::Store store = store_of("once.db");
    session::TuningRequest trusting = request_of_project();
    trusting.trust = true;
    const auto prepared = session::prepare_tuning(trusting, store);
    QVERIFY(prepared);
    const store::SessionId first = session_of(store, *prepared);
    const store::SessionId second = session_of(store, *prepared);
    QCOMPARE(*store.sessions().project_json(first), *store.sessions().project_json(second));
    QVERIFY(store.sessions().remove(first));
    QVERIFY(store.sessions().project_json(second).has_value());
    QCOMPARE(store.sessions().project_json(first).error().code, ErrorCode::NotFound);
    QVERIFY(store.sessions().remove(second));
    QCOMPARE(store.sessions().project_json(second).error().code, ErrorCode::NotFound);
  }

  void what_a_project_has_no_use_for_is_refused() {
    const store::Store store = store_of("options.db");
    session::TuningRequest request = request_of_project();
    request.trust = true;
    request.template_name = "matmul-tiled";
    QVERIFY(session::prepare_tuning(request, store).error().message.contains("--template"));
    request = request_of_project();
    request.measuring.beyond_limits = true;
    QVERIFY(session::prepare_tuning(request, store).error().message.contains("--beyond-limits"));
    request = request_of_project();
    request.task = "matmul 64x64 64x64";
    request.trust = true;
    QVERIFY(session::prepare_tuning(request, store).error().message.contains("--trust"));
    request.task = folder_.path().string() + "/nosuch.json";
    const auto nowhere = session::prepare_tuning(request, store);
    QVERIFY(!nowhere && nowhere.error().message.contains("nosuch.json") &&
            !nowhere.error().message.contains("--trust"));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionProjectTest)

}  // namespace kernelscape::session_project_test
#include "session_project_test.moc"
