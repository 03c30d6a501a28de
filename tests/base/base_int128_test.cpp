#include <QTest>

#include "core/base/int128.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::base_int128_test {

class BaseInt128Test : public QObject {
  Q_OBJECT

 private slots:
  void prints_known_numbers() {
    QCOMPARE(base::to_string(base::uint128{0}), std::string("0"));
    QCOMPARE(base::to_string(base::uint128{844'800}), std::string("844800"));
    QCOMPARE(base::to_string(base::uint128{1} << 64), std::string("18446744073709551616"));
    QCOMPARE(base::to_string(~base::uint128{0}), std::string("340282366920938463463374607431768211455"));
  }

  void parse_reads_what_was_printed() {
    base::Random random(1);
    for (int i = 0; i < 1000; ++i) {
      const base::uint128 value = ((base::uint128{random.bits()} << 64) | random.bits()) >> random.below(128);
      const Result<base::uint128> parsed = base::parse_uint128(base::to_string(value));
      QVERIFY(parsed.has_value());
      QVERIFY(*parsed == value);
    }
    QVERIFY(*base::parse_uint128("000123") == base::uint128{123});
  }

  void parse_refuses_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", "-1", "+1", " 1", "1 ", "12a", "0x10", "1.5", "1e3", "340282366920938463463374607431768211456",
          "999999999999999999999999999999999999999999"})
      QTest::addRow("\"%s\"", text) << text;
  }
  void parse_refuses() {
    QFETCH(const QString, text);
    const Result<base::uint128> parsed = base::parse_uint128(text.toStdString());
    QVERIFY(!parsed.has_value());
    QCOMPARE(parsed.error().code, ErrorCode::InvalidArgument);
    QVERIFY(!parsed.error().message.empty());
  }

  void multiply_is_exact_until_it_saturates() {
    constexpr base::uint128 largest = ~base::uint128{0};
    QVERIFY(base::saturating_multiply(0, largest) == 0);
    QVERIFY(base::saturating_multiply(largest, 0) == 0);
    QVERIFY(base::saturating_multiply(largest, 1) == largest);
    QVERIFY(base::saturating_multiply(base::uint128{1} << 64, base::uint128{1} << 63) == base::uint128{1}
                                                                                             << 127);
    QVERIFY(base::saturating_multiply(base::uint128{1} << 64, base::uint128{1} << 64) == largest);
    // 3 * (2^128 - 1) / 3 is the largest number itself, one more passes it.
    QVERIFY(base::saturating_multiply(3, largest / 3) == largest);
    QVERIFY(base::saturating_multiply(3, largest / 3 - 1) == largest - 3);
    QVERIFY(base::saturating_multiply(3, largest / 3 + 1) == largest);
  }
};

KERNELSCAPE_PLAIN_TEST(BaseInt128Test)

}  // namespace kernelscape::base_int128_test
#include "base_int128_test.moc"
