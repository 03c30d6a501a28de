#include "core/measure/builder_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/measure/compiler.h"
#include "core/measure/message_text.h"

namespace kernelscape {
namespace {

constexpr double grace_seconds = 10;  // for a worker to stop its compiler and answer

BuildOutcome outcome_of(BuildReply reply) {
  BuildOutcome outcome{.category = ErrorCategory::NoError,
                       .artefact = std::move(reply.artefact),
                       .message = clean_message(reply.message),
                       .build_seconds = std::max(reply.seconds, 0.0)};
  if (reply.status == BuildStatus::Failed) outcome.category = ErrorCategory::CompileHost;
  if (reply.status == BuildStatus::TimedOut) outcome.category = ErrorCategory::BuildTimeout;
  return outcome;
}

}  // namespace

struct BuilderPool::Builder {
  explicit Builder(WorkerProcess started) : worker(std::move(started)) {}

  WorkerProcess worker;
  std::optional<std::size_t> job;
  BuildRequest request;
  int attempts = 0;  ///< of this job that lost their worker
  Deadline deadline;
};

/** One call of build(). */
class BuilderPool::Run {
 public:
  Run(BuilderPool& pool, const BuildJobs& jobs, const Interruption& interruption)
      : pool_(pool), jobs_(jobs), interruption_(interruption) {}

  Result<bool> run() {
    while (true) {
      if (auto given = give_work(); !given) return std::unexpected(given.error());
      const auto busy = [](const auto& builder) { return builder->job.has_value(); };
      if (std::ranges::none_of(pool_.builders_, busy)) break;
      if (!wait_for_answers()) return drop_work(), false;
      if (auto taken = take_answers(); !taken) return drop_work(), std::unexpected(taken.error());
    }
    return report_failures();
  }

 private:
  Status give_work() {
    for (const auto& builder : pool_.builders_) {
      while (!builder->job && next_ < jobs_.count) {
        const std::size_t index = next_++;
        auto source = jobs_.source(index);
        if (!source) continue;
        builder->job = index;
        builder->attempts = 0;
        builder->request = {.compiler = pool_.compiler_,
                            .flags = source->flags.empty() ? pool_.flags_ : std::move(source->flags),
                            .text = std::move(source->text),
                            .timeout_seconds = pool_.timeout_seconds_};
        if (auto sent = send(*builder); !sent) return drop_work(), sent;
      }
    }
    return {};
  }

  /** Sends a builder its job; a worker that is gone is replaced. */
  Status send(Builder& builder) {
    builder.deadline = deadline_after(pool_.timeout_seconds_ + grace_seconds);
    if (builder.worker.channel().send(builder.request, builder.deadline)) return {};
    if (auto started = restart(builder); !started) return started;
    if (builder.worker.channel().send(builder.request, builder.deadline)) return {};
    return fail(ErrorCode::Environment,
                "build workers end as soon as they start: " + builder.worker.describe_end());
  }

  Status restart(Builder& builder) {
    auto worker = WorkerProcess::start(WorkerRole::Build);
    if (!worker) return std::unexpected(worker.error());
    builder.worker = std::move(*worker);
    return builder.worker.await_ready(interruption_);
  }

  /** False where the wait was interrupted. */
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
      if (auto taken = take_answer(*builder); !taken) return taken;
    }
    return {};
  }

  Status take_answer(Builder& builder) {
    auto reply = builder.worker.channel().receive<BuildReply>(builder.deadline);
    if (!reply) return replace(builder, reply.error());
    if (reply->status == BuildStatus::MachineFault) {
      return fail(ErrorCode::Environment, reply->message, reply->hint);
    }
    finish(builder, outcome_of(std::move(*reply)));
    return {};
  }

  /** A builder that died, hangs or babbles: its job gets a second chance on a fresh one. */
  Status replace(Builder& builder, const ChannelError& problem) {
    const std::string end = builder.worker.describe_end();
    if (auto started = restart(builder); !started) return started;
    if (problem.problem == ChannelProblem::TimedOut) {
      finish(builder,
             {.category = ErrorCategory::BuildTimeout, .artefact = {}, .message = "the build worker hung"});
    } else if (problem.problem == ChannelProblem::Broken) {
      finish(builder,
             {.category = ErrorCategory::UnknownError, .artefact = {}, .message = problem.error.message});
    } else if (++builder.attempts < 2) {
      return send(builder);
    } else {
      finish(builder, {.category = ErrorCategory::CompileHost,
                       .artefact = {},
                       .message = "the build worker was lost twice: " + end});
    }
    return {};
  }

  void finish(Builder& builder, BuildOutcome outcome) {
    const std::size_t index = *builder.job;
    builder.job.reset();
    if (outcome.category == ErrorCategory::NoError) {
      jobs_.done(index, std::move(outcome));
    } else {
      failures_.emplace_back(index, std::move(outcome));
    }
  }

  /** Kills busy builders together with their compilers. */
  void drop_work() {
    std::erase_if(pool_.builders_, [](const auto& builder) { return builder->job.has_value(); });
  }

  /** Failures are held back until it is known that they are not the compiler's. */
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
  const BuildJobs& jobs_;
  const Interruption& interruption_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::size_t, BuildOutcome>> failures_;
};

BuilderPool::BuilderPool(const TargetDescription& target, const MeasureOptions& options)
    : compiler_(target.compiler),
      flags_(target.flags),
      timeout_seconds_(options.build_timeout_seconds),
      limit_(static_cast<std::size_t>(
          std::max<std::int64_t>(1, options.builders > 0 ? options.builders : target.cores))) {}

BuilderPool::~BuilderPool() = default;

Status BuilderPool::start_builders(std::size_t wanted, const Interruption& interruption) {
  const std::size_t present = builders_.size();
  while (builders_.size() < wanted) {
    auto worker = WorkerProcess::start(WorkerRole::Build);
    if (!worker) return std::unexpected(worker.error());
    builders_.push_back(std::make_unique<Builder>(std::move(*worker)));
  }
  for (std::size_t i = present; i < builders_.size(); ++i) {
    if (auto ready = builders_[i]->worker.await_ready(interruption); !ready) {
      builders_.resize(i);
      return ready;
    }
  }
  return {};
}

Status BuilderPool::self_test(const Interruption& interruption) {
  Channel& channel = builders_.front()->worker.channel();
  const BuildRequest request = self_test_request(compiler_, flags_);
  const Deadline deadline = deadline_after(request.timeout_seconds + grace_seconds);
  if (channel.send(request, deadline, interruption)) {
    if (auto reply = channel.receive<BuildReply>(deadline, interruption))
      return check_self_test(compiler_, *reply);
  }
  builders_.erase(builders_.begin());
  return fail(ErrorCode::Environment, "the build worker that tests the compiler was lost",
              "resume the session");
}

Result<bool> BuilderPool::build(const BuildJobs& jobs, const Interruption& interruption) {
  if (jobs.count == 0) return true;
  if (auto started = start_builders(std::min(limit_, jobs.count), interruption); !started) {
    if (interruption.now()) return false;
    return std::unexpected(started.error());
  }
  return Run(*this, jobs, interruption).run();
}

}  // namespace kernelscape
