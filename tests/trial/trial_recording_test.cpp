#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cstring>
#include <random>
#include <stdexcept>

#include "core/base/file.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"
#include "tests/exchange/forged_recording.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::trial_recording_test {
using namespace kernelscape::recording_test;
using exchange_tests::recorded_header_bytes;
using exchange_tests::RecordedPlaces;
using exchange_tests::with_right_checksum;

namespace {

base::Random seeded_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

/** -0.0 and 0.0 are two. */
bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_row(const trial::Row& a, const trial::Row& b) {
  return a.category == b.category && a.cut_short == b.cut_short && a.sample_count == b.sample_count &&
         a.samples_saved == b.samples_saved && same_bits(a.median_seconds, b.median_seconds) &&
         same_bits(a.first_quartile_seconds, b.first_quartile_seconds) &&
         same_bits(a.third_quartile_seconds, b.third_quartile_seconds) &&
         a.build_seconds == b.build_seconds && a.run_seconds == b.run_seconds && a.message == b.message &&
         a.resources == b.resources && a.build_log == b.build_log;
}

void compare_row(const trial::Recording& recording, std::uint32_t row, base::uint128 index,
                 const trial::Measurement& expected) {
  QVERIFY(recording.index(row) == index);
  const space::Configuration configuration = recording.whole_space().at(index);
  QVERIFY(recording.configuration(row) == configuration);
  QCOMPARE(recording.find(configuration), std::optional(row));
  QVERIFY(recording.measurement(row) == expected);
  QVERIFY(same_bits(recording.seconds(row), expected.valid() ? expected.ranking_seconds() : 0));
  QVERIFY(recording.category(row) == expected.category);
  QVERIFY(std::ranges::equal(recording.samples(row), expected.samples_seconds));
  QCOMPARE(recording.message(row).has_value(), !expected.message.empty());
  const std::int64_t message = recording.message(row) ? -700 + std::int64_t{*recording.message(row)} : 0;
  QCOMPARE(recording.build_log(row).has_value(), !expected.build_log.empty());
  const std::int64_t log = recording.build_log(row) ? -700 + std::int64_t{*recording.build_log(row)} : 0;
  const trial::Row expected_row = trial::make_row({0, 0, 0, configuration, expected, 0}, message, log);
  QVERIFY(same_row(recording.trial_row(row, -700), expected_row));
  QVERIFY(recording.resources(row) == expected.resources);
}

void compare(const trial::Recording& recording, const ExpectedRecording& expected, bool complete) {
  QVERIFY(recording.header() == expected.header);
  QCOMPARE(recording.size(), expected.rows.size());
  QCOMPARE(recording.complete(), complete);
  QCOMPARE(recording.whole_space().fingerprint(), expected.swept.fingerprint());
  std::vector<space::Configuration> members;
  std::optional<std::uint32_t> best;
  std::uint32_t row = 0;
  for (const auto& [index, measurement] : expected.rows) {
    compare_row(recording, row, index, measurement);
    members.push_back(expected.swept.at(index));
    const double seconds = measurement.valid() ? measurement.ranking_seconds() : 0;
    if (seconds > 0 && (!best || seconds < recording.seconds(*best))) best = row;
    ++row;
  }
  QCOMPARE(recording.best(), best);
  const space::SearchSpace space =
      complete ? expected.swept : *space::SearchSpace::make_explicit(expected.swept.knobs(), members);
  QCOMPARE(recording.space().fingerprint(), space.fingerprint());
  QCOMPARE(recording.columns().size(), expected.columns.size());
  for (const trial::RecordedColumn& column : recording.columns()) {
    const auto& values = expected.columns.at(column.name);
    row = 0;
    for (const auto& [index, measurement] : expected.rows) {
      const auto value = values.find(index);
      QVERIFY(value == values.end() ? std::isnan(column.values[row])
                                    : same_bits(column.values[row], value->second));
      ++row;
    }
  }
}

/** A small file whose columns are all there. */
std::string small_file(base::Random& random) {
  const ExpectedRecording expected = random_recording(random, SpaceShape::Constrained, false);
  return std::string((*build(random, expected))->bytes());
}

/** Reads all that there is: nothing may lie outside of the bytes. */
void read_all(const trial::Recording& recording) {
  std::size_t sum = recording.messages().size();
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    sum += recording.measurement(row).samples_seconds.size() + recording.configuration(row).indices.size();
    const trial::Row table_row = recording.trial_row(row, 0);
    sum += static_cast<std::size_t>(table_row.sample_count);
    QVERIFY(!table_row.resources || table_row.resources->plausible());
    QCOMPARE(recording.find(recording.configuration(row)), std::optional(row));
    QVERIFY(recording.space().contains(recording.configuration(row)));
  }
  QVERIFY(sum > 0);
}

}  // namespace

