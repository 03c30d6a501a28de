#include "core/fleet/jobs.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/file.h"
#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/fleet/redis_address.h"

extern char** environ;

namespace kernelscape::fleet {
namespace {

using nlohmann::json;

constexpr std::uintmax_t max_plan_bytes = 1 << 20;

std::unexpected<Error> wrong_member(const std::string& member, const std::string& reason) {
  return fail(ErrorCode::InvalidArgument, fmt::format("the plan's \"{}\" {}", member, reason),
              "core/fleet/README.md has an example");
}

Status take(const json& object, const char* name, std::string& value) {
  if (!object.contains(name)) return {};
  if (!object[name].is_string()) return wrong_member(name, "is not a text");
  value = object[name].get<std::string>();
  // The value becomes a line of a script.
  if (std::ranges::any_of(value, [](unsigned char c) { return std::iscntrl(c) != 0; }))
    return wrong_member(name, "has control characters");
  return {};
}

Status take(const json& object, const char* name, int& value, int least, int most) {
  if (!object.contains(name)) return {};
  if (!object[name].is_number_integer()) return wrong_member(name, "is not a whole number");
  const auto number = object[name].get<std::int64_t>();
  if (number < least || number > most)
    return wrong_member(name, fmt::format("is {}; expected {} to {}", number, least, most));
  value = static_cast<int>(number);
  return {};
}

Status check_members(const json& object, const std::vector<std::string>& known) {
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(known, name) == known.end())
      return fail(ErrorCode::InvalidArgument, fmt::format("the plan has an unknown member \"{}\"", name),
                  base::suggest(name, known));
  return {};
}

/** Checks a word of an #SBATCH line, which cannot be quoted. */
Status check_word(const char* name, const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_.:,").contains(static_cast<char>(c));
  });
  return plain
             ? Status()
             : wrong_member(name, fmt::format("is \"{}\"; only letters, digits and -_.:, are allowed", word));
}

