#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_contract_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** A tuner with one of the encodings, in which it has something to encode. */
struct Encoded {
  std::string tuner;
  bool levels = false;

  bool of_factorizations() const { return levels || needs_factorizations(tuner); }

  /**
   * Where hardly a step in levels ends at a member, annealing and pools are short and generations do not
   * grow, or tests take minutes. What a model predicts or draws for each trial is little in any encoding.
   */
  tuner::Context context(const space::SearchSpace& space, std::uint64_t seed) const {
    std::map<std::string, std::string> settings;
    if (levels) settings["encoding"] = "levels";
    for (const tuner::HyperparameterDeclaration& declared : (*tuner::find_tuner(tuner))->hyperparameters) {
      if (declared.name == "challengers") settings[declared.name] = "200";
      if (tuner == "ansor" && declared.name == "population") settings[declared.name] = "200";
      if (declared.name == "episodes") settings[declared.name] = "8";
      if (declared.name == "steps" && tuner == "chameleon") settings[declared.name] = "40";
      if (tuner == "tpe" && declared.name == "candidates") settings[declared.name] = "4";
      if (!levels) continue;
      if (declared.name == "annealing_iterations" || declared.name == "chains")
        settings[declared.name] = "16";
      if (declared.name == "pool_members") settings[declared.name] = "200";
      if (declared.name == "growth") settings[declared.name] = "1";
    }
    return make_context(tuner, space, seed, settings);
  }

  std::unique_ptr<tuner::Tuner> make(const space::SearchSpace& space, std::uint64_t seed) const {
    return make_tuner(tuner, context(space, seed));
  }
};

/** Of knobs that the tuner takes: ordinals, or two-part factorizations with as many values. */
space::SearchSpace plain_space_for(const Encoded& encoded, const std::vector<std::int64_t>& counts) {
  return encoded.of_factorizations() ? two_part_space(counts) : plain_space(counts);
}

/** @param bound of the sum of values @param factors_bound of the sum of first factors */
space::SearchSpace sum_space_for(const Encoded& encoded, const std::vector<std::int64_t>& counts,
                                 std::int64_t bound, std::int64_t factors_bound) {
  return encoded.of_factorizations() ? bounded_sum_space(two_part_knobs(counts), factors_bound)
                                     : sum_space(counts, bound);
}

space::SearchSpace space_of_numbers(const QString& name) {
  if (name == "one configuration") return plain_space({1, 1});
  if (name == "one knob") return plain_space({23});
  if (name == "plain") return plain_space({6, 1, 5, 7});
  if (name == "constrained") return sum_space({8, 8, 8}, 6);
  if (name == "rare members") return sum_space({30, 30, 30, 30}, 3);
  if (name == "no members") return sum_space({4, 4}, -1);
  return explicit_space(knobs({7, 5, 9}));
}

space::SearchSpace space_of_factorizations(const QString& name) {
  if (name == "one configuration") return two_part_space({1, 1});
  if (name == "one knob") return two_part_space({23});
  if (name == "plain") {
    return *space::SearchSpace::make({*space::Knob::factorization("a", 12, 3),
                                      *space::Knob::factorization("b", 1, 4),
                                      *space::Knob::factorization("c", 30, 2), numbers("fixed", 1)});
  }
  if (name == "constrained") return bounded_sum_space(two_part_knobs({8, 8, 8}), 40);
  if (name == "rare members") return bounded_sum_space(two_part_knobs({13, 13, 13, 13}), 7);
  if (name == "no members") return bounded_sum_space(two_part_knobs({4, 4}), 1);
  return explicit_space(two_part_knobs({7, 5, 9}));
}

space::SearchSpace space_named(const Encoded& encoded, const QString& name) {
  return encoded.of_factorizations() ? space_of_factorizations(name) : space_of_numbers(name);
}

