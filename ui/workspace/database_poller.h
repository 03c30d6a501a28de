#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/memory.h"
#include "core/store/store.h"
#include "ui/workspace/poller.h"

namespace kernelscape::workspace {

/** Time between two readings of a database. */
struct PollPace {
  std::chrono::milliseconds interval{1000};  ///< minimum
  int duration_factor = 0;                   ///< minimum as a multiple of the time that the last reading took
  bool spares_timing = false;                ///< no reading begins while a kernel is timed on this machine
};

/** Opens a database for repeated reading, unless it is already open. */
Status open_to_poll(std::optional<store::Store>& store, const std::filesystem::path& database);

/**
 * Reads a subject from a database repeatedly in a service thread, while it is active. Opens the database when
 * it is first read, and reports each error once. Lives on the window's thread; must be the last member of the
 * object that reads.
 * @tparam Subject what is to be read: the id of a study, ...
 */
template <typename Subject>
class DatabasePoller {
 public:
  /** The parts in which readers of a database differ. */
  struct Reader {
    std::string work;  ///< named in errors: "reading the networks"
    PollPace pace = {};
    /** Reads the subject; called in the service thread. */
    std::function<Status(const store::Store&, const Subject&)> read;
    /** Makes the next reading report its data even if they are unchanged; called in the service thread. */
    std::function<void()> report_again;
    /** Forgets what was read, after a reading has failed; called in the service thread. */
    std::function<void()> forget;
    /** Reports that the database can't be read; called on the window's thread. */
    std::function<void(const Error&)> failed;
    /** Reports that the database can be read again; called on the window's thread. May be empty. */
    std::function<void()> recovered = {};
  };

  DatabasePoller(std::filesystem::path database, Reader reader)
      : database_(std::move(database)), reader_(std::move(reader)), poller_([this] { return look(); }) {}

  /** Starts or stops reading. */
  void set_active(bool active) { poller_.set_active(active); }
  /** Reads the database at once. */
  void wake() { poller_.wake(); }

  /** Replaces the subject, which is reported even if it has not changed since it was read last. */
  void watch(const Subject& subject) {
    ask([&](Subject& current) { current = subject; });
  }
  /**
   * Changes the subject, which is reported even if it has not changed since it was read last.
   * @param change called with the subject
   */
  template <typename Change>
  void ask(const Change& change) {
    poller_.change([&](Request& request) {
      change(request.subject);
      request.asked = true;
    });
  }
  /** Changes the subject; the reader decides what is reported. @param change called with the subject */
  template <typename Change>
  void change(const Change& change) {
    poller_.change([&](Request& request) { change(request.subject); });
  }

  /** Calls `action` on the window's thread; see Service::deliver(). */
  void deliver(std::function<void()> action) { poller_.deliver(std::move(action)); }
  /** Closes the database; the next reading opens it again. To be called in the service thread. */
  void close() { store_.reset(); }

 private:
  struct Request {
    Subject subject = {};
    bool asked = false;  ///< watch() was called since the last reading
  };

  Service::Pause look() {
    const Request request = poller_.take([](Request& current) {
      Request taken = current;
      current.asked = false;
      return taken;
    });
    if (request.asked) {
      reader_.report_again();
      notified_error_.clear();
    }
    if (reader_.pace.spares_timing && !poller_.proceed()) return {};
    const auto begin = std::chrono::steady_clock::now();
    Status looked = open_to_poll(store_, database_);
    if (looked) looked = base::guarded(reader_.work, [&] { return reader_.read(*store_, request.subject); });
    if (looked) {
      notified_error_.clear();
    } else {
      reader_.forget();
      report(looked.error());
    }
    if (std::exchange(failed_, !looked.has_value()) && looked && reader_.recovered)
      deliver(reader_.recovered);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return std::max(reader_.pace.interval, reader_.pace.duration_factor * took);
  }

  void report(const Error& error) {
    const std::string text = describe(error);
    if (std::exchange(notified_error_, text) == text) return;
    deliver([this, error] { reader_.failed(error); });
  }

  std::filesystem::path database_;
  Reader reader_;

  // Used by the service's thread only.
  std::optional<store::Store> store_;
  std::string notified_error_;
  bool failed_ = false;  ///< the last reading failed
  Poller<Request> poller_;
};

}  // namespace kernelscape::workspace
