#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/processors.h"
#include "core/base/random.h"
#include "core/kernel/arguments.h"
#include "core/measure/busy_meter.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/machine_state.h"
#include "core/measure/cpu/packing.h"
#include "core/measure/device_lease.h"
#include "core/measure/worker/kernel_threads.h"
#include "core/measure/worker/message_text.h"
#include "tests/measure/scripted_measurer.h"
#include "tests/test_program.h"

namespace kernelscape::measure_parts_test {

namespace {

constexpr std::uint64_t seed = 4711;

/** NCHW[8]c of a channel count that the block does not divide. */
loop_nest::Layout blocked_layout() {
  return {.name = "NCHW8c",
          .shape = {2, 13, 3, 5},
          .dimensions = {{0, 1, 2}, {1, 8, 2}, {2, 1, 3}, {3, 1, 5}, {1, 1, 8}}};
}

trial::Measurement timed(double build_seconds, double run_seconds) {
  trial::Measurement measurement;
  measurement.samples_seconds = {1};
  measurement.build_seconds = build_seconds;
  measurement.run_seconds = run_seconds;
  return measurement;
}

}  // namespace

class MeasurePartsTest : public QObject {
  Q_OBJECT

 private slots:
  void packedTensorsComeBack_data() {
    QTest::addColumn<int>("type");
    for (const task::ScalarType type :
         {task::ScalarType::F16, task::ScalarType::BF16, task::ScalarType::F32, task::ScalarType::F64,
          task::ScalarType::I8, task::ScalarType::U8, task::ScalarType::I32}) {
      QTest::newRow(task::to_string(type).c_str()) << static_cast<int>(type);
    }
  }

  void packedTensorsComeBack() {
    QFETCH(int, type);
    const auto scalar = static_cast<task::ScalarType>(type);
    base::Random random(seed);
    const loop_nest::Layout layout = blocked_layout();
    const auto offsets = measure::checked_offsets(layout);
    QVERIFY(offsets.has_value());
    std::vector<double> values;
    // Small multiples of 1/8 and integers fit into every type exactly.
    const bool real = task::bytes_of(scalar) > 1 && scalar != task::ScalarType::I32;
    for (std::size_t i = 0; i < offsets->size(); ++i) {
      const auto integer = static_cast<double>(random.below(100));
      const double sign = scalar != task::ScalarType::U8 && random.chance(0.5) ? -1 : 1;
      values.push_back(sign * (real ? integer / 8 : integer));
    }
    auto buffer = measure::PageBuffer::make(measure::packed_bytes(scalar, layout), 1);
    QVERIFY(buffer.has_value());
    measure::pack(scalar, values, *offsets, buffer->bytes());
    QCOMPARE(measure::unpack(scalar, buffer->bytes(), *offsets), values);
    QVERIFY(buffer->surroundings_intact());
    QCOMPARE(measure::count_unwritten(scalar, buffer->bytes(), *offsets), std::int64_t{0});
    measure::fill_unwritten(scalar, buffer->bytes());
    QCOMPARE(measure::count_unwritten(scalar, buffer->bytes(), *offsets),
             static_cast<std::int64_t>(values.size()));
    for (const double value : measure::unpack(scalar, buffer->bytes(), *offsets))
      QVERIFY(!real || std::isnan(value));
  }

  void paddingOfInputsIsZero() {
    const loop_nest::Layout layout = blocked_layout();
    const auto offsets = measure::checked_offsets(layout);
    auto buffer = measure::PageBuffer::make(measure::packed_bytes(task::ScalarType::U8, layout), 0);
    QVERIFY(offsets && buffer);
    std::ranges::fill(buffer->bytes(), std::byte{7});
    measure::pack(task::ScalarType::U8, std::vector<double>(offsets->size(), 3), *offsets, buffer->bytes());
    const auto threes = std::ranges::count(buffer->bytes(), std::byte{3});
    QCOMPARE(static_cast<std::size_t>(threes), offsets->size());
    QCOMPARE(static_cast<std::size_t>(std::ranges::count(buffer->bytes(), std::byte{0})),
             buffer->size() - offsets->size());
  }

