#include <QTest>

#include "core/base/random.h"
#include "core/session/request_json.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::session_request_json_test {

namespace {

session::TuningRequest random_request(base::Random& random) {
  const auto text = [&] { return "text \"" + std::to_string(random.bits()) + "\" \xc3\xa9\n"; };
  session::TuningRequest request;
  request.task = text();
  request.target = random.chance(0.5) ? "cuda:0" : text();
  request.template_name = text();
  request.tuner = text();
  for (std::uint64_t i = random.below(4); i > 0; --i) request.settings[text()] = text();
  request.budget.trials = static_cast<std::int64_t>(random.below(1'000'000));
  request.budget.minutes = random.uniform();
  request.budget.patience = static_cast<std::int64_t>(random.below(100));
  if (random.chance(0.5)) request.seed = random.bits();
  request.measuring.repeats = 1 + static_cast<int>(random.below(20));
  request.measuring.flush_caches = random.chance(0.5);
  if (random.chance(0.7)) request.respect_limits = random.chance(0.5);
  for (std::uint64_t i = random.below(3); i > 0; --i)
    request.restrictions.push_back({text(),
                                    static_cast<int>(random.below(4)),
                                    {static_cast<std::int64_t>(random.below(100)), -3},
                                    {text()}});
  request.name = text();
  request.architecture = text();
  return request;
}

}  // namespace

/** What a form was filled with comes back from a file that anybody may have written. */
class SessionRequestJsonTest : public QObject {
  Q_OBJECT

 private slots:
  void all_but_other_sessions_comes_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 200; ++round) {
      session::TuningRequest request = random_request(random);
      const std::string json = session::request_to_json(request);
      const auto again = session::request_from_json(json);
      VERIFY_RESULT(again);
      QCOMPARE(session::request_to_json(*again), json);
      QCOMPARE(session::command_line_of(*again), session::command_line_of(request));
      QVERIFY(again->seed == request.seed && again->restrictions == request.restrictions);
      QVERIFY(again->measuring == request.measuring);
      QCOMPARE(again->respect_limits, request.respect_limits);
      request.warm_start = "7";
      request.learn_from = {"8"};
      QCOMPARE(session::request_to_json(request), json);
    }
  }

  void forms_of_before_the_tuners_default_keep_their_choice() {
    for (const bool chosen : {false, true}) {
      std::string before = session::request_to_json({});
      before.replace(before.find("\"respect_limits\":null"), 21,
                     chosen ? "\"respect_limits\":true" : "\"respect_limits\":false");
      const auto again = session::request_from_json(before);
      VERIFY_RESULT(again);
      QCOMPARE(again->respect_limits, std::optional(chosen));
    }
  }

  void what_is_no_request_is_refused() {
    const std::string good = session::request_to_json({});
    VERIFY_RESULT(session::request_from_json(good));
    for (std::size_t length = 0; length < good.size(); ++length)
      QVERIFY(!session::request_from_json(good.substr(0, length)));
    for (const char* bad : {"[]", "{}", "7", "null", "\"x\""})
      QCOMPARE(session::request_from_json(bad).error().code, ErrorCode::InvalidArgument);
    std::string wrong = good;
    wrong.replace(wrong.find("\"respect_limits\":null"), 21, "\"respect_limits\":1234");
    QVERIFY(session::request_from_json(wrong).error().message.contains("respect_limits"));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionRequestJsonTest)

}  // namespace kernelscape::session_request_json_test
#include "session_request_json_test.moc"
