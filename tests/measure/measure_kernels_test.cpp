#include <QtTest>
#include <memory>

#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/slow_phase_wait.h"
#include "tests/measure/category_rows.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_kernels_test {

namespace {

constexpr const char* libc = R"(
typedef unsigned long size_t;
void* malloc(size_t); void* mmap(void*, size_t, int, int, int, long); void exit(int); void abort(void); int printf(const char*, ...);
long write(int, const void*, size_t); int fork(void); int raise(int); int setrlimit(int, const void*);
int pause(void); unsigned sleep(unsigned); int dup2(int, int); int kill(int, int); int mprotect(void*, size_t, int);
)";

std::string misbehaving(const std::string& inside, const std::string& more = "") {
  return matmul_text(libc + more, inside);
}

/** Kernels that a tuner meets, and what each is worth. */
std::vector<NamedSource> kernels() {
  return {
      {"good", matmul_text()},
      {"refused", ""},
      {"segmentation fault", misbehaving("*(volatile int*)64 = 1;")},
      {"writes its input", misbehaving("((volatile float*)a)[0] = 1;")},
      {"fault in one thread", misbehaving("if (part == 1) *(volatile int*)64 = 1;")},
      {"endless loop", misbehaving("for (volatile int i = 0;; ++i) {}")},
      {"sleeps for ever", misbehaving("for (;;) pause();")},
      {"stack overflow",
       misbehaving(
           "c[0] = deep(1);",
           "float deep(float x) { volatile char room[4096]; room[0] = x; return deep(x + 1) + room[0]; }")},
      {"stack overflow in one thread",
       misbehaving(
           "if (part == 1) c[0] = deep(1);",
           "float deep(float x) { volatile char room[4096]; room[0] = x; return deep(x + 1) + room[0]; }")},
      {"100 GB", misbehaving("volatile char* p = malloc(100UL << 30); for (size_t i = 0; i < 100UL << 30; i "
                             "+= 4096) p[i] = 1;")},
      {"exit 0", misbehaving("exit(0);")},
      {"exit 3 of one thread", misbehaving("if (part == 1) exit(3);")},
      {"abort", misbehaving("abort();")},
      {"divides by zero", misbehaving("volatile int zero = 0; c[0] = 7 / zero;")},
      {"kills itself", misbehaving("raise(9);")},
      {"prints", misbehaving("printf(\"kernel %d\\n\", part); write(1, \"out\", 3); write(2, \"err\", 3);")},
      {"writes to every descriptor",
       misbehaving("static int done; if (part == 0 && !done) for (done = 1; done < 70000; ++done) "
                   "write(done, \"garbage, no frame\", 17);")},
      {"leaves a child",
       misbehaving(
           "static int done; if (part == 0 && !done) { done = 1; if (fork() == 0) for (;;) sleep(1); }")},
      {"wrong answer", matmul_text() + "\n#define unused\n"},
      {"not a number", misbehaving("")},
      {"unwritten", ""},
      {"beyond its output", misbehaving("c[24 * 40] = 1;")},
      {"right once", misbehaving("static int calls; if (part == 0) ++calls;")},
      {"no function", "void other(void) {}\n"},
      {"undefined symbol", misbehaving("missing_function();", "void missing_function(void);")},
      {"fault while loading",
       matmul_text(
           std::string("__attribute__((constructor)) static void early(void) { *(volatile int*)64 = 1; }"))},
      {"syntax error", "void kernel( {\n"},
  };
}

/** Replaces the arithmetic of the plain kernel. */
std::string with_result(const std::string& expression) {
  std::string text = misbehaving("static int calls; if (part == 0) ++calls; (void)calls;");
  const std::string plain = "c[y * 40 + x] = sum;";
  return text.replace(text.find(plain), plain.size(), expression);
}

std::vector<NamedSource> all_kernels() {
  std::vector<NamedSource> sources = kernels();
  for (NamedSource& source : sources) {
    if (source.name == "wrong answer")
      source.text = with_result("c[y * 40 + x] = y == 7 && x == 9 ? sum + 2 : sum;");
    if (source.name == "not a number")
      source.text = with_result("c[y * 40 + x] = y == 3 ? 0.0f / (sum - sum) : sum;");
    if (source.name == "unwritten") source.text = with_result("if (x != 5) c[y * 40 + x] = sum;");
    if (source.name == "right once") source.text = with_result("c[y * 40 + x] = calls > 2 ? -sum : sum;");
  }
  return sources;
}

/** A multiplication of bytes with this product of a[y * 16 + k] and b[k * 40 + x]. */
std::string byte_matmul_text(const std::string& before_loop, const std::string& step) {
  return "void kernel(int part, int parts, const unsigned char *restrict a, const signed char *restrict b,\n"
         "            int *restrict c) {\n"
         "  for (int y = 24 * part / parts; y < 24 * (part + 1) / parts; ++y)\n"
         "    for (int x = 0; x < 40; ++x) {\n"
         "      int sum = 0;\n" +
         before_loop + step +
         "      c[y * 40 + x] = sum;\n"
         "    }\n"
         "}\n";
}

