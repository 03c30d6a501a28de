#include <QTemporaryDir>
#include <QTest>

#include "core/session/preparation.h"
#include "core/session/setup.h"
#include "tests/test_program.h"

namespace kernelscape::session_preparation_test {

class SessionPreparationTest : public QObject {
  Q_OBJECT

 private slots:
  void a_request_survives_its_session() {
    QTemporaryDir folder;
    store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "resnet18/C6";
    request.template_name = "conv2d-packed";
    request.tuner = "ga";
    request.settings = {{"population", "50"}};
    request.budget = {120, 3, 0, 40};
    request.seed = 99;
    request.measuring.repeats = 5;
    request.restrictions = {{"tile_oc", 1, {4, 8}}, {"unroll_ic", 0, {1, 4}}};
    request.name = "a name";
    const Result<session::PreparedTuning> prepared = session::prepare_tuning(request, store);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    const Result<session::TuningRequest> again = session::request_of(session::make_record(prepared->setup));
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QCOMPARE(again->task, request.task);
    QCOMPARE(again->template_name, request.template_name);
    QCOMPARE(again->settings, request.settings);
    QVERIFY(again->budget == request.budget);
    QCOMPARE(again->seed, request.seed);
    QVERIFY(again->measuring == request.measuring);
    QVERIFY(again->restrictions == request.restrictions);
    QVERIFY(!again->respect_limits);
    QCOMPARE(again->name, request.name);
  }

  void restrictions_are_membership() {
    QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "resnet18/C6";
    request.seed = 1;
    request.template_name = "conv2d-packed";
    const base::uint128 all = *session::prepare_tuning(request, store)->setup.space.member_count();
    request.restrictions = {{"tile_oc", 1, {4}}};
    const space::SearchSpace space = session::prepare_tuning(request, store)->setup.space;
    QVERIFY(*space.member_count() < all);
    base::Random random(5);
    const std::size_t knob = *space.find_knob("tile_oc");
    for (int i = 0; i < 100; ++i) {
      const space::Configuration member = *space.random_member(random);
      QCOMPARE(space.knobs()[knob].element(member.indices[knob], 1), std::int64_t{4});
    }
  }

  void wrong_restrictions_name_the_knob() {
    QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "resnet18/C6";
    request.restrictions = {{"tile_oz", 0, {4}}};
    const Result<session::PreparedTuning> unknown = session::prepare_tuning(request, store);
    QVERIFY(!unknown);
    QVERIFY(unknown.error().message.contains("tile_oz"));
    QVERIFY(unknown.error().hint.contains("tile_oc"));
    request.restrictions = {{"tile_oc", 9, {4}}};
    QVERIFY(!session::prepare_tuning(request, store));
  }

  void restrictions_that_leave_nothing_name_what_is_possible() {
    QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "resnet18/C6";
    const auto refused = [&](const std::vector<session::KnobRestriction>& restrictions) {
      request.restrictions = restrictions;
      const Result<session::PreparedTuning> prepared = session::prepare_tuning(request, store);
      return prepared ? Error{ErrorCode::Internal, "prepared", {}} : prepared.error();
    };
    // Its output channels are 128, in vectors of a power of two: no factor is 3.
    const Error never = refused({{"tile_oc", 1, {3, 5}}});
    QCOMPARE(never.code, ErrorCode::InvalidArgument);
    QVERIFY2(never.message.contains("tile_oc[1] is never 3 or 5"), never.message.c_str());
    QVERIFY2(never.hint.contains("values: 1, 2, 4"), never.hint.c_str());
    // One value that can be is enough.
    request.restrictions = {{"tile_oc", 1, {3, 4}}};
    QVERIFY(session::prepare_tuning(request, store));
    // Each alone is possible; together they need more accumulators than any processor has.
    const Error together = refused({{"tile_oc", 1, {4}}, {"tile_ow", 0, {14}}});
    QCOMPARE(together.code, ErrorCode::InvalidArgument);
    QVERIFY2(together.message.contains("no configuration of the search space"), together.message.c_str());
    for (const char* named : {"tile_oc.1 in {4} (the user's restriction)", "tile_ow in {14}", "accumulators"})
      QVERIFY2(together.message.contains(named), together.message.c_str());
    QVERIFY2(together.hint.contains("tile_ow can be 1, 2"), together.hint.c_str());
    const Error position = refused({{"tile_oc", 9, {4}}});
    QVERIFY2(position.hint.contains("from 0 to"), position.hint.c_str());
  }

