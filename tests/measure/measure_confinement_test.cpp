// What a kernel, a compiler and a driver are kept from: each tries, and its effect must be missing.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/worker/confinement.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_confinement_test {

namespace {

constexpr const char* headers = R"(
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static int reaches(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  return s >= 0 && connect(s, (struct sockaddr*)&address, sizeof address) == 0;
}
static int debugs(int process) { return ptrace(PTRACE_SEIZE, process, 0, 0) == 0; }
static int reads(const char* path) {
  char byte;
  int file = open(path, O_RDONLY);
  return file >= 0 && read(file, &byte, 1) == 1;
}
static int reads_memory_of(int process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", process);
  return reads(path);
}
static int limits(int process) {
  struct rlimit limit;
  return prlimit(process, RLIMIT_CPU, NULL, &limit) == 0;
}
static int moves(int process) {
  cpu_set_t processors;
  return sched_getaffinity(0, sizeof processors, &processors) == 0 &&
         sched_setaffinity(process, sizeof processors, &processors) == 0;
}
static void* nothing(void* x) { return x; }
static int starts_a_thread(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}
static int has_memory(void) {
  volatile char* bytes = malloc(10 << 20);
  if (!bytes) return 0;
  bytes[12345] = 1;
  return 1;
}
)";

/** A kernel that ends with exit code 77 where the condition holds the first time that it is called. */
std::string fails_where(const std::string& condition) {
  return matmul_text(headers, "  static int done;\n  if (part == 0 && !done) {\n    done = 1;\n    if (" +
                                  condition + ") exit(77);\n  }\n");
}

enum class Needs { SystemCalls, Files, Either, Nothing };

struct Attempt {
  const char* name;
  std::string condition;
  Needs needs = Needs::SystemCalls;
};

/** A server of this machine that nobody should reach. */
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_.get(), generic, size) == 0 && listen(socket_.get(), 8) == 0 &&
        getsockname(socket_.get(), generic, &size) == 0)
      port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }
  bool was_reached() const {
    pollfd wait{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    return poll(&wait, 1, 0) != 0;
  }

 private:
  measure::UniqueFd socket_;
  int port_ = 0;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::string& path) { return "\"" + path + "\""; }

/** The exit code of a forked process that confines itself and then does this. */
int in_confined_process(measure::Confinement& confinement, const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    confinement.apply();
    _exit(act());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/** The line of /proc/self/status that says whether the processor may speculate past stores. */
std::string speculation() {
  std::ifstream file("/proc/self/status");
  std::string found;
  for (std::string line; found.empty() && std::getline(file, line);)
    if (line.contains("Speculation_Store_Bypass")) found = line;
  return found;
}

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

}  // namespace

class MeasureConfinementTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void kernelsAreRefused_data();
  void kernelsAreRefused();
  void nothingOfItHappened();
  void kernelsMayStillCompute_data();
  void kernelsMayStillCompute();
  void compilersWriteToTheirFolderAlone();
  void compilersHaveNoNetwork();
  void callsOfX32DoNotExist();
  void driversHaveNoNetworkAndKeepTheRest();
  void confinedCodeIsNotSlower();
  void confinementCanBeSwitchedOff();

 private:
  std::vector<Attempt> attempts() const;
  trial::Measurement measured(const std::string& condition) const;

  QTemporaryDir folder_;
  std::string kept_;  ///< a file that a kernel would harm
  std::string made_;  ///< one that a kernel would make
  std::string in_home_;
  Listener listener_;
  measure::ConfinementSupport support_;
  schedule::TargetDescription target_;
};

void MeasureConfinementTest::initTestCase() {
  support_ = measure::confinement_support();
  const auto described = measure::describe_cpu_target();
  QVERIFY2(described, described ? "" : qPrintable(text_of(described.error())));
  target_ = *described;
  kept_ = folder_.filePath("kept").toStdString();
  made_ = folder_.filePath("made").toStdString();
  in_home_ = QDir::home().filePath(".kernelscape-confinement-test").toStdString();
  std::filesystem::remove(in_home_);
  std::ofstream(kept_) << "secret";
  QVERIFY(listener_.port() > 0);
}

