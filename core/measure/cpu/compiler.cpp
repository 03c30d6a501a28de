#include "core/measure/cpu/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/text.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/message_text.h"
#include "core/project/host_language.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t compiler_memory_bytes = 4ULL << 30;

BuildReply machine_fault(std::string message, std::string hint) {
  return {.status = BuildStatus::MachineFault,
          .artefact = {},
          .message = std::move(message),
          .hint = std::move(hint)};
}

BuildReply disk_fault(const std::string& folder, int error) {
  return machine_fault(fmt::format("builds can't write into {}: {}", folder, std::strerror(error)),
                       "free space there, or set TMPDIR to another folder");
}

/**
 * Returns 0, or the errno of a failed write to the folder: a compiler's own message about a full disk is not
 * reliable enough.
 */
int probe_disk(const std::string& folder) {
  const std::string path = folder + "/probe";
  const int error = write_private_file(path, std::string(1 << 20, 'x'));
  unlink(path.c_str());
  return error;
}

BuildReply start_fault(const std::string& compiler, int error) {
  const bool absent = error == ENOENT || error == EACCES || error == ENOTDIR || error == ENOEXEC;
  return machine_fault(
      fmt::format("the C compiler `{}` can't be started: {}", compiler, std::strerror(error)),
      absent            ? "install a C compiler (apt-get install gcc), or set CC to the compiler's path"
      : error == EMFILE ? "Raise the limit on open files (ulimit -n)."
                        : "end other programs, or raise the limit on processes and memory");
}

/** Returns a name such as "kernel.c" that no included file and no folder of one has. */
std::string free_name(const BuildRequest& request, std::string_view ending) {
  std::string name = fmt::format("kernel{}", ending);
  const auto taken = [&](const codegen::IncludedFile& file) {
    return file.name == name || file.name.starts_with(name + "/");
  };
  for (int number = 1; std::ranges::any_of(request.includes, taken); ++number)
    name = fmt::format("kernel_{}{}", number, ending);
  return name;
}

/** The names of a build's own files, beside those that a user's source includes. */
struct BuildNames {
  explicit BuildNames(const BuildRequest& request)
      : source(free_name(request, ".c")), object(free_name(request, ".so")) {}
  std::string source;
  std::string object;
};

/**
 * Returns true for a line such as "gcc: fatal error: cannot execute 'cc1plus': No such file or directory": a
 * driver or a linker says in its own name, not in that of a place in a source, that the compiler of C++ or
 * its library is not installed.
 */
bool says_that_cpp_is_missing(std::string_view line) {
  constexpr auto missing_parts = std::to_array<std::string_view>(
      {"fatal error: cannot execute 'cc1plus'", "error: error trying to exec 'cc1plus'",
       "error trying to exec 'cc1plus'", "cannot find -lstdc++", "error: cannot find -lstdc++",
       "error: unable to find library -lstdc++", "fatal: library not found: stdc++"});
  const std::size_t program_end = line.find(": ");
  if (program_end == std::string_view::npos || program_end == 0) return false;
  const std::string_view program = line.substr(0, program_end);
  // A place in a source is FILE:LINE, and a line of the source is quoted behind blanks.
  if (program.contains(':') || (program.contains(' ') && !program.starts_with('/'))) return false;
  const std::string_view message = line.substr(program_end + 2);
  return std::ranges::any_of(missing_parts, [&](std::string_view part) {
    return message.starts_with(part) && (message.size() == part.size() || message[part.size()] == ':');
  });
}

/** Returns the line in which the compiler says that it lacks C++; empty where it does not say so. */
std::string missing_cpp_in(std::string_view output) {
  for (const std::string& line : base::split_text(output, '\n'))
    if (says_that_cpp_is_missing(line)) return clean_message(line);
  return {};
}

std::vector<std::string> compile_arguments(const BuildRequest& request, const BuildNames& names) {
  std::vector<std::string> arguments = command_arguments(request.compiler);
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  // Files that a user's source includes are in the folder, under the names used in the source.
  if (!request.includes.empty()) arguments.emplace_back("-I.");
  for (const char* argument : {"-shared", "-fPIC", "-pipe", "-o"}) arguments.emplace_back(argument);
  arguments.push_back(names.object);
  arguments.push_back(names.source);
  // The compiler of C compiles C++ as well, but links with the library of C alone.
  if (project::is_cpp(request.flags)) arguments.emplace_back("-lstdc++");
  return arguments;
}

/**
 * Returns true for a relative name that never leads upwards: names in messages are untrusted, like those in
 * files.
 */
bool lies_below(const std::filesystem::path& name) {
  return !name.empty() && name.is_relative() && name.has_filename() &&
         std::ranges::none_of(name, [](const auto& part) { return part == ".." || part == "."; });
}

/** 0, or errno of why the source and what it includes can't be written. */
int write_sources(const BuildRequest& request, const BuildNames& names, const base::TemporaryFolder& folder) {
  const std::filesystem::path place = folder.path();
  for (const codegen::IncludedFile& file : request.includes) {
    if (!lies_below(file.name)) return EINVAL;
    std::error_code failed;
    std::filesystem::create_directories((place / file.name).parent_path(), failed);
    if (failed) return failed.value();
    if (const int error = write_private_file((place / file.name).string(), file.text); error != 0)
      return error;
  }
  return write_private_file((place / names.source).string(), request.text);
}

