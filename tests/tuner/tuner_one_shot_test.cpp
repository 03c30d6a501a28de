#include <cmath>
#include <numeric>

#include "core/tuner/genetic_search.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_one_shot_test {
using namespace kernelscape::tuner_fixture;

namespace {

using Texts = std::map<std::string, std::string>;

double true_fitness(const space::Configuration& configuration) {
  double fitness = 1000;
  for (const std::uint32_t index : configuration.indices) fitness -= std::abs(static_cast<double>(index) - 5);
  return fitness;
}

/** The true fitness but for what a model gets wrong, different for every configuration. */
double believed_fitness(const space::Configuration& configuration) {
  double place = 0;
  for (const std::uint32_t index : configuration.indices) place = 40 * place + index;
  return true_fitness(configuration) + 5 * std::sin(place) + 1e-3 * place;
}

/** A tuner that ends after its round, with the predictor that it asks. */
struct OneShot {
  std::shared_ptr<ToldPredictor> predictor = std::make_shared<ToldPredictor>(believed_fitness);
  tuner::Context context;

  explicit OneShot(const space::SearchSpace& space, Texts settings = {})
      : context(make_context("one-shot", space, printed_seed(), with_defaults(std::move(settings)))) {
    context.predictor = predictor;
  }

  std::unique_ptr<tuner::Tuner> make() const { return make_tuner("one-shot", context); }

 private:
  static Texts with_defaults(Texts settings) {
    settings.emplace("refit", "false");
    return settings;
  }
};

std::vector<space::Configuration> whole_run(tuner::Tuner& tuner, std::size_t batch) {
  return run_tuner(tuner, true_fitness, 100'000, always(batch));
}

/** Those that a perfect search proposes, best first. */
std::vector<space::Configuration> greatest_predictions(const space::SearchSpace& space, std::size_t count,
                                                       const tuner::MemberFilter& within_limits = {}) {
  std::vector<space::Configuration> members = all_members(space);
  if (within_limits)
    std::erase_if(members, [&](const space::Configuration& one) { return !within_limits(one); });
  std::ranges::stable_sort(members, std::greater{}, [](const space::Configuration& one) {
    return static_cast<float>(believed_fitness(one));
  });
  members.resize(std::min(count, members.size()));
  return members;
}

/** About a third of a space. */
bool small_enough(const space::Configuration& member) {
  return std::accumulate(member.indices.begin(), member.indices.end(), 0U) % 3 == 0;
}

void both_searches() {
  QTest::addColumn<QString>("search");
  for (const char* search : {"annealing", "genetic"}) QTest::newRow(search) << QString(search);
}

}  // namespace

class TunerOneShotTest : public QObject {
  Q_OBJECT

 private slots:
  void proposes_the_greatest_predictions_best_first_data() { both_searches(); }
  void proposes_the_greatest_predictions_best_first() {
    QFETCH(const QString, search);
    const space::SearchSpace space = plain_space({8, 8, 8});
    const OneShot one_shot(space, {{"search", search.toStdString()}});
    const auto tuner = one_shot.make();
    QVERIFY(whole_run(*tuner, 25) == greatest_predictions(space, 64));
    const auto end = tuner->propose(1);
    QCOMPARE(std::get<tuner::Finished>(*end).reason,
             std::string("one round: the 64 best predictions were measured"));
  }

