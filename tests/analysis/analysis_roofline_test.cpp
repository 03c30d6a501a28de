#include <QTest>
#include <algorithm>

#include "core/analysis/roofline.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_roofline_test {

namespace {

/** 100 GFLOP/s; 1,000, 400, 200 and 20 GB/s. */
trial::MachineCeilings some_ceilings() {
  return {.peak_gflops = 100,
          .levels = {{base::MemoryLevel::L1, 1000e9, 16e3},
                     {base::MemoryLevel::L2, 400e9, 256e3},
                     {base::MemoryLevel::L3, 200e9, 8e6},
                     {base::MemoryLevel::Memory, 20e9, 256e6}},
          .threads = 2,
          .measured_utc = "2024-01-01T00:00:00Z",
          .notices = {"one thing"}};
}

/** 1 GFLOP in so many seconds, with so many bytes of each level. */
analysis::RooflineKernel kernel_of(double seconds, const base::PerLevel<double>& bytes) {
  analysis::RooflineKernel kernel{1e9, seconds, {}};
  for (std::size_t level = 0; level < base::memory_level_count; ++level)
    kernel.traffic[level].bytes = bytes[level];
  return kernel;
}

bool mentions(const std::vector<std::string>& notices, const std::string& word) {
  return std::ranges::any_of(
      notices, [&](const std::string& notice) { return notice.find(word) != std::string::npos; });
}

}  // namespace

class AnalysisRooflineTest : public QObject {
  Q_OBJECT

 private slots:
  void a_kernel_far_from_memory_computes() {
    const auto place = analysis::roofline_place(some_ceilings(), kernel_of(1 / 84.0, {1e9, 1e8, 1e7, 1e6}));
    QVERIFY(place);
    QVERIFY(!place->bound);
    QCOMPARE(place->sentence, std::string("compute: 84 % of the FMA peak at this intensity"));
    QCOMPARE(place->points.size(), base::memory_level_count);
    QCOMPARE(place->points[3].intensity, 1000.0);
    QCOMPARE(place->points[3].roof_gflops, 100.0);
  }

  void a_kernel_of_bytes_has_a_peak_of_its_own() {
    trial::MachineCeilings ceilings = some_ceilings();
    analysis::RooflineKernel kernel = kernel_of(1 / 200.0, {1e9, 1e8, 1e7, 1e6});
    kernel.peak = trial::PeakKind::ByteProducts;
    const auto unknown = analysis::roofline_place(ceilings, kernel);
    QVERIFY(!unknown);
    QVERIFY2(unknown.error().message.find("8-bit peak was not measured") != std::string::npos,
             unknown.error().message.c_str());
    ceilings.byte_peak_gflops = 400;
    const auto place = analysis::roofline_place(ceilings, kernel);
    QVERIFY(place);
    QCOMPARE(place->peak, trial::PeakKind::ByteProducts);
    QCOMPARE(place->sentence, std::string("compute: 50 % of the 8-bit peak at this intensity"));
    QCOMPARE(place->points[3].roof_gflops, 400.0);
  }

  void the_lowest_roof_bounds() {
    // 10 flop for a byte of L2 leave all of the peak, 0.5 for one of memory leave 10 GFLOP/s.
    const auto place = analysis::roofline_place(some_ceilings(), kernel_of(1 / 9.1, {1e9, 1e8, 1e8, 2e9}));
    QVERIFY(place);
    QCOMPARE(place->bound, std::optional(base::MemoryLevel::Memory));
    QVERIFY(qAbs(place->share_of_bound - 0.91) < 1e-9);
    QCOMPARE(place->sentence,
             std::string("memory: 91 % of the bandwidth of memory, by the estimated traffic"));
    QVERIFY(mentions(place->notices, "estimate"));
  }

  void what_stays_nearer_is_no_bound() {
    analysis::RooflineKernel kernel = kernel_of(1 / 80.0, {1e9, 1e8, 1e8, 2e9});
    kernel.traffic[base::place_of(base::MemoryLevel::Memory)].stays_nearer = true;
    const auto place = analysis::roofline_place(some_ceilings(), kernel);
    QVERIFY(place);
    QVERIFY(!place->bound);
    QVERIFY(place->points.back().stays_nearer);
  }

  void counted_bytes_are_called_counted() {
    trial::CounterReading reading;
    reading.llc_misses = 2e9 / 64;
    analysis::RooflineKernel kernel = kernel_of(1 / 9.0, {1e9, 1e8, 1e8, 1e6});
    kernel.traffic = analysis::with_counted_traffic(kernel.traffic, reading);
    QCOMPARE(*kernel.traffic[base::place_of(base::MemoryLevel::Memory)].bytes, 2e9);
    QVERIFY(kernel.traffic[base::place_of(base::MemoryLevel::L3)].origin ==
            analysis::TrafficOrigin::Estimated);
    const auto place = analysis::roofline_place(some_ceilings(), kernel);
    QVERIFY(place);
    QCOMPARE(place->sentence, std::string("memory: 90 % of the bandwidth of memory"));
  }