/** Whether a space without members is refused before a run; then it is said what contradicts what. */
bool refuses(const Encoded& encoded, const space::SearchSpace& space) {
  const tuner::Declaration& declaration = **tuner::find_tuner(encoded.tuner);
  const tuner::Context context = encoded.context(space, 1);
  if (!declaration.fits) return false;
  const Status fits = declaration.fits(context);
  if (fits) return false;
  const auto made = declaration.make(context);
  return !made && made.error() == fits.error() && !fits.error().hint.empty() &&
         fits.error().message.find("(the sum's bound)") != std::string::npos;
}

const QStringList space_names{"one configuration", "one knob",   "plain",   "constrained",
                              "rare members",      "no members", "explicit"};

/** Each tuner as it is, and with levels unless it takes none. */
std::vector<Encoded> every_encoding() {
  std::vector<Encoded> all;
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    all.push_back({tuner.name});
    if (!needs_factorizations(tuner.name)) all.push_back({tuner.name, true});
  }
  return all;
}

QString title(const Encoded& encoded) {
  return QString::fromStdString(encoded.tuner) + (encoded.levels ? ", levels" : "");
}

}  // namespace

/** What every tuner of the registry promises. */
class TunerContractTest : public QObject {
  Q_OBJECT

  static void every_tuner_in_every_space() {
    QTest::addColumn<Encoded>("encoded");
    QTest::addColumn<QString>("space_name");
    for (const Encoded& encoded : every_encoding()) {
      for (const QString& space : space_names)
        QTest::addRow("%s, %s", qPrintable(title(encoded)), qPrintable(space)) << encoded << space;
    }
  }

  static void every_tuner() {
    QTest::addColumn<Encoded>("encoded");
    for (const Encoded& encoded : every_encoding())
      QTest::addRow("%s", qPrintable(title(encoded))) << encoded;
  }

  /** What hardly ever is bred inside is a random member, whatever was learnt. */
  static void every_tuner_of_factorizations() {
    QTest::addColumn<Encoded>("encoded");
    for (const Encoded& encoded : every_encoding())
      if (!encoded.levels) QTest::addRow("%s", encoded.tuner.c_str()) << encoded;
  }

 private slots:
  void visits_every_member_once_and_ends_data() { every_tuner_in_every_space(); }
  void visits_every_member_once_and_ends() {
    QFETCH(Encoded, encoded);
    QFETCH(QString, space_name);
    const space::SearchSpace space = space_named(encoded, space_name);
    base::Random random(printed_seed());
    if (space_name == "no members" && refuses(encoded, space)) return;
    const auto made = encoded.make(space, random.bits());
    auto proposed = run_tuner(*made, rough_fitness, 1'000'000, [&] { return 1 + random.below(150); });
    auto members = all_members(space);
    std::ranges::sort(proposed);
    std::ranges::sort(members);
    QVERIFY(proposed == members);
    const auto end = made->propose(5);
    QVERIFY(end.has_value());
    const std::string reason = std::get<tuner::Finished>(*end).reason;
    QCOMPARE(reason, std::string(members.empty() && encoded.tuner != "grid"
                                     ? "the space has no feasible configurations"
                                     : "the whole space was visited"));
  }

