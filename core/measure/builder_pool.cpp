#include "core/measure/builder_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/kernel/family.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/gpu/cuda_compiler.h"
#include "core/measure/gpu/opencl_compiler.h"
#include "core/measure/runner.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

constexpr double command_grace_seconds = 10;  // time for a worker to stop its compiler and answer
constexpr double library_grace_seconds = 1;   // time for a compiler that can't be stopped within the worker
constexpr double opening_seconds = 60;        // time to load a compiler's libraries from a slow disk

double grace_seconds(codegen::Dialect dialect) {
  return dialect == codegen::Dialect::C ? command_grace_seconds : library_grace_seconds;
}

trial::ErrorCategory failure_category(codegen::Dialect dialect) {
  return dialect == codegen::Dialect::C ? trial::ErrorCategory::CompileHost
                                        : trial::ErrorCategory::CompileDevice;
}

codegen::KnownFlags known_flags_of(const schedule::TargetDescription& target) {
  return codegen::sort_flags(kernel::dialect_of(target.kind), target.flags).known;
}

/**
 * Returns the flags of a build. A user's flags come last, since of two contradicting flags a compiler uses
 * the last.
 */
std::vector<std::string> flags_of(const codegen::KernelSource& source,
                                  const schedule::TargetDescription& target) {
  const bool own = source.flags.empty() && source.user_flags.empty();
  std::vector<std::string> words = (own ? known_flags_of(target) : source.flags).words();
  words.insert(words.end(), source.user_flags.begin(), source.user_flags.end());
  return words;
}

/**
 * Returns the compiler of a source. A C source for a GPU target is a reference, which the host's compiler
 * builds.
 */
std::string compiler_of(const codegen::KernelSource& source, const schedule::TargetDescription& target) {
  return source.dialect == codegen::Dialect::C && target.kind != schedule::TargetKind::Cpu ? host_compiler()
                                                                                           : target.compiler;
}

BuildRequest trivial_request(const schedule::TargetDescription& target) {
  switch (target.kind) {
    case schedule::TargetKind::Cpu:
      break;
    case schedule::TargetKind::Cuda:
      return cuda_self_test_request(target.isa);
    case schedule::TargetKind::OpenCl:
      return opencl_self_test_request(target.name);
  }
  return self_test_request(target.compiler, known_flags_of(target));
}

/** Returns the error of a trivial kernel's build, or success if it was built. */
Status check_trivial_build(const schedule::TargetDescription& target, const BuildReply& reply) {
  if (target.kind == schedule::TargetKind::Cpu) return check_self_test(target.compiler, reply);
  if (reply.status == BuildStatus::Built) return {};
  if (reply.status == BuildStatus::MachineFault)
    return fail(ErrorCode::Environment, reply.message, reply.hint);
  return fail(ErrorCode::Environment,
              fmt::format("the compiler for {} fails on a trivial kernel: {}", target.name, reply.message),
              "reinstall it; `kernelscape devices` shows which compiler it is");
}

}  // namespace

BuildOutcome build_outcome_of(BuildReply reply, codegen::Dialect dialect) {
  BuildOutcome outcome{.artefact = std::move(reply.artefact),
                       .message = clean_message(reply.message),
                       .log = clean_message(reply.log),
                       .resources = reply.resources,
                       .entry = std::move(reply.entry),
                       .code_bytes = std::max<std::int64_t>(reply.code_bytes, 0),
                       .build_seconds = std::max(reply.seconds, 0.0)};
  if (reply.status == BuildStatus::Failed) outcome.category = failure_category(dialect);
  if (reply.status == BuildStatus::TimedOut) outcome.category = trial::ErrorCategory::BuildTimeout;
  return outcome;
}

BuildRequest build_request_of(codegen::KernelSource source, const schedule::TargetDescription& target,
                              double timeout_seconds) {
  BuildRequest request{.dialect = source.dialect,
                       .compiler = compiler_of(source, target),
                       .device = target.name,
                       .architecture = target.isa,
                       .entry = std::move(source.entry),
                       .user_source = source.arguments.empty(),
                       .includes = std::move(source.includes),
                       .flags = flags_of(source, target),
                       .timeout_seconds = timeout_seconds};
  request.text = std::move(source.text);
  return request;
}

