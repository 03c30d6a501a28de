#include <QClipboard>
#include <QDialog>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/chart_file.h"

namespace kernelscape::charts_bars_test {
namespace {

analysis::ErrorBreakdown some_breakdown() {
  analysis::ErrorBreakdown breakdown;
  breakdown.categories[0] = {400, 20, 30};
  breakdown.categories[2] = {100, 5, 0};
  breakdown.categories[7] = {10, 1, 99};
  return breakdown;
}

int count_colour(const QImage& image, const QRectF& area, const QColor& colour) {
  int count = 0;
  const QRect pixels = area.toAlignedRect().intersected(image.rect());
  for (int y = pixels.top(); y <= pixels.bottom(); ++y)
    for (int x = pixels.left(); x <= pixels.right(); ++x)
      if (image.pixelColor(x, y) == colour) ++count;
  return count;
}

/** The fields of a file without quotes in it. */
std::vector<QStringList> fields_of(const QByteArray& csv) {
  std::vector<QStringList> rows;
  for (const QByteArray& line : csv.trimmed().split('\n'))
    rows.push_back(QString::fromUtf8(line).split(QLatin1Char(',')));
  return rows;
}

}  // namespace

class ChartsBarsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  void bars_start_at_zero_and_have_the_length_of_their_number() {
    charts::ErrorChart chart;
    chart.resize(800, 300);
    chart.set_data(some_breakdown());
    QCOMPARE(chart.categories(),
             std::vector({trial::ErrorCategory::NoError, trial::ErrorCategory::CompileHost,
                          trial::ErrorCategory::RunTimeout}));
    const auto valid = chart.bars_of(0);
    const auto host = chart.bars_of(1);
    const auto time_out = chart.bars_of(2);
    QCOMPARE(host.first.left(), valid.first.left());
    QCOMPARE(host.first.width(), valid.first.width() / 4);
    QCOMPARE(valid.second.width(), time_out.second.width() / 2);
    QCOMPARE(host.second.width(), time_out.second.width() / 20);
    QVERIFY(valid.first.right() < valid.second.left());
    QVERIFY(time_out.second.right() < chart.width());
    const QImage image = chart.to_image(1);
    QVERIFY(count_colour(image, valid.first, style::colours().accent) >
            0.9 * valid.first.width() * (valid.first.height() - 1));
    QVERIFY(count_colour(image, host.first, style::colours().of(trial::ErrorCategory::CompileHost).colour) >
            50);
    QCOMPARE(count_colour(image, host.first.translated(host.first.width() + 60, 0),
                          style::colours().of(trial::ErrorCategory::CompileHost).colour),
             0);
  }

