#include <optional>

#include "core/space/encoding.h"
#include "core/tuner/declaration.h"
#include "core/tuner/encoded_tuner.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner {
Declaration ga_tuner();
Declaration gp_tuner();
}  // namespace kernelscape::tuner

namespace kernelscape::tuner_encoded_test {
using namespace kernelscape::tuner_fixture;

namespace {

space::SearchSpace tile_space() {
  return *space::SearchSpace::make({*space::Knob::factorization("tile_y", 64, 3),
                                    *space::Knob::factorization("tile_x", 48, 2), numbers("unroll", 3)});
}

const std::map<std::string, std::string> with_levels{{"encoding", "levels"}};

/** What a tuner was given and told. */
struct Told {
  std::optional<tuner::Context> context;
  std::vector<trial::Observation> observations;
};

/** Proposes random members of whatever space it is given. */
class Listener final : public tuner::Tuner {
 public:
  Listener(tuner::Context context, std::shared_ptr<Told> reported) : notified_(std::move(reported)) {
    notified_->context = std::move(context);
  }
  Result<tuner::Proposal> propose(std::size_t n) override {
    if (n == 99) return tuner::Finished{"enough"};
    std::vector<space::Configuration> candidates;
    for (std::size_t i = 0; i < n; ++i)
      candidates.push_back(*notified_->context->space.random_member(notified_->context->random));
    return candidates;
  }
  void observe(std::span<const trial::Observation> observations) override {
    notified_->observations.assign(observations.begin(), observations.end());
  }
  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    return {{"position", static_cast<double>(position)}};
  }

 private:
  std::shared_ptr<Told> notified_;
};

tuner::Declaration listening(const std::shared_ptr<Told>& reported) {
  return tuner::with_encodings(
      {.name = "listener",
       .summary = "",
       .source = "",
       .make = [reported](tuner::Context context) -> Result<std::unique_ptr<tuner::Tuner>> {
         return std::make_unique<Listener>(std::move(context), reported);
       }});
}

tuner::Context context_for(const tuner::Declaration& tuner, const space::SearchSpace& space,
                           const std::map<std::string, std::string>& settings) {
  return {.space = space,
          .task = {},
          .features = {},
          .history = {},
          .trial_budget = 0,
          .settings = *tuner::parse_settings(tuner, settings),
          .random = base::Random(printed_seed())};
}

}  // namespace

class TunerEncodedTest : public QObject {
  Q_OBJECT