struct BuilderPool::Builder {
  explicit Builder(WorkerProcess started) : worker(std::move(started)) {}

  bool compiles_itself() const { return request.dialect != codegen::Dialect::C; }

  /**
   * Sends the build of a trivial kernel, so that the worker opens its GPU's compiler outside of the timed
   * builds. A worker that is gone is detected when its answer is read.
   */
  void order_trivial_build(const schedule::TargetDescription& target, const Interruption& interruption) {
    opened_by = deadline_after(opening_seconds);
    (void)worker.channel().send(trivial_request(target), opened_by, interruption);
  }

  /** Reads the answer to the trivial build. A worker that is lost with it is replaced, a few times. */
  Status take_trivial_build(const schedule::TargetDescription& target, const Interruption& interruption) {
    for (int attempt = 1;; ++attempt) {
      auto reply = worker.channel().receive<BuildReply>(opened_by, interruption);
      if (reply) return check_trivial_build(target, *reply);
      const bool lost = reply.error().problem == ChannelProblem::Closed;
      if (!lost || attempt == max_worker_attempts) return not_opened(reply.error());
      TRY(replace_worker(interruption));
      order_trivial_build(target, interruption);
    }
  }

  /** Replaces the worker by a new one and ends the old one. */
  Status replace_worker(const Interruption& interruption) {
    worker = TRY(WorkerProcess::start(WorkerRole::Build));
    return worker.await_ready(interruption);
  }

  std::unexpected<Error> not_opened(const ChannelError& problem) {
    if (problem.problem == ChannelProblem::Broken) return std::unexpected(problem.error);
    const bool lost = problem.problem == ChannelProblem::Closed;
    if (!lost) worker.kill();
    const WorkerEnd end = worker.end();
    const std::string what = lost ? fmt::format("was lost {} times", max_worker_attempts)
                                  : fmt::format("got no answer within {} s", opening_seconds);
    return fail(
        ErrorCode::Environment,
        fmt::format("the build worker that tests the compiler {}: {}", what, describe(end)),
        may_lack_memory(end) ? hint_for(end) : "repair the compiler's installation, then resume the session");
  }

  WorkerProcess worker;
  std::optional<std::size_t> job;
  BuildRequest request;
  int attempts = 0;  ///< attempts of this job that lost their worker
  std::chrono::steady_clock::time_point sent;
  Deadline deadline;
  Deadline opened_by;
};

/** The state of one call of build(). */
class BuilderPool::Run {
 public:
  Run(BuilderPool& pool, const Requests& jobs, const Interruption& interruption)
      : pool_(pool), jobs_(jobs), interruption_(interruption) {}

  Result<bool> run() {
    while (true) {
      if (auto given = give_work(); !given) return given_up(given.error());
      const auto busy = [](const auto& builder) { return builder->job.has_value(); };
      if (std::ranges::none_of(pool_.builders_, busy)) break;
      if (!wait_for_answers()) return drop_work(), false;
      if (auto taken = take_answers(); !taken) return given_up(taken.error());
    }
    return report_failures();
  }

 private:
  Status give_work() {
    for (const auto& builder : pool_.builders_) {
      while (!builder->job && next_ < jobs_.count) {
        const std::size_t index = next_++;
        auto request = jobs_.request(index);
        if (!request) continue;
        builder->job = index;
        builder->attempts = 0;
        builder->request = std::move(*request);
        TRY(send(*builder));
      }
    }
    return {};
  }

  /** Sends a job to a builder; a worker that is gone is replaced. */
  Status send(Builder& builder) {
    for (int attempt = 1;; ++attempt) {
      const auto sent = send_once(builder);
      if (sent) return {};
      if (sent.error().problem != ChannelProblem::Closed) return std::unexpected(sent.error().error);
      if (attempt == max_worker_attempts) break;
      TRY(restart(builder));
    }
    const WorkerEnd end = builder.worker.end();
    return fail(ErrorCode::Environment, "build workers end as soon as they start: " + describe(end),
                hint_for(end));
  }

