#pragma once

#include <QTemporaryDir>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/schedule/target.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange_tests {

/** A database of its own with the sessions that a test puts in, removed at the end. */
class StoredSessions {
 public:
  StoredSessions() : store_(store::Store::open(path("test.db")).value()) {}

  store::Store& store() { return store_; }
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /** A finished session with these trials. */
  store::SessionId add(store::SessionRecord record, const store::SessionStatus& status,
                       const std::vector<trial::Trial>& trials) {
    const store::Owner owner = store::Owner::this_process();
    const store::SessionId id = checked(store_.sessions().create(record, owner));
    store::SessionStatus last = status;
    last.trial_count = static_cast<std::int64_t>(trials.size());
    checked(store_.trials().append(id, trials, last));
    checked(store_.sessions().release(id, owner));
    return id;
  }

  /** What a session of this task, target and space is made from. */
  static store::SessionRecord record_of(const task::Task& task, const schedule::TargetDescription& target,
                                        const space::SearchSpace& space) {
    store::SessionRecord record;
    record.name = "a session";
    record.program_version = "0.1.0";
    record.task_name = task.name;
    record.task_json = task::task_to_json(task);
    record.target_name = target.name;
    record.target_json = schedule::target_to_json(target);
    record.space_json = space::space_to_json(space);
    record.space_fingerprint = space.fingerprint();
    record.tuner = "random";
    record.settings_json = R"({"seed":1})";
    record.options_json = trial::measure_options_to_json({});
    record.budget_json = R"({"trials":100})";
    record.history_json = "[]";
    record.real_measurements = false;
    return record;
  }

  /** The text that a format writes of a session. */
  std::string exported(store::SessionId id, const std::string& format, const std::string& filter = {}) {
    exchange::ExportRequest request{.store = store_, .session = id};
    request.filter = filter;
    request.path = path("exported");
    std::filesystem::remove(request.path);
    checked(exchange::export_session(*checked(exchange::find_export_format(format)), request));
    std::ifstream file(request.path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  template <typename T>
  static T checked(Result<T> result) {
    if (!result) throw std::runtime_error(describe(result.error()));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }

 private:
  QTemporaryDir folder_;
  store::Store store_;
};

}  // namespace kernelscape::exchange_tests
