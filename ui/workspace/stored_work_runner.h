#pragma once

#include <QObject>
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/memory.h"
#include "core/session/stop_request.h"
#include "ui/workspace/service.h"

namespace kernelscape::workspace {

/** Signals of a StoredWorkRunner, emitted on the window's thread. */
class StoredWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

 signals:
  /** The active work, its progress or the queue changed; several changes are merged into one signal. */
  void changed();
  /** New work was stored and is now running. @param request id of the request @param id in the database */
  void created(qint64 request, qint64 id);
  /** A request was refused; nothing was stored. */
  void refused(qint64 request, const QString& message);
  /** Work has ended. @param error why it could not be completed; empty: it is done, or was stopped */
  void ended(qint64 id, const QString& error);
};

/**
 * Stores work, such as studies, and runs it one after the other in a service thread of this process. Stopped
 * work keeps its results, and resumes when it is run again. Lives on the window's thread.
 * @tparam View state of the active work: with its `id` in the database, and whether it is `stopping`
 */
template <typename View>
class StoredWorkRunner : public StoredWork {
 public:
  using Id = std::int64_t;

  /** Stops the active work, which can be resumed later, and waits until it has ended. */
  ~StoredWorkRunner() override { stop_all(); }

  /** Queues stored work; does nothing if it already runs or waits in this process. */
  void resume(Id id) {
    if (!has(id)) add({.stored = id});
  }

  /** Stops work gracefully; a second call stops it at once. Waiting work is removed from the queue. */
  void stop(Id id) {
    {
      const std::scoped_lock lock(mutex_);
      std::erase_if(queue_, [&](const Task& task) { return task.stored == id; });
      if (active_ && active_->id == id) {
        if (std::exchange(active_->stopping, true)) {
          stop_->stop_at_once();
        } else {
          stop_->stop_gracefully();
        }
      }
    }
    service_.announce();
  }

  /** Stops all work; used when the window closes. */
  void stop_all() {
    {
      const std::scoped_lock lock(mutex_);
      queue_.clear();
      if (active_) active_->stopping = true;
      if (stop_) stop_->stop_gracefully();
    }
    service_.announce();
  }

  /** Returns the active work; nullopt if the runner is idle, or new work is being looked up. */
  std::optional<View> active() const {
    const std::scoped_lock lock(mutex_);
    return active_;
  }

  /** Returns true if the work is running or waiting. */
  bool has(Id id) const {
    const std::scoped_lock lock(mutex_);
    return (active_ && active_->id == id) ||
           std::ranges::any_of(queue_, [&](const Task& task) { return task.stored == id; });
  }

  /** Returns true if no work runs, waits or is looked up. */
  bool idle() const {
    const std::scoped_lock lock(mutex_);
    return !stop_ && queue_.empty();
  }

 protected:
  /** Checks and stores new work; called on the service's thread. */
  using Create = std::function<Result<Id>()>;
  /** Runs stored work; called on the service's thread, during the lifetime of this base class. */
  using Execute = std::function<Status(Id, const session::StopRequest&)>;

  /** @param name of a piece of work in messages: "study" */
  StoredWorkRunner(std::string name, Execute execute, QObject* parent)
      : StoredWork(parent),
        name_(std::move(name)),
        execute_(std::move(execute)),
        service_([this] { return run_next(); }) {
    connect(&service_, &Service::announced, this, &StoredWork::changed);
  }

  /** Queues new work. @return id of the request; the signal `created` or `refused` follows */
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved, and holds a whole study
  std::int64_t start_new(Create create) { return add({.create = std::move(create)}); }

  /** Changes the view of the active work. May be called from any thread. */
  template <typename Change>
  void update(const Change& change) {
    {
      const std::scoped_lock lock(mutex_);
      change(*active_);
    }
    service_.announce();
  }

 private:
  struct Task {
    std::int64_t request = 0;
    std::optional<Id> stored = {};  ///< nullopt: the work is new
    Create create = {};
  };

  std::int64_t add(Task task) {
    std::int64_t request = 0;
    {
      const std::scoped_lock lock(mutex_);
      request = task.request = next_request_++;
      queue_.push_back(std::move(task));
    }
    service_.wake();
    service_.announce();
    return request;
  }

  Service::Pause run_next() {
    Task task;
    {
      const std::scoped_lock lock(mutex_);
      if (queue_.empty()) return {};
      task = std::move(queue_.front());
      queue_.pop_front();
      stop_ = std::make_unique<session::StopRequest>();
      if (task.stored) show(*task.stored);
    }
    service_.announce();
    const Result<Id> id =
        task.stored ? Result<Id>(*task.stored) : base::guarded("making the " + name_, task.create);
    if (id && !task.stored)
      service_.deliver([this, request = task.request, id = *id] { emit created(request, id); });
    const Status outcome =
        id ? base::guarded("the " + name_, [&] { return execute(*id); }) : std::unexpected(id.error());
    {
      const std::scoped_lock lock(mutex_);
      active_.reset();
      stop_.reset();
    }
    const QString error = outcome ? QString() : QString::fromStdString(describe(outcome.error()));
    service_.deliver([this, request = task.request, id, error] {
      if (id) {
        emit ended(*id, error);
      } else {
        emit refused(request, error);
      }
    });
    service_.announce();
    return std::chrono::milliseconds(0);
  }

  Status execute(Id id) {
    {
      const std::scoped_lock lock(mutex_);
      show(id);
    }
    service_.announce();
    return execute_(id, *stop_);
  }

  /** Shows new work, of which nothing but the id is known. The caller must hold the lock. */
  void show(Id id) {
    active_.emplace();
    active_->id = id;
    active_->stopping = stop_->level() > 0;
  }

  std::string name_;
  Execute execute_;
  mutable std::mutex mutex_;
  std::deque<Task> queue_;
  std::int64_t next_request_ = 1;
  std::optional<View> active_;
  std::unique_ptr<session::StopRequest>
      stop_;  ///< stop request of the active work, or of the work being looked up
  Service service_;
};

}  // namespace kernelscape::workspace
