#include <QTemporaryDir>
#include <QTest>

#include "core/measure/device_lease.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/session/preparation.h"
#include "core/session/setup.h"
#include "tests/test_program.h"

namespace kernelscape::session_targets_test {

namespace {

session::TuningRequest multiplication_on(const std::string& target) {
  session::TuningRequest request;
  request.task = "matmul 16x16 16x16 f32";
  request.target = target;
  request.tuner = "random";
  request.seed = 4;
  return request;
}

/** The session as one that was made and ended. */
store::SessionId store_session(store::Store& store, const store::SessionRecord& record) {
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id = store.sessions().create(record, owner).value();
  if (!store.sessions().release(id, owner)) qFatal("a session of this test stays owned");
  return id;
}

}  // namespace

/** What users name as a target, and what they are told of names that can't be had. */
class SessionTargetsTest : public QObject {
  Q_OBJECT

 private slots:
  void wrongNamesOfferKnownOnes_data();
  void wrongNamesOfferKnownOnes();
  void choicesThatDontFit_data();
  void choicesThatDontFit();
  void anArchitectureNeedsNoDevice();
  void aMissingDriverIsToldWithTheWayOut();
  void openClWithoutPlatforms();
  void unknownDevicesListThoseThatThereAre();
  void aHostDeviceSharesTheLeaseOfTheCpu();
  void theHolderOfALeaseIsKnownWithoutWaiting();
  void architecturesSurviveTheirSession();
  void architecturesAreResumedWithoutADevice();
  void aDeviceIsResumedWithItsOwnDriverAlone();
  void budgetsThatCompareKernelsAreRefused_data();
  void budgetsThatCompareKernelsAreRefused();
};

void SessionTargetsTest::wrongNamesOfferKnownOnes_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("offers");
  for (const auto& [name, offers] : {std::pair{"gpu", "cpu"},
                                     {"", "cpu"},
                                     {"cud", "cuda"},
                                     {"cuda0", "cuda"},
                                     {"CUDA:0", "cuda"},
                                     {"cpu:0", "cpu"},
                                     {"opncl", "opencl"},
                                     {"cuda:", "cuda:0"},
                                     {"cuda:x", "cuda:0"},
                                     {"cuda:-1", "cuda:0"},
                                     {"cuda:0:1", "cuda:0"},
                                     {"opencl:1x", "opencl:0"},
                                     {"opencl:99999999999999999999", "opencl:0"}})
    QTest::addRow("%s", name) << name << offers;
}

void SessionTargetsTest::wrongNamesOfferKnownOnes() {
  QFETCH(QString, name);
  QFETCH(QString, offers);
  for (const measure::CompilerNeed need :
       {measure::CompilerNeed::Optional, measure::CompilerNeed::Required}) {
    const auto target = session::resolve_target(name.toStdString(), need);
    QVERIFY(!target);
    QCOMPARE(target.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(target.error().message.contains(name.toStdString()), target.error().message.c_str());
    QVERIFY2(target.error().hint.contains(offers.toStdString()), describe(target.error()).c_str());
  }
  QVERIFY(!session::check_target_choice(name.toStdString(), "", false));
}

void SessionTargetsTest::choicesThatDontFit_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("architecture");
  QTest::addColumn<bool>("build_only");
  QTest::addColumn<QString>("says");  ///< empty: the choice fits
  const auto add = [](const char* row, const char* target, const char* architecture, bool build_only,
                      const char* says) {
    QTest::addRow("%s", row) << target << architecture << build_only << says;
  };
  add("cpu", "cpu", "", false, "");
  add("build only on cpu", "cpu", "", true, "leave --build-only out");
  add("architecture on cpu", "cpu", "sm_80", false, "leave --arch out");
  add("a device", "cuda:0", "", false, "");
  add("a device, build only", "cuda:0", "", true, "");
  add("an architecture", "cuda", "sm_80", true, "");
  add("an architecture that is to run", "cuda", "sm_80", false, "add --build-only");
  add("an architecture that is to run on a device", "cuda:1", "sm_80", false, "add --build-only");
  add("OpenCL", "opencl:3", "", false, "");
  add("OpenCL, build only", "opencl", "", true, "");
  add("architecture of OpenCL", "opencl:0", "sm_80", true, "leave --arch out");
}

