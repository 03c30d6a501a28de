#include <QTest>
#include <memory>

#include "core/base/result.h"
#include "tests/test_program.h"

namespace kernelscape::base_result_test {

namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::InvalidArgument, "odd", "take an even one");
  return number / 2;
}

Status check_positive(int number) {
  if (number <= 0) return fail(ErrorCode::Refused, "not positive");
  return {};
}

Result<std::unique_ptr<int>> stored(int number) {
  TRY(check_positive(number));
  return std::make_unique<int>(number);
}

Result<std::string> quarter(int number) {
  const int quarter = TRY(half(TRY(half(number))));
  return std::to_string(quarter);
}

Result<int> stored_half(int number) {
  const std::unique_ptr<int> kept = TRY(stored(number));
  return 10 * TRY(half(*kept));
}

std::expected<std::string, char> name_of(int number) {
  if (number < 0) return std::unexpected('-');
  return std::string(1, static_cast<char>('a' + number));
}

std::expected<std::pair<std::string, std::string>, char> names_of(int first, int second) {
  std::string name = TRY(name_of(first));
  return std::pair(std::move(name), TRY(name_of(second)));
}

}  // namespace

class BaseResultTest : public QObject {
  Q_OBJECT

 private slots:
  void value_is_taken_out() {
    QCOMPARE(quarter(12).value(), std::string("3"));
    QCOMPARE(stored_half(8).value(), 40);
  }

  void error_is_handed_on_whole() {
    const Error odd{ErrorCode::InvalidArgument, "odd", "take an even one"};
    QCOMPARE(quarter(3).error(), odd);
    QCOMPARE(quarter(6).error(), odd);
    QCOMPARE(stored_half(7).error(), odd);
  }

  void nothing_after_an_error_is_done() {
    int done = 0;
    const auto count = [&done](int number) -> Status {
      TRY(check_positive(number));
      ++done;
      return {};
    };
    QCOMPARE(count(0).error().message, std::string("not positive"));
    QCOMPARE(done, 0);
    QVERIFY(count(1));
    QCOMPARE(done, 1);
  }

  void errors_of_other_types_are_handed_on() {
    QCOMPARE(names_of(0, 1).value().second, std::string("b"));
    QCOMPARE(names_of(0, -1).error(), '-');
  }

  void lasting_result_is_copied() {
    const Result<std::string> lasting = "kept";
    const auto read = [&lasting]() -> Result<std::string> { return TRY(lasting) + "!"; };
    QCOMPARE(read().value(), std::string("kept!"));
    QCOMPARE(lasting.value(), std::string("kept"));
  }
};

KERNELSCAPE_PLAIN_TEST(BaseResultTest)

}  // namespace kernelscape::base_result_test
#include "base_result_test.moc"
