#include <QTest>

#include "core/session/setup.h"
#include "core/session/stored_limits.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_stored_limits_test {

namespace {

schedule::ScheduledKernel gpu_kernel() {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.isa = "sm_80";
  return schedule::apply_template(*task::parse_task("matmul 128x128 128x128 f32"), target).value();
}

/** The row of a session of this kernel. */
store::SessionRecord record_of(const schedule::ScheduledKernel& kernel) {
  session::Setup setup = session_tests::make_setup("random", 5, 10, 8);
  setup.space = kernel.space();
  setup.task = kernel.task();
  setup.target = kernel.target();
  setup.template_name = kernel.template_name();
  setup.template_version = kernel.template_version();
  return session::make_record(setup);
}

}  // namespace

class SessionStoredLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_gpu_refuses_what_its_template_says() {
    const schedule::ScheduledKernel kernel = gpu_kernel();
    const store::SessionRecord record = record_of(kernel);
    const auto limits = session::stored_limits(record, kernel.task(), kernel.target(), kernel.space());
    QVERIFY(limits.has_value());
    QVERIFY(*limits == kernel.limits());
    QVERIFY(limits->find("threads").has_value());
  }

  void members_that_keep_them_have_none_beside() {
    const schedule::ScheduledKernel kernel = gpu_kernel();
    const space::SearchSpace within = kernel.space().restricted_by(kernel.limits()).value();
    QVERIFY(!session::stored_limits(record_of(kernel), kernel.task(), kernel.target(), within));
  }

  void what_is_not_known_is_not_made_up() {
    const schedule::ScheduledKernel kernel = gpu_kernel();
    store::SessionRecord record = record_of(kernel);
    ++record.template_version;
    QVERIFY(!session::stored_limits(record, kernel.task(), kernel.target(), kernel.space()));
    record = record_of(kernel);
    record.template_name.clear();
    QVERIFY(!session::stored_limits(record, kernel.task(), kernel.target(), kernel.space()));
    record = record_of(kernel);
    const space::SearchSpace other = space::SearchSpace::make({kernel.space().knobs().front()}).value();
    QVERIFY(!session::stored_limits(record, kernel.task(), kernel.target(), other));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionStoredLimitsTest)

}  // namespace kernelscape::session_stored_limits_test
#include "session_stored_limits_test.moc"