std::vector<Attempt> MeasureConfinementTest::attempts() const {
  const std::string kept = quoted(kept_);
  const std::string made = quoted(made_);
  const std::string touch = "\"/bin/sh\", \"sh\", \"-c\", \"touch " + made_ + "\", (char*)0";
  return {
      {"a TCP socket", "socket(AF_INET, SOCK_STREAM, 0) >= 0"},
      {"a UDP socket of IPv6", "socket(AF_INET6, SOCK_DGRAM, 0) >= 0"},
      {"a local socket", "socket(AF_UNIX, SOCK_STREAM, 0) >= 0"},
      {"a server of this machine", "reaches(" + std::to_string(listener_.port()) + ")"},
      {"sockets through io_uring", "syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT"},
      {"a file in the home folder", "open(" + quoted(in_home_) + ", O_WRONLY | O_CREAT, 0600) >= 0",
       Needs::Either},
      {"a file in a temporary folder", "open(" + made + ", O_RDWR | O_CREAT, 0600) >= 0", Needs::Either},
      {"a folder", "mkdir(" + made + ", 0700) == 0", Needs::Either},
      {"a symbolic link", "symlink(" + kept + ", " + made + ") == 0", Needs::Either},
      {"a file's content", "truncate(" + kept + ", 0) == 0"},
      {"a file's mode", "chmod(" + kept + ", 0) == 0"},
      {"a file's name", "rename(" + kept + ", " + made + ") == 0", Needs::Either},
      {"a file's end", "unlink(" + kept + ") == 0", Needs::Either},
      {"a file of the user's", "reads(" + kept + ")", Needs::Files},
      {"the worker's memory", "reads_memory_of(getppid())", Needs::Files},
      {"a process", "fork() >= 0"},
      {"a program", "system(\"touch " + made_ + "\") == 0"},
      {"another program in its place", "execl(" + touch + ") == 0"},
#ifndef KERNELSCAPE_SANITIZED
      {"the worker as a debugger", "debugs(getppid())"},
#endif
      {"the worker's end", "kill(getppid(), SIGKILL) == 0"},
      {"the worker's end by its thread", "syscall(SYS_tkill, getppid(), SIGKILL) == 0"},
      {"the worker's limits", "limits(getppid())"},
      {"the worker's processors", "moves(getppid())"},
      {"another group", "setpgid(0, getppid()) == 0 || setsid() >= 0"},
      {"a life beyond the worker's", "prctl(PR_SET_PDEATHSIG, 0) == 0"},
      {"memory beyond its life", "shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0"},
      {"memory beyond its limit", "memfd_create(\"x\", 0) >= 0"},
  };
}

trial::Measurement MeasureConfinementTest::measured(const std::string& condition) const {
  const auto family = std::make_shared<SourceFamily>(
      small_matmul, std::vector<NamedSource>{{"bad", fails_where(condition)}, {"good", matmul_text()}});
  auto measurer = measure::make_kernel_measurer(family, target_, quick_options());
  if (!measurer) qFatal("%s", qPrintable(text_of(measurer.error())));
  const auto both = measure_all(**measurer, {family->named("bad"), family->named("good")});
  if (!both) qFatal("%s", qPrintable(text_of(both.error())));
  if (!both->at(1).valid()) qFatal("the next kernel paid for it: %s", both->at(1).message.c_str());
  return both->at(0);
}

void MeasureConfinementTest::kernelsAreRefused_data() {
  QTest::addColumn<QString>("condition");
  QTest::addColumn<int>("needs");
  for (const Attempt& attempt : attempts())
    QTest::newRow(attempt.name) << QString::fromStdString(attempt.condition)
                                << static_cast<int>(attempt.needs);
}

void MeasureConfinementTest::kernelsAreRefused() {
  QFETCH(QString, condition);
  QFETCH(int, needs);
  const auto needed = static_cast<Needs>(needs);
  const bool calls = support_.system_calls;
  const bool files = support_.landlock_version > 0;
  if (needed == Needs::SystemCalls && !calls) QSKIP("this system can't filter system calls");
  if (needed == Needs::Files && !files) QSKIP("this system has no Landlock");
  if (needed == Needs::Either && !calls && !files) QSKIP("this system has neither filters nor Landlock");
  const trial::Measurement measurement = measured(condition.toStdString());
  // An ordinary kernel, but for what it was refused.
  QVERIFY2(measurement.valid(), measurement.message.c_str());
}

void MeasureConfinementTest::nothingOfItHappened() {
  if (!support_.system_calls) QSKIP("this system can't filter system calls");
  QVERIFY(!listener_.was_reached());
  QVERIFY(!std::filesystem::exists(std::filesystem::symlink_status(made_)));
  QVERIFY(!std::filesystem::exists(in_home_));
  QCOMPARE(content_of(kept_), std::string("secret"));
}

void MeasureConfinementTest::kernelsMayStillCompute_data() {
  QTest::addColumn<QString>("condition");
  QTest::addRow("with threads of their own") << "!starts_a_thread()";
  QTest::addRow("with memory") << "!has_memory()";
  QTest::addRow("with what the C library asks the system") << "sysconf(_SC_NPROCESSORS_ONLN) < 1";
  QTest::addRow("with their own maps") << "!reads(\"/proc/self/maps\")";
  QTest::addRow("with random numbers") << "!reads(\"/dev/urandom\")";
  QTest::addRow("with signals to themselves") << "raise(0) != 0 || kill(getpid(), 0) != 0";
  QTest::addRow("with their limits") << "!limits(0)";
  QTest::addRow("on processors that they choose") << "!moves(0) || !moves(getpid())";
}

void MeasureConfinementTest::kernelsMayStillCompute() {
  QFETCH(QString, condition);
  const trial::Measurement measurement = measured(condition.toStdString());
  QVERIFY2(measurement.valid(), measurement.message.c_str());
}