  std::expected<void, ChannelError> send_once(Builder& builder) {
    builder.sent = std::chrono::steady_clock::now();
    builder.deadline =
        deadline_after(builder.request.timeout_seconds + grace_seconds(builder.request.dialect));
    return builder.worker.channel().send(builder.request, builder.deadline, interruption_);
  }

  Status restart(Builder& builder) {
    TRY(builder.replace_worker(interruption_));
    if (!builder.compiles_itself()) return {};
    builder.order_trivial_build(pool_.target_, interruption_);
    return builder.take_trivial_build(pool_.target_, interruption_);
  }

  /** Waits for answers of busy builders; returns false if the wait was interrupted. */
  bool wait_for_answers() {
    std::vector<pollfd> waits;
    Deadline first = deadline_after(3600);
    for (const auto& builder : pool_.builders_) {
      if (!builder->job) continue;
      waits.push_back({.fd = builder->worker.channel().descriptor(), .events = POLLIN, .revents = 0});
      first = std::min(first, builder->deadline);
    }
    waits.push_back({.fd = interruption_.descriptor, .events = POLLIN, .revents = 0});
    poll(waits.data(), waits.size(), interruption_.limit_poll(poll_milliseconds(first)));
    return !interruption_.now();
  }

  Status take_answers() {
    for (const auto& builder : pool_.builders_) {
      if (!builder->job) continue;
      pollfd wait{.fd = builder->worker.channel().descriptor(), .events = POLLIN, .revents = 0};
      const bool answered = poll(&wait, 1, 0) == 1;
      if (!answered && poll_milliseconds(builder->deadline) > 0) continue;
      TRY(take_answer(*builder));
    }
    return {};
  }

  Status take_answer(Builder& builder) {
    auto reply = builder.worker.channel().receive<BuildReply>(builder.deadline, interruption_);
    if (!reply && reply.error().problem == ChannelProblem::Interrupted)
      return std::unexpected(reply.error().error);
    if (!reply) return replace(builder, reply.error());
    if (reply->status == BuildStatus::MachineFault) {
      return fail(ErrorCode::Environment, reply->message, reply->hint);
    }
    finish(builder, build_outcome_of(std::move(*reply), builder.request.dialect));
    return {};
  }

  /**
   * Replaces a worker that died, hangs or breaks the protocol; its job gets a second attempt on the new
   * worker.
   */
  Status replace(Builder& builder, const ChannelError& problem) {
    const double seconds = seconds_since(builder.sent);
    if (builder.compiles_itself() && problem.problem != ChannelProblem::Closed) builder.worker.kill();
    const std::string end = builder.worker.describe_end();
    TRY(restart(builder));
    const auto finish_lost = [&](trial::ErrorCategory category, std::string message) {
      finish(builder, {.category = category, .message = std::move(message), .build_seconds = seconds});
    };
    if (problem.problem == ChannelProblem::TimedOut) {
      finish_lost(trial::ErrorCategory::BuildTimeout,
                  builder.compiles_itself()
                      ? fmt::format("the compiler was stopped after {} s", builder.request.timeout_seconds)
                      : "the build worker hung");
    } else if (problem.problem == ChannelProblem::Broken) {
      finish_lost(trial::ErrorCategory::UnknownError, problem.error.message);
    } else if (++builder.attempts < 2) {
      return send(builder);
    } else {
      finish_lost(failure_category(builder.request.dialect), "the build worker was lost twice: " + end);
    }
    return {};
  }

  void finish(Builder& builder, BuildOutcome outcome) {
    const std::size_t index = *builder.job;
    builder.job.reset();
    if (outcome.category == trial::ErrorCategory::NoError) {
      jobs_.done(index, std::move(outcome));
    } else {
      failures_.emplace_back(index, std::move(outcome));
    }
  }

  /** Converts an error caused by an interruption to `false`; other errors are returned. */
  Result<bool> given_up(const Error& error) {
    drop_work();
    if (interruption_.now()) return false;
    return std::unexpected(error);
  }

  /** Kills busy builders together with their compilers. */
  void drop_work() {
    // All are killed first: stopping them one by one would wait for each compiler inside a worker.
    for (const auto& builder : pool_.builders_) {
      if (builder->job && builder->compiles_itself()) builder->worker.kill();
    }
    std::erase_if(pool_.builders_, [](const auto& builder) { return builder->job.has_value(); });
  }

