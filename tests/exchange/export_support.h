#pragma once

#include <QDir>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/template.h"
#include "tests/schedule/random_tasks.h"

namespace kernelscape::exchange_tests {

/** This machine, with dot products of bf16 even where it has none: the plain C of kernels replaces them. */
inline const schedule::TargetDescription& this_machine() {
  static const schedule::TargetDescription target = [] {
    schedule::TargetDescription described = measure::describe_cpu_target().value();
    std::vector<std::string>& extensions = described.extensions;
    if (std::ranges::find(extensions, "avx512_bf16") == extensions.end())
      extensions.insert(extensions.begin(), "avx512_bf16");
    return described;
  }();
  return target;
}

/** A random member of a task's space with made-up measurements, as if session 7 had found it. */
inline exchange::MeasuredConfiguration random_measured(
    const task::Task& task, const std::string& template_name, base::Random& random,
    const schedule::TargetDescription& target = this_machine()) {
  const Result<schedule::ScheduledKernel> kernel = schedule::apply_template(task, target, template_name);
  if (!kernel) throw std::runtime_error(describe(kernel.error()));
  exchange::MeasuredConfiguration measured{.space = kernel->space()};
  measured.configuration = testing::accepted_member(*kernel, random);
  measured.task = task;
  measured.target = target;
  measured.template_name = kernel->template_name();
  measured.template_version = kernel->template_version();
  measured.samples_seconds = {random.uniform() + 0.1, random.uniform() + 0.1, random.uniform() + 0.1};
  if (random.chance(0.5)) measured.confirmed_seconds = {random.uniform() + 0.1, random.uniform() + 0.1};
  measured.provenance = {.session = 7,
                         .session_name = "it's \"mine\" */",
                         .trial = 12,
                         .tuner = "random",
                         .settings_json = "{}",
                         .seed = random.bits(),
                         .trial_count = 40,
                         .created_utc = "2026-01-02T03:04:05Z",
                         .program_version = "0.1.0"};
  return measured;
}

inline exchange::ExportedKernel exported(exchange::MeasuredConfiguration measured,
                                         const std::string& name = {}) {
  Result<exchange::ExportedKernel> kernel = exchange::make_exported_kernel(std::move(measured), name);
  if (!kernel) throw std::runtime_error(describe(kernel.error()));
  return std::move(*kernel);
}

struct ShellResult {
  int code = -1;
  std::string output;
};

/** A line of sh, run in a folder. */
inline ShellResult shell(const QString& folder, const std::string& line) {
  QProcess process;
  process.setWorkingDirectory(folder);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start("sh", {"-c", QString::fromStdString(line)});
  if (!process.waitForFinished(240'000) || process.exitStatus() != QProcess::NormalExit)
    return {-1, process.readAll().toStdString()};
  return {process.exitCode(), process.readAll().toStdString()};
}

inline std::string text_of(const QString& path) {
  std::ifstream file(path.toStdString(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const QString& path, const std::string& text) {
  std::ofstream(path.toStdString(), std::ios::binary) << text;
}

/** `text` with the first `old` replaced; throws where there is none. */
inline std::string replaced_once(std::string text, const std::string& old, const std::string& by) {
  const std::size_t found = text.find(old);
  if (found == std::string::npos) throw std::runtime_error("there is no \"" + old + "\"");
  return text.replace(found, old.size(), by);
}

}  // namespace kernelscape::exchange_tests
