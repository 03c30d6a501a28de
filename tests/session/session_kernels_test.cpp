#include <QTest>
#include <algorithm>

#include "core/session/insight.h"
#include "core/session/kernels.h"
#include "core/session/trial_roofline.h"
#include "core/trial/measure_options.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/predictor/synthetic_data.h"
#include "tests/test_program.h"

namespace kernelscape::session_kernels_test {

namespace {

store::SessionRecord record_of(const schedule::ScheduledKernel& kernel, bool beyond_limits) {
  store::SessionRecord record;
  record.id = 3;
  record.task_json = task::task_to_json(kernel.task());
  record.target_json = schedule::target_to_json(kernel.target());
  record.template_name = kernel.template_name();
  record.template_version = kernel.template_version();
  trial::MeasureOptions options;
  options.beyond_limits = beyond_limits;
  record.options_json = trial::measure_options_to_json(options);
  return record;
}

bool refuses(const store::SessionRecord& record, const std::string& word) {
  const Result<kernel::ScheduleFamily> kernels = session::session_kernels(record);
  return !kernels && kernels.error().code == ErrorCode::Refused && !kernels.error().hint.empty() &&
         kernels.error().message.contains(word);
}

}  // namespace

/** The kernels of a stored session are those that were measured, whoever asks for them. */
class SessionKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void limits_hold_where_they_held() {
    base::Random random(kernelscape::testing::random_seed());
    const schedule::ScheduledKernel kernel = predictor_tests::kernel_of("matmul 64x64 64x64");
    const store::SessionRecord within = record_of(kernel, false);
    const store::SessionRecord beyond = record_of(kernel, true);
    std::vector<space::Configuration> configurations = predictor_tests::random_members(kernel, 40, random);
    while (std::ranges::all_of(configurations,
                               [&](const space::Configuration& each) { return kernel.within_limits(each); }))
      configurations.push_back(*kernel.space().random_member(random));
    for (const space::Configuration& configuration : configurations) {
      const bool allowed = kernel.within_limits(configuration);
      QCOMPARE(session::session_kernels(within)->source(configuration).has_value(), allowed);
      QCOMPARE(session::insight_request_of(within, configuration).has_value(), allowed);
      QCOMPARE(session::roofline_kernel(*session::roofline_session(within), configuration, 1e-3).has_value(),
               allowed);
      // Where they were built beyond the limits, each has its text, its lines, and its place under the roofs.
      const Result<codegen::KernelSource> source = session::session_kernels(beyond)->source(configuration);
      QVERIFY(source);
      QCOMPARE(session::insight_request_of(beyond, configuration)->kernel.source.text, source->text);
      QCOMPARE(session::roofline_kernel(*session::roofline_session(beyond), configuration, 1e-3)->flops,
               kernel.task().flops());
    }
  }

  void what_cannot_be_made_again_says_why() {
    const store::SessionRecord made = record_of(predictor_tests::kernel_of("matmul 64x64 64x64"), false);
    store::SessionRecord record = made;
    record.target_json.clear();
    QVERIFY(refuses(record, "session 3"));
    record = made;
    record.template_name.clear();
    QVERIFY(refuses(record, "session 3"));
    record = made;
    ++record.template_version;
    QVERIFY(refuses(record, made.template_name));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionKernelsTest)

}  // namespace kernelscape::session_kernels_test
#include "session_kernels_test.moc"
