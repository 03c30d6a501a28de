#include "ui/views/project/project_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/host_language.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_shown_values = 64;
constexpr std::size_t longest_fact = 400;

QString said(const char* text) { return QCoreApplication::translate("Project", text); }

/** Returns a text of a file without control characters that could affect its display. */
QString shown(std::string_view text) {
  return QString::fromStdString(base::visible_text(text, longest_fact));
}

QString page(std::string_view text) { return QString::fromStdString(base::printable_text(text)); }

QString values_text(const project::Parameter& parameter) {
  QStringList values;
  for (const space::KnobValue& value : parameter.values) {
    if (static_cast<std::size_t>(values.size()) == max_shown_values) {
      values << said("… %1 in all").arg(style::format_count(std::ssize(parameter.values)));
      break;
    }
    values << shown(space::to_string(value));
  }
  return values.join(QStringLiteral(", "));
}

QString size_text(std::size_t bytes) { return style::format_bytes(static_cast<double>(bytes)); }

/** Returns the size of contents, which may be in a data file. */
std::size_t contents_bytes(const project::ArgumentFill& fill) {
  return fill.file ? fill.file->bytes : fill.bytes.size();
}

QString file_text(const project::DataFile& file) {
  return said("%1 in %2, not stored with sessions").arg(size_text(file.bytes), shown(file.path));
}

QString contents_text(const project::ArgumentFill& fill) {
  return fill.file ? file_text(*fill.file) : size_text(fill.bytes.size());
}

QString fill_text(const project::ArgumentFill& fill) {
  // All digits, because the kernel receives exactly this value.
  const QString value = QString::number(fill.value, 'g', 15);
  switch (fill.kind) {
    case project::FillKind::Constant:
      return said("filled with %1").arg(value);
    case project::FillKind::Random:
      return said("random from 0 to %1, seed %2").arg(value).arg(fill.seed);
    case project::FillKind::Ramp:
      return said("counts up from %1").arg(value);
    case project::FillKind::Bytes:
      break;
  }
  return said("%1 from a file").arg(size_text(contents_bytes(fill)));
}

QString argument_text(const project::ProgramArgument& argument) {
  QString type = QString::fromStdString(project::to_string(argument.type));
  if (argument.lanes > 1) type += QString::number(argument.lanes);
  if (argument.memory == project::ArgumentMemory::Scalar)
    return said("%1, %2").arg(type, fill_text(argument.fill));
  const QString size = QStringLiteral("%1[%2]").arg(type, style::format_count(argument.count));
  if (argument.memory == project::ArgumentMemory::Local) return said("%1 per work-group").arg(size);
  const QString access = argument.access == project::ArgumentAccess::ReadOnly    ? said("read")
                         : argument.access == project::ArgumentAccess::WriteOnly ? said("written")
                                                                                 : said("read and written");
  QString text = said("%1, %2, %3").arg(size, size_text(argument.bytes()), access);
  // The initial contents of a write-only argument do not matter.
  if (argument.access != project::ArgumentAccess::WriteOnly)
    text += QStringLiteral(", ") + fill_text(argument.fill);
  if (argument.checked) text += said(", checked");
  return text;
}

QString answer_text(const project::RightAnswer& answer) {
  switch (answer.kind) {
    case project::AnswerKind::FirstValid:
      return said("the outputs of the first valid configuration; it is not known whether these are correct");
    case project::AnswerKind::Kernel:
      return said("the outputs of the reference kernel %1").arg(shown(answer.reference.entry));
    case project::AnswerKind::Function:
      return said("the outputs of the function %1").arg(shown(answer.reference.entry));
    case project::AnswerKind::Bytes:
      break;
  }
  return said("the contents of files");
}

