#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QStyle>
#include <QTest>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "tests/test_program.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape {
namespace {

constexpr double text_contrast = 4.5;
constexpr double graphics_contrast = 3;

std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

/** The number that a text shows, whatever its grouping. */
double number_in(QString text) {
  return text.remove(QLatin1Char(',')).section(QLatin1Char(' '), 0, 0).toDouble();
}

int significant_digits(const QString& text) {
  QString digits;
  for (const QChar character : text.section(QLatin1Char(' '), 0, 0).section(QLatin1Char('e'), 0, 0))
    if (character.isDigit()) digits.append(character);
  while (digits.startsWith(QLatin1Char('0'))) digits.remove(0, 1);
  if (!text.contains(QLatin1Char('.')))
    while (digits.endsWith(QLatin1Char('0'))) digits.chop(1);
  return static_cast<int>(digits.size());
}

QImage painted(const QIcon& icon) {
  QImage image(48, 48, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  icon.paint(&painter, image.rect());
  return image;
}

}  // namespace

class StyleTest : public QObject {
  Q_OBJECT

 private slots:
  void contrasts() {
    QCOMPARE(contrast_ratio(Qt::white, Qt::black), 21.0);
    for (const Colours* palette : {&light_colours(), &dark_colours()}) {
      for (const QColor& ground : {palette->window, palette->surface}) {
        for (const QColor& text :
             {palette->text, palette->muted_text, palette->accent, palette->warning, palette->marked,
              palette->syntax.keyword, palette->syntax.type, palette->syntax.number, palette->syntax.string,
              palette->syntax.comment, palette->syntax.preprocessor, palette->syntax.function})
          QVERIFY2(contrast_ratio(text, ground) >= text_contrast,
                   qPrintable(text.name() + QLatin1Char(' ') + ground.name()));
        QVERIFY(contrast_ratio(palette->focus_ring, ground) >= graphics_contrast);
      }
      for (const CategoryStyle& category : palette->categories)
        QVERIFY2(contrast_ratio(category.colour, palette->surface) >= graphics_contrast, &category.letter);
      for (std::size_t arm = 0; arm <= arm_style_count; ++arm)
        QVERIFY(contrast_ratio(palette->arm(arm).colour, palette->surface) >= graphics_contrast);
      for (const QColor& phase :
           {palette->phases.search, palette->phases.build, palette->phases.run, palette->phases.idle})
        QVERIFY(contrast_ratio(phase, palette->surface) >= graphics_contrast);
      QVERIFY(contrast_ratio(palette->selection_text, palette->selection) >= text_contrast);
      QVERIFY(contrast_ratio(palette->accent_text, palette->accent) >= text_contrast);
    }
  }

  void categories_and_arms_differ_without_colour() {
    for (const Colours* palette : {&light_colours(), &dark_colours()}) {
      std::set<char> letters;
      std::set<Hatch> hatches;
      std::set<QRgb> category_colours;
      for (const CategoryStyle& category : palette->categories) {
        letters.insert(category.letter);
        hatches.insert(category.hatch);
        category_colours.insert(category.colour.rgb());
      }
      QCOMPARE(letters.size(), error_category_count);
      QCOMPARE(hatches.size(), error_category_count);
      QCOMPARE(category_colours.size(), error_category_count);
      std::set<std::vector<double>> dashes;
      for (const ArmStyle& arm : palette->arms) dashes.insert(arm.dashes);
      QCOMPARE(dashes.size(), arm_style_count);
    }
    QCOMPARE(light_colours().of(ErrorCategory::NoError).letter, 'V');
    QCOMPARE(light_colours().of(ErrorCategory::NoError).colour, light_colours().accent);
    const int hue = light_colours().accent.hsvHue();
    QVERIFY2(hue < 190 || hue > 270, "the accent must not be blue");
  }