  void never_repeats_in_a_large_space_data() { every_tuner(); }
  void never_repeats_in_a_large_space() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = sum_space_for(encoded, {40, 40, 40, 40, 40}, 90, std::int64_t{1} << 30);
    base::Random random(printed_seed());
    const auto made = encoded.make(space, random.bits());
    // Solving for members among levels takes long; what is random at first is over by then as well.
    const std::size_t wanted = encoded.levels ? 240 : 600;
    const auto proposed = run_tuner(*made, rough_fitness, wanted, [&] { return 1 + random.below(100); });
    QCOMPARE(proposed.size(), wanted);
    QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(), proposed.size());
    for (const space::Configuration& candidate : proposed) QVERIFY(space.contains(candidate));
  }

  void same_seed_same_proposals_data() { every_tuner(); }
  void same_seed_same_proposals() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {20, 20, 20, 20});
    const std::uint64_t seed = printed_seed();
    const auto run = [&](std::uint64_t tuner_seed) {
      const auto made = encoded.make(space, tuner_seed);
      return run_tuner(*made, rough_fitness, 400, always(50));
    };
    QVERIFY(run(seed) == run(seed));
    QCOMPARE(run(seed) == run(seed + 1), encoded.tuner == "grid");
  }

  void proposals_follow_from_the_observations_data() { every_tuner(); }
  void proposals_follow_from_the_observations() {
    // Replay: a tuner that is told the stored observations of a run proposes what was proposed then, and goes
    // on as the other does.
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = sum_space_for(encoded, {15, 15, 15}, 25, 5000);
    const std::uint64_t seed = printed_seed();
    const auto first = encoded.make(space, seed);
    const auto second = encoded.make(space, seed);
    for (int batch = 0; batch < 15; ++batch) {
      const auto proposal = first->propose(32);
      const auto replayed = second->propose(32);
      QVERIFY(proposal && replayed);
      const auto& candidates = std::get<std::vector<space::Configuration>>(*proposal);
      QVERIFY(candidates == std::get<std::vector<space::Configuration>>(*replayed));
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto series = first->series(i);
        const auto replayed_series = second->series(i);
        QCOMPARE(series.size(), replayed_series.size());
        for (std::size_t j = 0; j < series.size(); ++j) QVERIFY(series[j].value == replayed_series[j].value);
      }
      const auto observations = measure(candidates, rough_fitness);
      first->observe(observations);
      second->observe(observations);
    }
  }

  void only_errors_is_no_dead_end_data() { every_tuner(); }
  void only_errors_is_no_dead_end() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {9, 9, 9, 9});
    const auto made = encoded.make(space, printed_seed());
    const auto proposed = run_tuner(*made, [](const space::Configuration&) { return 0.0; }, 500, always(64));
    QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(), std::size_t{500});
  }

  void history_is_a_hint_and_counts_as_unvisited_data() { every_tuner(); }
  void history_is_a_hint_and_counts_as_unvisited() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {4, 5, 6});
    tuner::Context context = encoded.context(space, printed_seed());
    context.history = measure(all_members(space), rough_fitness);
    context.history.push_back({{{9, 9, 9}}, 1e9, trial::ErrorCategory::NoError});  // of another space
    context.history.push_back({{{1}}, 1e9, trial::ErrorCategory::NoError});
    const auto made = make_tuner(encoded.tuner, context);
    const auto proposed = run_tuner(*made, rough_fitness, 1000, always(16));
    QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(), std::size_t{120});
    QCOMPARE(proposed.size(), std::size_t{120});
  }

  void warm_start_begins_with_the_best_data() {
    QTest::addColumn<Encoded>("encoded");
    for (const Encoded& encoded : every_encoding())
      if ((*tuner::find_tuner(encoded.tuner))->starts_with_best)
        QTest::addRow("%s", qPrintable(title(encoded))) << encoded;
  }
  void warm_start_begins_with_the_best() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {40, 40, 40});
    tuner::Context context = encoded.context(space, printed_seed());
    context.history = {{{{1, 2, 3}}, 5, trial::ErrorCategory::NoError},
                       {{{7, 8, 9}}, 50, trial::ErrorCategory::NoError},
                       {{{4, 4, 4}}, 0, trial::ErrorCategory::RuntimeDevice}};
    const auto made = make_tuner(encoded.tuner, context);
    QVERIFY((propose(*made, 1).front() == space::Configuration{{7, 8, 9}}));
  }

  void only_what_learns_nothing_is_a_sample_data() { every_tuner_of_factorizations(); }
  void only_what_learns_nothing_is_a_sample() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {20, 20, 20, 20});
    const std::uint64_t seed = printed_seed();
    const auto run = [&](const Fitness& fitness) {
      const auto made = encoded.make(space, seed);
      return run_tuner(*made, fitness, 400, always(50));
    };
    const bool same = run(rough_fitness) == run([](const space::Configuration& candidate) {
                        return 1000 - rough_fitness(candidate);
                      });
    QCOMPARE(same, tuner::sampling_of(encoded.tuner) != tuner::Sampling::Guided);
    QVERIFY(tuner::sampling_of("nobody's") == tuner::Sampling::Guided);
  }

  void every_series_that_it_reports_is_described_data() { every_tuner(); }
  void every_series_that_it_reports_is_described() {
    QFETCH(Encoded, encoded);
    const space::SearchSpace space = plain_space_for(encoded, {12, 12, 12});
    const tuner::Declaration& declaration = **tuner::find_tuner(encoded.tuner);
    tuner::Context context = encoded.context(space, printed_seed());
    if (declaration.learns_from_sources && !encoded.levels) {
      context.sources.push_back(std::make_shared<const tuner::SourceTrials>(
          tuner::SourceTrials{"a source", space, measure(all_members(space), rough_fitness)}));
    }
    const auto made = make_tuner(encoded.tuner, std::move(context));
    std::set<std::string> reported;
    for (int batch = 0; batch < 15; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*made, 20);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (const trial::SeriesValue& value : made->series(i)) {
          const auto known =
              std::ranges::find_if(declaration.series, [&](const trial::SeriesDescription& series) {
                return series.name == value.series || trial::member_of_family(series.name, value.series);
              });
          QVERIFY2(known != declaration.series.end(), value.series.c_str());
          reported.insert(known->name);
        }
      }
      made->observe(measure(candidates, [](const space::Configuration& candidate) {
        return candidate.indices[0] == 3 ? 0 : rough_fitness(candidate);
      }));
    }
    // A child of levels may hardly ever be bred inside, and then its walk is not reported.
    if (!encoded.levels) QCOMPARE(reported.size(), declaration.series.size());
  }

  void tuners_agree_on_what_a_series_is() {
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      for (trial::SeriesDescription series : tuner.series) {
        const auto known =
            std::ranges::find(tuner::described_series(), series.name, &trial::SeriesDescription::name);
        QVERIFY(known != tuner::described_series().end());
        QVERIFY(!series.title.empty() && !series.meaning.empty());
        QVERIFY2(known->maker.find(series.maker) != std::string::npos, series.name.c_str());
        series.maker = known->maker;
        QVERIFY2(series == *known, series.name.c_str());
      }
    }
  }

  void a_series_of_several_tuners_names_the_model_of_each() {
    const auto mean =
        std::ranges::find(tuner::described_series(), "predicted_mean", &trial::SeriesDescription::name);
    for (const char* tuner : {"adatune's random forest", "gp's Gaussian process"})
      QVERIFY2(mean->maker.find(tuner) != std::string::npos, tuner);
  }

  void knobs_that_it_can_not_move_are_refused_data() {
    QTest::addColumn<QString>("tuner");
    QTest::addColumn<QString>("space_name");
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      if (!needs_factorizations(tuner.name)) continue;
      for (const QString& space : space_names) {
        QTest::addRow("%s, %s", tuner.name.c_str(), qPrintable(space))
            << QString::fromStdString(tuner.name) << space;
      }
    }
  }
  void knobs_that_it_can_not_move_are_refused() {
    QFETCH(QString, tuner);
    QFETCH(QString, space_name);
    const space::SearchSpace space = space_of_numbers(space_name);
    const auto made =
        (*tuner::find_tuner(tuner.toStdString()))->make(make_context(tuner.toStdString(), space, 1));
    // Knobs of one value stay where they are, and are no obstacle.
    QCOMPARE(made.has_value(), space_name == "one configuration");
    if (made) return;
    QCOMPARE(made.error().code, ErrorCode::InvalidArgument);
    const QString message = QString::fromStdString(made.error().message);
    QVERIFY2(message.contains(tuner) && message.contains("\"knob0\" (ordinal)"), qPrintable(message));
    QVERIFY(!made.error().hint.empty());
  }
};

KERNELSCAPE_PLAIN_TEST(TunerContractTest)

}  // namespace kernelscape::tuner_contract_test
#include "tuner_contract_test.moc"
