#include <cmath>
#include <set>

#include "core/tuner/start_design.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_start_design_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** The first start points of a space, by the indices of its knobs. */
std::vector<space::Configuration> start(const space::SearchSpace& space, tuner::StartRule rule,
                                        std::uint64_t seed, int count, std::int64_t candidates = 200) {
  tuner::StartDesign design(space, rule, candidates, base::Random(seed));
  const space::GridCoordinates coordinates(space, nullptr);
  tuner::Visited visited(space, base::Random(seed + 1));
  std::vector<space::Configuration> points;
  for (int i = 0; i < count; ++i)
    if (auto point = design.next(coordinates, visited)) points.push_back(*point);
  return points;
}

/** What is left from the members to their nearest point, in steps of ordinals of equal length. */
double left_distance(const std::vector<space::Configuration>& members,
                     const std::vector<space::Configuration>& points) {
  double sum = 0;
  for (const space::Configuration& member : members) {
    double nearest = 1e300;
    for (const space::Configuration& point : points) {
      double distance = 0;
      for (std::size_t knob = 0; knob < member.indices.size(); ++knob)
        distance +=
            std::abs(static_cast<double>(member.indices[knob]) - static_cast<double>(point.indices[knob]));
      nearest = std::min(nearest, distance);
    }
    sum += nearest;
  }
  return sum;
}

}  // namespace

class TunerStartDesignTest : public QObject {
  Q_OBJECT

 private slots:
  /** On a line: the middle of everything, against an end. */
  static void a_line() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({101});
    const std::uint32_t first = start(space, tuner::StartRule::Representative, seed, 1)[0].indices[0];
    QVERIFY2(first >= 35 && first <= 65, qPrintable(QString::number(first)));
    const std::vector<space::Configuration> far = start(space, tuner::StartRule::Farthest, seed, 2);
    QVERIFY(far[1].indices[0] <= 10 || far[1].indices[0] >= 90);
  }

  /** All members lie nearer to representative points than to points far from each other. */
  static void representative_points_leave_less_distance() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({7, 7, 7});
    const std::vector<space::Configuration> members = all_members(space);
    const double near = left_distance(members, start(space, tuner::StartRule::Representative, seed, 4));
    const double far = left_distance(members, start(space, tuner::StartRule::Farthest, seed, 4));
    QVERIFY2(near < far, qPrintable(QString("%1 against %2").arg(near).arg(far)));
  }

  static void the_whole_space_is_given_once() {
    const space::SearchSpace space = sum_space({4, 3, 3}, 4);
    for (const tuner::StartRule rule : {tuner::StartRule::Representative, tuner::StartRule::Farthest}) {
      const std::vector<space::Configuration> points = start(space, rule, printed_seed(), 1000, 3);
      QCOMPARE(points.size(), all_members(space).size());
      QCOMPARE(std::set<space::Configuration>(points.begin(), points.end()).size(), points.size());
    }
  }

  /** Texts have no order: any two are equally far apart. */
  static void unordered_columns() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::categorical("layout",
                                   {space::KnobValue{"a"}, space::KnobValue{"b"}, space::KnobValue{"c"}}),
         numbers("unroll", 2)});
    const std::vector<space::Configuration> points =
        start(space, tuner::StartRule::Farthest, printed_seed(), 2);
    QVERIFY(points[0].indices[0] != points[1].indices[0] && points[0].indices[1] != points[1].indices[1]);
  }
};

KERNELSCAPE_TEST(TunerStartDesignTest, QCoreApplication)

}  // namespace kernelscape::tuner_start_design_test
#include "tuner_start_design_test.moc"