class TrialRecordingTest : public QObject {
  Q_OBJECT

 private slots:
  void everything_comes_back_bit_for_bit_data() {
    QTest::addColumn<int>("shape");
    QTest::addColumn<bool>("all");
    QTest::addRow("product, all") << static_cast<int>(SpaceShape::Product) << true;
    QTest::addRow("product, some") << static_cast<int>(SpaceShape::Product) << false;
    QTest::addRow("constrained, all") << static_cast<int>(SpaceShape::Constrained) << true;
    QTest::addRow("constrained, some") << static_cast<int>(SpaceShape::Constrained) << false;
    QTest::addRow("listed, all") << static_cast<int>(SpaceShape::Explicit) << true;
    QTest::addRow("over 2^64") << static_cast<int>(SpaceShape::Wide) << false;
  }
  void everything_comes_back_bit_for_bit() {
    QFETCH(int, shape);
    QFETCH(bool, all);
    base::Random random = seeded_random();
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("space.ksrec").toStdString();
    for (int round = 0; round < 12; ++round) {
      const ExpectedRecording expected = random_recording(random, static_cast<SpaceShape>(shape), all);
      const auto built = build(random, expected);
      QVERIFY2(built, built ? "" : describe(built.error()).c_str());
      const bool complete = all_there(expected, static_cast<SpaceShape>(shape));
      compare(**built, expected, complete);
      QVERIFY(base::write_file_atomically(path, (*built)->bytes()));
      const auto opened = trial::Recording::open(path);
      QVERIFY2(opened, opened ? "" : describe(opened.error()).c_str());
      compare(**opened, expected, complete);
      QCOMPARE((*opened)->hash(), (*built)->hash());
      QCOMPARE((*opened)->bytes(), (*built)->bytes());
    }
  }

  void what_was_not_recorded_is_not_found() {
    base::Random random = seeded_random();
    const ExpectedRecording expected = random_recording(random, SpaceShape::Product, false);
    const auto recording = *build(random, expected);
    for (const space::Configuration& member : all_members(expected.swept))
      QCOMPARE(recording->find(member).has_value(), expected.rows.contains(expected.swept.index_of(member)));
    space::Configuration outside = recording->configuration(0);
    outside.indices[1] = recording->space().knobs()[1].count();
    QVERIFY(!recording->find(outside));
    outside.indices.pop_back();
    QVERIFY(!recording->find(outside));
    QVERIFY(!recording->find({}));
  }

  void a_whole_space_without_times_is_small() {
    trial::RecordingBuilder builder(
        {}, *space::SearchSpace::make({*space::Knob::factorization("a", 1 << 20, 3)}));
    const auto knob = *space::Knob::factorization("a", 1 << 20, 3);
    for (std::uint32_t i = 0; i < knob.count(); ++i)
      QVERIFY(builder.add({{i}}, failed(trial::ErrorCategory::InstantiationError, "same")));
    const auto recording = *builder.build();
    QVERIFY(recording->complete());
    QVERIFY(!recording->best());
    QCOMPARE(recording->messages().size(), 1U);
    QVERIFY(recording->bytes().size() < 2048 + 5 * knob.count());  // a category and a message each
  }