void MeasureConfinementTest::compilersWriteToTheirFolderAlone() {
  if (support_.landlock_version == 0) QSKIP("this system has no Landlock");
  const std::string script = folder_.filePath("compiler").toStdString();
  std::ofstream(script) << "#!/bin/sh\necho x > " << made_ << "\nrm -f " << kept_
                        << "\necho x > mine || exit 9\n"
                        << "echo x > /dev/null || exit 9\nexec " << target_.compiler << " \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto folder = base::TemporaryFolder::make();
  QVERIFY(folder.has_value());
  const measure::BuildReply reply = measure::compile_shared_object(
      measure::self_test_request(script, codegen::sort_flags(codegen::Dialect::C, {"-O2"}).known), *folder);
  QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
  QVERIFY(!std::filesystem::exists(made_));
  QCOMPARE(content_of(kept_), std::string("secret"));
}

void MeasureConfinementTest::compilersHaveNoNetwork() {
  if (!support_.system_calls) QSKIP("this system can't filter system calls");
  measure::Confinement confinement = measure::Confinement::of_compiler(folder_.path().toStdString());
  QCOMPARE(in_confined_process(confinement, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 1 : 0; }),
           0);
  QCOMPARE(in_confined_process(confinement, [] { return setsid() >= 0 ? 1 : 0; }), 0);
  // A compiler is several programs.
  QCOMPARE(in_confined_process(confinement,
                               [] {
                                 const pid_t child = fork();
                                 if (child == 0) execl("/bin/true", "true", nullptr);
                                 int status = 1;
                                 return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
                               }),
           0);
}

/** They have other numbers, which the rules do not name. */
void MeasureConfinementTest::callsOfX32DoNotExist() {
  if (!support_.system_calls) QSKIP("this system can't filter system calls");
#if defined(__x86_64__)
  const auto are_missing = [](measure::Confinement confinement) {
    return in_confined_process(confinement, [] {
      constexpr long x32 = 0x40000000;
      for (const long call : {SYS_getpid, SYS_socket, SYS_ptrace})
        if (syscall(x32 | call, AF_INET, SOCK_STREAM, 0) != -1 || errno != ENOSYS) return 1;
      return 0;
    });
  };
  QCOMPARE(are_missing(measure::Confinement::of_compiler(folder_.path().toStdString())), 0);
  QCOMPARE(are_missing(measure::Confinement::of_driver()), 0);
  QCOMPARE(are_missing(measure::Confinement::of_kernel()), 0);
#else
  QSKIP("only x86-64 has such calls");
#endif
}

void MeasureConfinementTest::driversHaveNoNetworkAndKeepTheRest() {
  if (!support_.system_calls) QSKIP("this system can't filter system calls");
  measure::Confinement confinement = measure::Confinement::of_driver();
  QCOMPARE(in_confined_process(confinement, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 1 : 0; }),
           0);
  QCOMPARE(in_confined_process(confinement, [] { return ::socket(AF_INET6, SOCK_DGRAM, 0) >= 0 ? 1 : 0; }),
           0);
  QCOMPARE(in_confined_process(confinement, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : 1; }),
           0);
  const std::string cache = folder_.filePath("cache").toStdString();
  QCOMPARE(in_confined_process(confinement,
                               [&] { return open(cache.c_str(), O_WRONLY | O_CREAT, 0600) >= 0 ? 0 : 1; }),
           0);
  QVERIFY(std::filesystem::exists(cache));
}

/** A filter may forbid the processor to speculate, which kernels would pay for. */
void MeasureConfinementTest::confinedCodeIsNotSlower() {
  const std::string before = speculation();
  if (before.empty()) QSKIP("this system says nothing about speculation");
  measure::Confinement confinement = measure::Confinement::of_kernel();
  QCOMPARE(in_confined_process(confinement, [&] { return speculation() == before ? 0 : 1; }), 0);
}

void MeasureConfinementTest::confinementCanBeSwitchedOff() {
  qputenv("KERNELSCAPE_CONFINEMENT", "off");
  const measure::ConfinementSupport off = measure::confinement_support();
  const trial::Measurement measurement = measured("socket(AF_UNIX, SOCK_STREAM, 0) >= 0");
  qunsetenv("KERNELSCAPE_CONFINEMENT");
  QVERIFY(off.switched_off && measure::refused_to_kernels(off).empty());
  QVERIFY(!measurement.valid());
  QVERIFY2(measurement.message.find("exit code 77") != std::string::npos, measurement.message.c_str());
  QVERIFY(measure::confinement_support() == support_);
  QCOMPARE(measure::refused_to_kernels(support_).empty(),
           !support_.system_calls && support_.landlock_version == 0);
}

KERNELSCAPE_TEST(MeasureConfinementTest, QCoreApplication)

}  // namespace kernelscape::measure_confinement_test
#include "measure_confinement_test.moc"
