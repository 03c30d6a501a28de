#include "ui/workspace/study_runner.h"

#include <algorithm>
#include <utility>

#include "core/base/memory.h"

namespace kernelscape {

/** Writes what the study says into its view; on the threads of its sessions. */
class StudyRunner::Observer final : public StudyObserver {
 public:
  explicit Observer(StudyRunner& runner) : runner_(runner) {}

  void progress(const StudyProgress& progress) override {
    {
      const std::scoped_lock lock(runner_.mutex_);
      runner_.active_->progress = progress;
    }
    runner_.service_.announce();
  }

 private:
  StudyRunner& runner_;
};

StudyRunner::StudyRunner(std::filesystem::path database, SessionRunner runner, QObject* parent)
    : QObject(parent),
      database_(std::move(database)),
      runner_(std::move(runner)),
      service_([this] { return run_next(); }) {
  connect(&service_, &Service::announced, this, &StudyRunner::changed);
}

StudyRunner::~StudyRunner() { stop_all(); }

StudyRequestId StudyRunner::start(StudyDefinition study) {
  Task task;
  task.definition = std::move(study);
  return add(std::move(task));
}

StudyRequestId StudyRunner::start_file(const std::filesystem::path& file) {
  Task task;
  task.file = file;
  return add(std::move(task));
}

void StudyRunner::resume(StudyId id) {
  if (has(id)) return;
  Task task;
  task.study = id;
  add(std::move(task));
}

StudyRequestId StudyRunner::add(Task task) {
  StudyRequestId request = 0;
  {
    const std::scoped_lock lock(mutex_);
    request = task.request = next_request_++;
    queue_.push_back(std::move(task));
  }
  service_.wake();
  service_.announce();
  return request;
}

void StudyRunner::stop(StudyId id) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(queue_, [&](const Task& task) { return task.study == id; });
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

void StudyRunner::stop_all() {
  {
    const std::scoped_lock lock(mutex_);
    queue_.clear();
    if (active_) active_->stopping = true;
    if (stop_) stop_->stop_gracefully();
  }
  service_.announce();
}

std::optional<StudyRunView> StudyRunner::active() const {
  const std::scoped_lock lock(mutex_);
  return active_;
}

bool StudyRunner::has(StudyId id) const {
  const std::scoped_lock lock(mutex_);
  return (active_ && active_->id == id) ||
         std::ranges::any_of(queue_, [&](const Task& task) { return task.study == id; });
}

bool StudyRunner::idle() const {
  const std::scoped_lock lock(mutex_);
  return !stop_ && queue_.empty();
}

Service::Pause StudyRunner::run_next() {
  Task task;
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.empty()) return {};
    task = std::move(queue_.front());
    queue_.pop_front();
    stop_ = std::make_unique<StopRequest>();
    if (task.study) active_ = StudyRunView{.id = *task.study, .progress = {}};
  }
  const Result<StudyId> study =
      task.study ? Result<StudyId>(*task.study) : guarded("making the study", [&] { return create(task); });
  if (study && !task.study)
    service_.deliver([this, request = task.request, id = *study] { emit created(request, id); });
  const Status outcome =
      study ? guarded("the study", [&] { return execute(*study); }) : std::unexpected(study.error());
  {
    const std::scoped_lock lock(mutex_);
    active_.reset();
    stop_.reset();
  }
  const QString error = outcome ? QString() : QString::fromStdString(describe(outcome.error()));
  service_.deliver([this, request = task.request, study, error] {
    if (study) {
      emit ended(*study, error);
    } else {
      emit refused(request, error);
    }
  });
  service_.announce();
  return std::chrono::milliseconds(0);
}

Result<StudyId> StudyRunner::create(const Task& task) {
  StudyDefinition definition = TRY(task.definition ? *task.definition : load_study(task.file));
  Store store = TRY(Store::open(database_));
  return create_study(store, definition);
}

Status StudyRunner::execute(StudyId id) {
  {
    const std::scoped_lock lock(mutex_);
    active_ = StudyRunView{id, {}, stop_->level() > 0};
  }
  service_.announce();
  Observer observer(*this);
  StudyOptions options;
  options.runner = runner_;
  const Result<StudyOutcome> outcome = run_study(database_, id, options, observer, *stop_);
  return outcome ? Status() : std::unexpected(outcome.error());
}

}  // namespace kernelscape
