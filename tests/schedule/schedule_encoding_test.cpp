#include <QTest>
#include <set>

#include "core/schedule/template.h"
#include "core/space/encoding.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_encoding_test {
using namespace kernelscape::testing;

/** Independent levels in the spaces of templates, which are too large to walk. */
class ScheduleEncodingTest : public QObject {
  Q_OBJECT

 private slots:
  void members_are_the_same_both_ways_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("template_name");
    QTest::addColumn<bool>("cuda");
    QTest::newRow("packed convolution")
        << "conv2d 1x64x56x56 64x64x3x3 pad=1 f32" << "conv2d-packed" << false;
    QTest::newRow("packed multiplication") << "matmul 1024x1024 1024x1024 f32" << "matmul-packed" << false;
    QTest::newRow("tiled multiplication") << "matmul 512x256 256x128 f32" << "matmul-tiled" << false;
    QTest::newRow("convolution on a GPU")
        << "conv2d 1x512x7x7 512x512x3x3 pad=1 f32" << "conv2d-direct" << true;
    QTest::newRow("multiplication on a GPU") << "matmul 256x256 256x256 f32" << "matmul" << true;
  }

  void members_are_the_same_both_ways() {
    QFETCH(QString, task);
    QFETCH(QString, template_name);
    QFETCH(bool, cuda);
    const auto kernel = schedule::apply_template(*task::parse_task(task.toStdString()),
                                                 cuda ? cuda_with_tensor_cores() : cpu_with_lanes(16),
                                                 template_name.toStdString());
    QVERIFY(kernel.has_value());
    const space::SearchSpace space = *kernel->space().restricted_by(kernel->limits());
    const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
    QVERIFY(encoded.differs());
    const space::SearchSpace& levels = encoded.space();
    QVERIFY(levels.size() > space.size());
    base::Random random(random_seed());
    std::set<space::Configuration> different;
    for (int i = 0; i < 300; ++i) {
      const space::Configuration member = *space.random_member(random);
      const space::Configuration mapped = *encoded.encode(member);
      QVERIFY(levels.contains(mapped));
      QCOMPARE(*encoded.decode(mapped), member);
      const auto drawn = levels.random_member(random);
      QVERIFY(drawn.has_value());
      const std::optional<space::Configuration> decoded = encoded.decode(*drawn);
      QVERIFY(decoded && space.contains(*decoded));
      QCOMPARE(*encoded.encode(*decoded), *drawn);
      different.insert(*decoded);
      check_verdicts(space, encoded, random);
    }
    QVERIFY(different.size() > 150);
  }

 private:
  /** Of any configuration, the constraints say the same in both. */
  static void check_verdicts(const space::SearchSpace& space, const space::EncodedSpace& encoded,
                             base::Random& random) {
    const space::Configuration any = space.at(random.below_wide(space.size()));
    const space::Evaluation own = space.constraints().evaluate(space.knobs(), any);
    const space::SearchSpace& levels = encoded.space();
    const space::Evaluation other = levels.constraints().evaluate(levels.knobs(), *encoded.encode(any));
    QCOMPARE(other.violated, own.violated);
    for (const std::size_t violated : own.violated)
      QCOMPARE(levels.constraints().explain(violated, other), space.constraints().explain(violated, own));
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleEncodingTest)

}  // namespace kernelscape::schedule_encoding_test
#include "schedule_encoding_test.moc"
