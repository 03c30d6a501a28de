// Workers that come and go: draining, what they tell of themselves, and classes of devices.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <future>

#include "core/fleet/candidates.h"
#include "core/fleet/device_class.h"
#include "core/fleet/jobs.h"
#include "core/fleet/keys.h"
#include "core/fleet/machine_arbiter.h"
#include "core/fleet/state.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_worker_test {
using namespace kernelscape::fleet_tests;

class FleetWorkerTest : public QObject {
  Q_OBJECT

 private slots:
  void a_worker_drains_when_it_is_asked_to();
  void a_worker_that_is_stopped_at_once_hands_its_task_back();
  void what_workers_say_of_themselves_is_read_back();
  void what_differs_in_a_device_is_another_class();
  void native_flags_are_those_of_the_compilers_process();
  void it_is_known_who_has_the_device();
  void builds_and_runs_do_not_meet();
  void a_task_that_was_withdrawn_is_not_taken();
  void what_was_deleted_in_somebodys_hands_is_forgotten();
  void workers_that_are_long_gone_are_forgotten();
  void a_long_lease_does_not_make_workers_silent();
  void job_scripts_are_good_shell_scripts();
  void damaged_plans_are_refused();
};

void FleetWorkerTest::a_worker_drains_when_it_is_asked_to() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(0.5);
  ThreadWorker shutting_down(
      worker_setup(access, "leaving", 1, true, {.run_time = std::chrono::milliseconds(50)}));
  const auto family = std::make_shared<ScriptedFamily>(session_tests::make_space());
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  std::vector<space::Configuration> batch;
  for (std::uint64_t i = 0; i < 20; ++i) batch.push_back(family->space().at(i));
  QVERIFY(measurer->submit(batch));
  auto done = collect_all(*measurer, 3);
  QVERIFY(done.has_value());
  fleet::RedisConnection redis = server.connect();
  QVERIFY(!fleet::ask_to_drain(redis, "nobody"));
  QVERIFY(fleet::ask_to_drain(redis, "leaving"));
  QVERIFY(wait_until([&] { return fleet::list_workers(redis, 3)->front().state == "left"; }));
  QCOMPARE(
      redis.call({"XPENDING", fleet::keys::run_stream("scripted"), fleet::keys::group})->items[0].integer, 0);
  ThreadWorker next(worker_setup(access, "next", 1, true));
  const auto rest = collect_all(*measurer, batch.size() - done->size());
  QVERIFY(rest.has_value());
  for (const measure::Completed& one : *rest)
    QVERIFY(is_scripted(*family, batch[one.position], one.measurement));
}

void FleetWorkerTest::a_worker_that_is_stopped_at_once_hands_its_task_back() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  ThreadWorker hanging(worker_setup(access, "hanging", 1, false, {.build_time = std::chrono::hours(1)}));
  const auto family = std::make_shared<ScriptedFamily>(session_tests::make_space());
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const std::vector<space::Configuration> batch{family->space().at(1)};
  QVERIFY(measurer->submit(batch));
  QVERIFY(wait_until([&] { return measurer->progress().building == 1; }));
  QVERIFY(hanging.leave(2));
  // At once: the lease need not run out.
  fleet::TaskQueue other(server.connect(), "other", access.times);
  const auto task = other.take({fleet::keys::build_stream("scripted-tools")}, 0.1);
  QVERIFY(task && task->has_value());
  QCOMPARE((*task)->deliveries, 1);
}

void FleetWorkerTest::what_workers_say_of_themselves_is_read_back() {
  fleet::WorkerIdentity identity = worker_setup({}, "some \"worker\"\n", 3, true).identity;
  const auto read = fleet::identity_from_json(fleet::identity_to_json(identity));
  QVERIFY(read.has_value());
  QCOMPARE(read->id, identity.id);
  QCOMPARE(read->devices, identity.devices);
  QCOMPARE(read->tool_chains, identity.tool_chains);
  for (const char* damaged :
       {"", "[]", "{\"builders\": \"many\"}", "{\"devices\": [3]}", "{\"devices\": [{}]}"})
    QVERIFY2(!fleet::identity_from_json(damaged), damaged);
}

