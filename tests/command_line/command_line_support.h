#pragma once

#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kernelscape::command_line_tests {

struct CommandResult {
  int code = -1;
  std::string output;
  std::string error;

  std::string all() const { return output + error; }
};

/** Runs the executable as a user would, with a data folder of its own. */
class Shell {
 public:
  Shell() { environment_.insert("XDG_DATA_HOME", folder_.path()); }

  void set(const QString& name, const QString& value) { environment_.insert(name, value); }
  const QProcessEnvironment& environment() const { return environment_; }
  QString path(const QString& name) const { return folder_.filePath(name); }
  QString default_database() const { return path("kernelscape/kernelscape.db"); }

  void start(QProcess& process, const QStringList& arguments) const {
    process.setProcessEnvironment(environment_);
    process.start(program(), arguments);
  }

  CommandResult run(const QStringList& arguments) const {
    QProcess process;
    start(process, arguments);
    return finish(process);
  }

  /** The same with so much address space, of which the program's libraries take some hundred MiB. */
  CommandResult run_with_memory(int kibibytes, const QStringList& arguments) const {
    QProcess process;
    process.setProcessEnvironment(environment_);
    const QString limited = QStringLiteral("ulimit -v %1 && exec \"$0\" \"$@\"").arg(kibibytes);
    process.start(QStringLiteral("sh"), QStringList{QStringLiteral("-c"), limited, program()} + arguments);
    return finish(process);
  }

  /** Runs the executable in a folder that is deleted before it starts. */
  CommandResult run_in_deleted_folder(const QString& folder, const QStringList& arguments) const {
    QProcess process;
    process.setProcessEnvironment(environment_);
    process.setWorkingDirectory(folder);
    const QString deleted = QStringLiteral("rmdir \"$PWD\" && exec \"$0\" \"$@\"");
    process.start(QStringLiteral("sh"), QStringList{QStringLiteral("-c"), deleted, program()} + arguments);
    return finish(process);
  }

 private:
  static QString program() { return QStringLiteral(KERNELSCAPE_BINARY_DIR "/bin/kernelscape"); }

  static CommandResult finish(QProcess& process) {
    process.closeWriteChannel();
    if (!process.waitForFinished(240'000)) return {};
    const int code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return {code, process.readAllStandardOutput().toStdString(),
            process.readAllStandardError().toStdString()};
  }

  QTemporaryDir folder_;
  QProcessEnvironment environment_ = QProcessEnvironment::systemEnvironment();
};

/**
 * Returns whether a best result was confirmed. The machine may be slow while a test runs; "confirmed" is then
 * false, and the mark says at which share of its usual speed the result was confirmed.
 */
inline bool is_confirmed(const nlohmann::json& best) {
  return best.at("mark").get<std::string>().starts_with("confirmed");
}

/** The lines of `text` as objects; a line that is none becomes a discarded value. */
inline std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(nlohmann::json::parse(text.substr(start, end - start), nullptr, false));
    start = end + 1;
  }
  return lines;
}

inline std::vector<nlohmann::json> events(const std::vector<nlohmann::json>& lines,
                                          const std::string& event) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& line : lines) {
    if (line.is_object() && line.value("event", "") == event) found.push_back(line);
  }
  return found;
}

}  // namespace kernelscape::command_line_tests