  void rows_are_activated_by_mouse_and_keys() {
    charts::ErrorChart chart;
    chart.resize(800, 300);
    chart.set_data(some_breakdown());
    chart.show();
    qRegisterMetaType<trial::ErrorCategory>();
    QSignalSpy spy(&chart, &charts::ErrorChart::category_activated);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.bars_of(2).first.center().toPoint());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst()[0].value<trial::ErrorCategory>(), trial::ErrorCategory::RunTimeout);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(100, 298));
    QCOMPARE(spy.count(), 0);
    QTest::mouseMove(&chart, chart.bars_of(1).first.center().toPoint());
    QTRY_VERIFY(chart.readout().has_value());
    QVERIFY(chart.readout()->lines[0].contains(QStringLiteral("COMPILE_HOST")));
    QVERIFY(chart.readout()->lines[1].startsWith(QStringLiteral("100")));
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst()[0].value<trial::ErrorCategory>(), trial::ErrorCategory::RunTimeout);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.readout());
    QSignalSpy maximise(&chart, &charts::Chart::maximise_requested);
    QTest::keyClick(&chart, Qt::Key_Return);
    QTest::mouseDClick(&chart, Qt::LeftButton, {}, QPoint(10, 10));
    QCOMPARE(maximise.count(), 2);
  }

  void csv_equals_the_table() {
    charts::ErrorChart chart;
    chart.set_data(some_breakdown());
    const QString path = folder_.filePath(QStringLiteral("errors.csv"));
    QVERIFY(charts::save_chart(chart, path).has_value());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto rows = fields_of(file.readAll());
    QCOMPARE(rows.size(), std::size_t{4});
    QCOMPARE(rows[2], QStringList({"2", "COMPILE_HOST", "100", "5", "0", "5"}));
    QCOMPARE(rows[3][5].toDouble(), 100.0);
  }

  void csv_quotes_and_reads_back_exactly() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    charts::Table table{{"plain", "with, comma", "with \"quote\""}, {}};
    std::vector<double> numbers;
    for (int row = 0; row < 200; ++row) {
      double number = 0;
      do number = std::bit_cast<double>(random());
      while (!std::isfinite(number));
      numbers.push_back(number);
      table.rows.push_back({number, std::string("line\nbreak"), std::numeric_limits<double>::quiet_NaN()});
    }
    const std::string csv = charts::to_csv(table);
    QVERIFY(csv.starts_with("plain,\"with, comma\",\"with \"\"quote\"\"\"\n"));
    std::size_t place = csv.find('\n') + 1;
    for (const double number : numbers) {
      const std::size_t end = csv.find(',', place);
      // Not std::stod: it throws where a number is subnormal.
      QCOMPARE(std::strtod(csv.c_str() + place, nullptr), number);
      QCOMPARE(csv.substr(end, 15), std::string(",\"line\nbreak\",\n").substr(0, 15));
      place = end + 15;
    }
    QCOMPARE(place, csv.size());
  }

  void what_is_idle_of_a_fleet_is_its_queue() {
    charts::TimeChart chart;
    chart.set_data({10, 1, 2, 3});
    QVERIFY(chart.summary().contains("idle 40 %") && !chart.explanation().contains("queue"));
    chart.set_data({10, 1, 2, 3, {}, true});
    QVERIFY2(chart.summary().contains("queue 40 %") && !chart.summary().contains("idle"),
             qPrintable(chart.summary()));
    QVERIFY(charts::to_csv(chart.table()).find("queue") != std::string::npos);
    QVERIFY(chart.explanation().contains("queue"));
  }

  void save_by_suffix() {
    charts::TimeChart chart;
    chart.resize(400, 200);
    chart.set_data({10, 1, 2, 3});
    const QString png = folder_.filePath(QStringLiteral("time.PNG"));
    QVERIFY(charts::save_chart(chart, png).has_value());
    QCOMPARE(QImage(png).size(), QSize(800, 400));
    QVERIFY(charts::save_chart(chart, folder_.filePath(QStringLiteral("time.svg"))).has_value());
    const Status unknown = charts::save_chart(chart, folder_.filePath(QStringLiteral("time.bmp")));
    QVERIFY(!unknown && unknown.error().code == ErrorCode::InvalidArgument);
    QVERIFY(unknown.error().hint.find(".svg") != std::string::npos);
    const Status nowhere =
        charts::save_chart(chart, folder_.filePath(QStringLiteral("no/such/folder/time.svg")));
    QVERIFY(!nowhere && nowhere.error().code == ErrorCode::InvalidArgument);
  }

  /** All pairs of formats: a chart replaces one of its own kind, and else only by force. */
  void saved_charts_replace_their_own_kind() {
    charts::TimeChart chart;
    chart.resize(400, 200);
    chart.set_data({10, 1, 2, 3});
    const QStringList suffixes{QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("csv")};
    for (const QString& there : suffixes) {
      for (const QString& suffix : suffixes) {
        const QString first = folder_.filePath(QStringLiteral("first.") + there);
        QVERIFY(charts::save_chart(chart, first, true).has_value());
        const QString path = folder_.filePath(QStringLiteral("pair.") + suffix);
        QFile::remove(path);
        QVERIFY(QFile::copy(first, path));
        const Status saved = charts::save_chart(chart, path);
        QCOMPARE(saved.has_value(), there == suffix);
        if (!saved) QVERIFY(saved.error().code == ErrorCode::Occupied);
        QVERIFY(charts::save_chart(chart, path, true).has_value());
      }
    }
    const QString photo = folder_.filePath(QStringLiteral("photo.png"));
    QImage(3, 3, QImage::Format_RGB32).save(photo);
    QVERIFY(!charts::save_chart(chart, photo));
  }

  void clipboard_has_three_forms() {
    charts::TimeChart chart;
    chart.resize(400, 200);
    chart.set_data({10, 1, 2, 3});
    QSignalSpy spy(&chart, &charts::Chart::notified);
    chart.copy_to_clipboard();
    const QMimeData* content = QApplication::clipboard()->mimeData();
    QVERIFY(content->hasImage());
    QVERIFY(content->data(QStringLiteral("image/svg+xml")).contains("<svg"));
    QCOMPARE(content->text().toStdString(), charts::to_csv(chart.table()));
    QCOMPARE(spy.count(), 1);
  }

  void menu_table_and_explanation() {
    charts::TimeChart chart;
    chart.resize(400, 200);
    chart.set_data({10, 1, 2, 3});
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Menu);
    const auto* menu = chart.findChild<QMenu*>();
    QVERIFY(menu != nullptr && menu->isVisible());
    QAction* show = nullptr;
    for (QAction* action : menu->actions())
      if (action->text() == QLatin1String("Show as table")) show = action;
    QVERIFY(show != nullptr);
    show->trigger();
    const auto* view = chart.findChild<QTableView*>();
    QVERIFY(view != nullptr);
    QCOMPARE(view->model()->rowCount(), 4);
    QCOMPARE(view->model()->index(3, 0).data().toString(), QStringLiteral("idle"));
    QCOMPARE(view->model()->index(3, 1).data().toString(), QStringLiteral("4"));
    QVERIFY(!view->window()->isModal());
    chart.explain();
    QCOMPARE(chart.findChildren<QDialog*>().size(), 2);
  }

  void shares_of_wall_time() {
    charts::TimeChart chart;
    chart.resize(416, 200);
    chart.set_data({10, 1, 2, 3});
    const auto parts = chart.parts();
    QCOMPARE(parts[0].width(), 40.0);
    QCOMPARE(parts[1].width(), 80.0);
    QCOMPARE(parts[3].width(), 160.0);
    QCOMPARE(parts[3].right(), parts[0].left() + 400);
    const QImage image = chart.to_image(1);
    QVERIFY(count_colour(image, parts[2], style::colours().phases.run) >
            0.8 * parts[2].width() * parts[2].height());
    QVERIFY(chart.accessibleName().contains(QStringLiteral("build 20 %")));
    QVERIFY(chart.readout_at(parts[1].center())->lines[0].contains(QStringLiteral("build: 20 %")));
    QVERIFY(!chart.readout_at({5, 5}));
  }

  void what_was_saved_stands_behind_the_bar() {
    charts::TimeChart chart;
    chart.resize(416, 220);
    chart.set_data({10, 1, 2, 3, 0, 5});
    QVERIFY2(chart.saved_part().isEmpty(), "nothing was saved, whatever the seconds say");
    QCOMPARE(chart.table().columns.size(), std::size_t{3});
    chart.set_data({10, 1, 2, 3, 12'345, 30});
    // A quarter of what it would have taken was spent; the shares are of that.
    const auto parts = chart.parts();
    QCOMPARE(parts[0].width(), 10.0);
    QCOMPARE(parts[3].right(), parts[0].left() + 100);
    QCOMPARE(chart.saved_part().left(), parts[3].right());
    QCOMPARE(chart.saved_part().width(), 300.0);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("build 20 %")));
    const QString text = QStringLiteral("adaptive evaluator: 12,345 samples not needed, about 30 s saved");
    QVERIFY(chart.accessibleName().contains(text));
    QVERIFY(chart.to_svg().contains("12,345 samples not needed, about 30 s saved"));
    QCOMPARE(chart.readout_at(chart.saved_part().center())->lines[0], text);
    const charts::Table table = chart.table();
    QCOMPARE(table.rows.size(), std::size_t{5});
    QCOMPARE(std::get<double>(table.rows[4][1]), 30.0);
    QVERIFY(std::isnan(std::get<double>(table.rows[4][2])));
    QCOMPARE(std::get<double>(table.rows[4][3]), 12'345.0);
    double shares = 0;
    for (std::size_t row = 0; row < 4; ++row) shares += std::get<double>(table.rows[row][2]);
    QVERIFY(std::abs(shares - 1) < 1e-12);
    for (int step = 0; step < 7; ++step) QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.readout()->lines[0], text);
    // Before any time has passed there is no scale.
    chart.set_data({0, 0, 0, 0, 5, 30});
    QVERIFY(chart.saved_part().isEmpty());
  }

  void strange_numbers_do_no_harm() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    charts::TimeChart time;
    charts::ErrorChart errors;
    for (const QSize& size : {QSize(1, 1), QSize(60, 30), QSize(276, 180), QSize(900, 500)}) {
      time.resize(size);
      errors.resize(size);
      for (const double value : {0.0, nan, infinity, -5.0, 1e300, 1e-300}) {
        time.set_data({value, value, 1, value, size.width() % 2, value});
        analysis::ErrorBreakdown breakdown = some_breakdown();
        breakdown.categories[3] = {5, value, value};
        errors.set_data(breakdown);
        QVERIFY(!time.to_image(1).isNull() && !errors.to_image(2).isNull());
        QVERIFY(time.to_svg().endsWith("</svg>\n") && errors.to_svg().endsWith("</svg>\n"));
        for (const QRectF& part : time.parts()) QVERIFY(std::isfinite(part.width()) && part.width() >= 0);
      }
    }
  }

  void notices_take_the_place_of_the_data() {
    charts::ErrorChart chart;
    chart.resize(500, 300);
    chart.set_data(some_breakdown());
    chart.set_notice(QStringLiteral("nothing yet: press Start"));
    QCOMPARE(count_colour(chart.to_image(1), chart.rect(), style::colours().accent), 0);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("press Start")));
    QVERIFY(chart.to_svg().contains("press Start"));
    chart.set_notice({});
    QVERIFY(count_colour(chart.to_image(1), chart.rect(), style::colours().accent) > 1000);
  }

  void themes_repaint() {
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    charts::ErrorChart chart;
    chart.resize(500, 300);
    chart.set_data(some_breakdown());
    chart.show();
    style::apply_theme(application, style::ThemeChoice::Dark);
    QCOMPARE(chart.grab().toImage().pixelColor(250, 295), style::dark_colours().surface);
    style::apply_theme(application, style::ThemeChoice::Light);
    QCOMPARE(chart.grab().toImage().pixelColor(250, 295), style::light_colours().surface);
  }

 private:
  QTemporaryDir folder_;
};

KERNELSCAPE_TEST(ChartsBarsTest, QApplication)

}  // namespace kernelscape::charts_bars_test
#include "charts_bars_test.moc"
