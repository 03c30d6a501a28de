#include "app/display.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QGuiApplication>
#include <QLibraryInfo>
#include <QStringList>
#include <QWindow>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::app {
namespace {

/** A library that the platform's plugin uses as well: without it there is no window, and nothing to link. */
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename Function>
  Function find(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

bool has_plugin(const QString& platform) {
  const QDir folder(QLibraryInfo::path(QLibraryInfo::PluginsPath) + QStringLiteral("/platforms"));
  return !folder.entryList({QStringLiteral("libq%1*.so").arg(platform)}, QDir::Files).isEmpty();
}

bool wayland_answers() {
  if (qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") || !has_plugin(QStringLiteral("wayland"))) return false;
  const Library library("libwayland-client.so.0");
  const auto connect = library.find<void* (*)(const char*)>("wl_display_connect");
  const auto disconnect = library.find<void (*)(void*)>("wl_display_disconnect");
  if (connect == nullptr || disconnect == nullptr) return false;
  void* display = connect(nullptr);
  if (display != nullptr) disconnect(display);
  return display != nullptr;
}

bool x_answers() {
  if (qEnvironmentVariableIsEmpty("DISPLAY") || !has_plugin(QStringLiteral("xcb"))) return false;
  const Library library("libxcb.so.1");
  const auto connect = library.find<void* (*)(const char*, int*)>("xcb_connect");
  const auto has_error = library.find<int (*)(void*)>("xcb_connection_has_error");
  const auto disconnect = library.find<void (*)(void*)>("xcb_disconnect");
  if (connect == nullptr || has_error == nullptr || disconnect == nullptr) return false;
  // It returns a connection in any case; one with an error has to be disconnected, too.
  void* connection = connect(nullptr, nullptr);
  const bool answers = has_error(connection) == 0;
  disconnect(connection);
  return answers;
}

/** Returns the displays that the environment names: "DISPLAY=:0". */
std::string named_displays() {
  std::string text;
  for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"}) {
    if (qEnvironmentVariableIsEmpty(variable)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " and ", variable,
                        base::one_line(qgetenv(variable).toStdString()));
  }
  return text;
}

std::string displays_problem() {
  const std::string named = named_displays();
  return named.empty() ? "neither WAYLAND_DISPLAY nor DISPLAY is set"
                       : fmt::format("{} does not answer", named);
}

constexpr const char* platform_variable = "QT_QPA_PLATFORM";

Error no_window(const std::string& reason, bool chosen) {
  const std::string other_way = "use the command line: kernelscape tune resnet18/C6 (kernelscape --help)";
  return {ErrorCode::Environment, fmt::format("no window can be opened: {}", reason),
          chosen ? "Unset QT_QPA_PLATFORM, or set it to xcb or wayland, or " + other_way + "."
                 : "Start the program on a desktop, or " + other_way + "."};
}

/** Returns true for platforms on which Qt starts, but on which windows of this program are never drawn. */
bool draws_nothing(const QString& platform) {
  return platform.startsWith(QLatin1String("minimal")) || platform.startsWith(QLatin1String("vkkhrdisplay"));
}

/** Returns the platforms of a list such as "wayland-egl;xcb:OPTIONS" that may show a window. */
QStringList possible_platforms(const QStringList& named) {
  QStringList possible;
  for (const QString& platform : named) {
    const bool answers = platform.startsWith(QLatin1String("wayland")) ? wayland_answers()
                         : platform.startsWith(QLatin1String("xcb"))   ? x_answers()
                                                                       : !draws_nothing(platform);
    if (answers) possible.append(platform);
  }
  return possible;
}

/** Starts Qt, opens an invisible window, and ends the process. */
[[noreturn]] void start_platform(int messages) {
  constexpr unsigned longest_start_seconds = 20;
  // What Qt says is read by the parent process, and an abort leaves no core dump.
  dup2(messages, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  prctl(PR_SET_DUMPABLE, 0);
  alarm(longest_start_seconds);
  // The desktop restarts the programs that register with its session, and this process is none of them.
  qunsetenv("SESSION_MANAGER");
  std::array<char, 12> name{"kernelscape"};
  std::array<char*, 2> arguments{name.data(), nullptr};
  int count = 1;
  const QGuiApplication application(count, arguments.data());
  if (QGuiApplication::screens().isEmpty()) _exit(1);
  QWindow window;
  window.create();
  _exit(0);
}

/** Returns the line of Qt's messages that says why a platform does not start. Empty if there is none. */
std::string reason_in(const std::string& messages) {
  constexpr std::size_t longest_reason = 200;
  for (const std::string& line : base::split_text(messages, '\n')) {
    const bool general =
        std::ranges::all_of(line, [](unsigned char letter) { return std::isspace(letter) != 0; }) ||
        std::ranges::any_of(std::array{"QStandardPaths", "This application failed", "Available platform"},
                            [&](const char* start) { return line.starts_with(start); });
    if (!general) return ": " + base::one_line(line, longest_reason);
  }
  return {};
}

/** Returns what a child process wrote to a file in memory. */
std::string messages_in(const measure::UniqueFd& file) {
  std::string text(4096, '\0');
  const ssize_t length = file.valid() ? pread(file.get(), text.data(), text.size(), 0) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return text;
}

/** Qt ends a program whose platform does not start, so a child process tries the platforms first. */
Status check_platforms_start(const std::string& subject, bool chosen) {
  const measure::UniqueFd messages(memfd_create("messages", MFD_CLOEXEC));
  const pid_t child = fork();
  if (child == 0) start_platform(messages.get());
  int state = 0;
  while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0) return {};
  return std::unexpected(
      no_window(subject + ", on which Qt cannot start" + reason_in(messages_in(messages)), chosen));
}

}  // namespace

Status find_display() {
  QStringList named = qEnvironmentVariable(platform_variable).split(QLatin1Char(';'));
  named.removeIf([](const QString& platform) { return platform.trimmed().isEmpty(); });
  const bool chosen = !named.isEmpty();
  if (!chosen) named = {QStringLiteral("wayland"), QStringLiteral("xcb")};
  const QStringList possible = possible_platforms(named);
  const std::string subject = fmt::format("{} {}", chosen ? "QT_QPA_PLATFORM names" : "the display is of",
                                          base::one_line(named.join(QLatin1Char(';')).toStdString()));
  if (possible.isEmpty()) {
    if (!chosen) return std::unexpected(no_window(displays_problem(), false));
    const bool never_drawn = std::ranges::all_of(named, draws_nothing);
    return std::unexpected(no_window(
        subject + (never_drawn ? ", on which no window is drawn" : ", and " + displays_problem()), true));
  }
  qputenv(platform_variable, possible.join(QLatin1Char(';')).toLocal8Bit());
  return check_platforms_start(subject, chosen);
}

}  // namespace kernelscape::app