  /** Reports failed builds. They are held back until it is certain that the compiler itself works. */
  Result<bool> report_failures() {
    if (failures_.empty()) return true;
    if (auto passed = pool_.self_test(interruption_); !passed) {
      if (interruption_.now()) return false;
      return std::unexpected(passed.error());
    }
    for (auto& [index, outcome] : failures_) jobs_.done(index, std::move(outcome));
    return true;
  }

  BuilderPool& pool_;
  const Requests& jobs_;
  const Interruption& interruption_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::size_t, BuildOutcome>> failures_;
};

BuilderPool::BuilderPool(const schedule::TargetDescription& target, const trial::MeasureOptions& options)
    : target_(target),
      timeout_seconds_(options.build_timeout_seconds),
      limit_(
          static_cast<std::size_t>(options.builders > 0 ? options.builders : schedule::host_cores(target))) {}

BuilderPool::~BuilderPool() = default;

Status BuilderPool::start_builders(std::size_t wanted, const Interruption& interruption) {
  const std::size_t present = builders_.size();
  while (builders_.size() < wanted) {
    auto worker = TRY(WorkerProcess::start(WorkerRole::Build));
    builders_.push_back(std::make_unique<Builder>(std::move(worker)));
  }
  const auto each_new = [&](const auto& step) -> Status {
    for (std::size_t i = present; i < builders_.size(); ++i) {
      if (Status done = step(*builders_[i]); !done) {
        builders_.resize(present);
        return done;
      }
    }
    return {};
  };
  Status started = each_new([&](Builder& builder) { return builder.worker.await_ready(interruption); });
  if (!started || target_.kind == schedule::TargetKind::Cpu) return started;
  for (std::size_t i = present; i < builders_.size(); ++i)
    builders_[i]->order_trivial_build(target_, interruption);
  return each_new([&](Builder& builder) { return builder.take_trivial_build(target_, interruption); });
}

Status BuilderPool::self_test(const Interruption& interruption) {
  Builder& builder = *builders_.front();
  builder.order_trivial_build(target_, interruption);
  Status passed = builder.take_trivial_build(target_, interruption);
  if (!passed) builders_.erase(builders_.begin());
  return passed;
}

Result<bool> BuilderPool::build_requests(const Requests& requests, const Interruption& interruption) {
  if (requests.count == 0) return true;
  if (auto started = start_builders(std::min(limit_, requests.count), interruption); !started) {
    if (interruption.now()) return false;
    return std::unexpected(started.error());
  }
  return Run(*this, requests, interruption).run();
}

Result<bool> BuilderPool::build(const BuildJobs& jobs, const Interruption& interruption) {
  Requests requests{.count = jobs.count, .request = {}, .done = jobs.done};
  requests.request = [&](std::size_t i) -> std::optional<BuildRequest> {
    std::optional<codegen::KernelSource> source = jobs.source(i);
    if (!source) return std::nullopt;
    return build_request_of(std::move(*source), target_, timeout_seconds_);
  };
  return build_requests(requests, interruption);
}

Result<std::optional<BuildOutcome>> BuilderPool::build_request(const BuildRequest& request,
                                                               const Interruption& interruption) {
  BuildOutcome built;
  Requests requests{.count = 1, .request = {}, .done = {}};
  requests.request = [&](std::size_t) -> std::optional<BuildRequest> { return request; };
  requests.done = [&](std::size_t, BuildOutcome outcome) { built = std::move(outcome); };
  if (!TRY(build_requests(requests, interruption))) return std::nullopt;
  return built;
}

Result<std::optional<BuildOutcome>> BuilderPool::build_one(const codegen::KernelSource& source,
                                                           const Interruption& interruption) {
  BuildOutcome built;
  BuildJobs jobs{.count = 1, .source = {}, .done = {}};
  jobs.source = [&](std::size_t) -> std::optional<codegen::KernelSource> { return source; };
  jobs.done = [&](std::size_t, BuildOutcome outcome) { built = std::move(outcome); };
  if (!TRY(build(jobs, interruption))) return std::nullopt;
  return built;
}

}  // namespace kernelscape::measure
