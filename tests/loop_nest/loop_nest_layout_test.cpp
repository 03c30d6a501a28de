#include <QTest>
#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "core/loop_nest/layout.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::loop_nest_layout_test {
using kernelscape::testing::random_seed;

namespace {

/** Every logical dimension in blocks of blocks, all blocks in any order; the outermost block covers the rest.
 */
loop_nest::Layout random_layout(base::Random& random) {
  loop_nest::Layout layout{"random", {}, {}};
  const std::uint64_t rank = 1 + random.below(4);
  for (std::uint64_t source = 0; source < rank; ++source) {
    const auto extent = static_cast<std::int64_t>(1 + random.below(13));
    layout.shape.push_back(extent);
    std::int64_t divisor = 1;
    for (std::uint64_t level = random.below(3); level > 0; --level) {
      const auto block = static_cast<std::int64_t>(1 + random.below(5));
      layout.dimensions.push_back({static_cast<int>(source), divisor, block});
      divisor *= block;
    }
    layout.dimensions.push_back({static_cast<int>(source), divisor, (extent + divisor - 1) / divisor});
  }
  random.shuffle(std::span(layout.dimensions));
  return layout;
}

}  // namespace

class LoopNestLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void packing_is_one_to_one_into_the_box() {
    base::Random random(random_seed());
    for (int i = 0; i < 1000; ++i) {
      const loop_nest::Layout layout = random_layout(random);
      std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
      QCOMPARE(static_cast<std::int64_t>(offsets.size()), layout.logical_count());
      std::vector<std::int64_t> index(layout.shape.size(), 0);
      for (const std::int64_t offset : offsets) {
        QVERIFY(offset == layout.offset(index));
        for (std::size_t axis = index.size(); axis-- > 0;) {
          if (++index[axis] < layout.shape[axis]) break;
          index[axis] = 0;
        }
      }
      std::ranges::sort(offsets);
      QVERIFY(std::ranges::adjacent_find(offsets) == offsets.end());
      QVERIFY(offsets.front() >= 0);
      QVERIFY(offsets.back() < layout.physical_count());
      QVERIFY(layout.physical_count() >= layout.logical_count());
    }
  }

  void row_major_is_the_identity() {
    const loop_nest::Layout layout = loop_nest::row_major("plain", {2, 3, 1, 5});
    std::vector<std::int64_t> expected(30);
    std::iota(expected.begin(), expected.end(), 0);
    QCOMPARE(loop_nest::physical_offsets(layout), expected);
    QCOMPARE(layout.physical_count(), std::int64_t{30});
  }

  /** 5 channels in blocks of 4: NCHW4c by hand. */
  void blocked_channels_with_a_remainder() {
    const loop_nest::Layout layout{
        "NCHW4c", {1, 5, 2, 3}, {{0, 1, 1}, {1, 4, 2}, {2, 1, 2}, {3, 1, 3}, {1, 1, 4}}};
    QCOMPARE(layout.physical_count(), std::int64_t{48});
    QCOMPARE(layout.offset({0, 0, 0, 0}), std::int64_t{0});
    QCOMPARE(layout.offset({0, 3, 1, 2}), std::int64_t{(1 * 3 + 2) * 4 + 3});
    QCOMPARE(layout.offset({0, 4, 1, 0}), std::int64_t{24 + 3 * 4});
  }
};

KERNELSCAPE_PLAIN_TEST(LoopNestLayoutTest)

}  // namespace kernelscape::loop_nest_layout_test
#include "loop_nest_layout_test.moc"
