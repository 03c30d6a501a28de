#include <QTemporaryDir>
#include <QTest>

#include "core/measure/device_lease.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/session/preparation.h"
#include "core/session/setup.h"
#include "tests/test_program.h"

namespace kernelscape::session_targets_test {

namespace {

TuningRequest multiplication_on(const std::string& target) {
  TuningRequest request;
  request.task = "matmul 16x16 16x16 f32";
  request.target = target;
  request.tuner = "random";
  request.seed = 4;
  return request;
}

/** The session as one that was made and ended. */
SessionId store_session(Store& store, const SessionRecord& record) {
  const Owner owner = Owner::this_process();
  const SessionId id = store.create_session(record, owner).value();
  if (!store.release_session(id, owner)) qFatal("a session of this test stays owned");
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
  for (const CompilerNeed need : {CompilerNeed::Optional, CompilerNeed::Required}) {
    const auto target = resolve_target(name.toStdString(), need);
    QVERIFY(!target);
    QCOMPARE(target.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(target.error().message.contains(name.toStdString()), target.error().message.c_str());
    QVERIFY2(target.error().hint.contains(offers.toStdString()), describe(target.error()).c_str());
  }
  QVERIFY(!check_target_choice(name.toStdString(), "", false));
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
  const Status fits = check_target_choice(target.toStdString(), architecture.toStdString(), build_only);
  QCOMPARE(fits.has_value(), says.isEmpty());
  if (fits) return;
  QCOMPARE(fits.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(fits.error().hint.contains(says.toStdString()), describe(fits.error()).c_str());
}

void SessionTargetsTest::anArchitectureNeedsNoDevice() {
  for (const std::string& architecture : cuda_architectures()) {
    for (const char* name : {"cuda", "cuda:0", "cuda:7"}) {
      const auto target = resolve_target(name, CompilerNeed::Required, architecture);
      QVERIFY2(target, target ? "" : describe(target.error()).c_str());
      QCOMPARE(target->kind, TargetKind::Cuda);
      QVERIFY(target->architecture_only);
      QCOMPARE(target->isa, architecture);
    }
  }
  const auto unknown = resolve_target("cuda", CompilerNeed::Required, "sm_33");
  QVERIFY(!unknown);
  QCOMPARE(unknown.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(unknown.error().message.contains("sm_33"), unknown.error().message.c_str());
  QVERIFY2(unknown.error().hint.contains("sm_80"), unknown.error().hint.c_str());
}

void SessionTargetsTest::aMissingDriverIsToldWithTheWayOut() {
  qputenv("KERNELSCAPE_LIBCUDA", "/nonexistent");
  const auto numbered = resolve_target("cuda:0", CompilerNeed::Optional);
  const auto needed = resolve_target("cuda", CompilerNeed::Required);
  const auto looked_at = resolve_target("cuda", CompilerNeed::Optional);
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
  QVERIFY(*looked_at == default_cuda_target());
}

void SessionTargetsTest::openClWithoutPlatforms() {
  qputenv("OCL_ICD_VENDORS", "/nonexistent");
  const auto target = resolve_target("opencl", CompilerNeed::Required);
  qunsetenv("OCL_ICD_VENDORS");
  QVERIFY(!target);
  QVERIFY2(target.error().message.contains("opencl:0"), describe(target.error()).c_str());
  QVERIFY(!target.error().hint.empty());
}

void SessionTargetsTest::unknownDevicesListThoseThatThereAre() {
  const auto first = resolve_target("opencl", CompilerNeed::Required);
  if (!first) QSKIP(describe(first.error()).c_str());
  QCOMPARE(first->name, std::string("opencl:0"));
  const auto target = resolve_target("opencl:900", CompilerNeed::Required);
  QVERIFY(!target);
  QCOMPARE(target.error().code, ErrorCode::NotFound);
  QVERIFY2(target.error().message.contains("opencl:900"), target.error().message.c_str());
  QVERIFY2(target.error().hint.contains("opencl:0"), target.error().hint.c_str());
  QVERIFY2(target.error().hint.contains(first->device), target.error().hint.c_str());
}

void SessionTargetsTest::aHostDeviceSharesTheLeaseOfTheCpu() {
  TargetDescription target = default_cuda_target();
  target.name = "cuda:1";
  QCOMPARE(leased_device(target), std::string("cuda:1"));
  target.kind = TargetKind::OpenCl;
  target.name = "opencl:0";
  QCOMPARE(leased_device(target), std::string("opencl:0"));
  target.host_device = true;
  QCOMPARE(leased_device(target), leased_device(TargetDescription()));
}

void SessionTargetsTest::theHolderOfALeaseIsKnownWithoutWaiting() {
  const QTemporaryDir folder;
  const std::string place = folder.path().toStdString();
  const auto holder = [&](const char* device) { return DeviceLease::holder_of(device, place); };
  QVERIFY(!holder("cuda:0"));
  DeviceLease::Request request{
      .device = "cuda:0", .holder = "session 12", .waiting = {}, .give_up = [] { return true; }};
  request.folder = place;
  {
    const auto held = DeviceLease::acquire(request);
    QVERIFY(held);
    QCOMPARE(holder("cuda:0"), std::optional<std::string>("session 12"));
    QVERIFY(!holder("cuda:1"));
    QVERIFY(!holder("cuda"));
  }
  QVERIFY(!holder("cuda:0"));
  // Asking leaves no lock behind.
  QVERIFY(DeviceLease::acquire(request));
}

void SessionTargetsTest::architecturesSurviveTheirSession() {
  const QTemporaryDir folder;
  const Store store = *Store::open(folder.filePath("test.db").toStdString());
  TuningRequest request;
  request.task = "resnet18/C12";
  request.template_name = "conv2d-direct";
  request.target = "cuda";
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  request.seed = 4;
  QCOMPARE(command_line_of(request),
           std::string("kernelscape tune resnet18/C12 --target cuda --arch sm_80 --build-only --template "
                       "conv2d-direct --seed 4"));
  const auto prepared = prepare_tuning(request, store);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  QVERIFY(prepared->setup.target.architecture_only);
  QVERIFY(prepared->setup.options.build_only);
  const auto again = request_of(make_record(prepared->setup));
  QVERIFY2(again, again ? "" : describe(again.error()).c_str());
  QCOMPARE(command_line_of(*again), command_line_of(request));
  request.measuring.build_only = false;
  const auto runs = prepare_tuning(request, store);
  QVERIFY(!runs);
  QVERIFY2(runs.error().hint.contains("--build-only"), describe(runs.error()).c_str());
}

void SessionTargetsTest::architecturesAreResumedWithoutADevice() {
  const QTemporaryDir folder;
  Store store = *Store::open(folder.filePath("test.db").toStdString());
  TuningRequest request = multiplication_on("cuda");
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  const auto prepared = prepare_tuning(request, store);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  const auto resumed = prepare_resume(store, store_session(store, make_record(prepared->setup)));
  QVERIFY2(resumed, resumed ? "" : describe(resumed.error()).c_str());
  QVERIFY(resumed->setup.target == prepared->setup.target);
  QVERIFY(resumed->setup.options.build_only);
}

void SessionTargetsTest::aDeviceIsResumedWithItsOwnDriverAlone() {
  const QTemporaryDir folder;
  Store store = *Store::open(folder.filePath("test.db").toStdString());
  const auto prepared = prepare_tuning(multiplication_on("opencl:0"), store);
  if (!prepared) QSKIP(describe(prepared.error()).c_str());
  SessionSetup setup = prepared->setup;
  const auto same = prepare_resume(store, store_session(store, make_record(setup)));
  QVERIFY2(same, same ? "" : describe(same.error()).c_str());
  QVERIFY(same->setup.target == setup.target);

  setup.target.driver_version += ".1";
  const auto other = prepare_resume(store, store_session(store, make_record(setup)));
  QVERIFY(!other);
  QCOMPARE(other.error().code, ErrorCode::Refused);
  QVERIFY2(other.error().message.contains("driver_version"), other.error().message.c_str());
  QVERIFY2(other.error().hint.contains("--warm-start"), other.error().hint.c_str());

  setup.target.name = "opencl:900";
  const auto gone = prepare_resume(store, store_session(store, make_record(setup)));
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
  const Store store = *Store::open(folder.filePath("test.db").toStdString());
  TuningRequest request;
  request.task = "resnet18/C12";
  request.target = "cuda";
  request.architecture = "sm_80";
  request.measuring.build_only = true;
  request.budget.target_gflops = target_gflops;
  request.budget.patience = patience;
  const auto prepared = prepare_tuning(request, store);
  QVERIFY(!prepared);
  QCOMPARE(prepared.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(prepared.error().message.contains(option.toStdString()), describe(prepared.error()).c_str());
}

KERNELSCAPE_TEST(SessionTargetsTest, QCoreApplication)

}  // namespace kernelscape::session_targets_test
#include "session_targets_test.moc"
