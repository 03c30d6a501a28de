#include "core/base/random.h"
#include "core/tuner/cost_model.h"
#include "core/tuner/encoded_tuner.h"
#include "core/tuner/planned_search.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_typed_settings_test {
using namespace kernelscape::tuner_fixture;

namespace {

enum class Shape : std::uint8_t { Round, Square, Flat };

struct Inner {
  std::size_t count = 7;
  double share = 0.25;
};

struct Outer {
  int number = -3;
  double ratio = 1.5;
  bool open = true;
  std::string name = "none";
  Shape shape = Shape::Square;
  Inner inner = {.count = 9};
  Inner other = {};

  static tuner::SettingsOf<Outer> table() {
    return tuner::SettingsOf<Outer>()
        .add("number", &Outer::number, -10, 10, "things", "how many", "ours")
        .add("ratio", &Outer::ratio, 0.5, 2, "", "of one to another", "ours")
        .add("open", &Outer::open, "whether", "ours")
        .choice("shape", &Outer::shape,
                {{"square", Shape::Square}, {"round", Shape::Round}, {"flat", Shape::Flat}}, "which", "ours")
        .before("round")
        .group(&Outer::inner, tuner::SettingsOf<Inner>()
                                  .add("count", &Inner::count, 0, 1e9, "", "of what is inside", "theirs")
                                  .add("share", &Inner::share, 0, 1, "", "of it", "theirs"))
        .add("other_share", tuner::submember(&Outer::other, &Inner::share), 0, 1, "", "of the other", "ours")
        .add("name", &Outer::name, "any", "ours");
  }
};

/** In the range; near the default where `near`, so that nothing takes long. */
tuner::SettingValue random_value(const tuner::HyperparameterDeclaration& declared, base::Random& random,
                                 bool near) {
  switch (declared.default_value.index()) {
    case 0: {
      const auto least = static_cast<std::int64_t>(*declared.minimum);
      const auto most = static_cast<std::int64_t>(*declared.maximum);
      const auto last =
          near ? std::min(most, 2 * std::abs(std::get<std::int64_t>(declared.default_value)) + 1) : most;
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last - least + 1)));
    }
    case 1:
      return *declared.minimum + random.uniform() * (*declared.maximum - *declared.minimum);
    case 2:
      return random.chance(0.5);
    default:
      if (declared.choices.empty()) return "text " + std::to_string(random.below(1000));
      return declared.choices[random.below(declared.choices.size())];
  }
}

tuner::SettingValues random_values(std::span<const tuner::HyperparameterDeclaration> declarations,
                                   base::Random& random, bool near = false) {
  tuner::SettingValues values;
  for (const tuner::HyperparameterDeclaration& declared : declarations)
    values[declared.name] = random_value(declared, random, near);
  return values;
}

/** Each setting has a member of its own that holds all of its values. */
template <typename Struct>
void check_round_trips(const tuner::SettingsOf<Struct>& table, base::Random& random) {
  const std::vector<tuner::HyperparameterDeclaration> declarations = table.declarations();
  QVERIFY(!declarations.empty());
  for (int i = 0; i < 50; ++i) {
    const tuner::SettingValues values = random_values(declarations, random);
    QVERIFY(table.values_of(table.read(values)) == values);
    tuner::SettingValues more = values;
    more["of another"] = 5.0;
    QVERIFY(table.values_of(table.read(more)) == values);
  }
}

}  // namespace

class TunerTypedSettingsTest : public QObject {
  Q_OBJECT

