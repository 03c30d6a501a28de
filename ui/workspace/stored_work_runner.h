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

namespace kernelscape {

/** What a StoredWorkRunner tells, on the window's thread. */
class StoredWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

 signals:
  /** What runs, its progress or the queue is another: many changes, one signal. */
  void changed();
  /** Something new was stored and runs now. @param request that asked for it @param id in the database */
  void created(qint64 request, qint64 id);
  /** Nothing was stored. */
  void refused(qint64 request, const QString& message);
  /** @param error why it could not go on as a whole; empty: it is done, or was stopped */
  void ended(qint64 id, const QString& error);
};

/**
 * Stores work, such as studies, and runs it one after the other by a service, in this process. What was
 * stopped keeps what it did, and goes on when it is run again. Lives on the window's thread.
 * @tparam View what runs, at one moment: with its `id` in the database, and whether it is `stopping`
 */
template <typename View>
class StoredWorkRunner : public StoredWork {
 public:
  using Id = std::int64_t;

  /** Stops what runs, to be gone on with later, and waits for it. */
  ~StoredWorkRunner() override { stop_all(); }

  /** Goes on with what is stored; nothing where it runs or waits here. */
  void resume(Id id) {
    if (!has(id)) add({.stored = id});
  }

  /** First gracefully; asked again at once. What waits is taken out. */
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

  /** All of it: used when the window closes. */
  void stop_all() {
    {
      const std::scoped_lock lock(mutex_);
      queue_.clear();
      if (active_) active_->stopping = true;
      if (stop_) stop_->stop_gracefully();
    }
    service_.announce();
  }

  /** What runs; none: idle, or something new is looked up. */
  std::optional<View> active() const {
    const std::scoped_lock lock(mutex_);
    return active_;
  }

  /** Runs, or waits for another one. */
  bool has(Id id) const {
    const std::scoped_lock lock(mutex_);
    return (active_ && active_->id == id) ||
           std::ranges::any_of(queue_, [&](const Task& task) { return task.stored == id; });
  }

  /** Nothing runs, waits or is looked up. */
  bool idle() const {
    const std::scoped_lock lock(mutex_);
    return !stop_ && queue_.empty();
  }

 protected:
  /** Checks and stores something new; on the service's thread. */
  using Create = std::function<Result<Id>()>;
  /** Runs what is stored; on the service's thread, as long as this base is there. */
  using Execute = std::function<Status(Id, const StopRequest&)>;

  /** @param name of a piece of work: "study" */
  StoredWorkRunner(std::string name, Execute execute, QObject* parent)
      : StoredWork(parent),
        name_(std::move(name)),
        execute_(std::move(execute)),
        service_([this] { return run_next(); }) {
    connect(&service_, &Service::announced, this, &StoredWork::changed);
  }

  /** @return its request, which `created` or `refused` follow */
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved, and holds a whole study
  std::int64_t start_new(Create create) { return add({.create = std::move(create)}); }

  /** Changes the view of what runs. From any thread. */
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
    std::optional<Id> stored = {};  ///< else it is new
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
      stop_ = std::make_unique<StopRequest>();
      if (task.stored) show(*task.stored);
    }
    service_.announce();
    const Result<Id> id =
        task.stored ? Result<Id>(*task.stored) : guarded("making the " + name_, task.create);
    if (id && !task.stored)
      service_.deliver([this, request = task.request, id = *id] { emit created(request, id); });
    const Status outcome =
        id ? guarded("the " + name_, [&] { return execute(*id); }) : std::unexpected(id.error());
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

  /** Nothing is known of it yet. Under the lock. */
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
  std::unique_ptr<StopRequest> stop_;  ///< of the active one, or of what is looked up
  Service service_;
};

}  // namespace kernelscape