std::vector<NamedSource> byte_kernels() {
  const auto product = [](const char* text) {
    return byte_matmul_text("      for (int k = 0; k < 16; ++k)\n",
                            std::string("        sum += ") + text + ";\n");
  };
  return {{"right", product("a[y * 16 + k] * b[k * 40 + x]")},
          {"data read as signed", product("(signed char)a[y * 16 + k] * b[k * 40 + x]")},
          {"weights read as unsigned", product("a[y * 16 + k] * (unsigned char)b[k * 40 + x]")},
          {"pairs saturated",
           byte_matmul_text("      for (int k = 0; k < 16; k += 2) {\n",
                            "        int pair = a[y * 16 + k] * b[k * 40 + x] +\n"
                            "                   a[y * 16 + k + 1] * b[(k + 1) * 40 + x];\n"
                            "        pair = pair > 32767 ? 32767 : pair < -32768 ? -32768 : pair;\n"
                            "        sum += pair;\n"
                            "      }\n")}};
}

trial::MeasureOptions impatient_options() {
  trial::MeasureOptions options = quick_options();
  options.run_timeout_seconds = 0.7;
  return options;
}

}  // namespace

class MeasureKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY2(described, described ? "" : qPrintable(QString::fromStdString(describe(described.error()))));
    target_ = *described;
    family_ = std::make_shared<SourceFamily>(small_matmul, all_kernels());
    auto made = measure::make_kernel_measurer(family_, target_, impatient_options());
    QVERIFY2(made, made ? "" : qPrintable(QString::fromStdString(describe(made.error()))));
    measurer_ = std::move(*made);
  }

  void eachCostsOneTrialOfItsCategory_data() {
    const auto row = testing::category_rows("name");
    using enum trial::ErrorCategory;
    row("refused", InstantiationError, "the tile does not fit");
    row("segmentation fault", RuntimeDevice, "SIGSEGV");
    row("writes its input", RuntimeDevice, "SIGSEGV");
    row("fault in one thread", RuntimeDevice, "SIGSEGV");
    row("endless loop", RunTimeout, "0.7 s");
    row("sleeps for ever", RunTimeout, "0.7 s");
    row("stack overflow", RuntimeDevice, "stack");
    row("stack overflow in one thread", RuntimeDevice, "stack");
#ifndef KERNELSCAPE_SANITIZED
    row("100 GB", RuntimeDevice, "memory");
#endif
    row("exit 0", RuntimeDevice, "exit code 0");
    row("exit 3 of one thread", RuntimeDevice, "exit code 3");
    row("abort", RuntimeDevice, "SIGABRT");
    row("divides by zero", RuntimeDevice, "SIGFPE");
    row("kills itself", RuntimeDevice, "SIGKILL");
    row("prints", NoError, "");
    row("writes to every descriptor", NoError, "");
    row("leaves a child", NoError, "");
    row("wrong answer", WrongAnswer, "[7, 9]");
    row("not a number", WrongAnswer, "nan");
    row("unwritten", WrongAnswer, "24 elements were not written");
    row("beyond its output", WrongAnswer, "beyond its output");
    row("right once", WrongAnswer, "after timing");
    row("no function", CompileHost, "kernel");
    row("undefined symbol", CompileHost, "missing_function");
    row("fault while loading", RuntimeDevice, "while it was loaded");
    row("syntax error", CompileHost, "error");
  }

  /**
   * All readings are far slower than these usual times: a slow phase begins, and the measurer waits before
   * the next candidate, which is the first or the second of its batch.
   */
  void noTrialIsLostWhileTheMachineIsWaitedFor() {
    const auto family = std::make_shared<SourceFamily>(SourceFamily(small_matmul, {{"good", matmul_text()}}));
    const space::Configuration good = family->named("good");
    trial::MeasureOptions options = quick_options();
    options.slow_phase_patience_seconds = 0.2;
    options.min_repeat_seconds = 0.05;  // long enough for readings of their own
    for (int alone = 0; alone < 8; alone += 2) {
      const auto measurer = measure::make_kernel_measurer(family, target_, options);
      QVERIFY(measurer.has_value());
      // The measurers of a process wait once for a phase: this one has its patience as if it were the first.
      measure::shared_slow_phase_account(target_.name)->store(0);
      (*measurer)->set_usual_probe({.compute = 1e-9, .memory = 1e-9});
      double waiting_seconds = 0;
      for (int batch = 0; batch < 8; ++batch) {
        const std::size_t candidates = batch < alone ? 1 : 2;
        const auto measured = measure_all(**measurer, std::vector<space::Configuration>(candidates, good));
        QVERIFY2(measured, measured ? "" : qPrintable(QString::fromStdString(describe(measured.error()))));
        for (const trial::Measurement& measurement : *measured)
          QVERIFY2(measurement.valid(), measurement.message.c_str());
        waiting_seconds += (*measurer)->take_busy_times().waiting_seconds;
      }
      QVERIFY(waiting_seconds > 0);
    }
  }

  void eachCostsOneTrialOfItsCategory() {
    QFETCH(QString, name);
    QFETCH(int, category);
    QFETCH(QString, says);
    const auto measured =
        measure_all(*measurer_, {family_->named(name.toStdString()), family_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(QString::fromStdString(describe(measured.error()))));
    const trial::Measurement& bad = measured->at(0);
    const QString message = QString::fromStdString(bad.message);
    QVERIFY2(static_cast<int>(bad.category) == category,
             qPrintable(QString("category %1: %2").arg(static_cast<int>(bad.category)).arg(message)));
    QVERIFY2(message.contains(says), qPrintable(message));
    QCOMPARE(bad.message.empty(), bad.valid());
    QCOMPARE(bad.samples_seconds.empty(), !bad.valid());
    QVERIFY(bad.build_seconds >= 0 && bad.run_seconds >= 0);
    const trial::Measurement& good = measured->at(1);
    QVERIFY2(good.valid(), good.message.c_str());
    QCOMPARE(good.samples_seconds.size(), std::size_t{3});
    QVERIFY(good.median_seconds() > 0);
    QVERIFY(good.build_seconds > 0 && good.run_seconds > 0);
  }

  void kernelsOfBytesAreCheckedOverTheirWholeRange() {
    const auto family = std::make_shared<SourceFamily>("matmul 24x16 16x40 i8", byte_kernels());
    const auto measurer = measure::make_kernel_measurer(family, target_, quick_options());
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(
        **measurer, {family->named("right"), family->named("data read as signed"),
                     family->named("weights read as unsigned"), family->named("pairs saturated")});
    QVERIFY2(measured, measured ? "" : qPrintable(QString::fromStdString(describe(measured.error()))));
    QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
    QCOMPARE(measured->at(0).worst_error, 0.0);
    for (std::size_t wrong = 1; wrong < measured->size(); ++wrong) {
      QCOMPARE(measured->at(wrong).category, trial::ErrorCategory::WrongAnswer);
      QVERIFY2(measured->at(wrong).message.find("elements are wrong") != std::string::npos,
               measured->at(wrong).message.c_str());
    }
  }

  void whatACrashedKernelWroteIsTold() {
    const SourceFamily loud(small_matmul,
                            {{"loud", misbehaving("write(2, \"farewell\", 8); *(volatile int*)64 = 1;")}});
    const auto measurer =
        measure::make_kernel_measurer(std::make_shared<SourceFamily>(loud), target_, impatient_options());
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, {loud.named("loud")});
    QVERIFY(measured.has_value());
    QVERIFY2(measured->at(0).message.find("farewell") != std::string::npos, measured->at(0).message.c_str());
  }

  void oneThreadOrMoreThanThereAreProcessors_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 3, 7, 16}) QTest::addRow("%d", threads) << threads;
  }

  void oneThreadOrMoreThanThereAreProcessors() {
    QFETCH(int, threads);
    trial::MeasureOptions options = quick_options();
    options.threads = threads;
    const auto measurer = measure::make_kernel_measurer(family_, target_, options);
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, {family_->named("good")});
    QVERIFY(measured.has_value());
    QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
  }

  void slowKernelsAreCutShort() {
    trial::MeasureOptions options = quick_options();
    options.give_up_factor = 5;
    const auto measurer = measure::make_kernel_measurer(family_, target_, options);
    QVERIFY(measurer.has_value());
    (*measurer)->set_best_seconds(1e-9);
    const auto measured = measure_all(**measurer, {family_->named("good")});
    QVERIFY(measured.has_value());
    QVERIFY(measured->at(0).valid() && measured->at(0).cut_short);
    QCOMPARE(measured->at(0).samples_seconds.size(), std::size_t{1});
  }

  void theAdaptiveEvaluatorSavesRealSamples() {
    trial::MeasureOptions options = trial::adatune_measuring;
    options.threads = 2;
    options.adaptive_threshold = 100;  // no kernel is that unsteady
    const auto measurer = measure::make_kernel_measurer(family_, target_, options);
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, {family_->named("good")});
    QVERIFY(measured.has_value());
    QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
    QCOMPARE(measured->at(0).samples_seconds.size(), std::size_t{150});
    QCOMPARE(measured->at(0).samples_saved, 350U);
  }

  void cachesCanBeFlushed() {
    trial::MeasureOptions options = quick_options();
    options.flush_caches = true;
    const auto measurer = measure::make_kernel_measurer(family_, target_, options);
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, {family_->named("good")});
    QVERIFY(measured.has_value());
    QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
  }

 private:
  schedule::TargetDescription target_;
  std::shared_ptr<SourceFamily> family_;
  std::unique_ptr<measure::Measurer> measurer_;
};

KERNELSCAPE_TEST(MeasureKernelsTest, QCoreApplication)

}  // namespace kernelscape::measure_kernels_test
#include "measure_kernels_test.moc"