  void themes() {
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    apply_theme(application, ThemeChoice::Dark);
    QVERIFY(colours().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), dark_colours().window);
    apply_theme(application, ThemeChoice::Light);
    QVERIFY(!colours().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Text), light_colours().text);
    QCOMPARE(theme_choice(), ThemeChoice::Light);
    QCOMPARE(QApplication::style()->name().toLower(), QStringLiteral("fusion"));
    apply_theme(application, ThemeChoice::System);
    QVERIFY2(!colours().dark, "the offscreen platform's palette is light, whatever was set before");
  }

  void text_sizes() {
    set_text_scale(1);
    const double normal = font_of(TextSize::Normal).pointSizeF();
    QVERIFY(font_of(TextSize::Small).pointSizeF() < normal);
    QVERIFY(font_of(TextSize::Large).pointSizeF() > normal);
    set_text_scale(1.5);
    QCOMPARE(font_of(TextSize::Normal).pointSizeF(), 1.5 * normal);
    QCOMPARE(QApplication::font().pointSizeF(), 1.5 * normal);
    set_text_scale(100);
    QCOMPARE(text_scale(), 3.0);
    set_text_scale(std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(text_scale(), 3.0);
    set_text_scale(1);
    QCOMPARE(font_of(TextSize::Normal).pointSizeF(), normal);
  }

  void colour_maps() {
    QCOMPARE(viridis(0), QColor(0x44, 0x01, 0x54));
    QCOMPARE(viridis(1), QColor(0xfd, 0xe7, 0x25));
    QCOMPARE(viridis(7), viridis(1));
    QCOMPARE(viridis(std::numeric_limits<double>::quiet_NaN()), viridis(0));
    // Viridis grows lighter all the way, so that it also reads in grey.
    for (int step = 1; step <= 100; ++step)
      QVERIFY(contrast_ratio(viridis(step / 100.0), Qt::black) >
              contrast_ratio(viridis((step - 1) / 100.0), Qt::black));
    QVERIFY(diverging(0).blue() > diverging(0).red());
    QVERIFY(diverging(1).red() > diverging(1).blue());
    QVERIFY(diverging(0.5).lightness() > 240);
    QCOMPARE(diverging(std::numeric_limits<double>::quiet_NaN()), diverging(0.5));
  }

  void quantities_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char* unit, const char* text) {
      QTest::newRow(text) << value << QString::fromUtf8(unit) << QString::fromUtf8(text);
    };
    row(1234, "GFLOPS", "1,234 GFLOPS");
    row(239.46, "GFLOPS", "239.5 GFLOPS");
    row(12345, "GFLOPS", "12.35 TFLOPS");
    row(0.05, "GFLOPS", "50 MFLOPS");
    row(12.3, "ms", "12.3 ms");
    row(0.68, "ms", "0.68 ms");
    row(0.00068, "s", "0.68 ms");
    row(68e-6, "s", "68 µs");
    row(68, "us", "68 µs");
    row(0.5, "s", "0.5 s");
    row(1234, "ms", "1.234 s");
    row(3e-12, "s", "0.003 ns");
    row(0, "ms", "0 ms");
    row(231.2e6, "FLOP", "231.2 MFLOP");
    row(14.23, "trials/s", "14.23 trials/s");
    row(999.96, "GFLOPS", "1,000 GFLOPS");
    row(-12.34567, "GFLOPS", "-12.35 GFLOPS");
    row(2.5, "", "2.5");
    row(std::numeric_limits<double>::infinity(), "ms", "∞ s");
    row(std::numeric_limits<double>::quiet_NaN(), "ms", "–");
  }

  void quantities() {
    QFETCH(double, value);
    QFETCH(QString, unit);
    QTEST(format_quantity(value, unit), "text");
  }

  void the_same_value_looks_the_same() {
    std::mt19937_64 random = seeded();
    std::uniform_real_distribution<double> exponent(-9, 6);
    for (int round = 0; round < 2000; ++round) {
      const double seconds = std::pow(10, exponent(random));
      const QString text = format_quantity(seconds, QStringLiteral("s"));
      QVERIFY(significant_digits(text) <= 4);
      // Away from the borders of rounding, the last bit of the conversion cannot show.
      const double shown = number_in(text);
      const QString from_ms = format_quantity(seconds * 1e3, QStringLiteral("ms"));
      QVERIFY(std::abs(number_in(from_ms) - shown) <= 1.001e-3 * shown);
      QCOMPARE(from_ms.section(QLatin1Char(' '), 1), text.section(QLatin1Char(' '), 1));
    }
  }

  void numbers_are_near_their_text() {
    std::mt19937_64 random = seeded();
    std::uniform_real_distribution<double> exponent(-5, 9);
    for (int round = 0; round < 2000; ++round) {
      const double value = (random() % 2 == 0 ? 1 : -1) * std::pow(10, exponent(random));
      const QString text = format_number(value);
      QVERIFY2(std::abs(number_in(text) - value) <= 0.5001e-3 * std::abs(value), qPrintable(text));
      QVERIFY2(significant_digits(text) <= 4, qPrintable(text));
    }
    QCOMPARE(format_number(2.5e12), QStringLiteral("2.5e+12"));
    QCOMPARE(format_number(1e-9), QStringLiteral("1e-09"));
  }

  void durations() {
    QCOMPARE(format_duration(0), QStringLiteral("0 s"));
    QCOMPARE(format_duration(3.24), QStringLiteral("3.2 s"));
    QCOMPARE(format_duration(9.97), QStringLiteral("10 s"));
    QCOMPARE(format_duration(59.7), QStringLiteral("1 min"));
    QCOMPARE(format_duration(250), QStringLiteral("4 min 10 s"));
    QCOMPARE(format_duration(7500), QStringLiteral("2 h 5 min"));
    QCOMPARE(format_duration(3 * 86400 + 4 * 3600), QStringLiteral("3 d 4 h"));
    QCOMPARE(format_duration(1e300), format_number(1e300 / 86400) + QStringLiteral(" d"));
    QCOMPARE(format_duration(std::numeric_limits<double>::quiet_NaN()), no_number());
    QCOMPARE(format_duration_left(250), QStringLiteral("4 min 10 s left"));
    QCOMPARE(format_duration_left(0.3), QStringLiteral("less than 1 s left"));
    QCOMPARE(format_duration_left(HUGE_VAL), QStringLiteral("time left unknown"));
  }

  void counts_shares_and_bytes() {
    QCOMPARE(format_count(1234567), QStringLiteral("1,234,567"));
    QCOMPARE(format_count(-1234), QStringLiteral("-1,234"));
    QCOMPARE(format_count(999), QStringLiteral("999"));
    QCOMPARE(format_percent(0.0017), QStringLiteral("0.17 %"));
    QCOMPARE(format_percent(0.96), QStringLiteral("96 %"));
    QCOMPARE(format_percent(1), QStringLiteral("100 %"));
    QCOMPARE(format_percent(0), QStringLiteral("0 %"));
    QCOMPARE(format_percent(0.99999), QStringLiteral("> 99.9 %"));
    QCOMPARE(format_percent(1e-7), QStringLiteral("< 0.01 %"));
    QCOMPARE(format_bytes(512), QStringLiteral("512 B"));
    QCOMPARE(format_bytes(1536), QStringLiteral("1.5 KiB"));
    QCOMPARE(format_bytes(3.0 * 1024 * 1024 * 1024), QStringLiteral("3 GiB"));
    QCOMPARE(format_tick(0.3, 0.1), QStringLiteral("0.3"));
    QCOMPARE(format_tick(1200, 200), QStringLiteral("1,200"));
    QCOMPARE(format_tick(0, 200), QStringLiteral("0"));
  }

  void icons() {
    const QStringList names = icon_names();
    for (const char* name : {"tune",  "explore", "compare", "network",  "library", "start",   "pause",
                             "stop",  "resume",  "queue",   "search",   "filter",  "columns", "export",
                             "copy",  "menu",    "close",   "settings", "theme",   "note",    "tag",
                             "trash", "undo",    "kernel",  "pin",      "follow",  "warning", "help"})
      QVERIFY2(names.contains(QString::fromLatin1(name)), name);
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
      apply_theme(application, choice);
      for (const QString& name : names) {
        const QImage image = painted(icon(name));
        int opaque = 0;
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == colours().text) ++opaque;
        QVERIFY2(opaque > 20, qPrintable(name + QStringLiteral(" is not painted in the text's colour")));
      }
    }
    QVERIFY(icon(QStringLiteral("no such icon")).isNull());
    QVERIFY(!application_icon().isNull());
    apply_theme(application, ThemeChoice::Light);
  }
};

}  // namespace kernelscape

KERNELSCAPE_TEST(kernelscape::StyleTest, QApplication)
#include "style_test.moc"
