// The batch that the threads of a fleet's measurer share, and the notices of missing workers.
#include <QtTest>

#include "core/fleet/batch_state.h"
#include "core/fleet/missing_workers.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_batch_state_test {
namespace {

fleet::Candidate candidate_at(std::size_t position, int batch) {
  fleet::Candidate candidate;
  candidate.position = position;
  candidate.batch = batch;
  candidate.configuration = {{static_cast<std::uint32_t>(position)}};
  return candidate;
}

std::vector<space::Configuration> batch_of(std::size_t size) {
  std::vector<space::Configuration> batch;
  for (std::size_t position = 0; position < size; ++position)
    batch.push_back({{static_cast<std::uint32_t>(position)}});
  return batch;
}

fleet::WorkerState worker_of(const std::string& device, const std::string& state, int builders) {
  fleet::WorkerState worker;
  worker.state = state;
  worker.identity.builders = builders;
  worker.identity.tool_chains = {"gcc"};
  if (!device.empty()) worker.identity.devices = {{.id = device}};
  return worker;
}

}  // namespace

class FleetBatchStateTest : public QObject {
  Q_OBJECT

 private slots:
  void results_of_earlier_batches_do_not_count() {
    fleet::BatchState state(1);
    QVERIFY(state.begin(batch_of(2)));
    const int first = state.number();
    state.finish(candidate_at(1, first), {});
    QVERIFY(state.has_results());
    state.end_posting({});
    QCOMPARE(state.take_results().size(), std::size_t(1));
    state.drop_results_of_batch();
    state.finish(candidate_at(0, first), {});
    QVERIFY(!state.has_results());
    QCOMPARE(state.progress().finished, std::size_t(1));
    QVERIFY(state.begin(batch_of(1)));
    QVERIFY(state.number() > first + 1);
    QCOMPARE(state.progress().finished, std::size_t(0));
  }

  void a_batch_begins_only_after_the_one_before() {
    fleet::BatchState state(1);
    QVERIFY(state.begin(batch_of(0)));
    QVERIFY(!state.active());
    QVERIFY(state.begin(batch_of(1)));
    QVERIFY(state.posting());
    QCOMPARE(state.begin(batch_of(1)).error().code, ErrorCode::Internal);
    fleet::Candidate open = candidate_at(0, state.number());
    open.task.id = state.next_task_id("a");
    state.open.add(open);
    state.end_posting({});
    QVERIFY(!state.posting() && state.active());
    QCOMPARE(state.take_open().size(), std::size_t(1));
    QVERIFY(!state.active());
    QVERIFY(state.next_task_id("a") != open.task.id);
  }

  void the_first_error_of_a_batch_is_reported() {
    fleet::BatchState state(1);
    QVERIFY(state.begin(batch_of(1)));
    state.stop_with(Error{ErrorCode::Corrupt, "first", {}});
    state.end_posting(fail(ErrorCode::Environment, "second"));
    QCOMPARE(state.error()->message, std::string("first"));
    // The next batch begins without the error, unless a thread has ended with it.
    QVERIFY(state.begin(batch_of(0)));
    QVERIFY(!state.error());
    state.end_thread(fail(ErrorCode::Environment, "third"));
    QCOMPARE(state.error()->message, std::string("third"));
    state.clear();
    QCOMPARE(state.begin(batch_of(1)).error().message, std::string("third"));
  }

  void a_notice_is_reported_once() {
    fleet::BatchState state(1);
    state.notify("a");
    state.notify("b");
    state.notify("a");
    QCOMPARE(state.take_notices(), (std::vector<std::string>{"a", "b"}));
    state.notify("b");
    state.notify("c");
    QCOMPARE(state.take_notices(), std::vector<std::string>{"c"});
  }

  void a_kept_build_takes_its_place_in_the_new_batch() {
    fleet::BatchState state(1);
    fleet::Candidate built = candidate_at(3, 1);
    built.artefact_sha256 = "blob";
    state.keep_build(built);
    fleet::Candidate again = candidate_at(3, 7);
    again.position = 5;
    QVERIFY(state.restore_build(again));
    QCOMPARE(again.artefact_sha256, std::string("blob"));
    QCOMPARE(again.position, std::size_t(5));
    QCOMPARE(again.batch, 7);
    state.forget_build(built.configuration);
    QVERIFY(!state.restore_build(again));
  }

  void missing_workers_are_reported() {
    const fleet::DeviceClass device{.id = "gpu", .tool_chain = "gcc"};
    const auto count = [&](const std::vector<fleet::WorkerState>& workers) {
      return fleet::missing_worker_notices(workers, device).size();
    };
    QCOMPARE(count({}), std::size_t(2));
    QCOMPARE(count({worker_of("gpu", "idle", 1)}), std::size_t(0));
    QCOMPARE(count({worker_of("gpu", "idle", 0)}), std::size_t(1));
    QCOMPARE(count({worker_of("gpu", "left", 1)}), std::size_t(2));
    QCOMPARE(count({worker_of("cpu", "idle", 1)}), std::size_t(1));
    QCOMPARE(count({worker_of("gpu", "waiting", 1)}), std::size_t(1));
    QCOMPARE(count({worker_of("gpu", "waiting", 1), worker_of("gpu", "running", 0)}), std::size_t(0));
    QCOMPARE(count({worker_of("gpu", "running", 0), worker_of("", "building", 4)}), std::size_t(0));
  }
};

KERNELSCAPE_PLAIN_TEST(FleetBatchStateTest)

}  // namespace kernelscape::fleet_batch_state_test
#include "fleet_batch_state_test.moc"
