#include <QTest>
#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/base/random.h"
#include "core/trial/table.h"
#include "tests/test_program.h"
#include "tests/trial/random_resources.h"

namespace kernelscape::trial_table_test {

namespace {

/** Row and configuration follow from the index alone, so that any thread can say what must stand there. */
trial::Row row_at(std::int64_t index) {
  base::Random random(static_cast<std::uint64_t>(index));
  trial::Row row;
  row.number = index * 3;
  row.batch = static_cast<std::int32_t>(random.below(1000));
  row.position = static_cast<std::int32_t>(random.below(64));
  row.category = static_cast<trial::ErrorCategory>(random.below(trial::error_category_count));
  row.cut_short = random.chance(0.5);
  row.sample_count = static_cast<std::uint16_t>(random.below(65536));
  row.median_seconds = random.uniform();
  row.first_quartile_seconds = random.uniform();
  row.third_quartile_seconds = random.uniform();
  row.build_seconds = random.uniform();
  row.run_seconds = random.uniform();
  row.finished_seconds = random.uniform();
  row.message = static_cast<std::int64_t>(random.bits() >> 1);
  // Some chunks are without probes or GPU kernels, some get them late.
  if (index / 900 % 3 != 0 && random.chance(0.5)) {
    row.probe_before = {.compute = random.uniform(), .memory = random.uniform()};
    row.probe_after = {.compute = 0, .memory = 1e-3 + random.uniform()};
  }
  if (index / 700 % 3 == 0) return row;
  if (random.chance(0.5)) row.resources = random_resources(random);
  if (random.chance(0.2)) row.build_log = static_cast<std::int64_t>(1 + random.below(9));
  return row;
}

space::Configuration configuration_at(std::int64_t index, std::size_t knobs) {
  base::Random random(~static_cast<std::uint64_t>(index));
  space::Configuration configuration;
  for (std::size_t knob = 0; knob < knobs; ++knob) {
    configuration.indices.push_back(static_cast<std::uint32_t>(random.bits()));
  }
  return configuration;
}

bool same(const trial::Row& a, const trial::Row& b) {
  return a.number == b.number && a.batch == b.batch && a.position == b.position && a.category == b.category &&
         a.cut_short == b.cut_short && a.sample_count == b.sample_count &&
         a.median_seconds == b.median_seconds && a.first_quartile_seconds == b.first_quartile_seconds &&
         a.third_quartile_seconds == b.third_quartile_seconds && a.build_seconds == b.build_seconds &&
         a.run_seconds == b.run_seconds && a.finished_seconds == b.finished_seconds &&
         a.message == b.message && a.resources == b.resources && a.build_log == b.build_log &&
         a.probe_before == b.probe_before && a.probe_after == b.probe_after;
}

bool holds(const trial::Snapshot& snapshot, std::int64_t index) {
  const space::Configuration expected = configuration_at(index, snapshot.knob_count());
  for (std::size_t knob = 0; knob < snapshot.knob_count(); ++knob) {
    if (snapshot.knob_index(index, knob) != expected.indices[knob]) return false;
  }
  return same(snapshot.row(index), row_at(index)) && snapshot.configuration(index) == expected;
}

bool holds_all(const trial::Snapshot& snapshot) {
  for (std::int64_t index = 0; index < snapshot.size(); ++index) {
    if (!holds(snapshot, index)) return false;
  }
  return true;
}

void append_next(trial::Table& table, std::size_t knobs) {
  const std::int64_t index = table.size();
  table.append(row_at(index), configuration_at(index, knobs));
}

}  // namespace

class TrialTableTest : public QObject {
  Q_OBJECT

 private slots:
  void empty_table_has_no_rows() {
    trial::Table table(3);
    QCOMPARE(table.snapshot().size(), 0);
    QCOMPARE(table.snapshot().knob_count(), 3U);
    QVERIFY_EXCEPTION_THROWN(std::ignore = table.snapshot().row(0), std::out_of_range);
    QVERIFY_EXCEPTION_THROWN(std::ignore = trial::Snapshot().row(0), std::out_of_range);
  }