void FleetWorkerTest::what_differs_in_a_device_is_another_class() {
  const schedule::TargetDescription target = scripted_target();
  const fleet::DeviceClass base = fleet::make_device_class(target, {"memory 16 GiB"}, {"-march=znver3"});
  schedule::TargetDescription numbered = target;
  numbered.kind = schedule::TargetKind::Cuda;
  numbered.name = "cuda:0";
  schedule::TargetDescription second = numbered;
  second.name = "cuda:7";
  QCOMPARE(fleet::make_device_class(numbered, {}, {}).id, fleet::make_device_class(second, {}, {}).id);
  std::set<std::string> ids{base.id};
  const auto differs = [&](const fleet::DeviceClass& other) { return ids.insert(other.id).second; };
  QVERIFY(differs(fleet::make_device_class(target, {"memory 32 GiB"}, {"-march=znver3"})));
  QVERIFY(differs(fleet::make_device_class(target, {"memory 16 GiB"}, {"-march=znver2"})));
  schedule::TargetDescription other = target;
  other.device = "another processor";
  QVERIFY(differs(fleet::make_device_class(other, {"memory 16 GiB"}, {"-march=znver3"})));
  other = target;
  other.compiler_version = "scripted 2.0";
  QVERIFY(differs(fleet::make_device_class(other, {"memory 16 GiB"}, {"-march=znver3"})));
  other = target;
  other.cores = 64;
  QVERIFY(differs(fleet::make_device_class(other, {"memory 16 GiB"}, {"-march=znver3"})));
  // Classes of sessions from before descriptions had this extension are still found.
  other = target;
  other.extensions.emplace_back("avx512_bf16");
  QCOMPARE(fleet::make_device_class(other, {"memory 16 GiB"}, {"-march=znver3"}).id, base.id);
  // Who does not know what native means there can't build for it.
  QVERIFY(fleet::make_device_class(target, {}, {}).tool_chain.contains('@'));
  QVERIFY(!base.tool_chain.contains('@'));
}

void FleetWorkerTest::native_flags_are_those_of_the_compilers_process() {
  const std::string printed =
      "COLLECT_GCC=cc\n"
      " /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -E -quiet -v -imultiarch x86_64-linux-gnu /dev/null "
      "-march=znver3 "
      "-mavx2 -mno-fma4 --param l1-cache-size=48 -mtune=znver3 -O3 -m$(reboot)\n";
  const std::vector<std::string> expected{"-march=znver3", "-mavx2", "-mno-fma4", "--param=l1-cache-size=48",
                                          "-mtune=znver3"};
  QCOMPARE(fleet::native_flags_in(printed), expected);
  QVERIFY(fleet::native_flags_in("clang version 19").empty());
  QVERIFY(fleet::native_flags_in(" /x/cc1 -march=native -O3\n").empty());
  // Nobody signs what a worker says of itself: only such options come back.
  for (const char* flag :
       {"-fplugin=/tmp/evil.so", "-wrapper", "/bin/sh", "-march=x y", "-m`reboot`", "@file"}) {
    fleet::WorkerIdentity forged;
    forged.devices = {scripted_class()};
    QVERIFY(fleet::identity_from_json(fleet::identity_to_json(forged)));
    forged.devices[0].native_flags.emplace_back(flag);
    QVERIFY2(!fleet::identity_from_json(fleet::identity_to_json(forged)), flag);
  }
  // GCC itself, which says it where errors go.
  const std::vector<std::string> here = fleet::native_flags_of("gcc");
  QVERIFY(std::ranges::any_of(here, [](const std::string& flag) { return flag.starts_with("-march="); }));
}

void FleetWorkerTest::it_is_known_who_has_the_device() {
  const std::string device = "cpu";  // that runs on it wait for a turn, too
  measure::DeviceLease::Request request;
  request.device = device;
  request.holder = "session 12";
  Result<measure::DeviceLease> session = measure::DeviceLease::acquire(request);
  QVERIFY(session);
  fleet::MachineArbiter gate(device, "a test");
  QVERIFY(gate.other_holder().empty());
  const auto kept_out = gate.begin_run({});
  QVERIFY(kept_out && !*kept_out);
  QCOMPARE(gate.other_holder(), std::string("session 12"));
  // What is tried again says so until it gets it.
  measure::InterruptionSwitch soon;
  const auto kept_out_again =
      std::async(std::launch::async, [&] { return gate.begin_run(soon.interruption()); });
  QTRY_VERIFY(measure::DeviceLease::holder_of("cpu-turn").has_value());
  QCOMPARE(gate.other_holder(), std::string("session 12"));
  soon.trigger();
  kept_out_again.wait();
  session = fail(ErrorCode::Refused, "it has ended");
  const auto let_in = gate.begin_run({});
  QVERIFY(let_in && *let_in);
  QVERIFY(gate.other_holder().empty());
}

