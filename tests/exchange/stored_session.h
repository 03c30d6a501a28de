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
  StoredSessions() : store_(Store::open(path("test.db")).value()) {}

  Store& store() { return store_; }
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /** A finished session with these trials. */
  SessionId add(SessionRecord record, const SessionStatus& status, const std::vector<Trial>& trials) {
    const Owner owner = Owner::this_process();
    const SessionId id = checked(store_.create_session(record, owner));
    SessionStatus last = status;
    last.trial_count = static_cast<std::int64_t>(trials.size());
    checked(store_.append_trials(id, trials, last));
    checked(store_.release_session(id, owner));
    return id;
  }

  /** What a session of this task, target and space is made from. */
  static SessionRecord record_of(const Task& task, const TargetDescription& target,
                                 const SearchSpace& space) {
    SessionRecord record;
    record.name = "a session";
    record.program_version = "0.1.0";
    record.task_name = task.name;
    record.task_json = task_to_json(task);
    record.target_name = target.name;
    record.target_json = target_to_json(target);
    record.space_json = space_to_json(space);
    record.space_fingerprint = space.fingerprint();
    record.tuner = "random";
    record.settings_json = R"({"seed":1})";
    record.options_json = measure_options_to_json({});
    record.budget_json = R"({"trials":100})";
    record.history_json = "[]";
    record.real_measurements = false;
    return record;
  }

  /** The text that a format writes of a session. */
  std::string exported(SessionId id, const std::string& format, const std::string& filter = {}) {
    ExportRequest request{.store = store_, .session = id};
    request.filter = filter;
    request.path = path("exported");
    std::filesystem::remove(request.path);
    checked(export_session(*checked(find_export_format(format)), request));
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
  Store store_;
};

}  // namespace kernelscape::exchange_tests