  void the_builder_refuses_what_cannot_be() {
    base::Random random = seeded_random();
    const space::SearchSpace space = random_space(random, SpaceShape::Constrained);
    trial::RecordingBuilder builder(named_header("name"), space);
    QCOMPARE(builder.build().error().code, ErrorCode::InvalidArgument);
    QVERIFY(!builder.add({{0}}, {}));
    space::Configuration outside;
    do {
      outside = space.at(random.below(static_cast<std::uint64_t>(space.size())));
    } while (space.contains(outside));
    QCOMPARE(builder.add(outside, {}).error().code, ErrorCode::InvalidArgument);
    const space::Configuration member = *space.random_member(random);
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    for (const double wrong : {-1.0, nothing, std::numeric_limits<double>::infinity()}) {
      QVERIFY(!builder.add(member, timed({1, wrong})));
      QVERIFY(!builder.add(member, timed({1}, wrong)));
      QVERIFY(!builder.add(member, timed({1}, 0, wrong)));
      trial::Measurement measurement = timed({});
      measurement.recorded_seconds = wrong;
      QVERIFY(!builder.add(member, measurement));
    }
    trial::Measurement measurement = timed({1});
    measurement.worst_error = -1;
    QVERIFY(!builder.add(member, measurement));
    QCOMPARE(builder.size(), 0U);
    QVERIFY_EXCEPTION_THROWN(builder.set_column("x", member, 1), std::invalid_argument);
    measurement = failed(trial::ErrorCategory::WrongAnswer, "m");
    measurement.samples_seconds = {1};
    measurement.recorded_seconds = 2;
    QVERIFY(builder.add(member, measurement));
    const auto recording = *builder.build();
    QCOMPARE(recording->seconds(0), 0.0);
    QVERIFY(recording->samples(0).empty());
    QCOMPARE(recording->measurement(0).recorded_seconds, 0.0);
  }