Result<JobGroup> read_group(const json& object, std::size_t number) {
  if (!object.is_object()) return wrong_member("groups", "has an entry that is not an object");
  TRY(check_members(object,
                    {"name", "hosts", "count", "gpus", "partition", "time", "cores", "builders", "device"}));
  JobGroup group;
  group.name = fmt::format("group{}", number + 1);
  TRY(take(object, "name", group.name));
  TRY(take(object, "gpus", group.gpus));
  TRY(take(object, "partition", group.partition));
  TRY(take(object, "time", group.time));
  group.device = group.gpus.empty() ? "cpu" : "cuda:0";
  TRY(take(object, "device", group.device));
  TRY(take(object, "count", group.count, 1, 10'000));
  TRY(take(object, "cores", group.cores, 1, 4096));
  group.builders = group.cores;
  TRY(take(object, "builders", group.builders, 0, 4096));
  for (const auto& [name, word] : {std::pair("name", &group.name), std::pair("gpus", &group.gpus),
                                   std::pair("partition", &group.partition), std::pair("time", &group.time),
                                   std::pair("device", &group.device)})
    TRY(check_word(name, *word));
  for (const json& host : object.value("hosts", json::array())) {
    if (!host.is_string() || host.get<std::string>().starts_with('-'))
      return wrong_member("hosts", "has an entry that is not a host");
    group.hosts.push_back(host.get<std::string>());
  }
  return group;
}

Status read_tunnel(const json& object, JobPlan& plan) {
  if (!object.is_object()) return wrong_member("tunnel", "is not an object");
  TRY(check_members(object, {"kind", "host", "port"}));
  TRY(take(object, "kind", plan.tunnel));
  TRY(take(object, "host", plan.tunnel_host));
  TRY(take(object, "port", plan.tunnel_port, 1, 65'535));
  if (plan.tunnel != "ssh" && plan.tunnel != "stunnel")
    return wrong_member("tunnel", "has no known kind: write ssh or stunnel");
  if (plan.tunnel_host.empty() || plan.tunnel_host.starts_with('-'))
    return wrong_member("tunnel", "has no host");
  if (plan.tunnel == "stunnel" && plan.tunnel_port == 0)
    return wrong_member("tunnel", "has no port, at which stunnel listens on the host");
  return {};
}

/** Returns the script text that sets `address`, and the text that closes the tunnel at the end. */
std::string tunnel_text(const JobPlan& plan, const RedisAddress& address) {
  if (plan.tunnel.empty()) return base::write<base::ShellScript>("address={}\n", address.text()).text();
  std::string text =
      "# Redis itself speaks no TLS here: a tunnel carries it, to a socket that only this user can open.\n"
      "folder=$(mktemp -d) || exit 75\n";
  RedisAddress inner = address;
  inner.host.clear();
  inner.socket = "/";
  const std::string query = address.database > 0 ? fmt::format("?db={}", address.database) : std::string();
  const std::string user = address.user.empty() ? std::string() : address.user + "@";
  if (plan.tunnel == "ssh") {
    text += base::write<base::ShellScript>(
                "ssh -N -o BatchMode=yes -o ExitOnForwardFailure=yes -o ServerAliveInterval=15 -L "
                "\"$folder/redis.sock\":{} -- {} &\n",
                address.socket.empty() ? fmt::format("{}:{}", address.host, address.port) : address.socket,
                plan.tunnel_host)
                .text();
  } else {
    text += base::write<base::ShellScript>(
                "printf '%s\\n' 'foreground = yes' 'pid =' '[redis]' 'client = yes' \"accept = "
                "$folder/redis.sock\" "
                "{} 'verifyChain = yes' 'CAfile = /etc/ssl/certs/ca-certificates.crt' {} > "
                "\"$folder/stunnel.conf\"\nstunnel \"$folder/stunnel.conf\" &\n",
                fmt::format("connect = {}:{}", plan.tunnel_host, plan.tunnel_port),
                "checkHost = " + plan.tunnel_host)
                .text();
  }
  text +=
      "tunnel=$!\n"
      "trap 'kill \"$tunnel\" 2>/dev/null; rm -rf \"$folder\"' EXIT\n"
      "for _ in $(seq 100); do [ -S \"$folder/redis.sock\" ] && break; sleep 0.1; done\n";
  text +=
      base::write<base::ShellScript>("address=redis+unix://{}\"$folder\"/redis.sock{}\n", user, query).text();
  return text;
}

/**
 * Returns the script text that starts the worker, forwards a stop signal to it, and starts it again if it
 * lost its device.
 */
std::string loop_text(const JobPlan& plan, const JobGroup& group, std::string_view when_stopped) {
  std::string command =
      base::write<base::ShellScript>("{} --join \"$address\" --builders {} --device {}", plan.worker,
                                     std::to_string(group.builders), group.device)
          .text();
  if (!plan.password_file.empty())
    command += base::write<base::ShellScript>(" --password-file {}", plan.password_file).text();
  return fmt::format(
      "stopping=0\n"
      "worker=\n"
      "trap 'stopping=1; [ -n \"$worker\" ] && kill -TERM \"$worker\" 2>/dev/null' TERM INT\n"
      "# 75: the machine's fault, such as a device that was lost. A second worker in its place may do "
      "better.\n"
      "for _ in $(seq 20); do\n"
      "  {} &\n"
      "  worker=$!\n"
      "  wait \"$worker\"\n"
      "  code=$?\n"
      "  # A signal ends the first wait: the worker finishes what it has.\n"
      "  while kill -0 \"$worker\" 2>/dev/null; do wait \"$worker\"; code=$?; done\n"
      "  worker=\n"
      "  if [ \"$stopping\" -eq 1 ]; then\n"
      "    {}\n"
      "    exit 0\n"
      "  fi\n"
      "  [ \"$code\" -eq 75 ] || exit \"$code\"\n"
      "  sleep 10\n"
      "done\n"
      "exit \"$code\"\n",
      command, when_stopped);
}

std::string slurm_head(const JobGroup& group) {
  std::string text = "#!/bin/bash\n";
  const auto line = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };
  line("--job-name=kernelscape-" + group.name);
  line("--ntasks=1");
  line(fmt::format("--cpus-per-task={}", group.cores));
  if (group.count > 1) line(fmt::format("--array=1-{}", group.count));
  if (!group.gpus.empty()) line("--gres=gpu:" + group.gpus);
  if (!group.partition.empty()) line("--partition=" + group.partition);
  line("--time=" + group.time);
  line("--requeue");
  line("--signal=B:TERM@120");
  line("--open-mode=append");
  return text;
}

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : base::split_text(path != nullptr ? path : "", ':')) {
    std::error_code ignored;
    std::string file = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && std::filesystem::is_regular_file(file, ignored)) return file;
  }
  return std::nullopt;
}