 private slots:
  void declarations_are_in_order_with_the_members_defaults() {
    const std::vector<tuner::HyperparameterDeclaration> declared = tuner::settings_of<Outer>().declarations();
    tuner::SettingValues defaults;
    std::vector<std::string> names;
    for (const tuner::HyperparameterDeclaration& one : declared) {
      names.push_back(one.name);
      defaults[one.name] = one.default_value;
    }
    QCOMPARE(names, (std::vector<std::string>{"number", "ratio", "open", "shape", "count", "share",
                                              "other_share", "name"}));
    QVERIFY((defaults == tuner::SettingValues{{"number", std::int64_t{-3}},
                                              {"ratio", 1.5},
                                              {"open", true},
                                              {"shape", std::string("square")},
                                              {"count", std::int64_t{9}},
                                              {"share", 0.25},
                                              {"other_share", 0.25},
                                              {"name", std::string("none")}}));
    QVERIFY(declared[0].minimum == -10.0 && declared[0].maximum == 10.0);
    QCOMPARE(declared[0].unit, std::string("things"));
    QCOMPARE(declared[0].documentation, std::string("how many"));
    QCOMPARE(declared[4].source, std::string("theirs"));
    QVERIFY(!declared[2].minimum && !declared[7].maximum && declared[7].choices.empty());
    QCOMPARE(declared[3].choices, (std::vector<std::string>{"square", "round", "flat"}));
    QVERIFY(declared[3].before == tuner::SettingValue(std::string("round")));
    QVERIFY(!declared[4].before);
  }

  void values_come_to_the_members_that_they_are_declared_for() {
    const tuner::SettingValues values = *tuner::parse_settings(
        "a test", tuner::settings_of<Outer>().declarations(),
        {{"number", "4"}, {"shape", "flat"}, {"count", "2"}, {"other_share", "0.5"}, {"name", "some"}});
    const auto settings = tuner::read_settings<Outer>(values);
    QCOMPARE(settings.number, 4);
    QCOMPARE(settings.ratio, 1.5);
    QVERIFY(settings.open && settings.shape == Shape::Flat);
    QCOMPARE(settings.inner.count, std::size_t{2});
    QCOMPARE(settings.inner.share, 0.25);
    QCOMPARE(settings.other.share, 0.5);
    QCOMPARE(settings.other.count, std::size_t{7});
    QCOMPARE(settings.name, std::string("some"));
    QCOMPARE(tuner::integer_of<Outer>(&Outer::number)(values, 0), std::int64_t{4});
    QCOMPARE(tuner::integer_of<Outer>(tuner::submember(&Outer::inner, &Inner::count))(values, 0),
             std::int64_t{2});
  }

  void random_settings_are_the_same_as_a_struct() {
    base::Random random(printed_seed());
    check_round_trips(tuner::settings_of<Outer>(), random);
    check_round_trips(tuner::settings_of<tuner::EncodingSettings>(), random);
    check_round_trips(tuner::settings_of<tuner::FeatureSettings>(), random);
    check_round_trips(tuner::PlanSettings::table("a test"), random);
    check_round_trips(tuner::BoostingSettings::table(tuner::BoostingProgram::AutoTvm), random);
    check_round_trips(tuner::BoostingSettings::table(tuner::BoostingProgram::Heron), random);
  }

  /** Also by its texts, and whatever they are: a tuner is made of them, or says what is wrong with them. */
  void every_tuner_takes_random_settings() {
    base::Random random(printed_seed());
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      const space::SearchSpace space =
          needs_factorizations(tuner.name) ? two_part_space({5, 4}) : plain_space({5, 4});
      for (int i = 0; i < 20; ++i) {
        tuner::Context context = make_context(tuner.name, space, random.bits());
        context.settings = random_values(tuner.hyperparameters, random, true);
        context.settings["encoding"] = std::string("factorizations");
        std::map<std::string, std::string> texts;
        for (const auto& [name, value] : context.settings) texts[name] = space::to_string(value);
        const auto parsed = tuner::parse_settings(tuner, texts);
        QVERIFY2(parsed.has_value() && *parsed == context.settings, tuner.name.c_str());
        const auto made = tuner.make(context);
        const std::string wrong = made ? "" : describe(made.error());
        QVERIFY2(made || wrong.find("tuner " + tuner.name + ":") != std::string::npos, wrong.c_str());
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerTypedSettingsTest)

}  // namespace kernelscape::tuner_typed_settings_test
#include "tuner_typed_settings_test.moc"
