#include <QTest>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/exchange/formats/logged_units.h"
#include "tests/exchange/import_support.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_units_test {
using namespace kernelscape::exchange_tests;

class ExchangeUnitsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_spelling_is_read();
  void unknown_units_are_refused();
  void objectives_agree_with_their_samples();
};

void ExchangeUnitsTest::every_spelling_is_read() {
  const std::map<double, std::vector<const char*>> spellings{
      {1.0 / 60, {"min", "minute", "minutes", "Minutes"}},
      {1, {"s", "sec", "secs", "second", "seconds", "Seconds", "SEC", " s "}},
      {1e3, {"ms", "msec", "msecs", "millisecond", "milliseconds", "Milliseconds", "miliseconds"}},
      {1e6,
       {"us", "usec", "\xc2\xb5s", "\xce\xbcs", "\xc2\xb5sec", "microsecond", "microseconds",
        "Microseconds"}},
      {1e9, {"ns", "nsec", "nanosecond", "nanoseconds", "Nanoseconds"}}};
  for (const auto& [per_second, names] : spellings)
    for (const char* name : names) {
      const Result<double> read = exchange::units_per_second(name);
      QVERIFY2(read && exchange::is_time_unit(name), name);
      QCOMPARE(*read, per_second);
    }
}

void ExchangeUnitsTest::unknown_units_are_refused() {
  for (const char* name :
       {"", "hours", "Ms", "MS", "m", "ticks", "cycles", "GFLOP/s", "1/s", "\xb5s", "ss"}) {
    const std::string error = error_of(exchange::units_per_second(name));
    QVERIFY2(error.contains("microseconds") && error.contains("not a known unit"), name);
    QVERIFY(!exchange::is_time_unit(name));
  }
}

void ExchangeUnitsTest::objectives_agree_with_their_samples() {
  const std::vector<double> samples{2.9e-3, 3.0e-3, 3.1e-3};
  for (const double objective : {2.9e-3, 3.0e-3, 3.1e-3, 2.5e-3, 4e-3, 1.7e-2}) {
    QVERIFY(exchange::check_objective(objective, samples));
    QVERIFY(exchange::check_objective(objective, {}));
  }
  for (const double factor : {1e-9, 1e-6, 1e-3, 0.1, 10.0, 1e3, 1e6}) {
    const std::string error = error_of(exchange::check_objective(3.0e-3 * factor, samples));
    QVERIFY2(error.contains("factor of 10^"), error.c_str());
  }
  // The first call is often slow.
  QVERIFY(exchange::check_objective(1e-3, std::vector<double>{1e-1, 1e-3, 1e-3}));
  QVERIFY(exchange::check_objective(9e-4, std::vector<double>{1e-3, 1e-2}));
}

KERNELSCAPE_TEST(ExchangeUnitsTest, QCoreApplication)

}  // namespace kernelscape::exchange_units_test
#include "exchange_units_test.moc"