  void finds_them_where_it_cannot_ask_of_all_data() { both_searches(); }
  void finds_them_where_it_cannot_ask_of_all() {
    QFETCH(const QString, search);
    const space::SearchSpace space = plain_space({20, 20, 20, 20});
    const OneShot one_shot(space, {{"search", search.toStdString()}});
    const std::vector<space::Configuration> proposed = whole_run(*one_shot.make(), 64);
    QCOMPARE(proposed.size(), std::size_t{64});
    QVERIFY(one_shot.predictor->asked.size() < 100'000);
    const double hundredth = believed_fitness(greatest_predictions(space, 1600).back());
    for (const space::Configuration& candidate : proposed) QVERIFY(believed_fitness(candidate) >= hundredth);
  }

  void parents_of_the_published_program_are_other_ones() {
    const auto of_parents = [](const space::SearchSpace& space, const std::string& parents) {
      return OneShot(space, {{"search", "genetic"}, {"parents", parents}, {"generations", "20"}});
    };
    OneShot small = of_parents(plain_space({8, 8, 8}), "shifted");
    small.context.within_limits = small_enough;
    QVERIFY(whole_run(*small.make(), 64) == greatest_predictions(plain_space({8, 8, 8}), 64, small_enough));
    for (const space::Configuration& asked : small.predictor->asked) QVERIFY(small_enough(asked));

    const space::SearchSpace space = plain_space({20, 20, 20, 20});
    const OneShot shifted = of_parents(space, "shifted");
    OneShot proportional = of_parents(space, "proportional");
    proportional.context.random = shifted.context.random;  // the same draws
    const std::vector<space::Configuration> proposed = whole_run(*shifted.make(), 64);
    QVERIFY(proposed == whole_run(*shifted.make(), 64));
    QVERIFY(proposed != whole_run(*proportional.make(), 64));
  }

  void a_small_space_is_proposed_whole_data() { both_searches(); }
  void a_small_space_is_proposed_whole() {
    QFETCH(const QString, search);
    const space::SearchSpace space = sum_space({8, 8, 8}, 3);
    const OneShot one_shot(space, {{"search", search.toStdString()}});
    const auto tuner = one_shot.make();
    QVERIFY(whole_run(*tuner, 7) == greatest_predictions(space, 64));
    QCOMPARE(std::get<tuner::Finished>(*tuner->propose(1)).reason,
             std::string("one round: the 20 best predictions were measured"));
  }

  void an_empty_space_ends_at_once() {
    const OneShot one_shot(sum_space({4, 4}, -1));
    const auto tuner = one_shot.make();
    QCOMPARE(std::get<tuner::Finished>(*tuner->propose(5)).reason,
             std::string("the space has no feasible configurations"));
  }

  void what_is_beyond_the_limits_is_neither_predicted_nor_proposed_data() { both_searches(); }
  void what_is_beyond_the_limits_is_neither_predicted_nor_proposed() {
    QFETCH(const QString, search);
    const space::SearchSpace space = plain_space({8, 8, 8});
    for (const bool refit : {false, true}) {
      OneShot one_shot(space, {{"search", search.toStdString()}, {"refit", refit ? "true" : "false"}});
      one_shot.context.within_limits = small_enough;
      const std::vector<space::Configuration> proposed = whole_run(*one_shot.make(), 50);
      const auto members = greatest_predictions(space, 512, small_enough);
      QCOMPARE(proposed.size(), refit ? members.size() : 64U);
      QVERIFY(std::ranges::equal(std::span(proposed).first(64), std::span(members).first(64)));
      for (const space::Configuration& candidate : proposed) QVERIFY(small_enough(candidate));
      for (const space::Configuration& asked : one_shot.predictor->asked) QVERIFY(small_enough(asked));
    }
  }

  void few_members_within_the_limits_are_all_found_data() { both_searches(); }
  void few_members_within_the_limits_are_all_found() {
    QFETCH(const QString, search);
    const space::SearchSpace space = plain_space({20, 20, 20});
    const tuner::MemberFilter few = [](const space::Configuration& one) {
      return one.indices[0] == 7 && one.indices[1] == 11 && one.indices[2] % 2 == 0;
    };
    OneShot one_shot(space, {{"search", search.toStdString()}, {"chains", "8"}, {"generations", "2"}});
    one_shot.context.within_limits = few;
    QVERIFY(whole_run(*one_shot.make(), 64) == greatest_predictions(space, 64, few));
    one_shot.context.within_limits = [](const space::Configuration&) { return false; };
    const auto tuner = one_shot.make();
    QVERIFY(std::get<tuner::Finished>(*tuner->propose(5)).reason.contains("limits"));
  }

  void tells_what_it_expected() {
    const OneShot one_shot(plain_space({8, 8, 8}), {{"top", "30"}});
    const auto tuner = one_shot.make();
    for (int batch = 0; batch < 3; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 10);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto series = tuner->series(i);
        QCOMPARE(series.at(0).series, std::string("predicted_mean"));
        QCOMPARE(series.at(0).value, double{static_cast<float>(believed_fitness(candidates[i]))});
        QCOMPARE(series.at(1).value, 1.0);
      }
      QVERIFY(tuner->series(candidates.size()).empty());
      tuner->observe(measure(candidates, true_fitness));
    }
    QVERIFY(std::holds_alternative<tuner::Finished>(*tuner->propose(10)));
  }

