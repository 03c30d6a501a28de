#include <QtTest>

#include "core/base/crc32.h"
#include "core/base/random.h"
#include "core/measure/worker/command_messages.h"
#include "core/measure/worker/model_messages.h"
#include "core/measure/worker/protocol.h"
#include "tests/test_program.h"

namespace kernelscape::measure_protocol_test {

namespace {

constexpr std::uint64_t seed = 20240601;

std::string random_text(base::Random& random, std::uint64_t longest) {
  std::string text(random.below(longest + 1), '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

std::int64_t random_count(base::Random& random) {
  return static_cast<std::int64_t>(random.below(1ULL << 40));
}

measure::RunRequest random_run_request(base::Random& random) {
  measure::RunRequest request;
  request.artefact = random_text(random, 3000);
  request.entry = random_text(random, 20);
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    codegen::KernelArgument argument;
    argument.name = random_text(random, 5);
    argument.output = random.chance(0.5);
    argument.layout =
        loop_nest::row_major(random_text(random, 5), {static_cast<std::int64_t>(random.below(9)), 7});
    request.arguments.push_back(argument);
  }
  request.options.repeats = static_cast<int>(random.below(100)) - 50;
  request.options.min_repeat_seconds = random.normal();
  request.options.calls_per_sample = static_cast<int>(random.below(1000));
  request.launch.grid = {random_count(random), 1, random_count(random)};
  request.launch.block = {2, random_count(random), 3};
  request.options.flush_caches = random.chance(0.5);
  request.options.slow_phase_patience_seconds = random.uniform();
  request.options.build_only = random.chance(0.5);
  request.options.input_seed = random.bits();
  request.options.adaptive_batch = static_cast<int>(random.below(100));
  request.options.adaptive_performance = static_cast<trial::AdaptivePerformance>(random.below(2));
  request.threads = static_cast<std::int32_t>(random.bits());
  request.best_seconds = random.uniform();
  return request;
}

measure::RunReply random_run_reply(base::Random& random) {
  measure::RunReply reply;
  reply.measurement.category = static_cast<trial::ErrorCategory>(random.below(trial::error_category_count));
  for (std::uint64_t i = random.below(10); i > 0; --i) {
    reply.measurement.samples_seconds.push_back(random.uniform());
  }
  reply.measurement.cut_short = random.chance(0.5);
  reply.measurement.preempted_samples = static_cast<std::uint32_t>(random.bits());
  reply.measurement.message = random_text(random, 200);
  reply.measurement.compute_probe_before_seconds = random.uniform();
  reply.measurement.memory_probe_before_seconds = random.uniform();
  reply.measurement.compute_probe_after_seconds = random.uniform();
  reply.measurement.memory_probe_after_seconds = random.uniform();
  reply.measurement.interrupted_share = random.uniform();
  reply.measurement.uninterrupted_seconds = random.uniform();
  reply.machine_fault = random_text(random, 20);
  reply.hint = random_text(random, 20);
  reply.device_lost = random.chance(0.5);
  reply.gpu = {.core_hertz = random.uniform(),
               .max_core_hertz = random.uniform(),
               .memory_hertz = random.uniform(),
               .max_memory_hertz = random.uniform(),
               .celsius = random.uniform(),
               .watts = random.uniform(),
               .clock_limits = random.bits()};
  reply.machine.at_seconds = random.uniform();
  reply.machine.gpu = reply.gpu;
  const auto perhaps = [&] {
    return random.chance(0.5) ? std::optional<double>(random.uniform()) : std::nullopt;
  };
  reply.machine.total_processor_seconds = perhaps();
  reply.machine.total_steal_seconds = perhaps();
  reply.machine.total_waiting_seconds = perhaps();
  reply.machine.total_quota_seconds = perhaps();
  reply.machine.total_heat_throttles = perhaps();
  reply.machine.hertz = perhaps();
  reply.machine.max_hertz = perhaps();
  reply.machine.celsius = perhaps();
  return reply;
}

std::vector<std::string> random_texts(base::Random& random) {
  std::vector<std::string> texts(random.below(4));
  for (std::string& text : texts) text = random_text(random, 50);
  return texts;
}

measure::BuildRequest random_build_request(base::Random& random) {
  return {.dialect = static_cast<codegen::Dialect>(random.below(3)),
          .compiler = random_text(random, 9),
          .device = random_text(random, 9),
          .architecture = random_text(random, 9),
          .entry = random_text(random, 9),
          .flags = random_texts(random),
          .text = random_text(random, 500),
          .timeout_seconds = random.uniform()};
}

measure::BuildReply random_build_reply(base::Random& random) {
  return {.status = static_cast<measure::BuildStatus>(random.below(4)),
          .artefact = random_text(random, 900),
          .message = random_text(random, 90),
          .hint = random_text(random, 90),
          .log = random_text(random, 90),
          .resources = {.registers = static_cast<std::int32_t>(random.below(256)),
                        .spilled_bytes = random_count(random),
                        .shared_bytes = random_count(random),
                        .threads = static_cast<std::int32_t>(random.below(1025)),
                        .occupancy = random.uniform(),
                        .limited_by = static_cast<trial::OccupancyLimit>(random.below(5))},
          .seconds = random.uniform()};
}

measure::ProbeReply random_probe_reply(base::Random& random) {
  return {.cuda_json = random_texts(random),
          .opencl_json = random_texts(random),
          .cuda_problem = random_text(random, 30),
          .cuda_hint = random_text(random, 30),
          .opencl_problem = random_text(random, 30),
          .opencl_hint = random_text(random, 30)};
}

/** The message after its way through a frame. */
template <typename Message>
Message sent(const Message& message) {
  measure::FrameParser parser(7);
  parser.feed(measure::encode_frame(Message::type, 7, measure::encode_message(message)));
  const auto frame = parser.next();
  if (!frame || !frame->has_value()) qFatal("no frame");
  auto again = measure::decode_message<Message>(**frame);
  if (!again) qFatal("%s", again.error().message.c_str());
  return std::move(*again);
}

/** The type and the payload of messages. */
template <typename... Messages>
std::string encoded(const Messages&... messages) {
  return ((std::string(1, static_cast<char>(Messages::type)) + measure::encode_message(messages)) + ...);
}

/** All messages, with an element in each list of structures. */
std::string every_message() {
  measure::BuildRequest build;
  build.includes.resize(1);
  measure::PrepareRequest prepare;
  prepare.program.resize(1);
  prepare.program[0].arguments.resize(1);
  measure::RunRequest run;
  run.arguments.resize(1);
  run.arguments[0].layout.dimensions.resize(1);
  measure::RunReply ran;
  ran.measurement.resources.emplace();
  ran.measurement.metrics.resize(1);
  measure::BaselineReply baseline;
  baseline.result.candidates.resize(1);
  measure::ModelRequest model;
  model.dimensions.resize(1);
  measure::ModelReply layers;
  layers.layers.resize(1);
  layers.operators.resize(1);
  layers.graph.values.resize(1);
  layers.graph.nodes.resize(1);
  layers.graph.nodes[0].attributes.resize(1);
  return encoded(measure::Hello(), measure::Ready(), build, measure::BuildReply(), prepare,
                 measure::PrepareReply(), run, ran, measure::BaselineRequest(), baseline,
                 measure::ProbeRequest(), measure::ProbeReply(), measure::LimitsRequest(),
                 measure::LimitsReply(), model, layers, measure::SpeedProbeRequest(),
                 measure::SpeedProbeReply(), measure::CommandRequest(), measure::CommandReply());
}

/** The frames that a parser finds when it is fed in pieces of random size. */
std::vector<measure::Frame> parse_in_pieces(measure::FrameParser& parser, std::string_view bytes,
                                            base::Random& random) {
  std::vector<measure::Frame> frames;
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), 1 + random.below(100));
    parser.feed(bytes.substr(0, piece));
    bytes.remove_prefix(piece);
    while (true) {
      auto frame = parser.next();
      if (!frame || !frame->has_value()) break;
      frames.push_back(std::move(**frame));
    }
  }
  return frames;
}

}  // namespace