BuildReply judge(const BuildRequest& request, const BuildNames& names, const ConfinedOutcome& outcome,
                 const base::TemporaryFolder& folder) {
  if (outcome.start_error != 0) return start_fault(request.compiler, outcome.start_error);
  const ChildOutcome& child = outcome.child;
  BuildReply reply{
      .status = BuildStatus::Failed, .artefact = {}, .message = clean_message(child.output), .hint = {}};
  if (child.end == ChildEnd::TimedOut) {
    reply.status = BuildStatus::TimedOut;
    reply.message = fmt::format("the compiler was stopped after {} s", request.timeout_seconds);
    return reply;
  }
  if (child.end == ChildEnd::Lost) return machine_fault("the compiler's process can't be watched", {});
  if (child.end == ChildEnd::Exited && child.code == 0) {
    reply.artefact = read_private_file(folder.path() + "/" + names.object, max_artefact_bytes);
    reply.status = reply.artefact.empty() ? BuildStatus::Failed : BuildStatus::Built;
    reply.message =
        reply.artefact.empty() ? "the compiler made no shared object, or a shared object over 64 MiB" : "";
    return reply;
  }
  if (const int error = probe_disk(folder.path()); error != 0) return disk_fault(folder.path(), error);
  if (const std::string missing =
          project::is_cpp(request.flags) ? missing_cpp_in(child.output) : std::string();
      !missing.empty())
    return machine_fault(fmt::format("the compiler `{}` can't compile C++: {}", request.compiler, missing),
                         "install a C++ compiler of the same version (apt-get install g++), or let CC name "
                         "one that has it");
  if (child.end == ChildEnd::Signalled) {
    reply.message = clean_message(
        fmt::format("the compiler was ended by {}\n{}", describe_signal(child.code), child.output));
  } else if (reply.message.empty()) {
    reply.message = fmt::format("the compiler failed with exit code {} and no message", child.code);
  }
  return reply;
}

}  // namespace

std::vector<std::string> command_arguments(const std::string& command) {
  std::error_code ignored;
  if (std::filesystem::exists(command, ignored)) return {command};
  std::vector<std::string> words = base::split_text(command, ' ');
  std::erase(words, "");
  return words.empty() ? std::vector<std::string>{command} : words;
}

BuildReply compile_shared_object(const BuildRequest& request, const base::TemporaryFolder& folder,
                                 int hang_up) {
  const auto start = std::chrono::steady_clock::now();
  BuildReply reply;
  const BuildNames names(request);
  const int error = write_sources(request, names, folder);
  if (error == EINVAL || error == ENOTDIR || error == EEXIST) {
    reply.status = BuildStatus::Failed;
    reply.message = "the names of the included files can't be used in one folder";
  } else if (error != 0) {
    reply = disk_fault(folder.path(), error);
  } else {
    const ExecTexts arguments(compile_arguments(request, names));
    const ExecTexts environment(confined_environment(folder.path()));
    Confinement confinement = Confinement::of_compiler(folder.path());
    const ConfinedCommand command{.arguments = arguments,
                                  .environment = environment,
                                  .folder = folder.path(),
                                  .limits = {.cpu_seconds = request.timeout_seconds,
                                             .address_space_bytes = compiler_memory_bytes,
                                             .file_bytes = 4 * max_artefact_bytes,
                                             .stack_bytes = 0},
                                  .confinement = &confinement};
    reply = judge(request, names, run_confined(command, request.timeout_seconds, hang_up), folder);
  }
  folder.clear();
  reply.seconds = seconds_since(start);
  return reply;
}

Result<std::string> compiler_version(const std::string& compiler) {
  std::vector<std::string> words = command_arguments(compiler);
  words.emplace_back("--version");
  const ExecTexts arguments(std::move(words));
  const ExecTexts environment(confined_environment("/tmp"));
  const std::string folder = "/";
  const ConfinedCommand command{
      .arguments = arguments, .environment = environment, .folder = folder, .limits = {}};
  const ConfinedOutcome outcome = run_confined(command, 10, -1);
  if (outcome.start_error != 0) {
    const BuildReply fault = start_fault(compiler, outcome.start_error);
    return fail(ErrorCode::Environment, fault.message, fault.hint);
  }
  const std::string text = clean_message(outcome.child.output);
  return text.substr(0, text.find('\n'));
}

BuildRequest self_test_request(const std::string& compiler, const codegen::KnownFlags& flags) {
  return {.compiler = compiler,
          .flags = flags.words(),
          .text =
              "void kernelscape_self_test(int part, int parts, const float* a, const float* b, float* c) {\n"
              "  if (part < parts) *c = *a * *b;\n}\n",
          .timeout_seconds = 10};
}

Status check_self_test(const std::string& compiler, const BuildReply& reply) {
  if (reply.status == BuildStatus::Built) return {};
  if (reply.status == BuildStatus::MachineFault)
    return fail(ErrorCode::Environment, reply.message, reply.hint);
  return fail(ErrorCode::Environment,
              fmt::format("the C compiler `{}` fails on a trivial kernel: {}", compiler, reply.message),
              "repair it, or set CC to another compiler");
}

}  // namespace kernelscape::measure
