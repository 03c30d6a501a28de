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
    std::vector<ComparedVendor> vendors(12, {"oneDNN 2.6.3", "direct", "a"});
    QCOMPARE(vendor_difference_text(vendors, {"layer", "layers"}), std::string());
    QCOMPARE(common_vendor_title(vendors), std::string("oneDNN 2.6.3 direct"));
    vendors.resize(15, {"oneDNN 3.7.2", "direct", "b"});
    vendors.push_back({});  // was not compared
    QCOMPARE(vendor_difference_text(vendors, {"layer", "layers"}),
             std::string("Compared with different libraries: oneDNN 2.6.3 direct (12 layers), oneDNN 3.7.2 "
                         "direct (3 layers). Shares of the vendor are not comparable."));
    QCOMPARE(common_vendor_title(vendors), std::string("several libraries"));
  }

  void algorithms_matter_within_a_task() {
    const std::vector<ComparedVendor> tasks{{"oneDNN 3.7.2", "direct", "a"},
                                            {"oneDNN 3.7.2", "Winograd", "b"}};
    QCOMPARE(vendor_difference_text(tasks, {"layer", "layers"}), std::string());
    QCOMPARE(common_vendor_title(tasks), std::string("oneDNN 3.7.2"));
    const std::vector<ComparedVendor> sessions{{"oneDNN 3.7.2", "direct", "a"},
                                               {"oneDNN 3.7.2", "Winograd", "a"}};
    QVERIFY(vendor_difference_text(sessions, {"session", "sessions"})
                .starts_with("Compared with different algorithms: oneDNN 3.7.2 Winograd (1 session), "));
    // Sessions of older versions do not say which algorithm it was.
    const std::vector<ComparedVendor> older{{"oneDNN 3.7.2", "", "a"}, {"oneDNN 3.7.2", "direct", "a"}};
    QCOMPARE(vendor_difference_text(older, {"session", "sessions"}), std::string());
    QCOMPARE(vendor_difference_text({}, {"session", "sessions"}), std::string());
    QCOMPARE(common_vendor_title({}), std::string());
  }

  void titles() {
    VendorResult vendor;
    vendor.name = "oneDNN 2.6.3";
    QCOMPARE(vendor_title(vendor), std::string("oneDNN 2.6.3"));
    vendor.algorithm = "direct";
    QCOMPARE(vendor_title(vendor), std::string("oneDNN 2.6.3 direct"));
  }

  void the_algorithm_is_stored() {
    Baselines baselines;
    baselines.vendor.name = "oneDNN 3.7.2";
    baselines.vendor.samples_seconds = {1e-3};
    const std::string old = baselines_to_json(baselines);
    QVERIFY(!old.contains("algorithm"));  // as those of before
    QCOMPARE(baselines_from_json(old)->vendor.algorithm, std::string());
    baselines.vendor.algorithm = "Winograd";
    QVERIFY(*baselines_from_json(baselines_to_json(baselines)) == baselines);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialVendorComparisonTest)

}  // namespace kernelscape::trial_vendor_comparison_test
#include "trial_vendor_comparison_test.moc"
