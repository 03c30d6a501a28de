#include <QApplication>
#include <QLabel>
#include <QTest>
#include <algorithm>

#include "core/session/kernel_library.h"
#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/figures/headline.h"
#include "ui/figures/network_figures.h"
#include "ui/figures/progress_figure.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"
#include "ui/style/theme.h"
#include "ui/views/library/session_differences.h"
#include "ui/views/network/network_headline.h"

namespace kernelscape::vendor_difference_test {
using namespace kernelscape::gui_tests;

namespace {

const QString notice = QStringLiteral(
    "Compared with different libraries: oneDNN 2.6.3 direct (1 session), oneDNN 3.7.2 direct (1 session). "
    "Shares of the vendor are not comparable.");

}  // namespace

/** Sessions that were compared with different versions of a vendor's library, side by side. */
class VendorDifferenceTest : public QObject {
  Q_OBJECT

 private:
  TuneWindow window_;
  store::SessionId older_ = 0;
  store::SessionId newer_ = 0;

  workspace::Source source(store::SessionId id) const {
    const store::Store store = *store::Store::open(window_.database.path());
    return workspace::SourceReader(store, id).read().value();
  }

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    older_ = window_.database.add_session(20);
    newer_ = window_.database.add_session(20);
    window_.database.confirm(older_, 0.95, "oneDNN 2.6.3", "direct");
    window_.database.confirm(newer_, 0.9, "oneDNN 3.7.2", "direct");
  }

  void one_session_names_version_and_algorithm() {
    const workspace::Source one = source(older_);
    QVERIFY(figures::headline_text(*one, std::nullopt)
                .comparisons.join(QLatin1Char(' '))
                .contains("oneDNN 2.6.3 direct"));
    QCOMPARE(figures::references_of(*one).front().label, QStringLiteral("oneDNN 2.6.3 direct"));
    QVERIFY(figures::vendor_difference_text(std::vector<workspace::Source>{one, one}).isEmpty());
  }

  void two_sessions_say_that_they_differ() {
    const workspace::Source first = source(older_);
    const workspace::Source second = source(newer_);
    QCOMPARE(figures::vendor_difference_text(std::vector<workspace::Source>{first, second, nullptr}), notice);
    const std::vector<views::SessionDifference> lines = views::session_differences(*first, *second);
    const auto vendor = std::ranges::find(lines, QStringLiteral("vendor"), &views::SessionDifference::what);
    QVERIFY(vendor != lines.end());
    QCOMPARE(vendor->first, QStringLiteral("oneDNN 2.6.3 direct"));
    QCOMPARE(vendor->second, QStringLiteral("oneDNN 3.7.2 direct"));
  }

  void a_report_of_both() {
    const store::Store store = *store::Store::open(window_.database.path(), store::OpenMode::ReadOnly);
    const std::vector<store::SessionId> both{older_, newer_};
    QVERIFY(QString::fromUtf8(report::to_html(report::sessions_report_document(store, both).value()))
                .contains(notice));
    const std::vector<store::SessionId> twice{older_, older_};
    QVERIFY(!QString::fromUtf8(report::to_html(report::sessions_report_document(store, twice).value()))
                 .contains("different libraries"));
  }

  void a_pinned_session() {
    QVERIFY(open_and_wait(window_.workspace, older_));
    window_.workspace.set_pinned({newer_});
    const auto is_shown = [&] {
      const auto labels = window_.view.findChildren<QLabel*>();
      return std::ranges::any_of(labels, [](const QLabel* label) { return label->text().contains(notice); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(is_shown(), tune_deadline_milliseconds);
    window_.workspace.set_pinned({});
    QTRY_VERIFY_WITH_TIMEOUT(!is_shown(), tune_deadline_milliseconds);
  }

  void a_network_whose_layers_were_compared_with_both() {
    study::NetworkProgress network;
    for (const char* version : {"oneDNN 2.6.3", "oneDNN 3.7.2"}) {
      study::NetworkLayerOutcome layer;
      layer.trial = 0;
      layer.seconds = 1e-3;
      layer.vendor_name = version;
      layer.vendor_seconds = 2e-3;
      network.outcome.layers.push_back(layer);
      network.layers.emplace_back();
    }
    network.outcome.seconds_beside_vendor = 2e-3;
    network.outcome.vendor_seconds = 4e-3;
    network.outcome.vendor_title = "several libraries";
    network.outcome.vendor_notice = "Compared with different libraries";
    const figures::HeadlineText text = views::network_headline(network, {});
    QCOMPARE(text.comparisons.value(0), QStringLiteral("200 % of several libraries"));
    QVERIFY(text.warning.contains(QStringLiteral("Compared with different libraries")));
    QVERIFY(figures::layer_time_figure(network).text.caption.contains(
        QStringLiteral("Compared with different libraries")));
  }
};

KERNELSCAPE_TEST(VendorDifferenceTest, QApplication)

}  // namespace kernelscape::vendor_difference_test

#include "vendor_difference_test.moc"