void FleetWorkerTest::a_task_that_was_withdrawn_is_not_taken() {
  fleet::Candidates open;
  fleet::Candidate candidate;
  candidate.task.id = "one";
  open.add(candidate);
  QVERIFY(open.take("one").has_value());
  QVERIFY(!open.take("one").has_value());
  QVERIFY(open.empty());
}

void FleetWorkerTest::builds_and_runs_do_not_meet() {
  fleet::MachineArbiter gate("cpu", "a test");
  fleet::MachineArbiter other("", "another process");
  std::atomic<int> building = 0;
  std::atomic<int> running = 0;
  std::atomic<bool> met = false;
  std::vector<std::jthread> threads;
  const auto build = [&](fleet::MachineArbiter& through) {
    for (int i = 0; i < 30; ++i) {
      const auto pass = through.begin_build({});
      if (!pass || !*pass) continue;
      ++building;
      if (running > 0) met = true;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --building;
    }
  };
  threads.emplace_back([&] { build(gate); });
  threads.emplace_back([&] { build(other); });
  threads.emplace_back([&] {
    for (int i = 0; i < 30; ++i) {
      const auto pass = gate.begin_run({});
      if (!pass || !*pass) continue;
      ++running;
      if (building > 0) met = true;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --running;
    }
  });
  threads.clear();
  QVERIFY(!met);
}

void FleetWorkerTest::what_was_deleted_in_somebodys_hands_is_forgotten() {
  NEEDS_REDIS();
  const RedisServer server;
  fleet::RedisConnection redis = server.connect();
  QVERIFY(redis.call({"SET", fleet::keys::controller("someone"), "waits"}));
  const std::string stream = fleet::keys::build_stream("tools");
  const auto add = [&](std::string_view nonce) {
    return redis.call({"XADD", stream, "*", "nonce", nonce, "by", "someone", "task", "t"})->text;
  };
  fleet::TaskQueue lost(server.connect(), "lost", server.fleet(60).times);
  QVERIFY(!*lost.take({stream}, 0.001));  // makes the group
  std::vector<std::string> entries{add("1"), add("2"), add("3")};
  for (const std::string& entry : entries) QCOMPARE((*lost.take({stream}, 1))->entry, entry);
  QVERIFY(redis.call({"XDEL", stream, entries[0]}));
  QVERIFY(redis.call({"XDEL", stream, entries[1]}));
  fleet::TaskQueue queue(server.connect(), "worker", server.fleet(0.001).times);
  std::optional<fleet::TakenTask> taken;
  QVERIFY(wait_until([&] {
    taken = *queue.take({stream}, 0.001);
    return taken.has_value();
  }));
  QCOMPARE(taken->entry, entries[2]);
  QVERIFY2(taken->deliveries >= 2, std::to_string(taken->deliveries).c_str());
  QCOMPARE(redis.call({"XPENDING", stream, fleet::keys::group})->items[0].integer, 1);
}

void FleetWorkerTest::workers_that_are_long_gone_are_forgotten() {
  NEEDS_REDIS();
  const RedisServer server;
  fleet::RedisConnection redis = server.connect();
  QVERIFY(redis.call({"SADD", fleet::keys::workers, "gone", "there"}));
  QVERIFY(redis.call({"HSET", fleet::keys::worker("there"), "state", "left", "done", "9007199254740993"}));
  const auto workers = fleet::list_workers(redis, 3);
  QCOMPARE(workers->size(), std::size_t{1});
  QCOMPARE(workers->front().done, 9007199254740993);
  QCOMPARE(redis.call({"SMEMBERS", fleet::keys::workers})->items.size(), std::size_t{1});
}

