#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/trial/baselines.h"
#include "core/trial/vendor_comparison.h"
#include "tests/test_program.h"

namespace kernelscape::trial_vendor_comparison_test {

/** Shares of a vendor's library are comparable only where it was the same library. */
class TrialVendorComparisonTest : public QObject {
  Q_OBJECT

 private slots:
  void different_versions_are_named_with_their_counts() {
    std::vector<trial::ComparedVendor> vendors(12, {"oneDNN 2.6.3", "direct", "a"});
    QCOMPARE(trial::vendor_difference_text(vendors, {"layer", "layers"}), std::string());
    QCOMPARE(trial::common_vendor_title(vendors), std::string("oneDNN 2.6.3 direct"));
    vendors.resize(15, {"oneDNN 3.7.2", "direct", "b"});
    vendors.push_back({});  // was not compared
    QCOMPARE(trial::vendor_difference_text(vendors, {"layer", "layers"}),
             std::string("Compared with different libraries: oneDNN 2.6.3 direct (12 layers), oneDNN 3.7.2 "
                         "direct (3 layers). Shares of the vendor are not comparable."));
    QCOMPARE(trial::common_vendor_title(vendors), std::string("several libraries"));
  }

  void algorithms_matter_within_a_task() {
    const std::vector<trial::ComparedVendor> tasks{{"oneDNN 3.7.2", "direct", "a"},
                                                   {"oneDNN 3.7.2", "Winograd", "b"}};
    QCOMPARE(trial::vendor_difference_text(tasks, {"layer", "layers"}), std::string());
    QCOMPARE(trial::common_vendor_title(tasks), std::string("oneDNN 3.7.2"));
    const std::vector<trial::ComparedVendor> sessions{{"oneDNN 3.7.2", "direct", "a"},
                                                      {"oneDNN 3.7.2", "Winograd", "a"}};
    QVERIFY(trial::vendor_difference_text(sessions, {"session", "sessions"})
                .starts_with("Compared with different algorithms: oneDNN 3.7.2 Winograd (1 session), "));
    // Sessions of older versions do not say which algorithm it was.
    const std::vector<trial::ComparedVendor> older{{"oneDNN 3.7.2", "", "a"},
                                                   {"oneDNN 3.7.2", "direct", "a"}};
    QCOMPARE(trial::vendor_difference_text(older, {"session", "sessions"}), std::string());
    QCOMPARE(trial::vendor_difference_text({}, {"session", "sessions"}), std::string());
    QCOMPARE(trial::common_vendor_title({}), std::string());
  }

  void titles() {
    trial::VendorResult vendor;
    vendor.name = "oneDNN 2.6.3";
    QCOMPARE(trial::vendor_title(vendor), std::string("oneDNN 2.6.3"));
    vendor.algorithm = "direct";
    QCOMPARE(trial::vendor_title(vendor), std::string("oneDNN 2.6.3 direct"));
  }

  void the_fastest_library_of_each_task_is_comparable() {
    const std::vector<trial::ComparedVendor> layers{
        {"oneDNN 2.6.3", "Winograd", "a"}, {"OpenBLAS 0.3.21", "", "b"}, {"OpenBLAS 0.3.21", "", "c"}};
    QCOMPARE(trial::vendor_difference_text(layers, {"layer", "layers"}), std::string());
    QCOMPARE(trial::common_vendor_title(layers), std::string("several libraries"));
    const std::vector<trial::ComparedVendor> sessions{{"oneDNN 2.6.3", "", "a"},
                                                      {"OpenBLAS 0.3.21", "", "a"}};
    QVERIFY(trial::vendor_difference_text(sessions, {"session", "sessions"})
                .starts_with("Compared with different libraries: OpenBLAS 0.3.21 (1 session), "));
  }

  void candidates_are_stored() {
    const std::uint64_t seed = 77;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 100; ++i) {
      trial::Baselines baselines;
      baselines.vendor.name = "BLIS 0.9.0";
      baselines.vendor.samples_seconds = {1e-3};
      const std::size_t count = random.below(5);
      for (std::size_t c = 0; c < count; ++c) {
        trial::VendorCandidate candidate{.name = "library " + std::to_string(c)};
        if (random.chance(0.5)) candidate.algorithm = "Winograd";
        if (random.chance(0.5)) candidate.implementation = "jit \"quoted\"";
        if (random.chance(0.3)) candidate.reason = "it has none";
        const std::size_t samples = random.below(4);
        for (std::size_t s = 0; s < samples; ++s)
          candidate.samples_seconds.push_back(1e-6 * static_cast<double>(1 + random.below(1000)));
        baselines.vendor.candidates.push_back(std::move(candidate));
      }
      const std::string text = trial::baselines_to_json(baselines);
      QVERIFY(*trial::baselines_from_json(text) == baselines);
      QCOMPARE(text.contains("candidates"), count > 0);  // without a choice as those of before
    }
    const auto damaged = trial::baselines_from_json(
        R"({"vendor": {"name": "a", "candidates": [7, {}, {"name": "b", "samples_seconds": [-1, 2]}]}})");
    QVERIFY(damaged);
    QCOMPARE(damaged->vendor.candidates.size(), std::size_t{1});
    QCOMPARE(damaged->vendor.candidates[0].samples_seconds, std::vector<double>{2});
  }

  void the_algorithm_is_stored() {
    trial::Baselines baselines;
    baselines.vendor.name = "oneDNN 3.7.2";
    baselines.vendor.samples_seconds = {1e-3};
    const std::string old = trial::baselines_to_json(baselines);
    QVERIFY(!old.contains("algorithm"));  // as those of before
    QCOMPARE(trial::baselines_from_json(old)->vendor.algorithm, std::string());
    baselines.vendor.algorithm = "Winograd";
    QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(baselines)) == baselines);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialVendorComparisonTest)

}  // namespace kernelscape::trial_vendor_comparison_test
#include "trial_vendor_comparison_test.moc"
