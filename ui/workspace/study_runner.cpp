#include "ui/workspace/study_runner.h"

#include <algorithm>
#include <utility>

namespace kernelscape {

/** Writes what the study says into its view; on the threads of its sessions. */
class StudyRunner::Observer final : public StudyObserver {
 public:
  explicit Observer(StudyRunner& runner) : runner_(runner) {}

  void progress(const StudyProgress& progress) override {
    update([&](StudyRunView& view) { view.progress = progress; });
  }
  void message(const std::string& text) override {
    update([&](StudyRunView& view) { view.message = text; });
  }

 private:
  template <typename Change>
  void update(Change change) {
    {
      const std::scoped_lock lock(runner_.mutex_);
      change(*runner_.active_);
    }
    runner_.tell_changed();
  }

  StudyRunner& runner_;
};

StudyRunner::StudyRunner(std::filesystem::path database, StudySessionRunner runner, QObject* parent)
    : QObject(parent),
      database_(std::move(database)),
      runner_(std::move(runner)),
      thread_([this] { serve(); }) {}

StudyRunner::~StudyRunner() {
  stop_all();
  {
    const std::scoped_lock lock(mutex_);
    quitting_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

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
  wake_.notify_all();
  tell_changed();
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
  tell_changed();
}

void StudyRunner::stop_all() {
  {
    const std::scoped_lock lock(mutex_);
    queue_.clear();
    if (active_) {
      active_->stopping = true;
      stop_->stop_gracefully();
    }
  }
  tell_changed();
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
  return !active_ && !looking_up_ && queue_.empty();
}

void StudyRunner::serve() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quitting_ || !queue_.empty(); });
      if (quitting_) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      looking_up_ = true;
    }
    const Result<StudyId> study = task.study ? Result<StudyId>(*task.study) : create(task);
    {
      const std::scoped_lock lock(mutex_);
      looking_up_ = false;
      if (study && !quitting_) {
        active_ = StudyRunView{*study, {}, false, {}};
        stop_ = std::make_unique<StopRequest>();
      }
    }
    if (!study) {
      emit refused(task.request, QString::fromStdString(describe(study.error())));
    } else {
      if (!task.study) emit created(task.request, *study);
      if (active()) execute(*study);
    }
    tell_changed();
  }
}

Result<StudyId> StudyRunner::create(const Task& task) {
  Result<StudyDefinition> definition = task.definition ? *task.definition : load_study(task.file);
  if (!definition) return std::unexpected(definition.error());
  Result<Store> store = Store::open(database_);
  if (!store) return std::unexpected(store.error());
  return create_study(*store, *definition);
}

void StudyRunner::execute(StudyId id) {
  tell_changed();
  Observer observer(*this);
  StudyOptions options;
  options.runner = runner_;
  const Result<StudyOutcome> outcome = run_study(database_, id, options, observer, *stop_);
  {
    const std::scoped_lock lock(mutex_);
    active_.reset();
    stop_.reset();
  }
  emit ended(id, outcome ? QString() : QString::fromStdString(describe(outcome.error())));
}

/** One event at a time: many short replays must not queue as many events. */
void StudyRunner::tell_changed() {
  if (change_told_.exchange(true)) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        change_told_ = false;
        emit changed();
      },
      Qt::QueuedConnection);
}

}  // namespace kernelscape
