#include <QtTest>

#include "core/base/random.h"
#include "core/measure/protocol.h"

using namespace kernelscape;

namespace {

constexpr std::uint64_t seed = 20240601;

std::string random_text(Random& random, std::uint64_t longest) {
  std::string text(random.below(longest + 1), '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

RunRequest random_run_request(Random& random) {
  RunRequest request;
  request.artefact = random_text(random, 3000);
  request.entry = random_text(random, 20);
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    KernelArgument argument;
    argument.name = random_text(random, 5);
    argument.output = random.chance(0.5);
    argument.layout = row_major(random_text(random, 5), {static_cast<std::int64_t>(random.below(9)), 7});
    request.arguments.push_back(argument);
  }
  request.options.repeats = static_cast<int>(random.below(100)) - 50;
  request.options.min_repeat_seconds = random.normal();
  request.options.flush_caches = random.chance(0.5);
  request.options.input_seed = random.bits();
  request.options.adaptive_batch = static_cast<int>(random.below(100));
  request.options.adaptive_performance = static_cast<AdaptivePerformance>(random.below(2));
  request.threads = static_cast<std::int32_t>(random.bits());
  request.best_seconds = random.uniform();
  return request;
}

RunReply random_run_reply(Random& random) {
  RunReply reply;
  reply.measurement.category = static_cast<ErrorCategory>(random.below(error_category_count));
  for (std::uint64_t i = random.below(10); i > 0; --i) {
    reply.measurement.samples_seconds.push_back(random.uniform());
  }
  reply.measurement.cut_short = random.chance(0.5);
  reply.measurement.preempted_samples = static_cast<std::uint32_t>(random.bits());
  reply.measurement.message = random_text(random, 200);
  reply.machine_fault = random_text(random, 20);
  return reply;
}

/** The frames that a parser finds when it is fed in pieces of random size. */
std::vector<Frame> parse_in_pieces(FrameParser& parser, std::string_view bytes, Random& random) {
  std::vector<Frame> frames;
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
  void messagesComeBackAsTheyWere() {
    qInfo() << "seed" << seed;
    Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const RunRequest request = random_run_request(random);
      const RunReply reply = random_run_reply(random);
      const std::string stream = encode_frame(RunRequest::type, 7, encode_message(request)) +
                                 encode_frame(RunReply::type, 7, encode_message(reply));
      FrameParser parser(7);
      const std::vector<Frame> frames = parse_in_pieces(parser, stream, random);
      QCOMPARE(frames.size(), std::size_t{2});
      const auto request_again = decode_message<RunRequest>(frames[0]);
      const auto reply_again = decode_message<RunReply>(frames[1]);
      QVERIFY(request_again && reply_again);
      QCOMPARE(request_again->artefact, request.artefact);
      QCOMPARE(request_again->entry, request.entry);
      QVERIFY(request_again->arguments == request.arguments);
      QVERIFY(request_again->options == request.options);
      QCOMPARE(request_again->threads, request.threads);
      QVERIFY(reply_again->measurement == reply.measurement);
      QCOMPARE(reply_again->machine_fault, reply.machine_fault);
    }
  }

  void truncatedMessagesAreErrors() {
    Random random(seed);
    const std::string whole = encode_message(random_run_request(random));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const Frame frame{.type = RunRequest::type, .token = 0, .payload = whole.substr(0, length)};
      QVERIFY2(!decode_message<RunRequest>(frame), qPrintable(QString::number(length)));
    }
    const Frame longer{.type = RunRequest::type, .token = 0, .payload = whole + "x"};
    QVERIFY(!decode_message<RunRequest>(longer));
    const Frame other_type{.type = RunReply::type, .token = 0, .payload = whole};
    QVERIFY(!decode_message<RunRequest>(other_type));
  }

  void anIncompleteFrameIsNoFrameYet() {
    const std::string whole = encode_frame(Ready::type, 7, encode_message(Ready{.process_id = 5}));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      FrameParser parser(7);
      parser.feed(std::string_view(whole).substr(0, length));
      const auto frame = parser.next();
      QVERIFY(frame && !frame->has_value());
    }
  }

  void foreignFramesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    const std::string good = encode_frame(Ready::type, 7, "payload");
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
    FrameParser parser(7);
    parser.feed(bytes.toStdString());
    QVERIFY(!parser.next());
  }

  void aLieAboutALengthTakesNoMemory() {
    WireWriter writer;
    writer.write(std::string("artefact"));
    writer.write(std::string("entry"));
    writer.write(~std::uint64_t{0});  // arguments
    const Frame frame{.type = RunRequest::type, .token = 0, .payload = writer.take()};
    QVERIFY(!decode_message<RunRequest>(frame));
  }

  void damagedMessagesNeverCrash() {
    qInfo() << "seed" << seed;
    Random random(seed);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
      std::string payload = encode_message(random_run_reply(random));
      for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
        payload[random.below(payload.size())] = static_cast<char>(random.below(256));
      }
      const Frame frame{.type = RunReply::type, .token = 0, .payload = payload};
      const auto reply = decode_message<RunReply>(frame);
      if (!reply) {
        ++refused;
      } else {
        QVERIFY(static_cast<std::size_t>(reply->measurement.category) < error_category_count);
        QVERIFY(encode_message(*reply).size() <= payload.size());
      }
    }
    QVERIFY(refused > 0);
  }
};

QTEST_APPLESS_MAIN(MeasureProtocolTest)
#include "measure_protocol_test.moc"
