#include <QTest>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/numbers.h"
#include "tests/test_program.h"

namespace kernelscape::base_numbers_test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

/** The number that a text shows, whatever its grouping. */
double number_in(std::string text) {
  std::erase(text, ',');
  double number = not_a_number;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string unit_in(const std::string& text) { return text.substr(text.find(' ') + 1); }

int significant_digits(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find_first_of(" e")))
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  digits.erase(0, digits.find_first_not_of('0'));
  if (!text.contains('.')) digits.erase(digits.find_last_not_of('0') + 1);
  return static_cast<int>(digits.size());
}

}  // namespace

class BaseNumbersTest : public QObject {
  Q_OBJECT

 private slots:
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
    row(not_a_number, "ms", "–");
  }

  void quantities() {
    QFETCH(double, value);
    QFETCH(QString, unit);
    QTEST(QString::fromStdString(base::quantity_text(value, unit.toStdString())), "text");
  }

  void the_same_value_looks_the_same() {
    std::mt19937_64 random = seeded();
    std::uniform_real_distribution<double> exponent(-9, 6);
    for (int round = 0; round < 2000; ++round) {
      const double seconds = std::pow(10, exponent(random));
      const std::string text = base::quantity_text(seconds, "s");
      QVERIFY(significant_digits(text) <= 4);
      // Away from the borders of rounding, the last bit of the conversion cannot show.
      const double shown = number_in(text);
      const std::string from_ms = base::quantity_text(seconds * 1e3, "ms");
      QVERIFY(std::abs(number_in(from_ms) - shown) <= 1.001e-3 * shown);
      QCOMPARE(unit_in(from_ms), unit_in(text));
    }
  }

  void numbers_are_near_their_text() {
    std::mt19937_64 random = seeded();
    std::uniform_real_distribution<double> exponent(-5, 9);
    for (int round = 0; round < 2000; ++round) {
      const double value = (random() % 2 == 0 ? 1 : -1) * std::pow(10, exponent(random));
      const std::string text = base::number_text(value);
      QVERIFY2(std::abs(number_in(text) - value) <= 0.5001e-3 * std::abs(value), text.c_str());
      QVERIFY2(significant_digits(text) <= 4, text.c_str());
    }
    QCOMPARE(base::number_text(2.5e12), std::string("2.5e+12"));
    QCOMPARE(base::number_text(1e-9), std::string("1e-09"));
    QCOMPARE(base::number_text(5e-324), std::string("4.941e-324"));
  }

  void the_middle_is_rounded_away_from_zero() {
    QCOMPARE(base::number_text(0.125, 2), std::string("0.13"));
    QCOMPARE(base::number_text(-2.5, 1), std::string("-3"));
    QCOMPARE(base::duration_text(0.25), std::string("0.3 s"));
    QCOMPARE(base::tick_text(0.5, 1), std::string("1"));
  }

  void durations() {
    QCOMPARE(base::duration_text(0), std::string("0 s"));
    QCOMPARE(base::duration_text(0.0123), std::string("12.3 ms"));
    QCOMPARE(base::duration_text(0.09), std::string("90 ms"));
    QCOMPARE(base::duration_text(3.24), std::string("3.2 s"));
    QCOMPARE(base::duration_text(9.97), std::string("10 s"));
    QCOMPARE(base::duration_text(59.7), std::string("1 min"));
    QCOMPARE(base::duration_text(250), std::string("4 min 10 s"));
    QCOMPARE(base::duration_text(7500), std::string("2 h 5 min"));
    QCOMPARE(base::duration_text(3 * 86400 + 4 * 3600), std::string("3 d 4 h"));
    QCOMPARE(base::duration_text(1e300), base::number_text(1e300 / 86400) + " d");
    QCOMPARE(base::duration_text(not_a_number), std::string(base::no_number_text));
    QCOMPARE(base::duration_left_text(250), std::string("4 min 10 s left"));
    QCOMPARE(base::duration_left_text(0.3), std::string("less than 1 s left"));
    QCOMPARE(base::duration_left_text(HUGE_VAL), std::string("time left unknown"));
  }

  void counts_shares_and_bytes() {
    QCOMPARE(base::count_text(1234567), std::string("1,234,567"));
    QCOMPARE(base::count_text(-1234), std::string("-1,234"));
    QCOMPARE(base::count_text(-123), std::string("-123"));
    QCOMPARE(base::count_text(999), std::string("999"));
    QCOMPARE(base::with_thousands("340282366920938463463"), std::string("340,282,366,920,938,463,463"));
    QCOMPARE(base::percent_text(0.0017), std::string("0.17 %"));
    QCOMPARE(base::percent_text(0.96), std::string("96 %"));
    QCOMPARE(base::percent_text(1), std::string("100 %"));
    QCOMPARE(base::percent_text(0), std::string("0 %"));
    QCOMPARE(base::percent_text(0.99999), std::string("> 99.9 %"));
    QCOMPARE(base::percent_text(1e-7), std::string("< 0.01 %"));
    QCOMPARE(base::bytes_text(512), std::string("512 B"));
    QCOMPARE(base::bytes_text(1536), std::string("1.5 KiB"));
    QCOMPARE(base::bytes_text(3.0 * 1024 * 1024 * 1024), std::string("3 GiB"));
    QCOMPARE(base::tick_text(0.3, 0.1), std::string("0.3"));
    QCOMPARE(base::tick_text(1200, 200), std::string("1,200"));
    QCOMPARE(base::tick_text(0, 200), std::string("0"));
  }

  void of_terminals_and_files() {
    QCOMPARE(base::time_text(1.25e-8), std::string("12.5 ns"));
    QCOMPARE(base::time_text(68e-6), std::string("68 us"));
    QCOMPARE(base::time_text(0.0012344), std::string("1.234 ms"));
    QCOMPARE(base::time_text(75), std::string("75 s"));
    QCOMPARE(base::clock_text(187), std::string("3:07"));
    QCOMPARE(base::clock_text(2 * 3600 + 187.4), std::string("2:03:07"));
    QCOMPARE(base::clock_text(-1), std::string("0:00"));
    QCOMPARE(base::gflops_of(2e9, 0.5), 4.0);
    QCOMPARE(base::gflops_of(0, 0.5), 0.0);
    QCOMPARE(base::speed_text(2e9, 0.5), std::string("4 GFLOPS"));
    QCOMPARE(base::speed_text(0, 0.5), std::string("500 ms"));
    QCOMPARE(base::speed_text(2e9, 0), std::string("none"));
    QCOMPARE(base::speed_text(2e9, 0.4, 0.5, 0.8), std::string("4 GFLOPS [2.5, 5]"));
    QCOMPARE(base::speed_text(0, 0.4, 0.5, 0.8), std::string("500 ms [400 ms, 800 ms]"));
  }
};

KERNELSCAPE_PLAIN_TEST(BaseNumbersTest)

}  // namespace kernelscape::base_numbers_test
#include "base_numbers_test.moc"
