#include "ui/frame/preferences/preferences.h"

#include <fmt/format.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>
#include <chrono>

namespace kernelscape::frame {
namespace {

constexpr std::chrono::milliseconds write_delay{500};

QString to_qstring(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

Status write_file(const std::filesystem::path& path, const QByteArray& text) {
  const QString name = to_qstring(path);
  QDir().mkpath(QFileInfo(name).absolutePath());
  QSaveFile file(name);
  if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) return {};
  return fail(ErrorCode::Environment,
              fmt::format("the preferences can't be written to {}: {}", path.string(),
                          file.errorString().toStdString()),
              "the changes apply until the window closes; check the permissions of the folder and the free "
              "space of the disk");
}

/** Renames a file that can't be parsed, so that the next file does not overwrite it. */
Error set_aside(const std::filesystem::path& path, const Error& problem) {
  const std::filesystem::path aside = path.string() + ".broken";
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  const std::string where = error ? fmt::format("the file stays at {}", path.string())
                                  : fmt::format("the file was renamed to {}", aside.string());
  return {problem.code, fmt::format("{}; {}", problem.message, where), "the defaults are used"};
}

}  // namespace

std::filesystem::path PreferencesFile::default_path() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
  return std::filesystem::path(folder.toStdString()) / "kernelscape" / "preferences.json";
}

PreferencesFile::PreferencesFile(std::filesystem::path path, QObject* parent)
    : QObject(parent), path_(std::move(path)) {
  timer_.setSingleShot(true);
  timer_.setInterval(write_delay);
  connect(&timer_, &QTimer::timeout, this, &PreferencesFile::write_later);
}

PreferencesFile::~PreferencesFile() = default;

Status PreferencesFile::load() {
  QFile file(to_qstring(path_));
  if (!file.exists()) return {};
  if (!file.open(QIODevice::ReadOnly)) {
    return fail(ErrorCode::Environment,
                fmt::format("the preferences in {} can't be read: {}", path_.string(),
                            file.errorString().toStdString()),
                "the defaults are used; check the permissions of the file");
  }
  Result<Preferences> read = preferences_from_json(file.readAll());
  if (!read) return std::unexpected(set_aside(path_, read.error()));
  preferences_ = std::move(*read);
  return {};
}

void PreferencesFile::set(const Preferences& preferences) {
  if (preferences == preferences_) return;
  preferences_ = preferences;
  unwritten_ = true;
  timer_.start();
  emit changed();
}

void PreferencesFile::write_later() {
  unwritten_ = false;
  job_.start([path = path_, text = preferences_to_json(preferences_)](
                 const workspace::JobControl&) { return write_file(path, text); },
             [this](const Status& written) {
               if (!written) emit failed(written.error());
             });
}

Status PreferencesFile::flush() {
  timer_.stop();
  if (!std::exchange(unwritten_, false)) return {};
  return write_file(path_, preferences_to_json(preferences_));
}

}  // namespace kernelscape::frame