void FleetWorkerTest::a_long_lease_does_not_make_workers_silent() {
  const fleet::QueueTimes looking;  // of who looks at a fleet and knows no worker's settings
  for (const double lease : {0.5, 10.0, 100.0, 3600.0}) {
    const fleet::QueueTimes worker{.lease_seconds = lease};
    QVERIFY(2 * worker.beat_seconds() < fleet::silent_leases * looking.lease_seconds);
    QVERIFY(2 * worker.beat_seconds() < lease);
  }
}

void FleetWorkerTest::job_scripts_are_good_shell_scripts() {
  const QTemporaryDir folder;
  const std::string path = folder.path().toStdString();
  for (const std::string tunnel : {R"()", R"("tunnel": {"kind": "ssh", "host": "me@login"},)",
                                   R"("tunnel": {"kind": "stunnel", "host": "redis.lab", "port": 6390},)"}) {
    std::ofstream(path + "/plan.json")
        << R"({"worker": "/opt/it's/kernelscape-worker", "password_file": "/home/me/pass word",)" << tunnel
        << R"("groups": [{"name": "gpus", "gpus": "h100:1", "count": 4, "cores": 8, "hosts": ["node1", "node-2", "node 2"]},
                         {"name": "cpus", "partition": "short"}]})";
    const auto plan = fleet::read_job_plan(path + "/plan.json");
    QVERIFY2(plan.has_value(), plan ? "" : describe(plan.error()).c_str());
    auto scripts = fleet::slurm_scripts(*plan, "redis://worker@redis:6379/2");
    QCOMPARE(scripts.size(), std::size_t{2});
    for (const char* line : {"#SBATCH --requeue", "#SBATCH --gres=gpu:h100:1", "#SBATCH --array=1-4",
                             "#SBATCH --signal=B:TERM@120", "--device cuda:0"})
      QVERIFY2(scripts.front().text.contains(line), line);
    auto over_ssh = fleet::ssh_scripts(*plan, "redis://worker@redis:6379/2");
    QCOMPARE(over_ssh.size(), std::size_t{3});
    // "node-2" and "node 2" are two hosts, with a script, a log and a place each.
    QVERIFY(over_ssh[1].name != over_ssh[2].name);
    QVERIFY(over_ssh[2].start.back().contains(over_ssh[2].name + ".new " + over_ssh[2].name));
    if (tunnel.contains("ssh")) {
      const std::string through =
          fleet::ssh_scripts(*plan, "redis+unix:///run/redis/redis.sock").front().text;
      QVERIFY2(through.contains("\"$folder/redis.sock\":/run/redis/redis.sock --"), through.c_str());
    }
    scripts.insert(scripts.end(), over_ssh.begin(), over_ssh.end());
    QVERIFY(fleet::write_job_scripts(scripts, path));
    for (const fleet::JobScript& script : scripts) {
      QVERIFY(!script.text.contains("open sesame"));
      QVERIFY(tunnel.empty() || script.text.contains("redis+unix://worker@\"$folder\"/redis.sock"));
      const std::string command = "bash -n '" + path + "/" + script.name + "'";
      QCOMPARE(std::system(command.c_str()), 0);
    }
  }
}

void FleetWorkerTest::damaged_plans_are_refused() {
  const QTemporaryDir folder;
  const std::string path = folder.path().toStdString() + "/plan.json";
  QVERIFY(!fleet::read_job_plan(path));
  for (const char* text :
       {"", "[]", "{}", R"({"groups": []})", R"({"groups": [3]})", R"({"groups": [{"count": 0}]})",
        R"({"groups": [{"gpus": "h100:1\n#SBATCH --uid=root"}]})", R"({"groups": [{"gpus": "`reboot`"}]})",
        R"({"groups": [{"hosts": ["-oProxyCommand=reboot"]}]})",
        R"({"groups": [{}], "tunnel": {"kind": "rope"}})", R"({"groups": [{"name": "a"}, {"name": "a"}]})",
        R"({"groups": [{}], "tunnel": {"kind": "stunnel", "host": "h"}})", R"({"groups": [{"gpu": "x"}]})"}) {
    std::ofstream(path) << text;
    const auto plan = fleet::read_job_plan(path);
    QVERIFY2(!plan, text);
    QCOMPARE(plan.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(!plan.error().hint.empty(), text);
  }
}

KERNELSCAPE_PLAIN_TEST(FleetWorkerTest)

}  // namespace kernelscape::fleet_worker_test
#include "fleet_worker_test.moc"
