#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_sparse_space_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** All knobs are equal: as many members as a knob has values, one in 10^19 combinations and fewer. */
space::SearchSpace equal_knobs(std::int64_t values) {
  space::ConstraintSystem system;
  std::vector<space::VariableId> variables;
  for (std::uint32_t knob = 0; knob < 9; ++knob)
    variables.push_back(system.add_element("v" + std::to_string(knob), knob, 0));
  for (std::size_t i = 0; i + 1 < variables.size(); ++i)
    system.add({space::EqConstraint{variables[i], variables[i + 1]}, ""});
  return *space::SearchSpace::make(knobs(std::vector<std::int64_t>(9, values)), system);
}

/** Every candidate, and at last the reason why there are no more. */
std::vector<space::Configuration> all_candidates(const std::string& tuner, const space::SearchSpace& space,
                                                 std::uint64_t seed, std::string& reason) {
  const auto made = make_tuner(tuner, make_context(tuner, space, seed));
  std::vector<space::Configuration> all;
  while (true) {
    const auto proposal = made->propose(16);
    if (!proposal) qFatal("%s", proposal.error().message.c_str());
    if (const auto* finished = std::get_if<tuner::Finished>(&*proposal)) {
      reason = finished->reason;
      return all;
    }
    std::vector<trial::Observation> observations;
    for (const space::Configuration& candidate : std::get<std::vector<space::Configuration>>(*proposal)) {
      all.push_back(candidate);
      observations.push_back({candidate, 1.0});
    }
    made->observe(observations);
  }
}

}  // namespace

/** Spaces that no walk through their combinations comes to the end of. */
class TunerSparseSpaceTest : public QObject {
  Q_OBJECT

 private slots:
  void every_member_is_proposed_data() {
    QTest::addColumn<QString>("tuner");
    for (const char* tuner : {"grid", "random", "ga", "opevo"}) QTest::newRow(tuner) << tuner;
  }

  void every_member_is_proposed() {
    QFETCH(QString, tuner);
    const space::SearchSpace space = equal_knobs(150);
    std::string reason;
    const std::vector<space::Configuration> all =
        all_candidates(tuner.toStdString(), space, printed_seed(), reason);
    QCOMPARE(reason, "the whole space was visited");
    std::vector<std::uint32_t> values;
    for (const space::Configuration& one : all) {
      QVERIFY(space.contains(one));
      values.push_back(one.indices.front());
    }
    if (tuner != "grid") std::ranges::sort(values);
    QCOMPARE(values.size(), std::size_t{150});
    for (std::uint32_t i = 0; i < values.size(); ++i) QCOMPARE(values[i], i);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSparseSpaceTest)

}  // namespace kernelscape::tuner_sparse_space_test
#include "tuner_sparse_space_test.moc"
