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