void add_launch(const project::Launch& launch, ProjectFacts& facts) {
  constexpr std::array axes{"X", "Y", "Z"};
  const QString meant = launch.meaning == project::GlobalSizeMeaning::Blocks ? said("blocks along %1")
                                                                             : said("threads along %1");
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::string& global = launch.global[axis].text();
    const std::string& local = launch.local[axis].text();
    if ((global == "1" || global.empty()) && (local == "1" || local.empty())) continue;
    QStringList divisors;
    for (const project::PythonExpression& divisor : launch.grid_divisors[axis])
      divisors << shown(divisor.text());
    const QString divided = divisors.isEmpty()
                                ? QString()
                                : said(" / (%1), rounded up").arg(divisors.join(QStringLiteral(" * ")));
    facts.rows.emplace_back(
        (divisors.isEmpty() ? meant : said("blocks along %1")).arg(QLatin1String(axes[axis])),
        shown(global) + divided);
    facts.rows.emplace_back(said("block's %1").arg(QLatin1String(axes[axis])), shown(local));
  }
  const std::string& shared = launch.shared_bytes.text();
  if (!shared.empty() && shared != "0") facts.rows.emplace_back(said("shared bytes"), shown(shared));
}

ProjectFacts flag_facts(const project::KernelProject& project) {
  ProjectFacts facts{said("Compiler flags"), {}};
  for (const std::string& flag : project.flags) facts.rows.emplace_back(shown(flag), QString());
  const project::RightAnswer& answer = project.data.answer;
  for (const std::string& flag : answer.reference.user_flags)
    facts.rows.emplace_back(shown(flag), said("of the reference"));
  return facts;
}

bool has_reference(const project::KernelProject& project) {
  const project::AnswerKind kind = project.data.answer.kind;
  return kind == project::AnswerKind::Kernel || kind == project::AnswerKind::Function;
}

/** Returns the steps, numbers and permissions of a program, behind the conditions of its space. */
std::vector<ProjectFacts> program_facts(const project::Program& program, ProjectFacts conditions) {
  std::vector<ProjectFacts> all;
  if (!conditions.rows.empty()) all.push_back(std::move(conditions));
  ProjectFacts commands{said("Commands"), {}};
  for (const std::string& line : project::program_lines(program))
    commands.rows.emplace_back(shown(line), QString());
  ProjectFacts numbers{said("Measured"), {}};
  numbers.rows.emplace_back(shown(program.objective.name),
                            program.objective.higher_is_better
                                ? said("%1, higher is better").arg(shown(program.objective.unit))
                                : said("%1, lower is better").arg(shown(program.objective.unit)));
  for (const project::ProgramNumber& metric : program.metrics)
    numbers.rows.emplace_back(shown(metric.name), shown(metric.unit));
  ProjectFacts allowed{said("Allowed beyond its folder"), {}};
  if (program.permissions.network) allowed.rows.emplace_back(said("the network"), QString());
  for (const std::string& path : program.permissions.read)
    allowed.rows.emplace_back(shown(path), said("reading"));
  for (const std::string& path : program.permissions.write)
    allowed.rows.emplace_back(shown(path), said("reading and writing"));
  for (ProjectFacts& facts : std::array{commands, numbers, allowed})
    if (!facts.rows.empty()) all.push_back(std::move(facts));
  return all;
}

QString lines_text(std::string_view text) {
  const auto lines = std::ranges::count(text, '\n');
  return said("%1, %2 lines").arg(size_text(text.size()), style::format_count(lines));
}

}  // namespace

std::vector<ProjectFile> project_texts(const project::KernelProject& project) {
  std::vector<ProjectFile> files;
  if (project.program)
    files.push_back({said("commands"),
                     page(base::join(project::program_lines(*project.program), "\n") + "\n"),
                     project.dialect});
  else
    files.push_back({shown(project.source_name), page(project.source), project.dialect});
  for (const codegen::IncludedFile& include : project.includes)
    files.push_back({shown(include.name), page(include.text), project.dialect});
  if (!has_reference(project)) return files;
  const codegen::KernelSource& reference = project.data.answer.reference;
  files.push_back(
      {said("reference: %1").arg(shown(reference.entry)), page(reference.text), reference.dialect});
  for (const codegen::IncludedFile& include : reference.includes)
    files.push_back({said("reference: %1").arg(shown(include.name)), page(include.text), reference.dialect});
  return files;
}