  void a_ceiling_that_is_beaten_is_reported_and_not_raised() {
    const trial::MachineCeilings ceilings = some_ceilings();
    const auto place = analysis::roofline_place(ceilings, kernel_of(1 / 150.0, {1e9, 1e8, 1e8, 1e6}));
    QVERIFY(place);
    QCOMPARE(place->share_of_peak, 1.5);
    QVERIFY(mentions(place->notices, "150.0 % of the measured FMA peak"));
    const auto memory = analysis::roofline_place(ceilings, kernel_of(1 / 20.0, {1e9, 1e8, 1e8, 2e9}));
    QVERIFY(memory);
    QVERIFY(mentions(memory->notices, "200 % of the measured bandwidth of memory"));
  }

  void a_kernel_below_all_roofs_is_held_by_something_else() {
    const auto place = analysis::roofline_place(some_ceilings(), kernel_of(1 / 10.0, {1e9, 1e8, 1e8, 1e6}));
    QVERIFY(place);
    QVERIFY(mentions(place->notices, "far below every roof"));
  }

  void without_numbers_there_is_no_place() {
    QVERIFY(!analysis::roofline_place({}, kernel_of(1, {1, 1, 1, 1})));
    QVERIFY(!analysis::roofline_place(some_ceilings(), kernel_of(0, {1, 1, 1, 1})));
    QVERIFY(!analysis::roofline_place(some_ceilings(), analysis::RooflineKernel{0, 1, {}}));
    const auto place = analysis::roofline_place(some_ceilings(), analysis::RooflineKernel{1e9, 1, {}});
    QVERIFY(place);
    QVERIFY(place->points.empty());
  }

  void doubts_name_the_levels() {
    QVERIFY(trial::doubts_about(some_ceilings()).empty());
    trial::MachineCeilings odd = some_ceilings();
    odd.levels[2].bytes_per_second = 500e9;
    odd.levels[3].bytes_per_second = 0;
    odd.peak_gflops = 0;
    const std::vector<std::string> doubts = trial::doubts_about(odd);
    QCOMPARE(doubts.size(), std::size_t{3});
    QVERIFY(mentions(doubts, "L3 was measured faster than L2 (500 GB/s and 400 GB/s)"));
    QVERIFY(mentions(doubts, "memory"));
    QVERIFY(mentions(doubts, "FMA peak"));
  }

  void ceilings_are_read_back() {
    const auto read = trial::machine_ceilings_from_json(trial::machine_ceilings_to_json(some_ceilings()));
    QVERIFY(read);
    QCOMPARE(*read, some_ceilings());
    trial::MachineCeilings of_bytes = some_ceilings();
    of_bytes.byte_peak_gflops = 400;
    QCOMPARE(*trial::machine_ceilings_from_json(trial::machine_ceilings_to_json(of_bytes)), of_bytes);
    // As they were stored before that peak was measured.
    const auto earlier =
        trial::machine_ceilings_from_json(R"({"peak_gflops": 100, "threads": 2, "levels": []})");
    QVERIFY(earlier);
    QCOMPARE(earlier->byte_peak_gflops, 0.0);
    for (const char* damaged :
         {"", "[]", "{}", R"({"peak_gflops": -1})", R"({"peak_gflops": 1e300})",
          R"({"peak_gflops": 1, "levels": [3]})", R"({"peak_gflops": 1, "levels": [{"level": "L9"}]})",
          R"({"peak_gflops": 1, "levels": [{"level": "L1", "bytes_per_second": "much"}]})"})
      QVERIFY2(!trial::machine_ceilings_from_json(damaged), damaged);
  }

  void counters_are_read_back() {
    trial::CounterReading reading;
    reading.cycles = 3e6;
    reading.instructions = 6e6;
    reading.task_clock_seconds = 1e-3;
    reading.seconds = 1e-3;
    reading.calls = 100;
    reading.threads = 2;
    reading.missing = {{"L1 misses", "the processor gives none", "run on the machine itself"}};
    const auto read = trial::counter_reading_from_json(trial::counter_reading_to_json(reading));
    QVERIFY(read);
    QCOMPARE(*read, reading);
    QCOMPARE(*read->hertz(), 3e9);
    QCOMPARE(*read->instructions_per_cycle(), 2.0);
    QVERIFY(!trial::CounterReading{}.hertz());
    for (const char* damaged : {"", "{}", R"({"seconds": 1, "calls": 1, "counted_share": 1, "cycles": -4})",
                                R"({"seconds": "1", "calls": 1, "counted_share": 1})"})
      QVERIFY2(!trial::counter_reading_from_json(damaged), damaged);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisRooflineTest)

}  // namespace kernelscape::analysis_roofline_test
#include "analysis_roofline_test.moc"
