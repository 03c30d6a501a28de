// What is right for a user's kernels, asked of a scripted fleet: what Redis loses meanwhile, and names that a
// compiler changes, are no fault of a kernel.
#include <QtTest>
#include <memory>
#include <mutex>

#include "core/codegen/known_flags.h"
#include "core/fleet/keys.h"
#include "core/fleet/preparation.h"
#include "core/fleet/request.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_references_test {
using namespace kernelscape::fleet_tests;

namespace {

/** Kernels of a user's own; right is what the first one gives that runs. */
class ScriptedProgram final : public kernel::Family {
 public:
  explicit ScriptedProgram(project::ProgramData data = {})
      : kernels_(session_tests::make_space()), data_(std::move(data)) {}
  const task::Task& task() const override { return kernels_.task(); }
  const space::SearchSpace& space() const override { return kernels_.space(); }
  const project::ProgramData* data() const override { return &data_; }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    return kernels_.source(configuration);
  }
  /** The text of the first member that builds. */
  std::string first_built() const {
    for (std::uint64_t i = 0;; ++i)
      if (const std::string text = source(space().at(i))->text; builds(text)) return text;
  }

 private:
  ScriptedFamily kernels_;
  project::ProgramData data_;
};

/** Builds as the script does, and calls what it built by another name. */
class RenamingBuilder final : public fleet::BuildExecutor {
 public:
  Result<std::optional<measure::BuildReply>> build(const measure::BuildRequest& request,
                                                   const measure::Interruption& interruption) override {
    auto reply = builder_.build(request, interruption);
    if (reply && *reply && (*reply)->status == measure::BuildStatus::Built) (*reply)->entry = "_Z6kernelPf";
    return reply;
  }

 private:
  ScriptedBuilder builder_{Script{}};
};

/** What runners were asked. */
struct Asked {
  std::mutex mutex;
  std::vector<std::string> reference_artefacts;
  std::vector<std::string> reference_entries;
  std::vector<std::string> run_entries;
};

class RecordingRunner final : public fleet::RunExecutor {
 public:
  explicit RecordingRunner(Asked& asked) : asked_(asked) {}
  Status prepare(const measure::PrepareRequest& request, const measure::Interruption&) override {
    const std::scoped_lock lock(asked_.mutex);
    asked_.reference_artefacts.push_back(request.program.at(0).answer.artefact);
    asked_.reference_entries.push_back(request.program.at(0).answer.entry);
    return {};
  }
  Result<std::optional<measure::RunReply>> run(const measure::RunRequest& request,
                                               const measure::Interruption& interruption) override {
    {
      const std::scoped_lock lock(asked_.mutex);
      asked_.run_entries.push_back(request.entry);
    }
    return runner_.run(request, interruption);
  }
  Result<std::optional<measure::BaselineReply>> measure_baseline(
      const measure::BaselineRequest& request, const measure::Interruption& interruption) override {
    return runner_.measure_baseline(request, interruption);
  }

 private:
  Asked& asked_;
  ScriptedRunner runner_{Script{}};
};

fleet::WorkerSetup renaming_builder(const fleet::Access& access) {
  fleet::WorkerSetup setup = worker_setup(access, "builder", 1, false);
  setup.executors.builder = [] { return std::make_unique<RenamingBuilder>(); };
  return setup;
}

fleet::WorkerSetup recording_runner(const fleet::Access& access, Asked& asked) {
  fleet::WorkerSetup setup = worker_setup(access, "runner", 0, true);
  setup.executors.runner = [&asked] { return std::make_unique<RecordingRunner>(asked); };
  return setup;
}

/** Members of the program that build. */
std::vector<space::Configuration> some_built(const ScriptedProgram& family, std::size_t count) {
  std::vector<space::Configuration> found;
  for (std::uint64_t i = 0; found.size() < count; ++i)
    if (builds(family.source(family.space().at(i))->text)) found.push_back(family.space().at(i));
  return found;
}

}  // namespace

class FleetReferencesTest : public QObject {
  Q_OBJECT

 private slots:
  void what_redis_loses_is_no_kernels_fault();
  void what_redis_loses_each_time_is_said();
  void kernels_are_called_by_the_names_that_compilers_gave_them();
  void what_is_only_built_needs_no_reference();
  void a_question_is_stopped_while_redis_is_away();
  void references_of_gpus_are_built_for_any_processor();
  void data_files_of_this_machine_are_not_for_a_fleet();
};

void FleetReferencesTest::data_files_of_this_machine_are_not_for_a_fleet() {
  project::ProgramData data;
  data.arguments.emplace_back();
  data.arguments.front().fill.kind = project::FillKind::Bytes;
  data.arguments.front().fill.file = project::DataFile{.path = "/x.bin", .bytes = 4};
  const ScriptedProgram family(std::move(data));
  const auto refused = fleet::prepare_on_fleet(family, {}, {}, {});
  QVERIFY(!refused);
  QCOMPARE(refused.error().code, ErrorCode::Refused);
  QVERIFY(refused.error().message.contains("DataFiles"));
}