ProjectFacts parameter_facts(const project::KernelProject& project) {
  ProjectFacts facts{said("Parameters"), {}};
  for (const project::Parameter& parameter : project.parameters)
    facts.rows.emplace_back(shown(parameter.name), values_text(parameter));
  return facts;
}

std::vector<ProjectFacts> other_facts(const project::KernelProject& project) {
  ProjectFacts conditions{said("Conditions"), {}};
  for (const project::Condition& condition : project.conditions)
    conditions.rows.emplace_back(shown(condition.text), QString());
  if (project.program) return program_facts(*project.program, std::move(conditions));
  ProjectFacts launch{said("Launch"), {}};
  if (!project.problem_size.empty()) {
    QStringList extents;
    for (const std::int64_t extent : project.problem_size) extents << style::format_count(extent);
    launch.rows.emplace_back(said("problem"), extents.join(QStringLiteral(" × ")));
  }
  if (project.dialect == codegen::Dialect::C) {
    launch.rows.emplace_back(
        said("threads"), project.parts ? said("one part per thread") : said("one, and those that it starts"));
  } else {
    add_launch(project.launch, launch);
  }
  ProjectFacts arguments{said("Arguments"), {}};
  for (const project::ProgramArgument& argument : project.data.arguments)
    arguments.rows.emplace_back(shown(argument.name), argument_text(argument));
  ProjectFacts answer{said("Reference"), {{answer_text(project.data.answer), QString()}}};
  std::vector<ProjectFacts> all;
  for (ProjectFacts& facts : std::array{conditions, launch, flag_facts(project), arguments, answer})
    if (!facts.rows.empty()) all.push_back(std::move(facts));
  return all;
}

std::vector<ProjectFacts> trusted_facts(const project::KernelProject& project) {
  ProjectFacts compiled{said("Compiled and run"), {}};
  if (!project.program)
    compiled.rows.emplace_back(
        shown(project.source_name),
        said("%1; its kernel %2").arg(lines_text(project.source), shown(project.kernel_name)));
  for (const codegen::IncludedFile& include : project.includes)
    compiled.rows.emplace_back(
        shown(include.name),
        (project.program ? said("%1") : said("%1; included")).arg(lines_text(include.text)));
  if (has_reference(project)) {
    const codegen::KernelSource& reference = project.data.answer.reference;
    compiled.rows.emplace_back(
        said("reference"),
        said("%1; its function %2").arg(lines_text(reference.text), shown(reference.entry)));
    for (const codegen::IncludedFile& include : reference.includes)
      compiled.rows.emplace_back(shown(include.name),
                                 said("%1; included by the reference").arg(lines_text(include.text)));
  }
  ProjectFacts data{said("Data files"), {}};
  for (const project::ProgramArgument& argument : project.data.arguments)
    if (argument.fill.kind == project::FillKind::Bytes)
      data.rows.emplace_back(shown(argument.name), contents_text(argument.fill));
  const project::RightAnswer& answer = project.data.answer;
  for (std::size_t index = 0; index < answer.bytes.size(); ++index) {
    const auto file = answer.files.find(index);
    data.rows.emplace_back(said("a reference output"), file == answer.files.end()
                                                           ? size_text(answer.bytes[index].size())
                                                           : file_text(file->second));
  }
  std::vector<ProjectFacts> all{std::move(compiled)};
  for (ProjectFacts& facts : std::array{flag_facts(project), std::move(data)})
    if (!facts.rows.empty()) all.push_back(std::move(facts));
  for (ProjectFacts& facts : other_facts(project))
    if (facts.title != said("Compiler flags")) all.push_back(std::move(facts));
  return all;
}

QString project_title(const project::KernelProject& project) {
  if (project.program) return said("%1: a program").arg(shown(project.name));
  return said("%1: %2, %3 of %4")
      .arg(shown(project.name), shown(project::language_of(project)), shown(project.kernel_name),
           shown(project.source_name));
}

}  // namespace kernelscape::views