  void halfPrecisionIsIeee() {
    const std::vector<std::pair<double, std::uint16_t>> known{{0, 0x0000},
                                                              {1, 0x3c00},
                                                              {-2, 0xc000},
                                                              {65504, 0x7bff},
                                                              {0x1p-14, 0x0400},
                                                              {0x1p-24, 0x0001},
                                                              {0.333251953125, 0x3555}};
    for (const auto& [value, bits] : known) {
      std::uint16_t stored = 0;
      const std::vector<std::int64_t> offset{0};
      measure::pack(task::ScalarType::F16, std::vector<double>{value}, offset,
                    std::as_writable_bytes(std::span(&stored, 1)));
      QCOMPARE(stored, bits);
      QCOMPARE(measure::unpack(task::ScalarType::F16, std::as_bytes(std::span(&stored, 1)), offset).at(0),
               value);
    }
  }

  void anOverrunIsNoticed() {
    for (const std::size_t size : {1U, 100U, 5000U, 3U << 20}) {
      const auto buffer = measure::PageBuffer::make(size, 2);
      QVERIFY(buffer && buffer->surroundings_intact());
      static_cast<std::byte*>(buffer->data())[size - 1] = std::byte{1};
      QVERIFY(buffer->surroundings_intact());
      *(static_cast<std::byte*>(buffer->data()) - 1) = std::byte{1};
      QVERIFY(!buffer->surroundings_intact());
    }
  }

  void layoutsThatLieAreRefused() {
    loop_nest::Layout layout = blocked_layout();
    layout.dimensions[1].extent = 1;  // the second block of channels has no place
    layout.shape = {2, 13, 3, 5};
    const task::TensorAccess tensor{
        .tensor = "a", .type = task::ScalarType::F32, .shape = layout.shape, .indices = {}};
    task::TensorOperator op{.axes = {}, .inputs = {tensor, tensor}, .output = tensor};
    const codegen::KernelArgument input{
        .name = "a", .element_type = "f32", .output = false, .layout = blocked_layout()};
    codegen::KernelArgument output = input;
    output.output = true;
    QVERIFY(kernel::check_arguments(op, {input, input, output}).has_value());
    QVERIFY(!kernel::check_arguments(op, {input, output}).has_value());
    QVERIFY(!kernel::check_arguments(op, {input, output, input}).has_value());
    codegen::KernelArgument wrong = output;
    wrong.element_type = "f64";
    QVERIFY(!kernel::check_arguments(op, {input, input, wrong}).has_value());
    wrong = output;
    wrong.layout.shape = {1};
    QVERIFY(!kernel::check_arguments(op, {input, input, wrong}).has_value());
    wrong = output;
    wrong.layout.dimensions[0].source = 9;
    QVERIFY(!kernel::check_arguments(op, {input, input, wrong}).has_value());
    wrong = output;
    wrong.layout.dimensions[0].extent = 1LL << 40;
    QVERIFY(!kernel::check_arguments(op, {input, input, wrong}).has_value());
  }

  void messagesAreShortValidText() {
    base::Random random(seed);
    for (int i = 0; i < 500; ++i) {
      std::string raw(random.below(6000), '\0');
      for (char& c : raw) c = static_cast<char>(random.below(256));
      const std::string clean = measure::clean_message(raw);
      QVERIFY(clean.size() <= 4096);
      // What is no UTF-8 does not survive the way to UTF-16 and back.
      QCOMPARE(QString::fromUtf8(clean.c_str(), static_cast<qsizetype>(clean.size())).toUtf8().toStdString(),
               clean);
    }
    QCOMPARE(measure::clean_message("kernel.c:1: Fehler: \xc3\xa4\n\n"),
             std::string("kernel.c:1: Fehler: \xc3\xa4"));
    QCOMPARE(measure::clean_message(std::string(4095, 'x') + "\xc3\xa4"), std::string(4095, 'x'));
  }

