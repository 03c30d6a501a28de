#include "app/display.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <QDir>
#include <QLibraryInfo>
#include <QStringList>
#include <memory>

namespace kernelscape {
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

/** What the environment names, in words: "DISPLAY=:0". */
std::string named_displays() {
  std::string text;
  for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"}) {
    if (qEnvironmentVariableIsEmpty(variable)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " and ", variable, qgetenv(variable).constData());
  }
  return text;
}

Error no_display() {
  const std::string named = named_displays();
  const std::string reason =
      named.empty() ? "neither WAYLAND_DISPLAY nor DISPLAY is set" : fmt::format("{} does not answer", named);
  return {
      ErrorCode::Environment, fmt::format("no window can be opened: {}", reason),
      "start it on a desktop, or use the command line: kernelscape tune resnet18/C6 (kernelscape --help)"};
}

}  // namespace

Status find_display() {
  const QString chosen = qEnvironmentVariable("QT_QPA_PLATFORM");
  if (!chosen.isEmpty()) {
    // "xcb", "wayland-egl", "wayland;xcb", "offscreen:configfile=..."
    const QStringList platforms = chosen.split(QLatin1Char(';'));
    for (const QString& platform : platforms) {
      if (platform.startsWith(QLatin1String("wayland"))) {
        if (wayland_answers()) return {};
      } else if (!platform.startsWith(QLatin1String("xcb")) || x_answers()) {
        return {};
      }
    }
    return std::unexpected(no_display());
  }
  QByteArrayList answering;
  if (wayland_answers()) answering.append("wayland");
  if (x_answers()) answering.append("xcb");
  if (answering.isEmpty()) return std::unexpected(no_display());
  qputenv("QT_QPA_PLATFORM", answering.join(';'));
  return {};
}

}  // namespace kernelscape
