#include "ui/frame/guarded_application.h"

#include <QTest>
#include <QTimer>
#include <stdexcept>
#include <vector>

#include "tests/test_program.h"

namespace kernelscape::guarded_application_test {

/** An exception that leaves a slot ends the event, not the window. */
class GuardedApplicationTest : public QObject {
  Q_OBJECT

 private slots:
  void a_slot_that_throws_is_reported_once() {
    auto* application = qobject_cast<frame::GuardedApplication*>(QCoreApplication::instance());
    QVERIFY(application != nullptr);
    std::vector<Error> errors;
    const auto connection = connect(application, &frame::GuardedApplication::failed, this,
                                    [&](const Error& error) { errors.push_back(error); });
    int later = 0;
    for (int time = 0; time < 2; ++time) {
      QTimer::singleShot(0, this, [] { throw std::runtime_error("a slot failed"); });
      QTimer::singleShot(0, this, [&] { ++later; });
    }
    QTRY_COMPARE(later, 2);
    QCOMPARE(errors.size(), std::size_t{1});
    QVERIFY(errors[0].code == ErrorCode::Internal && errors[0].message.contains("a slot failed"));
    QVERIFY(!errors[0].hint.empty());
    disconnect(connection);
  }
};

KERNELSCAPE_TEST(GuardedApplicationTest, frame::GuardedApplication)

}  // namespace kernelscape::guarded_application_test
#include "guarded_application_test.moc"