/** Runs a command with a file as its input, or none, and returns its exit code. */
Result<int> run_command(const std::vector<std::string>& words, const std::string& input) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input.empty() ? "/dev/null" : input.c_str(), 0, 0);
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  pid_t process = -1;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be started: {}", words[0], std::strerror(error)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<JobPlan> read_job_plan(const std::string& path) {
  const std::string text = TRY(base::read_text_file(path, max_plan_bytes));
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object())
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a JSON object", path),
                "core/fleet/README.md has an example");
  TRY(check_members(object, {"worker", "password_file", "tunnel", "groups"}));
  JobPlan plan;
  TRY(take(object, "worker", plan.worker));
  TRY(take(object, "password_file", plan.password_file));
  if (object.contains("tunnel")) TRY(read_tunnel(object["tunnel"], plan));
  const json groups = object.value("groups", json::array());
  for (std::size_t i = 0; i < groups.size(); ++i) plan.groups.push_back(TRY(read_group(groups[i], i)));
  if (plan.groups.empty()) return wrong_member("groups", "has no group of workers");
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (plan.groups[i].name == plan.groups[j].name)
        return wrong_member("name", fmt::format("\"{}\" is the name of two groups", plan.groups[i].name));
  return plan;
}

std::vector<JobScript> slurm_scripts(const JobPlan& plan, const std::string& address_text) {
  const auto address = parse_redis_address(address_text);
  std::vector<JobScript> scripts;
  for (const JobGroup& group : plan.groups) {
    JobScript script;
    script.name = fmt::format("kernelscape-{}.sbatch", group.name);
    script.summary = fmt::format("{} worker{} of Slurm, {} builders, {}", group.count,
                                 group.count == 1 ? "" : "s", group.builders, group.device);
    script.text = slurm_head(group) + "set -u\n" + (address ? tunnel_text(plan, *address) : "") +
                  loop_text(plan, group,
                            "# Its time is over: it goes on when there is room.\n"
                            "    scontrol requeue \"$SLURM_JOB_ID\"");
    script.start = {"sbatch"};
    scripts.push_back(std::move(script));
  }
  return scripts;
}

std::vector<JobScript> ssh_scripts(const JobPlan& plan, const std::string& address_text) {
  const auto address = parse_redis_address(address_text);
  std::vector<JobScript> scripts;
  for (const JobGroup& group : plan.groups) {
    for (const std::string& host : group.hosts) {
      JobScript script;
      std::string file = host;
      for (char& c : file)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
      script.name = fmt::format("kernelscape-{}-{}.sh", group.name, file);
      script.summary = fmt::format("a worker on {}, {} builders, {}", host, group.builders, group.device);
      script.text = "#!/bin/bash\nset -u\n" + (address ? tunnel_text(plan, *address) : "") +
                    loop_text(plan, group, ":");
      const auto taken = [&] {
        return std::ranges::find(scripts, script.name, &JobScript::name) != scripts.end();
      };
      for (int number = 2; taken(); ++number)
        script.name = fmt::format("kernelscape-{}-{}-{}.sh", group.name, file, number);
      // The script is moved into place, because a shell continues to read a running script while it is
      // overwritten.
      script.start = {"ssh",
                      "-o",
                      "BatchMode=yes",
                      "--",
                      host,
                      fmt::format("cat > {0}.new && chmod 700 {0}.new && mv {0}.new {0} && "
                                  "(setsid ./{0} < /dev/null > {0}.log 2>&1 &)",
                                  script.name)};
      scripts.push_back(std::move(script));
    }
  }
  return scripts;
}

Status write_job_scripts(const std::vector<JobScript>& scripts, const std::string& folder) {
  const base::OpenFolder open = TRY(base::OpenFolder::open(folder));
  for (const JobScript& script : scripts) {
    base::AtomicFile file = TRY(base::AtomicFile::create_in(open, script.name));
    TRY(file.write(script.text));
    TRY(file.commit());
    chmod(open.path_of(script.name).c_str(), 0700);
  }
  return {};
}

Status start_jobs(const std::vector<JobScript>& scripts, const std::string& folder, bool slurm) {
  for (const JobScript& script : scripts) {
    if (!find_program(script.start.front()))
      return fail(ErrorCode::Environment,
                  fmt::format("the command {}, which starts workers, was not found", script.start[0]),
                  "start the scripts by hand on a machine that has it");
    const std::string path = folder + "/" + script.name;
    std::vector<std::string> words = script.start;
    if (slurm) words.push_back(path);
    const int code = TRY(run_command(words, slurm ? std::string() : path));
    if (code != 0)
      return fail(ErrorCode::Environment,
                  fmt::format("{} failed to start {}: exit code {}", words[0], path, code),
                  "read its output above");
  }
  return {};
}

}  // namespace kernelscape::fleet