  void refit_resumes_from_what_was_measured() {
    // What it believes is wrong, and what it measures tells.
    const auto rising = [](const space::Configuration& one) { return 1.0 + one.indices[0] + one.indices[1]; };
    const space::SearchSpace space = plain_space({20, 20, 20, 20});
    OneShot one_shot(space, {{"refit", "true"}, {"random_share", "0.25"}});
    one_shot.context.predictor = std::make_shared<ToldPredictor>(
        [](const space::Configuration& one) { return 50.0 - one.indices[0] - one.indices[1]; });
    const auto tuner = one_shot.make();
    std::vector<double> best(8);
    for (double& of_round : best) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 64);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        // Random ones end the plans that come after the round.
        const bool random = &of_round != &best.front() && i >= 48;
        QCOMPARE(tuner->series(i).empty(), random);
        if (!random) of_round = std::max(of_round, rising(candidates[i]));
      }
      tuner->observe(measure(candidates, rising));
    }
    QVERIFY(best.front() < 10);
    QVERIFY2(best.back() > 30, qPrintable(QString::number(best.back())));
  }

  void levels_are_predicted_as_the_factorizations_they_stand_for() {
    const space::SearchSpace space = two_part_space({8, 8, 8});
    // The chains begin at all members; steps of levels hardly ever end at one.
    OneShot one_shot(space, {{"encoding", "levels"}, {"annealing_iterations", "2"}});
    one_shot.context.within_limits = small_enough;
    QVERIFY(whole_run(*one_shot.make(), 64) == greatest_predictions(space, 64, small_enough));
    for (const space::Configuration& asked : one_shot.predictor->asked)
      QVERIFY(space.contains(asked) && small_enough(asked));
  }

  void a_warm_start_changes_nothing_and_that_is_said() {
    const space::SearchSpace space = plain_space({8, 8, 8});
    OneShot one_shot(space);
    const tuner::Declaration& declaration = **tuner::find_tuner("one-shot");
    QCOMPARE(declaration.notice(one_shot.context), std::string());
    one_shot.context.history = measure(all_members(space), true_fitness);
    QVERIFY(declaration.notice(one_shot.context).contains("warm start"));
    QVERIFY(whole_run(*one_shot.make(), 64) == greatest_predictions(space, 64));
  }

  void without_a_predictor_it_is_refused_with_the_way_out() {
    OneShot one_shot(plain_space({8, 8}));
    one_shot.context.predictor = nullptr;
    const tuner::Declaration& declaration = **tuner::find_tuner("one-shot");
    QVERIFY(declaration.uses_predictor);
    for (const Error& error :
         {declaration.fits(one_shot.context).error(), declaration.make(one_shot.context).error()}) {
      QCOMPARE(error.code, ErrorCode::InvalidArgument);
      QVERIFY(error.message.contains("tuner one-shot: there is no predictor"));
      QVERIFY(error.hint.contains("kernelscape train"));
    }
  }

  void what_is_wrong_with_its_predictor_is_handed_on_data() { both_searches(); }
  void what_is_wrong_with_its_predictor_is_handed_on() {
    QFETCH(const QString, search);
    class Broken final : public space::PerformancePredictor {
     public:
      Result<std::vector<float>> predict(
          std::span<const space::Configuration> /*configurations*/) const override {
        return fail(ErrorCode::Corrupt, "broken");
      }
      const std::string& text() const override { return text_; }

     private:
      std::string text_;
    };
    OneShot one_shot(plain_space({8, 8}), {{"search", search.toStdString()}});
    one_shot.context.predictor = std::make_shared<Broken>();
    const auto proposal = one_shot.make()->propose(4);
    QVERIFY(!proposal);
    QCOMPARE(proposal.error().message, std::string("broken"));
  }

  void breeding_sees_each_member_once() {
    const space::SearchSpace space = plain_space({12, 12, 12});
    std::vector<space::Configuration> seen;
    const auto score = [&](std::span<const space::Configuration> points) -> Result<std::vector<float>> {
      seen.insert(seen.end(), points.begin(), points.end());
      std::vector<float> scores;
      for (const space::Configuration& point : points)
        scores.push_back(static_cast<float>(believed_fitness(point)));
      return scores;
    };
    tuner::DrawnChildren drawn;
    const tuner::GeneticSettings settings{
        .population = 50, .elites = 10, .mutation_probability = 0.1, .generations = 8};
    const auto found =
        tuner::find_maximums_by_breeding(space, settings, score, 20, base::Random(printed_seed()), drawn);
    QVERIFY(found);
    QCOMPARE(seen.size(), std::size_t{400});
    QCOMPARE(std::set<space::Configuration>(seen.begin(), seen.end()).size(), std::size_t{400});
    QCOMPARE(drawn.drawn(), std::int64_t{350});
    std::ranges::sort(seen, std::greater{}, believed_fitness);
    QCOMPARE(found->size(), std::size_t{20});
    for (std::size_t i = 0; i < found->size(); ++i)
      QCOMPARE((*found)[i].score, static_cast<float>(believed_fitness(seen[i])));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerOneShotTest)

}  // namespace kernelscape::tuner_one_shot_test
#include "tuner_one_shot_test.moc"
