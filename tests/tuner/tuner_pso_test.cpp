#include <cmath>
#include <limits>

#include "core/tuner/knob_cube.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_pso_test {
using namespace kernelscape::tuner_fixture;

namespace {

constexpr std::size_t swarm = 6;
const std::vector<std::int64_t> many_values{1000, 1000, 1000, 1000};

/** The shares of the way from one configuration to another that end in the same parts as a third. */
bool lies_between(const space::SearchSpace& space, const space::Configuration& from,
                  const space::Configuration& to, const space::Configuration& between) {
  const tuner::CubePoint start = tuner::cube_point(space, from);
  const tuner::CubePoint end = tuner::cube_point(space, to);
  double least = 0;
  double most = 1;
  for (std::size_t knob = 0; knob < start.size(); ++knob) {
    const double count = space.knobs()[knob].count();
    const double way = end[knob] - start[knob];
    if (from.indices[knob] == to.indices[knob]) {
      if (between.indices[knob] != from.indices[knob]) return false;
      continue;
    }
    const double one = (between.indices[knob] / count - start[knob]) / way;
    const double other = ((between.indices[knob] + 1) / count - start[knob]) / way;
    least = std::max(least, std::min(one, other));
    most = std::min(most, std::max(one, other));
  }
  return least <= most + 1e-9;
}

}  // namespace

class TunerPsoTest : public QObject {
  Q_OBJECT

  static std::unique_ptr<tuner::Tuner> make(std::uint64_t seed, const std::string& inertia,
                                            const std::string& cognitive, const std::string& social) {
    return make_tuner("pso", make_context("pso", plain_space(many_values), seed,
                                          {{"population", std::to_string(swarm)},
                                           {"inertia", inertia},
                                           {"cognitive", cognitive},
                                           {"social", social}}));
  }

 private slots:
  void particles_move_straight_towards_the_best() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space(many_values);
    int checked = 0;
    for (std::uint64_t run = 0; run < 20; ++run) {
      const auto tuner = make(seed + run, "0", "0", "1");
      const auto first = propose(*tuner, swarm);
      tuner->observe(
          measure(first, [&](const space::Configuration& one) { return one == first.front() ? 9.0 : 1.0; }));
      const auto second = propose(*tuner, swarm);
      if (second.size() != swarm - 1) continue;  // the best stays; others may not have left their part
      for (std::size_t i = 0; i < second.size(); ++i) {
        QVERIFY(lies_between(space, first[i + 1], first[0], second[i]));
        ++checked;
      }
    }
    QVERIFY(checked > 0);
  }

  void without_attraction_velocities_stay() {
    const std::uint64_t seed = printed_seed();
    int checked = 0;
    for (std::uint64_t run = 0; run < 40; ++run) {
      const auto tuner = make(seed + run, "1", "0", "0");
      std::vector<std::vector<space::Configuration>> moves;
      for (int move = 0; move < 3; ++move) {
        moves.push_back(propose(*tuner, swarm));
        tuner->observe(measure(moves.back(), rough_fitness));
      }
      if (moves[1].size() < swarm || moves[2].size() < swarm) continue;  // some are known
      for (std::size_t i = 0; i < swarm; ++i) {
        for (std::size_t knob = 0; knob < many_values.size(); ++knob) {
          const auto at = [&](std::size_t move) {
            return static_cast<std::int64_t>(moves[move][i].indices[knob]);
          };
          if (at(1) == 0 || at(1) == 999 || at(2) == 0 || at(2) == 999) continue;
          QVERIFY(std::abs((at(2) - at(1)) - (at(1) - at(0))) <= 2);
          ++checked;
        }
      }
    }
    QVERIFY(checked > 0);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerPsoTest)

}  // namespace kernelscape::tuner_pso_test
#include "tuner_pso_test.moc"