 private slots:
  void every_tuner_has_the_setting_last() {
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      const tuner::HyperparameterDeclaration& last = tuner.hyperparameters.back();
      QCOMPARE(last.name, std::string("encoding"));
      QCOMPARE(last.choices, (std::vector<std::string>{"factorizations", "levels"}));
      QCOMPARE(space::to_string(tuner::parse_settings(tuner, {})->at("encoding")),
               std::string("factorizations"));
    }
  }

  void factorizations_are_searched_as_without_the_setting() {
    for (const auto& [name, plain] :
         {std::pair{"ga", tuner::ga_tuner()}, std::pair{"gp", tuner::gp_tuner()}}) {
      const std::uint64_t seed = printed_seed();
      const auto bare = plain.make(make_context(name, tile_space(), seed)).value();
      const auto own = make_tuner(name, make_context(name, tile_space(), seed));
      QVERIFY(run_tuner(*bare, rough_fitness, 150, always(20)) ==
              run_tuner(*own, rough_fitness, 150, always(20)));
    }
  }

  void without_factorizations_both_are_the_same() {
    const space::SearchSpace space = sum_space({9, 9, 9}, 12);
    for (const char* name : {"ga", "xgb", "gp"}) {
      const std::uint64_t seed = printed_seed();
      const auto run = [&](const std::map<std::string, std::string>& settings) {
        const auto tuner = make_tuner(name, make_context(name, space, seed, settings));
        return run_tuner(*tuner, rough_fitness, 150, always(20));
      };
      QVERIFY(run({}) == run(with_levels));
      QVERIFY((*tuner::find_tuner(name))->fits(make_context(name, space, seed, with_levels)));
    }
  }

  void samples_are_the_same_in_both() {
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      if (tuner.sampling == tuner::Sampling::Guided) continue;
      const std::uint64_t seed = printed_seed();
      const auto run = [&](const std::map<std::string, std::string>& settings) {
        const auto made = make_tuner(tuner.name, make_context(tuner.name, tile_space(), seed, settings));
        return run_tuner(*made, rough_fitness, 200, always(20));
      };
      QVERIFY2(run({}) == run(with_levels), tuner.name.c_str());
    }
  }

  void levels_are_all_that_a_tuner_of_them_sees() {
    const space::SearchSpace space = tile_space();
    const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
    const auto reported = std::make_shared<Told>();
    const tuner::Declaration listener = listening(reported);
    tuner::Context context = context_for(listener, space, with_levels);
    base::Random random(printed_seed());
    const space::Configuration known = *space.random_member(random);
    context.history = {{known, 5, trial::ErrorCategory::NoError}, {{{99}}, 7, trial::ErrorCategory::NoError}};
    context.history_features = {{1, 2}, {3, 4}};
    const auto tuner = listener.make(context).value();

    QCOMPARE(reported->context->space.fingerprint(), encoded.space().fingerprint());
    // The trial of another space keeps its place beside its features, and is no member.
    QCOMPARE(reported->context->history.size(), std::size_t{2});
    QCOMPARE(reported->context->history[0].configuration, *encoded.encode(known));
    QCOMPARE(reported->context->history[0].fitness, 5.0);
    QVERIFY(!encoded.space().contains(reported->context->history[1].configuration));
    QCOMPARE(reported->context->history_features, context.history_features);

    const std::vector<space::Configuration> proposed = propose(*tuner, 20);
    std::vector<trial::Observation> observations = measure(proposed, rough_fitness);
    observations.front().spread = 0.25;
    tuner->observe(observations);
    QCOMPARE(reported->observations.size(), proposed.size());
    for (std::size_t i = 0; i < proposed.size(); ++i) {
      QVERIFY(space.contains(proposed[i]));
      trial::Observation expected = observations[i];
      expected.configuration = *encoded.encode(proposed[i]);
      QVERIFY(reported->observations[i] == expected);
    }
    QCOMPARE(tuner->series(3).front().value, 3.0);
    QCOMPARE(std::get<tuner::Finished>(*tuner->propose(99)).reason, std::string("enough"));
  }

  void a_tuner_that_proposes_no_member_is_at_fault() {
    class Faulty final : public tuner::Tuner {
     public:
      explicit Faulty(const space::SearchSpace& space)
          : first_{std::vector<std::uint32_t>(space.knobs().size())} {}
      Result<tuner::Proposal> propose(std::size_t /*n*/) override { return std::vector{first_}; }
      void observe(std::span<const trial::Observation> /*observations*/) override {}

     private:
      space::Configuration first_;
    };
    const tuner::Declaration faulty = tuner::with_encodings(
        {.name = "faulty",
         .summary = "",
         .source = "",
         .make = [](const tuner::Context& context) -> Result<std::unique_ptr<tuner::Tuner>> {
           return std::make_unique<Faulty>(context.space);
         }});
    const auto tuner = faulty.make(context_for(faulty, tile_space(), with_levels)).value();
    const auto proposal = tuner->propose(1);
    QVERIFY(!proposal);
    QCOMPARE(proposal.error().code, ErrorCode::Internal);
    QVERIFY(proposal.error().message.contains("tile_y[0]=1"));
  }

  void features_of_the_loop_nest_are_those_of_the_factorizations() {
    const space::SearchSpace space = tile_space();
    const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
    const auto features = std::make_shared<space::KnobFeatures>(space);
    const auto reported = std::make_shared<Told>();
    const tuner::Declaration listener = listening(reported);
    tuner::Context context = context_for(listener, space, with_levels);
    context.features = {features, features, nullptr};
    const auto tuner = listener.make(context).value();
    const space::FeatureSets& given = reported->context->features;
    QVERIFY(!given.knob && !given.curve);
    QCOMPARE(given.itervar->names(), features->names());
    base::Random random(printed_seed());
    for (int i = 0; i < 20; ++i) {
      const space::Configuration member = *space.random_member(random);
      QCOMPARE(given.itervar->compute(*encoded.encode(member)), features->compute(member));
    }
    const space::Configuration none{std::vector<std::uint32_t>(encoded.space().knobs().size(), 0)};
    QCOMPARE(given.itervar->compute(none), std::vector<float>(features->names().size(), 0));
  }

  void what_takes_factorizations_alone_offers_them() {
    for (const char* name : {"gbfs", "na2c"}) {
      const tuner::Declaration& tuner = **tuner::find_tuner(name);
      const tuner::Context context = make_context(name, two_part_space({5, 5}), 1, with_levels);
      QVERIFY(tuner.fits(make_context(name, two_part_space({5, 5}), 1)));
      for (const Error& error : {tuner.fits(context).error(), tuner.make(context).error()}) {
        QCOMPARE(error.code, ErrorCode::InvalidArgument);
        QVERIFY2(error.hint.contains("encoding to factorizations"), error.hint.c_str());
      }
      // Where factorizations would not do either, they are no way out.
      const Status other = tuner.fits(make_context(name, sum_space({5, 5}, 6), 1, with_levels));
      QVERIFY(!other && !other.error().hint.contains("encoding"));
    }
  }

  void spaces_without_room_for_levels_are_refused_before_a_run() {
    std::vector<space::Knob> many;
    for (int i = 0; i < 8; ++i)
      many.push_back(*space::Knob::factorization("tile" + std::to_string(i), std::int64_t{1} << 20, 5));
    const tuner::Context context = make_context("ga", *space::SearchSpace::make(many), 1, with_levels);
    const tuner::Declaration& tuner = **tuner::find_tuner("ga");
    for (const Error& error : {tuner.fits(context).error(), tuner.make(context).error()})
      QVERIFY2(error.hint.contains("encoding to factorizations"), error.hint.c_str());
  }

  void relevance_is_reported_for_the_columns_of_the_factorizations() {
    const space::SearchSpace space = tile_space();
    const std::map<std::string, std::string> settings{{"encoding", "levels"}, {"fit_from", "4"}};
    const auto tuner = make_tuner("gp", make_context("gp", space, printed_seed(), settings));
    std::set<std::string> columns;
    for (int batch = 0; batch < 10; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 4);
      for (const trial::SeriesValue& value : tuner->series(0))
        if (const auto column = trial::member_of_family(trial::lengthscale_series, value.series))
          columns.insert(*column);
      tuner->observe(
          measure(candidates, [](const space::Configuration& one) { return 1 + rough_fitness(one); }));
    }
    QCOMPARE(columns, (std::set<std::string>{"tile_x[0]", "tile_x[1]", "tile_y[0]", "tile_y[1]", "tile_y[2]",
                                             "unroll"}));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerEncodedTest)

}  // namespace kernelscape::tuner_encoded_test
#include "tuner_encoded_test.moc"