  void restrictions_by_name_are_membership() {
    QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "resnet18/C6";
    request.template_name = "conv2d-packed";
    request.seed = 1;
    request.restrictions = {*session::parse_restriction("unroll_kw=true"),
                            *session::parse_restriction("parallel_order=rows")};
    const std::string command = session::command_line_of(request);
    QVERIFY2(command.contains("unroll_kw[0]=true") && command.contains("parallel_order[0]=rows"),
             command.c_str());
    const Result<session::PreparedTuning> prepared = session::prepare_tuning(request, store);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    const space::SearchSpace& space = prepared->setup.space;
    base::Random random(5);
    for (int i = 0; i < 50; ++i) {
      const std::string member = space.describe(*space.random_member(random));
      QVERIFY2(member.contains("unroll_kw=true") && member.contains("parallel_order=rows"), member.c_str());
    }
    request.restrictions = {*session::parse_restriction("unroll_kw=perhaps")};
    const Result<session::PreparedTuning> wrong = session::prepare_tuning(request, store);
    QVERIFY(!wrong);
    QVERIFY(wrong.error().message.contains("perhaps"));
    QVERIFY(wrong.error().hint.contains("true"));
    request.restrictions = {*session::parse_restriction("tile_oc[1]=many")};
    QVERIFY(!session::prepare_tuning(request, store));
  }

  void restrictions_are_read_from_text() {
    QVERIFY(*session::parse_restriction("tile_oc[3]=16,32") ==
            (session::KnobRestriction{"tile_oc", 3, {16, 32}}));
    QVERIFY(*session::parse_restriction("unroll=0") == (session::KnobRestriction{"unroll", 0, {0}}));
    QVERIFY(*session::parse_restriction("unroll_kw=true") ==
            (session::KnobRestriction{"unroll_kw", 0, {}, {"true"}}));
    QVERIFY(*session::parse_restriction("order[1]=rows,2") ==
            (session::KnobRestriction{"order", 1, {2}, {"rows"}}));
    for (const char* wrong :
         {"", "=", "tile", "tile=", "tile=a,", "tile[=1", "tile[x]=1", "tile=1,", "[0]"}) {
      const Result<session::KnobRestriction> parsed = session::parse_restriction(wrong);
      QVERIFY2(!parsed, wrong);
      QVERIFY(!parsed.error().hint.empty());
    }
  }

  void a_tuner_may_say_something_of_its_run() {
    QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("test.db").toStdString());
    session::TuningRequest request;
    request.task = "matmul 16x16 16x16 f32";
    request.tuner = "heron";
    request.seed = 1;
    session::Setup setup = session::prepare_tuning(request, store)->setup;
    setup.space = *space::SearchSpace::make(setup.space.knobs());
    QVERIFY(session::tuner_notice(setup).find("no constraints") != std::string::npos);
    setup.tuner = "random";
    QCOMPARE(session::tuner_notice(setup), std::string());
  }

  void the_adaptive_evaluator_is_part_of_the_command_line() {
    session::TuningRequest request;
    request.task = "resnet18/C2";
    request.measuring = trial::adatune_measuring;
    QCOMPARE(session::command_line_of(request),
             std::string("kernelscape tune resnet18/C2 --repeats 500 --min-repeat-ms 0 --run-timeout 100 "
                         "--adaptive-batch 50"));
    request.measuring = {};
    request.measuring.adaptive_batch = 2;
    request.measuring.adaptive_threshold = 0.05;
    request.measuring.adaptive_minimum = 2;
    request.measuring.adaptive_performance = trial::AdaptivePerformance::MicroBatch;
    QCOMPARE(session::command_line_of(request),
             std::string("kernelscape tune resnet18/C2 --adaptive-batch 2 --adaptive-threshold 0.05 "
                         "--adaptive-minimum 2 --adaptive-performance micro-batch"));
    request.measuring.adaptive_batch = 0;
    QCOMPARE(session::command_line_of(request), std::string("kernelscape tune resnet18/C2"));
  }

  void the_command_line_says_what_differs() {
    session::TuningRequest request;
    request.task = "matmul 64x64 64x64 f32";
    request.seed = 4;
    request.budget.trials = 80;
    request.settings = {{"population", "50"}};
    request.restrictions = {{"tile_m", 1, {2, 4}}};
    request.name = "it's mine";
    QCOMPARE(session::command_line_of(request),
             std::string("kernelscape tune 'matmul 64x64 64x64 f32' --set population=50 --trials 80 --seed 4 "
                         "--restrict 'tile_m[1]=2,4' --name 'it'\\''s mine'"));
    QCOMPARE(session::command_line_of(session::TuningRequest{.task = "resnet18/C2",
                                                             .template_name = {},
                                                             .settings = {},
                                                             .budget = {},
                                                             .seed = {},
                                                             .measuring = {},
                                                             .restrictions = {},
                                                             .warm_start = {},
                                                             .name = {}}),
             std::string("kernelscape tune resnet18/C2"));
  }
};

KERNELSCAPE_TEST(SessionPreparationTest, QCoreApplication)

}  // namespace kernelscape::session_preparation_test
#include "session_preparation_test.moc"