class MeasureProtocolTest : public QObject {
  Q_OBJECT

 private slots:
  /**
   * A worker misreads messages of another layout. If this fails, raise protocol_version, then write the new
   * version and the new checksum here.
   */
  void anotherLayoutHasAnotherVersion() {
    QCOMPARE(int{measure::protocol_version}, 11);
    QCOMPARE(base::crc32(every_message()), std::uint32_t{0x3d79a87a});
  }

  void messagesComeBackAsTheyWere() {
    qInfo() << "seed" << seed;
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const measure::RunRequest request = random_run_request(random);
      const measure::RunReply reply = random_run_reply(random);
      const std::string stream =
          measure::encode_frame(measure::RunRequest::type, 7, measure::encode_message(request)) +
          measure::encode_frame(measure::RunReply::type, 7, measure::encode_message(reply));
      measure::FrameParser parser(7);
      const std::vector<measure::Frame> frames = parse_in_pieces(parser, stream, random);
      QCOMPARE(frames.size(), std::size_t{2});
      const auto request_again = measure::decode_message<measure::RunRequest>(frames[0]);
      const auto reply_again = measure::decode_message<measure::RunReply>(frames[1]);
      QVERIFY(request_again && reply_again);
      QCOMPARE(request_again->artefact, request.artefact);
      QCOMPARE(request_again->entry, request.entry);
      QVERIFY(request_again->arguments == request.arguments);
      QVERIFY(request_again->launch == request.launch);
      QVERIFY(request_again->options == request.options);
      QCOMPARE(request_again->threads, request.threads);
      QVERIFY(reply_again->measurement == reply.measurement);
      QCOMPARE(reply_again->machine_fault, reply.machine_fault);
      QCOMPARE(reply_again->hint, reply.hint);
      QCOMPARE(reply_again->device_lost, reply.device_lost);
      QVERIFY(reply_again->gpu == reply.gpu);
      QVERIFY(reply_again->machine == reply.machine);
    }
  }

  void buildsComeBackAsTheyWere() {
    qInfo() << "seed" << seed;
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const measure::BuildRequest request = random_build_request(random);
      const measure::BuildRequest request_again = sent(request);
      QCOMPARE(static_cast<int>(request_again.dialect), static_cast<int>(request.dialect));
      for (const auto member : {&measure::BuildRequest::compiler, &measure::BuildRequest::device,
                                &measure::BuildRequest::architecture, &measure::BuildRequest::entry,
                                &measure::BuildRequest::text}) {
        QCOMPARE(request_again.*member, request.*member);
      }
      QCOMPARE(request_again.flags, request.flags);
      QCOMPARE(request_again.timeout_seconds, request.timeout_seconds);
      const measure::BuildReply reply = random_build_reply(random);
      const measure::BuildReply reply_again = sent(reply);
      QCOMPARE(static_cast<int>(reply_again.status), static_cast<int>(reply.status));
      for (const auto member : {&measure::BuildReply::artefact, &measure::BuildReply::message,
                                &measure::BuildReply::hint, &measure::BuildReply::log})
        QCOMPARE(reply_again.*member, reply.*member);
      QVERIFY(reply_again.resources == reply.resources);
      QCOMPARE(reply_again.seconds, reply.seconds);
    }
  }

  void devicesAndLimitsComeBackAsTheyWere() {
    qInfo() << "seed" << seed;
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const measure::ProbeReply probe = random_probe_reply(random);
      const measure::ProbeReply probe_again = sent(probe);
      QCOMPARE(probe_again.cuda_json, probe.cuda_json);
      QCOMPARE(probe_again.opencl_json, probe.opencl_json);
      for (const auto member : {&measure::ProbeReply::cuda_problem, &measure::ProbeReply::cuda_hint,
                                &measure::ProbeReply::opencl_problem, &measure::ProbeReply::opencl_hint}) {
        QCOMPARE(probe_again.*member, probe.*member);
      }
      const measure::PrepareRequest prepare{.task_json = random_text(random, 50),
                                            .input_seed = random.bits(),
                                            .threads = 3,
                                            .device = random_text(random, 9),
                                            .probe_target_json = random_text(random, 50),
                                            .probe_artefact = random_text(random, 90)};
      const measure::PrepareRequest prepare_again = sent(prepare);
      QCOMPARE(prepare_again.task_json, prepare.task_json);
      QCOMPARE(prepare_again.input_seed, prepare.input_seed);
      QCOMPARE(prepare_again.device, prepare.device);
      QCOMPARE(prepare_again.probe_target_json, prepare.probe_target_json);
      QCOMPARE(prepare_again.probe_artefact, prepare.probe_artefact);
      const measure::PrepareReply prepared{.problem = random_text(random, 20),
                                           .machine_fault = random.chance(0.5),
                                           .hint = random_text(random, 20),
                                           .probe_artefact = random_text(random, 90),
                                           .probe_problem = random_text(random, 20)};
      const measure::PrepareReply prepared_again = sent(prepared);
      QCOMPARE(prepared_again.problem, prepared.problem);
      QCOMPARE(prepared_again.machine_fault, prepared.machine_fault);
      QCOMPARE(prepared_again.hint, prepared.hint);
      QCOMPARE(prepared_again.probe_artefact, prepared.probe_artefact);
      QCOMPARE(prepared_again.probe_problem, prepared.probe_problem);
      const measure::LimitsRequest limits{.target_json = random_text(random, 90),
                                          .working_set_bytes = random.uniform()};
      QCOMPARE(sent(limits).target_json, limits.target_json);
      QCOMPARE(sent(limits).working_set_bytes, limits.working_set_bytes);
      const measure::LimitsReply found{.peak_gflops = random.uniform(),
                                       .bandwidth_bytes_per_second = random.uniform(),
                                       .problem = random_text(random, 20)};
      QCOMPARE(sent(found).peak_gflops, found.peak_gflops);
      QCOMPARE(sent(found).bandwidth_bytes_per_second, found.bandwidth_bytes_per_second);
      QCOMPARE(sent(found).problem, found.problem);
      const measure::SpeedProbeRequest asked{.threads = static_cast<std::int32_t>(random.bits())};
      QCOMPARE(sent(asked).threads, asked.threads);
      const measure::SpeedProbeReply reading{
          .seconds = {.compute = random.uniform(), .memory = random.uniform()}};
      QVERIFY(sent(reading).seconds == reading.seconds);
    }
  }

  void unknownEnumeratorsAreRefused() {
    const auto refused = [](const auto& message) {
      using Message = std::decay_t<decltype(message)>;
      const measure::Frame frame{
          .type = Message::type, .token = 0, .payload = measure::encode_message(message)};
      return !measure::decode_message<Message>(frame);
    };
    QVERIFY(!refused(measure::BuildRequest{.dialect = codegen::Dialect::OpenCl}));
    QVERIFY(refused(measure::BuildRequest{.dialect = static_cast<codegen::Dialect>(3)}));
    measure::BuildReply reply{.status = measure::BuildStatus::Built};
    QVERIFY(!refused(reply));
    reply.resources.limited_by = static_cast<trial::OccupancyLimit>(5);
    QVERIFY(refused(reply));
  }

  void everyTruncatedMessageIsAnError() {
    base::Random random(seed);
    const auto check = [](const auto& message) {
      using Message = std::decay_t<decltype(message)>;
      const std::string whole = measure::encode_message(message);
      for (std::size_t length = 0; length < whole.size(); ++length) {
        const measure::Frame frame{.type = Message::type, .token = 0, .payload = whole.substr(0, length)};
        if (measure::decode_message<Message>(frame)) return false;
      }
      return !measure::decode_message<Message>({.type = Message::type, .token = 0, .payload = whole + "x"});
    };
    QVERIFY(check(random_build_request(random)));
    QVERIFY(check(random_build_reply(random)));
    QVERIFY(check(random_probe_reply(random)));
    QVERIFY(check(measure::PrepareRequest{.task_json = "task", .device = "cuda:0"}));
    QVERIFY(check(measure::PrepareReply{.problem = "no device", .machine_fault = true, .hint = "attach it"}));
    QVERIFY(check(measure::LimitsRequest{.target_json = "{}", .working_set_bytes = 1}));
    QVERIFY(check(measure::LimitsReply{.problem = "none"}));
    QVERIFY(check(random_run_reply(random)));
  }

  void truncatedMessagesAreErrors() {
    base::Random random(seed);
    const std::string whole = measure::encode_message(random_run_request(random));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const measure::Frame frame{
          .type = measure::RunRequest::type, .token = 0, .payload = whole.substr(0, length)};
      QVERIFY2(!measure::decode_message<measure::RunRequest>(frame), qPrintable(QString::number(length)));
    }
    const measure::Frame longer{.type = measure::RunRequest::type, .token = 0, .payload = whole + "x"};
    QVERIFY(!measure::decode_message<measure::RunRequest>(longer));
    const measure::Frame other_type{.type = measure::RunReply::type, .token = 0, .payload = whole};
    QVERIFY(!measure::decode_message<measure::RunRequest>(other_type));
  }

  void anIncompleteFrameIsNoFrameYet() {
    const std::string whole = measure::encode_frame(measure::Ready::type, 7,
                                                    measure::encode_message(measure::Ready{.process_id = 5}));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      measure::FrameParser parser(7);
      parser.feed(std::string_view(whole).substr(0, length));
      const auto frame = parser.next();
      QVERIFY(frame && !frame->has_value());
    }
  }

  void foreignFramesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    const std::string good = measure::encode_frame(measure::Ready::type, 7, "payload");
    const auto changed = [&](std::size_t at, char value) {
      std::string bytes = good;
      bytes[at] = value;
      return QByteArray::fromStdString(bytes);
    };
    QTest::newRow("text") << QByteArray("Segmentation fault, this is no frame at all");
    QTest::newRow("magic") << changed(0, 'X');
    QTest::newRow("version") << changed(4, 99);
    QTest::newRow("type") << changed(6, 77);
    QTest::newRow("token") << changed(8, 8);
    QTest::newRow("oversized") << changed(23, 1);
  }

  void foreignFramesAreRefused() {
    QFETCH(QByteArray, bytes);
    measure::FrameParser parser(7);
    parser.feed(bytes.toStdString());
    QVERIFY(!parser.next());
  }

  /** Requests hold the arguments of a user's kernel. A worker may be broken, and its replies are small. */
  void requestsMayBeLargerThanReplies() {
    const std::string good = measure::encode_frame(measure::Ready::type, 7, "payload");
    const auto with_length = [&](std::uint64_t length) {
      measure::WireWriter writer;
      writer.write(length);
      std::string bytes = good;
      bytes.replace(16, 8, writer.take());
      return bytes;
    };
    const auto refuses = [&](measure::FrameParser parser, std::uint64_t length) {
      parser.feed(with_length(length));
      return !parser.next().has_value();
    };
    const measure::FrameParser replies(7);
    const measure::FrameParser requests;
    QVERIFY(!refuses(replies, measure::max_frame_bytes));
    QVERIFY(refuses(replies, measure::max_frame_bytes + 1));
    QVERIFY(!refuses(requests, measure::max_frame_bytes + 1));
    QVERIFY(!refuses(requests, measure::max_request_bytes));
    QVERIFY(refuses(requests, measure::max_request_bytes + 1));
  }

  void aLieAboutALengthTakesNoMemory() {
    measure::WireWriter writer;
    writer.write(std::string("artefact"));
    writer.write(std::string("entry"));
    writer.write(~std::uint64_t{0});  // arguments
    const measure::Frame frame{.type = measure::RunRequest::type, .token = 0, .payload = writer.take()};
    QVERIFY(!measure::decode_message<measure::RunRequest>(frame));
  }

  void damagedMessagesNeverCrash() {
    qInfo() << "seed" << seed;
    base::Random random(seed);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
      std::string payload = measure::encode_message(random_run_reply(random));
      for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
        payload[random.below(payload.size())] = static_cast<char>(random.below(256));
      }
      const measure::Frame frame{.type = measure::RunReply::type, .token = 0, .payload = payload};
      const auto reply = measure::decode_message<measure::RunReply>(frame);
      if (!reply) {
        ++refused;
      } else {
        QVERIFY(static_cast<std::size_t>(reply->measurement.category) < trial::error_category_count);
        QVERIFY(measure::encode_message(*reply).size() <= payload.size());
      }
    }
    QVERIFY(refused > 0);
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureProtocolTest)

}  // namespace kernelscape::measure_protocol_test
#include "measure_protocol_test.moc"
