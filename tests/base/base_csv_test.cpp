#include <QTest>
#include <limits>

#include "core/base/csv.h"
#include "tests/test_program.h"

namespace kernelscape {
namespace {

template <typename Value>
std::string field(const Value& value) {
  std::string text = "a,";
  append_csv_field(text, value);
  return text.substr(2);
}

}  // namespace

class BaseCsvTest : public QObject {
  Q_OBJECT

 private slots:
  void only_what_has_to_be_is_quoted() {
    QCOMPARE(field(std::string_view("tile of f; 4 x 2")), std::string("tile of f; 4 x 2"));
    QCOMPARE(field(std::string_view()), std::string());
    QCOMPARE(field(std::string_view("1,5")), std::string("\"1,5\""));
    QCOMPARE(field(std::string_view("two\nlines")), std::string("\"two\nlines\""));
    QCOMPARE(field(std::string_view("of \"one\"")), std::string("\"of \"\"one\"\"\""));
  }

  void numbers_read_back_the_same() {
    QCOMPARE(field(0.1), std::string("0.1"));
    QCOMPARE(field(1e-9), std::string("1e-09"));
    QCOMPARE(field(-std::numeric_limits<double>::infinity()), std::string("-inf"));
    QCOMPARE(field(std::numeric_limits<double>::quiet_NaN()), std::string());
  }
};

}  // namespace kernelscape

KERNELSCAPE_PLAIN_TEST(kernelscape::BaseCsvTest)
#include "base_csv_test.moc"