void SessionTargetsTest::choicesThatDontFit() {
  QFETCH(QString, target);
  QFETCH(QString, architecture);
  QFETCH(bool, build_only);
  QFETCH(QString, says);
  const Status fits =
      session::check_target_choice(target.toStdString(), architecture.toStdString(), build_only);
  QCOMPARE(fits.has_value(), says.isEmpty());
  if (fits) return;
  QCOMPARE(fits.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(fits.error().hint.contains(says.toStdString()), describe(fits.error()).c_str());
}

void SessionTargetsTest::anArchitectureNeedsNoDevice() {
  for (const std::string& architecture : measure::cuda_architectures()) {
    for (const char* name : {"cuda", "cuda:0", "cuda:7"}) {
      const auto target = session::resolve_target(name, measure::CompilerNeed::Required, architecture);
      QVERIFY2(target, target ? "" : describe(target.error()).c_str());
      QCOMPARE(target->kind, schedule::TargetKind::Cuda);
      QVERIFY(target->architecture_only);
      QCOMPARE(target->isa, architecture);
    }
  }
  const auto unknown = session::resolve_target("cuda", measure::CompilerNeed::Required, "sm_33");
  QVERIFY(!unknown);
  QCOMPARE(unknown.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(unknown.error().message.contains("sm_33"), unknown.error().message.c_str());
  QVERIFY2(unknown.error().hint.contains("sm_80"), unknown.error().hint.c_str());
}

void SessionTargetsTest::aMissingDriverIsToldWithTheWayOut() {
  qputenv("KERNELSCAPE_LIBCUDA", "/nonexistent");
  const auto numbered = session::resolve_target("cuda:0", measure::CompilerNeed::Optional);
  const auto needed = session::resolve_target("cuda", measure::CompilerNeed::Required);
  const auto looked_at = session::resolve_target("cuda", measure::CompilerNeed::Optional);
  qunsetenv("KERNELSCAPE_LIBCUDA");
  for (const auto* missing : {&numbered, &needed}) {
    QVERIFY(!*missing);
    const Error& error = missing->error();
    QVERIFY2(error.message.contains("cuda:0") && error.message.contains("KERNELSCAPE_LIBCUDA"),
             describe(error).c_str());
    QVERIFY(!error.hint.empty());
  }
  QVERIFY2(needed.error().hint.contains("--build-only"), needed.error().hint.c_str());
  // Looking at a space is possible everywhere.
  QVERIFY2(looked_at, looked_at ? "" : describe(looked_at.error()).c_str());
  QVERIFY(*looked_at == schedule::default_cuda_target());
}

void SessionTargetsTest::openClWithoutPlatforms() {
  qputenv("OCL_ICD_VENDORS", "/nonexistent");
  const auto target = session::resolve_target("opencl", measure::CompilerNeed::Required);
  qunsetenv("OCL_ICD_VENDORS");
  QVERIFY(!target);
  QVERIFY2(target.error().message.contains("opencl:0"), describe(target.error()).c_str());
  QVERIFY(!target.error().hint.empty());
}

void SessionTargetsTest::unknownDevicesListThoseThatThereAre() {
  const auto first = session::resolve_target("opencl", measure::CompilerNeed::Required);
  if (!first) QSKIP(describe(first.error()).c_str());
  QCOMPARE(first->name, std::string("opencl:0"));
  const auto target = session::resolve_target("opencl:900", measure::CompilerNeed::Required);
  QVERIFY(!target);
  QCOMPARE(target.error().code, ErrorCode::NotFound);
  QVERIFY2(target.error().message.contains("opencl:900"), target.error().message.c_str());
  QVERIFY2(target.error().hint.contains("opencl:0"), target.error().hint.c_str());
  QVERIFY2(target.error().hint.contains(first->device), target.error().hint.c_str());
}

void SessionTargetsTest::aHostDeviceSharesTheLeaseOfTheCpu() {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.name = "cuda:1";
  QCOMPARE(session::leased_device(target), std::string("cuda:1"));
  target.kind = schedule::TargetKind::OpenCl;
  target.name = "opencl:0";
  QCOMPARE(session::leased_device(target), std::string("opencl:0"));
  target.host_device = true;
  QCOMPARE(session::leased_device(target), session::leased_device(schedule::TargetDescription()));
}

void SessionTargetsTest::theHolderOfALeaseIsKnownWithoutWaiting() {
  const QTemporaryDir folder;
  const std::string place = folder.path().toStdString();
  const auto holder = [&](const char* device) { return measure::DeviceLease::holder_of(device, place); };
  QVERIFY(!holder("cuda:0"));
  measure::DeviceLease::Request request{
      .device = "cuda:0", .holder = "session 12", .waiting = {}, .give_up = [] { return true; }};
  request.folder = place;
  {
    const auto held = measure::DeviceLease::acquire(request);
    QVERIFY(held);
    QCOMPARE(holder("cuda:0"), std::optional<std::string>("session 12"));
    QVERIFY(!holder("cuda:1"));
    QVERIFY(!holder("cuda"));
  }
  QVERIFY(!holder("cuda:0"));
  // Asking leaves no lock behind.
  QVERIFY(measure::DeviceLease::acquire(request));
}

void SessionTargetsTest::architecturesSurviveTheirSession() {
  const QTemporaryDir folder;
  const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
  session::TuningRequest request;
  request.task = "resnet18/C12";
  request.template_name = "conv2d-direct";
  request.target = "cuda";
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  request.seed = 4;
  QCOMPARE(session::command_line_of(request),
           std::string("kernelscape tune resnet18/C12 --target cuda --arch sm_80 --build-only --template "
                       "conv2d-direct --seed 4"));
  const auto prepared = session::prepare_tuning(request, store);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  QVERIFY(prepared->setup.target.architecture_only);
  QVERIFY(prepared->setup.options.build_only);
  const auto again = session::request_of(session::make_record(prepared->setup));
  QVERIFY2(again, again ? "" : describe(again.error()).c_str());
  QCOMPARE(session::command_line_of(*again), session::command_line_of(request));
  request.measuring.build_only = false;
  const auto runs = session::prepare_tuning(request, store);
  QVERIFY(!runs);
  QVERIFY2(runs.error().hint.contains("--build-only"), describe(runs.error()).c_str());
}

void SessionTargetsTest::architecturesAreResumedWithoutADevice() {
  const QTemporaryDir folder;
  store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
  session::TuningRequest request = multiplication_on("cuda");
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  const auto prepared = session::prepare_tuning(request, store);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  const auto resumed =
      session::prepare_resume(store, store_session(store, session::make_record(prepared->setup)));
  QVERIFY2(resumed, resumed ? "" : describe(resumed.error()).c_str());
  QVERIFY(resumed->setup.target == prepared->setup.target);
  QVERIFY(resumed->setup.options.build_only);
}

void SessionTargetsTest::aDeviceIsResumedWithItsOwnDriverAlone() {
  const QTemporaryDir folder;
  store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
  const auto prepared = session::prepare_tuning(multiplication_on("opencl:0"), store);
  if (!prepared) QSKIP(describe(prepared.error()).c_str());
  session::Setup setup = prepared->setup;
  const auto same = session::prepare_resume(store, store_session(store, session::make_record(setup)));
  QVERIFY2(same, same ? "" : describe(same.error()).c_str());
  QVERIFY(same->setup.target == setup.target);

  setup.target.driver_version += ".1";
  const auto other = session::prepare_resume(store, store_session(store, session::make_record(setup)));
  QVERIFY(!other);
  QCOMPARE(other.error().code, ErrorCode::Refused);
  QVERIFY2(other.error().message.contains("driver_version"), other.error().message.c_str());
  QVERIFY2(other.error().hint.contains("--warm-start"), other.error().hint.c_str());

  setup.target.name = "opencl:900";
  const auto gone = session::prepare_resume(store, store_session(store, session::make_record(setup)));
  QVERIFY(!gone);
  QCOMPARE(gone.error().code, ErrorCode::Refused);
  QVERIFY2(gone.error().message.contains("can be viewed, not resumed"), gone.error().message.c_str());
  QVERIFY2(gone.error().hint.contains("opencl:0"), gone.error().hint.c_str());
}

void SessionTargetsTest::budgetsThatCompareKernelsAreRefused_data() {
  QTest::addColumn<double>("target_gflops");
  QTest::addColumn<int>("patience");
  QTest::addColumn<QString>("option");
  QTest::addRow("target") << 100.0 << 0 << "--target-gflops";
  QTest::addRow("patience") << 0.0 << 30 << "--patience";
}

void SessionTargetsTest::budgetsThatCompareKernelsAreRefused() {
  QFETCH(double, target_gflops);
  QFETCH(int, patience);
  QFETCH(QString, option);
  const QTemporaryDir folder;
  const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
  session::TuningRequest request;
  request.task = "resnet18/C12";
  request.target = "cuda";
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  request.budget.target_gflops = target_gflops;
  request.budget.patience = patience;
  const auto prepared = session::prepare_tuning(request, store);
  QVERIFY(!prepared);
  QCOMPARE(prepared.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(prepared.error().message.contains(option.toStdString()), describe(prepared.error()).c_str());
}

KERNELSCAPE_TEST(SessionTargetsTest, QCoreApplication)

}  // namespace kernelscape::session_targets_test
#include "session_targets_test.moc"
