#include <QTest>
#include <algorithm>

#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::store_series_test {
using namespace kernelscape::store_test;

namespace {

std::vector<store::StoredSeries> visited(const store::Store& store, store::SessionId id, std::int64_t first) {
  std::vector<store::StoredSeries> values;
  const Status read =
      store.series().visit(id, first, [&](const store::StoredSeries& value) { values.push_back(value); });
  return read ? values : std::vector<store::StoredSeries>{{-1, "unreadable", 0}};
}

/** A batch's values, some of them missing, some names long. */
std::vector<store::StoredSeries> random_batch(base::Random& random, std::int64_t first_trial,
                                              std::int64_t trials) {
  std::vector<store::StoredSeries> values;
  for (std::int64_t trial = first_trial; trial < first_trial + trials; ++trial) {
    for (const char* name : {"epsilon", "predicted_deviation_of_the_mean", "\xff'; DROP TABLE series"})
      if (random.chance(0.7)) values.push_back({trial, name, random.uniform() - 0.5});
  }
  return values;
}

}  // namespace

class StoreSeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_reader_that_resumes_sees_every_value_once() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const store::SessionId other =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    std::vector<store::StoredSeries> all;
    std::vector<store::StoredSeries> read;
    std::int64_t next_trial = 0;
    std::int64_t next_read = 0;
    for (int batch = 0; batch < 40; ++batch) {
      const auto trials = static_cast<std::int64_t>(random.below(9));
      const std::vector<store::StoredSeries> values = random_batch(random, next_trial, trials);
      VERIFY_RESULT(store->series().append(other, values));
      VERIFY_RESULT(store->series().append(id, values));
      all.insert(all.end(), values.begin(), values.end());
      next_trial += trials;
      if (random.chance(0.4)) continue;
      for (const store::StoredSeries& value : visited(*store, id, next_read)) {
        read.push_back(value);
        next_read = value.trial + 1;
      }
    }
    const std::vector<store::StoredSeries> rest = visited(*store, id, next_read);
    read.insert(read.end(), rest.begin(), rest.end());
    std::ranges::sort(all, {},
                      [](const store::StoredSeries& value) { return std::tie(value.trial, value.series); });
    QVERIFY(read == all);
    QVERIFY(visited(*store, id, 0) == all);
    QVERIFY(store->series().of(id).value() == all);
    const auto first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(next_trial) + 2));
    std::erase_if(all, [&](const store::StoredSeries& value) { return value.trial < first; });
    QVERIFY(visited(*store, id, first) == all);
  }

  void values_that_are_no_numbers_come_back_as_such() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    QVERIFY(visited(*store, id, 0).empty());
    QVERIFY(visited(*store, id + 1, 0).empty());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    VERIFY_RESULT(
        store->series().append(id, std::vector<store::StoredSeries>{{0, "a", nan}, {0, "b", HUGE_VAL}}));
    const std::vector<store::StoredSeries> values = visited(*store, id, 0);
    QCOMPARE(values.size(), std::size_t{2});
    QVERIFY(std::isnan(values[0].value));
    QCOMPARE(values[1].value, HUGE_VAL);
    QCOMPARE(visited(*store, id, 1).size(), std::size_t{0});
  }
};

KERNELSCAPE_PLAIN_TEST(StoreSeriesTest)

}  // namespace kernelscape::store_series_test
#include "store_series_test.moc"