  void everyThreadDoesItsPart_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 5, 16}) QTest::addRow("%d", threads) << threads;
  }

  void everyThreadDoesItsPart() {
    QFETCH(int, threads);
    const std::vector<int> processors = base::usable_processors();
    std::thread([&] {  // it pins the thread that it is started on
      const auto kernel = measure::KernelThreads::start(threads, processors, [] {});
      QVERIFY(kernel != nullptr);
      std::vector<int> calls(static_cast<std::size_t>(threads));
      int expected = 0;
      for (; expected < 500; ++expected) {
        kernel->call([&](int part) { ++calls[static_cast<std::size_t>(part)]; });
        // call() returns when all did: no part may be missing now.
        QCOMPARE(calls, std::vector<int>(calls.size(), expected + 1));
      }
      kernel->watch();
      const measure::LostTime lost = kernel->lost();
      QVERIFY(!lost.longest_wait_seconds || *lost.longest_wait_seconds >= 0);
      std::vector<int> pinned(calls.size(), -1);
      kernel->call([&](int part) {
        const auto i = static_cast<std::size_t>(part);
        cpu_set_t allowed;
        if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) return;
        const int processor = processors[i % processors.size()];
        if (CPU_ISSET(static_cast<std::size_t>(processor), &allowed)) pinned[i] = processor;
      });
      for (std::size_t i = 0; i < pinned.size(); ++i) QCOMPARE(pinned[i], processors[i % processors.size()]);
    })
        .join();
  }

  void leasesExcludeEachOther() {
    QTemporaryDir folder;
    measure::DeviceLease::Request first{.device = "cpu",
                                        .holder = "session 1",
                                        .waiting = {},
                                        .give_up = {},
                                        .folder = folder.path().toStdString()};
    measure::DeviceLease::Request second = first;
    second.holder = "session 2";
    std::vector<std::string> reported;
    second.waiting = [&](const std::string& holder) { reported.push_back(holder); };
    second.give_up = [] { return true; };
    {
      const auto held = measure::DeviceLease::acquire(first);
      QVERIFY(held.has_value());
      const auto refused = measure::DeviceLease::acquire(second);
      QVERIFY(!refused);
      QCOMPARE(refused.error().code, ErrorCode::Refused);
      QCOMPARE(reported, std::vector<std::string>{"session 1"});
      measure::DeviceLease::Request other = second;
      other.device = "cuda:0";
      QVERIFY(measure::DeviceLease::acquire(other).has_value());
    }
    QVERIFY(measure::DeviceLease::acquire(second).has_value());
  }

  void aWaitingSessionGetsTheDeviceWhenItIsFree() {
    QTemporaryDir folder;
    measure::DeviceLease::Request request{.device = "cpu",
                                          .holder = "one",
                                          .waiting = {},
                                          .give_up = {},
                                          .folder = folder.path().toStdString()};
    auto held = std::make_unique<measure::DeviceLease>(std::move(*measure::DeviceLease::acquire(request)));
    request.waiting = [&](const std::string&) { held.reset(); };
    QVERIFY(measure::DeviceLease::acquire(request).has_value());
    request.folder = "/nonexistent";
    const auto nowhere = measure::DeviceLease::acquire(request);
    QVERIFY(!nowhere && nowhere.error().code == ErrorCode::Environment);
  }

  void instructionSetsAreFoundInFlags() {
    const auto described = [](const char* cpuinfo) {
      schedule::TargetDescription target;
      measure::describe_instruction_set(cpuinfo, target);
      return target;
    };
    QCOMPARE(described("model name\t: X\nflags\t\t: sse2 avx2 avx512f fma\n").vector_bits, std::int64_t{512});
    QCOMPARE(described("flags : sse2 avx2 fma\n").vector_registers, std::int64_t{16});
    QCOMPARE(described("flags : sse2 avx2 fma\n").isa, std::string("avx2"));
    QCOMPARE(described("flags : sse2 avx\n").isa, std::string("sse2"));
    QCOMPARE(described("Features : fp asimd evtstrm\n").isa, std::string("neon"));
    QCOMPARE(described("").vector_bits, std::int64_t{128});
    QVERIFY(described("flags : sse2 avx2 avx512f fma\n").extensions.empty());
    QCOMPARE(described("flags : avx_vnni avx512_vnni avx512f\n").extensions,
             (std::vector<std::string>{"avx512_vnni", "avx_vnni"}));
    QCOMPARE(described("flags : avx512_vnni avx512f avx512_bf16\n").extensions,
             (std::vector<std::string>{"avx512_bf16", "avx512_vnni"}));
    QCOMPARE(measure::cpu_model("processor : 0\nmodel name\t: AMD EPYC 9654 \n"),
             std::string("AMD EPYC 9654"));
    QCOMPARE(measure::parse_cache_size("32K"), std::int64_t{32768});
    QCOMPARE(measure::parse_cache_size("32M"), std::int64_t{32} << 20);
    QCOMPARE(measure::parse_cache_size("much"), std::int64_t{0});
  }

  void thisMachineIsDescribed() {
    const auto target = measure::describe_cpu_target();
    QVERIFY(target.has_value());
    QVERIFY(target->cores >= 1 && target->vector_bits >= 128 && !target->device.empty());
    QVERIFY(!target->compiler_version.empty() && !target->flags.empty());
    QCOMPARE(target->cores, std::int64_t{base::usable_cores()});
  }

  void aMissingOrBrokenCompilerIsNamed() {
    const QByteArray before = qgetenv("CC");
    qputenv("CC", "/nonexistent/gcc");
    const auto missing = measure::describe_cpu_target();
    const auto not_needed = measure::describe_cpu_target(measure::CompilerNeed::Optional);
    qputenv("CC", "/bin/false");
    const auto broken = measure::describe_cpu_target();
    before.isEmpty() ? qunsetenv("CC") : qputenv("CC", before);
    QVERIFY(!missing && missing.error().code == ErrorCode::Environment);
    QVERIFY(missing.error().message.find("/nonexistent/gcc") != std::string::npos);
    QVERIFY(not_needed.has_value());
    QVERIFY(!broken && broken.error().message.find("/bin/false") != std::string::npos);
  }

  void aCompilerWithoutDotProductsIsNamed() {
    auto target = measure::describe_cpu_target().value();
    target.extensions.clear();
    QVERIFY(measure::check_dot_products(target).has_value());
    target.extensions = {"of a later version"};
    QVERIFY(measure::check_dot_products(target).has_value());
    // What a compiler from before VNNI says of this CPU.
    QTemporaryDir folder;
    const std::string old = folder.filePath("old-cc").toStdString();
    std::ofstream(old) << "#!/bin/sh\nexec " << target.compiler
                       << " \"$@\" -U__AVX512VNNI__ -U__AVXVNNI__ "
                          "-U__AVX512BF16__\n";
    std::filesystem::permissions(old, std::filesystem::perms::owner_all);
    target.compiler = old;
    for (const std::string extension : {"avx512_vnni", "avx512_bf16"}) {
      target.extensions = {extension};
      const Status refused = measure::check_dot_products(target);
      QVERIFY(!refused && refused.error().code == ErrorCode::Environment);
      QVERIFY(refused.error().message.contains(old) && refused.error().message.contains(extension));
      QVERIFY(refused.error().hint.contains("CC"));
    }
  }

  void aQuietMachineIsNotMentioned() {
    QVERIFY(measure::describe_readings({.load_average = 0.1, .processors = 2, .busy_processes = {}}).empty());
    // The session before this one, of the same program.
    QVERIFY(measure::describe_readings(
                {.load_average = 2.1, .own_load = 1.8, .processors = 2, .busy_processes = {}})
                .empty());
    QCOMPARE(measure::describe_readings(
                 {.load_average = 3.1, .own_load = 1.8, .processors = 2, .busy_processes = {}})
                 .size(),
             std::size_t{1});
    const auto notices = measure::describe_readings(
        {.load_average = 3,
         .processors = 2,
         .busy_processes = {{.process_id = 7, .name = "cc1plus", .processor_share = 1}},
         .frequency_share = 0.5,
         .throttled = true,
         .reference_spread = 0.3});
    QCOMPARE(notices.size(), std::size_t{5});
    QVERIFY(notices[1].of_process && notices[1].text.contains("cc1plus (process 7)"));
    QCOMPARE(std::ranges::count_if(notices, &measure::MachineNotice::of_process), 1);
    // They are kept with the session, and read when it is over.
    for (const measure::MachineNotice& notice : notices)
      for (const char* present : {" is ", " are ", " runs ", " keeps ", " takes "})
        QVERIFY2(!notice.text.contains(present), notice.text.c_str());
    const measure::MachineReadings readings = measure::read_machine_state();
    QVERIFY(readings.processors >= 1 && readings.reference_spread >= 0 && readings.other_load >= 0);
    // A load average of the last minute says nothing about this moment.
    QVERIFY(!measure::used_by_others(
        {.load_average = 40, .processors = 4, .busy_processes = {}, .other_load = 0.4}));
    QVERIFY(measure::used_by_others({.processors = 4, .busy_processes = {}, .other_load = 0.6}));
    QVERIFY(!measure::used_by_others({.processors = 64, .busy_processes = {}, .other_load = 2}));
    QVERIFY(measure::used_by_others({.processors = 64, .busy_processes = {}, .other_load = 4}));
  }

  void optionsComeBackFromJson() {
    trial::MeasureOptions options;
    options.threads = 3;
    options.min_repeat_seconds = 0.125;
    options.flush_caches = true;
    options.input_seed = ~std::uint64_t{0};
    const auto again = trial::measure_options_from_json(trial::measure_options_to_json(options));
    QVERIFY(again && *again == options);
    QVERIFY(*trial::measure_options_from_json("{}") == trial::MeasureOptions{});
    for (const char* bad : {R"({"clock": 1})", R"({"clock": "wave"})", "", "[]", "{\"repeats\": \"7\"}",
                            "{\"repeats\": 0}", "{\"repeats\": 1e99}", "{\"run_timeout_seconds\": -1}",
                            "{\"threads\": 99999999999}", "{\"flush_caches\": 1}"}) {
      QVERIFY2(!trial::measure_options_from_json(bad), bad);
    }
  }

  void whatWasStoredBeforeWavesHasBatches() {
    trial::MeasureOptions options;
    QVERIFY(options.clock == trial::BatchClock::Waves);
    const std::string waves = trial::measure_options_to_json(options);
    QVERIFY(waves.contains(R"("clock":"waves")"));
    options.clock = trial::BatchClock::Batches;
    const std::string batches = trial::measure_options_to_json(options);
    QVERIFY(!batches.contains("clock"));  // as it was written before there were waves
    for (const auto& [text, clock] :
         {std::pair(waves, trial::BatchClock::Waves), std::pair(batches, trial::BatchClock::Batches)}) {
      QVERIFY(trial::stored_measure_options(text)->clock == clock);
      QCOMPARE(trial::measure_options_to_json(*trial::stored_measure_options(text)), text);
    }
    // Anywhere else it stays as the base has it, unless it is said.
    QVERIFY(trial::measure_options_from_json("{}")->clock == trial::BatchClock::Waves);
    QVERIFY(trial::measure_options_from_json("{}", options)->clock == trial::BatchClock::Batches);
    QVERIFY(trial::measure_options_from_json(R"({"clock": "batches"})")->clock == trial::BatchClock::Batches);
    // It is no option of the user's.
    const std::vector<std::string> names = trial::measure_option_names();
    QVERIFY(std::ranges::find(names, "clock") == names.end());
    QCOMPARE(trial::measure_option_differences(options, {}), std::string("{}"));
  }

  void patienceIsStoredWhereItIsNotTheDefault() {
    trial::MeasureOptions options;
    QVERIFY(!trial::measure_options_to_json(options).contains("patience"));  // as sessions of before have it
    QCOMPARE(trial::stored_measure_options("{}")->slow_phase_patience_seconds, 30.0);
    for (const double seconds : {0.0, 0.5, 86'400.0}) {
      options.slow_phase_patience_seconds = seconds;
      QVERIFY(trial::check_measure_options(options).has_value());
      const auto again = trial::measure_options_from_json(trial::measure_options_to_json(options));
      QVERIFY(again && *again == options);
    }
    for (const double seconds : {-1.0, 86'401.0, std::nan("")}) {
      options.slow_phase_patience_seconds = seconds;
      const auto refused = trial::check_measure_options(options);
      QVERIFY(!refused && refused.error().message.contains("slow_phase_patience_seconds"));
    }
  }

  void aScriptIsFollowedOnTheVirtualClock() {
    ScriptedMeasurer measurer(
        {.measure = [](const space::Configuration& c) { return timed(1, c.indices.at(0)); },
         .per_collect = 2,
         .builders = 2});
    const std::vector<space::Configuration> batch{{{10}}, {{20}}, {{30}}};
    QVERIFY(measurer.submit(batch).has_value());
    QVERIFY(!measurer.submit(batch).has_value());
    QCOMPARE(measurer.clock()->seconds, 2.0);  // three builds of a second on two builders
    const auto first = measurer.collect(std::chrono::milliseconds(0));
    QVERIFY(first && first->size() == 2);
    QCOMPARE(measurer.clock()->seconds, 32.0);
    QCOMPARE(measurer.progress().finished, std::size_t{2});
    const measure::BusyTimes busy = measurer.take_busy_times();
    QCOMPARE(busy.build_seconds, 2.0);
    QCOMPARE(busy.run_seconds, 30.0);
    measurer.abort();
    QVERIFY(measurer.collect(std::chrono::milliseconds(0))->empty());
  }

  void aScriptCanShuffleAndFail() {
    const auto order = [](std::uint64_t shuffle_seed) {
      ScriptedMeasurer measurer({.measure = [](const space::Configuration&) { return timed(0, 1); },
                                 .shuffle_seed = shuffle_seed,
                                 .per_collect = 100});
      const std::vector<space::Configuration> batch(30, space::Configuration{{1}});
      std::vector<std::size_t> positions;
      if (!measurer.submit(batch)) return positions;
      const auto completed = measurer.collect(std::chrono::milliseconds(0));
      for (const measure::Completed& one : *completed) positions.push_back(one.position);
      return positions;
    };
    std::vector<std::size_t> shuffled = order(5);
    QCOMPARE(order(5), shuffled);
    QVERIFY(order(6) != shuffled);
    std::ranges::sort(shuffled);
    QCOMPARE(order(0), shuffled);

    ScriptedMeasurer failing(
        {.measure = [](const space::Configuration&) { return timed(0, 1); }, .fault_after = 2});
    QVERIFY(failing.submit(std::vector<space::Configuration>(5)).has_value());
    for (int i = 0; i < 2; ++i)
      QCOMPARE(failing.collect(std::chrono::milliseconds(0))->size(), std::size_t{1});
    QVERIFY(!failing.collect(std::chrono::milliseconds(0)));
    QCOMPARE(failing.measured(), std::size_t{2});
  }

  void busyTimesNeverOverlap() {
    using enum measure::BusyMeter::Activity;
    measure::BusyMeter meter;
    const auto start = std::chrono::steady_clock::now();
    meter.begin(Building);
    meter.begin(Running);
    meter.begin(Building);
    const measure::BusyTimes building_first = meter.take();
    QVERIFY(building_first.run_seconds > 0);
    meter.end(Building);
    meter.end(Building);
    const measure::BusyTimes running = meter.take();
    QVERIFY(running.run_seconds > 0);
    QCOMPARE(running.build_seconds, 0.0);  // the device was busy throughout
    {
      const measure::BusyMeter::Scope building(meter, Building);
      meter.end(Running);
    }
    const measure::BusyTimes last = meter.take();
    double total = 0;
    for (const measure::BusyTimes& times : {building_first, running, last}) {
      total += times.build_seconds + times.run_seconds;
    }
    QVERIFY(total > 0);
    QVERIFY(total <= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const measure::BusyTimes idle = meter.take();
    QCOMPARE(idle.build_seconds + idle.run_seconds, 0.0);
  }

  void buildingIsNotMeasuredAdaptively() {
    trial::MeasureOptions options;
    options.build_only = true;
    QVERIFY(trial::check_measure_options(options).has_value());
    const auto again = trial::measure_options_from_json(trial::measure_options_to_json(options));
    QVERIFY(again && *again == options);
    // Sessions of earlier versions don't have it, and stay comparable.
    QVERIFY(trial::measure_options_to_json({}).find("build_only") == std::string::npos);
    const std::vector<std::string> names = trial::measure_option_names();
    QVERIFY(std::ranges::find(names, "build_only") != names.end());
    options.adaptive_batch = 2;
    options.repeats = 50;
    const auto refused = trial::check_measure_options(options);
    QVERIFY(!refused && !refused.error().hint.empty());
    QVERIFY(!trial::measure_options_from_json("{\"build_only\": 1}"));
  }
};

KERNELSCAPE_TEST(MeasurePartsTest, QCoreApplication)

}  // namespace kernelscape::measure_parts_test
#include "measure_parts_test.moc"
