#pragma once

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is not of <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/benchmarks/drift/disturbances.h"

/** A session of the built program, as a user starts it, read by its JSON events. */
namespace kernelscape::drift {

using Json = nlohmann::json;

/** Set by SIGINT and SIGTERM: workers that are stopped have to be continued before the benchmark ends. */
inline volatile std::sig_atomic_t interrupted = 0;

inline void watch_for_interruptions() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = 1; };
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

struct SessionCommand {
  std::string program;
  std::vector<std::string> arguments;  ///< after the program's name
};

/** A trial event, and when it arrived. */
struct ArrivedTrial {
  Json event;
  double seconds = 0;  ///< since the session's start
};

struct DrivenSession {
  Json summary;  ///< the last event; null: the session failed
  std::vector<ArrivedTrial> trials;
  std::vector<AppliedPhase> phases;
  double wall_seconds = 0;
  std::string problem;  ///< why the disturbance was impossible; empty: it was applied, or there is none
};

struct StartedProgram {
  pid_t process = -1;
  int output = -1;
};

inline StartedProgram start_program(const SessionCommand& command) {
  std::vector<char*> words{const_cast<char*>(command.program.c_str())};
  for (const std::string& argument : command.arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  return {process, ends[0]};
}

/** Reads events until the program ends or the benchmark is interrupted. */
inline void read_events(int output, std::chrono::steady_clock::time_point since, DrivenSession& session) {
  const std::unique_ptr<FILE, int (*)(FILE*)> stream(fdopen(output, "r"), fclose);
  char* line = nullptr;
  std::size_t capacity = 0;
  while (interrupted == 0 && getline(&line, &capacity, stream.get()) > 0) {
    Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) continue;
    const std::string kind = event.value("event", "");
    if (kind == "trial")
      session.trials.push_back({std::move(event), Seconds(std::chrono::steady_clock::now() - since).count()});
    else if (kind == "summary")
      session.summary = std::move(event);
  }
  free(line);
}

/** Runs a session to its end. @param disturbance null: the session is not disturbed */
inline DrivenSession run_session(const SessionCommand& command, Disturbance* disturbance,
                                 const std::vector<DisturbancePhase>& phases) {
  DrivenSession session;
  const auto since = std::chrono::steady_clock::now();
  const StartedProgram started = start_program(command);
  if (started.process < 0) {
    session.problem = "the program cannot be started";
    return session;
  }
  std::optional<Disturber> disturber;
  if (disturbance != nullptr) {
    if (const Status possible = disturbance->attach(started.process))
      disturber.emplace(*disturbance, phases, since);
    else
      session.problem = describe(possible.error());
  }
  if (session.problem.empty()) read_events(started.output, since, session);
  session.wall_seconds = Seconds(std::chrono::steady_clock::now() - since).count();
  if (disturber) session.phases = disturber->finish();
  if (interrupted != 0 || !session.problem.empty()) kill(started.process, SIGTERM);
  while (waitpid(started.process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return session;
}

}  // namespace kernelscape::drift