  void every_truncation_is_an_error() {
    base::Random random = seeded_random();
    const std::string whole = small_file(random);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("cut.ksrec").toStdString();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto cut = trial::Recording::from_bytes(whole.substr(0, size), "cut");
      QVERIFY2(!cut, qPrintable(QString("%1 of %2 bytes").arg(size).arg(whole.size())));
      QVERIFY(cut.error().message.find("cut") != std::string::npos);
      if (size < RecordedPlaces::header) continue;
      // Without the checksum, too.
      QVERIFY(!trial::Recording::from_bytes(with_right_checksum(whole.substr(0, size)), "cut"));
      if (size % 16 != 0) continue;
      QVERIFY(base::write_file_atomically(path, std::string_view(whole).substr(0, size)));
      QVERIFY(!trial::Recording::open(path));
    }
    QVERIFY(!trial::Recording::from_bytes(whole + '\0', "long"));
    QVERIFY(!trial::Recording::from_bytes(with_right_checksum(whole + std::string(8, '\0')), "long"));
  }

  void every_flipped_bit_is_an_error() {
    base::Random random = seeded_random();
    const std::string whole = small_file(random);
    for (std::size_t position = 0; position < whole.size(); ++position) {
      std::string damaged = whole;
      damaged[position] = static_cast<char>(damaged[position] ^ (1 << random.below(8)));
      const auto read = trial::Recording::from_bytes(damaged, "damaged");
      QVERIFY2(!read, qPrintable(QString("byte %1").arg(position)));
    }
  }

  void a_lie_with_a_right_checksum_never_crashes() {
    base::Random random = seeded_random();
    int accepted = 0;
    int refused = 0;
    for (int file = 0; file < 20; ++file) {
      const std::string whole = small_file(random);
      for (int round = 0; round < 400; ++round) {
        std::string damaged = whole;
        for (std::uint64_t i = 0; i <= random.below(4); ++i) {
          const std::size_t position = random.chance(0.3) ? 8 + random.below(16) : random.below(whole.size());
          const bool bit = random.chance(0.5);
          damaged[position] = static_cast<char>(bit ? damaged[position] ^ (1 << random.below(8))
                                                    : static_cast<int>(random.below(256)));
        }
        const auto read = trial::Recording::from_bytes(with_right_checksum(damaged), "damaged");
        read ? ++accepted : ++refused;
        if (read) read_all(**read);
      }
    }
    QVERIFY(refused > 100);
    QVERIFY(accepted > 0);  // other samples are other samples
  }

  void rows_out_of_order_are_refused() {
    base::Random random = seeded_random();
    const space::SearchSpace space = random_space(random, SpaceShape::Product);
    trial::RecordingBuilder builder({}, space);
    for (const std::uint64_t index : {5U, 9U, 31U}) QVERIFY(builder.add(space.at(index), timed({1})));
    const std::string whole((*builder.build())->bytes());
    const std::size_t indices = RecordedPlaces::columns(recorded_header_bytes(whole));
    const auto with_indices = [&](std::array<std::uint64_t, 3> values) {
      std::string changed = whole;
      std::memcpy(changed.data() + indices, values.data(), sizeof values);
      return trial::Recording::from_bytes(with_right_checksum(changed), "changed");
    };
    QVERIFY(with_indices({5, 9, 31}));
    QVERIFY(with_indices({0, 9, 31}));
    QVERIFY(!with_indices({9, 5, 31}));
    QVERIFY(!with_indices({5, 5, 31}));
    QVERIFY(!with_indices({5, 9, static_cast<std::uint64_t>(space.size())}));
    QVERIFY(!with_indices({5, 9, ~std::uint64_t{0}}));
  }

  void more_samples_than_a_trial_has_are_refused() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    constexpr auto most = static_cast<std::size_t>(trial::max_repeats);
    trial::RecordingBuilder builder({}, space);
    QVERIFY(builder.add({{0}}, timed(std::vector<double>(most, 1.0))));
    QVERIFY(builder.add({{1}}, timed({1, 1})));
    QVERIFY(!builder.add({{2}}, timed(std::vector<double>(most + 1, 1.0))));
    std::string bytes((*builder.build())->bytes());
    QVERIFY(trial::Recording::from_bytes(bytes, "whole"));
    // A sample of the second row is said to be the first one's.
    const std::array<std::uint64_t, 3> offsets{0, most, most + 2};
    const std::array<std::uint64_t, 3> lie{0, most + 1, most + 2};
    const std::size_t place =
        bytes.find(std::string(reinterpret_cast<const char*>(offsets.data()), sizeof offsets));
    QVERIFY(place != std::string::npos);
    std::memcpy(bytes.data() + place, lie.data(), sizeof lie);
    const auto read = trial::Recording::from_bytes(with_right_checksum(bytes), "lie");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::Corrupt);
    QVERIFY2(read.error().message.contains("more samples"), read.error().message.c_str());
  }

  void other_files_are_distinguished_from_ours() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QCOMPARE(trial::Recording::open(path / "missing.ksrec").error().code, ErrorCode::NotFound);
    QCOMPARE(trial::Recording::open(path / "missing.ksrec").error().hint,
             std::string("`kernelscape sweep TASK` makes one"));
    QCOMPARE(trial::Recording::open(path).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(trial::Recording::open(path).error().hint, std::string("name a file, not a folder"));
    for (const std::string& text :
         {std::string(), std::string("short"), std::string(1000, 'x'), std::string(1000, '\0')}) {
      QVERIFY(base::write_file_atomically(path / "text", text));
      const auto read = trial::Recording::open(path / "text");
      QCOMPARE(read.error().code, ErrorCode::InvalidArgument);
      QVERIFY(read.error().message.find((path / "text").string()) != std::string::npos);
    }
    base::Random random = seeded_random();
    std::string newer = small_file(random);
    for (const int version : {0, 4, 255}) {
      newer[7] = static_cast<char>(version);
      QCOMPARE(trial::Recording::from_bytes(newer, "newer").error().code, ErrorCode::Refused);
    }
  }

  void only_what_older_programs_do_not_know_has_a_newer_version() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    const auto file_of = [&](const trial::Measurement& measurement) {
      trial::RecordingBuilder builder({}, space);
      if (!builder.add({{1}}, timed({1})) || !builder.add({{2}}, measurement))
        throw std::invalid_argument("a measurement that is refused");
      return std::string((*builder.build())->bytes());
    };
    QCOMPARE(file_of(timed({2}))[7], '\1');
    trial::Measurement logged = timed({2});
    logged.build_log = "a warning";
    QCOMPARE(file_of(logged)[7], '\2');
    // Nothing is known of the kernel, but that it is one of a GPU.
    trial::Measurement unknown = timed({2});
    unknown.resources.emplace();
    std::string bytes = file_of(unknown);
    QCOMPARE(bytes[7], '\2');
    const auto recording = trial::Recording::from_bytes(bytes, "unknown");
    QVERIFY(recording && (*recording)->has_resources());
    QVERIFY(!(*recording)->resources(0) && (*recording)->resources(1) == trial::KernelResources());
    QVERIFY(!(*trial::Recording::from_bytes(file_of(logged), "logged"))->has_resources());
    for (std::string claimed : {bytes, file_of(logged)}) {
      claimed[7] = '\1';
      QCOMPARE(trial::Recording::from_bytes(claimed, "claimed").error().code, ErrorCode::Corrupt);
    }
    trial::Measurement probed = timed({2});
    probed.memory_probe_after_seconds = 1e-3;
    std::string newest = file_of(probed);
    QCOMPARE(newest[7], '\3');
    QVERIFY((*trial::Recording::from_bytes(newest, "newest"))->has_probes());
    QVERIFY(!(*trial::Recording::from_bytes(bytes, "unknown"))->has_probes());
    newest[7] = '\2';
    QCOMPARE(trial::Recording::from_bytes(newest, "claimed").error().code, ErrorCode::Corrupt);
  }

  void resources_that_no_kernel_has_are_refused() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    const auto refused = [&](const trial::KernelResources& resources) {
      trial::RecordingBuilder builder({}, space);
      trial::Measurement measurement = timed({2});
      measurement.resources = resources;
      return !builder.add({{2}}, measurement);
    };
    QVERIFY(!refused({.registers = 255, .spilled_bytes = 4, .occupancy = 1}));
    QVERIFY(refused({.registers = -1}));
    QVERIFY(refused({.spilled_bytes = -1}));
    QVERIFY(refused({.shared_bytes = -1}));
    QVERIFY(refused({.threads = -1}));
    QVERIFY(refused({.occupancy = 1.01}));
    QVERIFY(refused({.occupancy = std::numeric_limits<double>::quiet_NaN()}));
    QVERIFY(refused({.limited_by = static_cast<trial::OccupancyLimit>(trial::occupancy_limit_count)}));
  }

  void kernels_that_were_only_built_are_valid_and_never_the_best() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    trial::RecordingBuilder builder({}, space);
    for (std::uint32_t index = 0; index < 3; ++index) {
      trial::Measurement built;
      built.build_seconds = 1;
      built.resources = trial::KernelResources{.registers = 32};
      QVERIFY(builder.add({{index}}, built));
    }
    const auto all_built = *builder.build();
    QVERIFY(!all_built->best());
    QVERIFY(all_built->category(0) == trial::ErrorCategory::NoError && all_built->seconds(0) == 0);
    QVERIFY(builder.add({{5}}, timed({0.5})));
    const auto one_timed = *builder.build();
    QCOMPARE(one_timed->best(), std::optional(3U));
  }

  void times_add_up() {
    trial::RecordingBuilder builder({}, *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)}));
    for (std::uint32_t i = 0; i < 7; ++i) QVERIFY(builder.add({{i}}, timed({}, i, 0.5)));
    const auto recording = *builder.build();
    QCOMPARE(trial::recorded_finished_seconds(*recording),
             (std::vector<double>{0.5, 2, 4.5, 8, 12.5, 18, 24.5}));
  }

 private:
  /** The members are counted one by one. */
  static bool all_there(const ExpectedRecording& expected, SpaceShape shape) {
    if (shape == SpaceShape::Wide) return false;
    return all_members(expected.swept).size() == expected.rows.size();
  }
};

KERNELSCAPE_PLAIN_TEST(TrialRecordingTest)

}  // namespace kernelscape::trial_recording_test
#include "trial_recording_test.moc"