  void snapshots_keep_what_they_saw_data() {
    QTest::addColumn<int>("knobs");
    for (const int knobs : {0, 1, 10}) QTest::addRow("%d knobs", knobs) << knobs;
  }
  void snapshots_keep_what_they_saw() {
    QFETCH(int, knobs);
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    std::vector<trial::Snapshot> snapshots;
    std::vector<std::int64_t> sizes;
    {
      trial::Table table(static_cast<std::size_t>(knobs));
      for (int step = 0; step < 5000; ++step) {
        if (random.chance(0.01)) {
          snapshots.push_back(table.snapshot());
          sizes.push_back(table.size());
        }
        append_next(table, static_cast<std::size_t>(knobs));
      }
      snapshots.push_back(table.snapshot());
      sizes.push_back(5000);
    }
    // The table is gone.
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      QCOMPARE(snapshots[i].size(), sizes[i]);
      QVERIFY(holds_all(snapshots[i]));
      QVERIFY_EXCEPTION_THROWN(std::ignore = snapshots[i].row(sizes[i]), std::out_of_range);
      QVERIFY_EXCEPTION_THROWN(std::ignore = snapshots[i].configuration(-1), std::out_of_range);
    }
  }

  void readers_follow_a_growing_table() {
    constexpr std::int64_t trials = 20'000;
    constexpr std::size_t knobs = 4;
    trial::Table table(knobs);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> readers;
    for (std::uint64_t reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&table, &wrong, reader] {
        base::Random random(reader);
        trial::Snapshot oldest = table.snapshot();
        std::int64_t seen = 0;
        while (seen < trials) {
          const trial::Snapshot snapshot = table.snapshot();
          if (snapshot.size() < seen) ++wrong;
          seen = snapshot.size();
          if (seen == 0) continue;
          const auto any = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(seen)));
          if (!holds(snapshot, any) || !holds(snapshot, seen - 1)) ++wrong;
          if (oldest.size() == 0) oldest = snapshot;
        }
        if (!holds_all(oldest)) ++wrong;
      });
    }
    for (std::int64_t index = 0; index < trials; ++index) append_next(table, knobs);
    for (std::thread& reader : readers) reader.join();
    QCOMPARE(wrong.load(), 0);
    QVERIFY(holds_all(table.snapshot()));
  }

  void a_moved_table_resumes() {
    trial::Table first(2);
    append_next(first, 2);
    trial::Table second = std::move(first);
    append_next(second, 2);
    QCOMPARE(second.size(), 2);
    QVERIFY(holds_all(second.snapshot()));
  }

  void refuses_a_configuration_of_another_space() {
    trial::Table table(2);
    QVERIFY_EXCEPTION_THROWN(table.append({}, space::Configuration{{1, 2, 3}}), std::invalid_argument);
    QCOMPARE(table.size(), 0);
    append_next(table, 2);
    QVERIFY_EXCEPTION_THROWN(std::ignore = table.snapshot().knob_index(0, 2), std::out_of_range);
  }

  void a_million_trials_fit_in_memory() {
    trial::Table table(10);
    const space::Configuration configuration{std::vector<std::uint32_t>(10, 7)};
    for (std::int64_t index = 0; index < 1'000'000; ++index) table.append({.number = index}, configuration);
    QCOMPARE(table.snapshot().row(999'999).number, 999'999);
    QVERIFY(table.memory_bytes() < 150'000'000);
    QVERIFY(table.memory_bytes() > 100'000'000);  // it is counted, not forgotten

    const std::size_t without = table.memory_bytes();
    for (std::int64_t index = 0; index < 500'000; ++index)
      table.append({.number = index, .resources = trial::KernelResources{.registers = 32}}, configuration);
    QVERIFY(table.memory_bytes() - without > 75'000'000);
    QVERIFY(table.memory_bytes() - without < 90'000'000);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialTableTest)

}  // namespace kernelscape::trial_table_test
#include "trial_table_test.moc"