void FleetReferencesTest::what_redis_loses_is_no_kernels_fault() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  const auto family = std::make_shared<ScriptedProgram>();
  const ThreadWorker builder(renaming_builder(access));
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const std::vector<space::Configuration> batch = some_built(*family, 2);
  QVERIFY(measurer->submit(batch));
  fleet::RedisConnection redis = server.connect();
  const std::string stream = fleet::keys::run_stream("scripted");
  QVERIFY(wait_until([&] { return redis.call({"XLEN", stream})->integer == 1; }));
  const fleet::RedisValue blobs = *redis.call({"KEYS", "kernelscape:blob:*"});
  QVERIFY(blobs.items.size() >= 2);
  for (const fleet::RedisValue& blob : blobs.items) QVERIFY(redis.call({"UNLINK", blob.text}));
  Asked asked;
  const ThreadWorker runner(recording_runner(access, asked));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY2(done, done ? "" : describe(done.error()).c_str());
  for (const measure::Completed& one : *done)
    QVERIFY2(one.measurement.valid(), one.measurement.message.c_str());
  const std::scoped_lock lock(asked.mutex);
  QCOMPARE(asked.reference_artefacts.front(), "built " + family->first_built());
}

void FleetReferencesTest::what_redis_loses_each_time_is_said() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  const auto family = std::make_shared<ScriptedProgram>();
  const ThreadWorker builder(renaming_builder(access));
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  QVERIFY(measurer->submit(some_built(*family, 1)));
  // A Redis whose blobs are gone whenever a runner looks for them.
  fleet::TaskQueue runner(server.connect(), "runner", access.times);
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::optional<fleet::TakenTask> taken;
    QVERIFY(wait_until([&] {
      taken = *runner.take({fleet::keys::run_stream("scripted")}, 0.1);
      return taken.has_value();
    }));
    const auto task = fleet::verify<fleet::Task>(taken->body, taken->signature, access.secret.signing_key);
    fleet::Answer missing;
    missing.kind = fleet::TaskEnding::Missing;
    missing.task = task->id;
    missing.worker = "runner";
    missing.artefact_sha256 = task->artefact_sha256;
    QVERIFY(*runner.finish(*taken, missing, access.secret.signing_key));
  }
  const auto done = collect_all(*measurer, 1);
  QVERIFY(!done);
  QCOMPARE(done.error().code, ErrorCode::Corrupt);
  QVERIFY2(done.error().message.contains("has lost the blobs to run"), done.error().message.c_str());
  QVERIFY(done.error().hint.contains("maxmemory"));
}

void FleetReferencesTest::kernels_are_called_by_the_names_that_compilers_gave_them() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  const auto family = std::make_shared<ScriptedProgram>();
  Asked asked;
  const ThreadWorker builder(renaming_builder(access));
  const ThreadWorker runner(recording_runner(access, asked));
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  QVERIFY(measurer->submit(some_built(*family, 1)));
  QVERIFY(collect_all(*measurer, 1));
  const std::scoped_lock lock(asked.mutex);
  // The reference against itself, then the trial.
  QCOMPARE(asked.run_entries, (std::vector<std::string>{"_Z6kernelPf", "_Z6kernelPf"}));
  QCOMPARE(asked.reference_entries.front(), std::string("_Z6kernelPf"));
}

void FleetReferencesTest::what_is_only_built_needs_no_reference() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  const auto family = std::make_shared<ScriptedProgram>();
  const ThreadWorker builder(renaming_builder(access));
  trial::MeasureOptions options;
  options.build_only = true;
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), options);
  QVERIFY(measurer->submit(some_built(*family, 2)));
  const auto done = collect_all(*measurer, 2);
  QVERIFY2(done, done ? "" : describe(done.error()).c_str());
  fleet::RedisConnection redis = server.connect();
  QCOMPARE(redis.call({"EXISTS", fleet::keys::run_stream("scripted")})->integer, 0);
}

void FleetReferencesTest::a_question_is_stopped_while_redis_is_away() {
  NEEDS_REDIS();
  RedisServer server;
  fleet::Access access = server.fleet(1);
  access.patience_seconds = 3600;
  const fleet::Measuring measuring = measuring_on(access);
  std::atomic<int> asked = 0;
  // It is killed while it is asked, and stopped a while after that.
  const auto stop = [&] {
    if (++asked == 3) server.kill_now();
    return asked > 5;
  };
  auto question = fleet::Request::open(measuring, stop);
  QVERIFY2(question, question ? "" : describe(question.error()).c_str());
  const auto answer =
      question->ask(fleet::Task{.kind = fleet::TaskKind::Run}, "kernelscape:run:nobody", stop);
  QVERIFY2(answer.has_value(), answer ? "" : describe(answer.error()).c_str());
  QVERIFY(!answer->has_value());
}

void FleetReferencesTest::references_of_gpus_are_built_for_any_processor() {
  fleet::DeviceClass gpu = scripted_class();
  gpu.target = schedule::default_cuda_target();
  gpu.native_flags.clear();
  codegen::KernelSource reference;
  reference.dialect = codegen::Dialect::C;
  reference.entry = "right";
  reference.flags = codegen::own_flags(codegen::Dialect::C);
  const auto request =
      fleet::message_of<measure::BuildRequest>(fleet::build_task_of(reference, gpu, 10).frame);
  QVERIFY(request.has_value());
  QVERIFY(!request->flags.empty());
  for (const std::string& flag : request->flags) QVERIFY2(flag != "-march=native", flag.c_str());
}

KERNELSCAPE_PLAIN_TEST(FleetReferencesTest)

}  // namespace kernelscape::fleet_references_test
#include "fleet_references_test.moc"
