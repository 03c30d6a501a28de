#pragma once

#include <QMetaType>
#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/state.h"
#include "ui/workspace/poller.h"

namespace kernelscape::workspace {

/**
 * Address of a fleet, and the location of its password. Never holds the password itself, since it is stored
 * in the preferences.
 */
struct FleetPlace {
  std::string address{};        ///< in the format of parse_redis_address()
  std::string password_file{};  ///< empty: the password is in the environment

  bool operator==(const FleetPlace&) const = default;
};

/** Connection to a fleet; used by one thread, which may block on it. */
class FleetLink {
 public:
  virtual ~FleetLink() = default;
  /** Returns the current state of the fleet. */
  virtual Result<fleet::State> read() = 0;
  /** Asks a worker to finish its task and leave the fleet. */
  virtual Status drain(const std::string& worker) = 0;
};

/** Makes a link; returns an error if there is no connection. */
using FleetLinker = std::function<Result<std::unique_ptr<FleetLink>>(const FleetPlace&)>;

/** Connects to a Redis server; waits a few seconds for a server that does not answer. */
Result<std::unique_ptr<FleetLink>> link_to_redis(const FleetPlace& place);

using FleetStatePointer = std::shared_ptr<const fleet::State>;

/**
 * Reads a fleet in a service thread, at most once a second, never while a kernel is timed, and only while a
 * view shows it. Must be used on the window's thread.
 */
class FleetWatch : public QObject {
  Q_OBJECT

 public:
  /** @param linker makes the connection; empty: link_to_redis() */
  explicit FleetWatch(FleetLinker linker = {}, QObject* parent = nullptr);

  /** Starts or stops reading. */
  void set_active(bool active) { poller_.set_active(active); }
  /**
   * Replaces the watched fleet, and discards the state of the previous fleet. Everything this program does on
   * the fleet takes its password from `place`.
   * @param place nullopt: no fleet
   */
  void watch(const std::optional<FleetPlace>& place);
  /** Reads the fleet at once. */
  void refresh() { poller_.wake(); }
  /** Asks a worker of the fleet to finish its task and leave, then reads the fleet. */
  void drain(const std::string& worker);

  const std::optional<FleetPlace>& place() const { return place_; }  ///< nullopt: no fleet
  /** Returns the state that was read last, or null before the first reading. */
  const FleetStatePointer& state() const { return state_; }

 signals:
  /** The fleet was read, or another fleet is watched. */
  void changed();
  /** The fleet can't be read; emitted at every attempt. */
  void failed(const kernelscape::Error& error);
  /** A worker was asked to leave. */
  void drained(const QString& worker);
  /** The request that a worker leave has failed. */
  void drain_failed(const kernelscape::Error& error);

 private:
  /** What the window asks of the fleet. */
  struct Wanted {
    std::optional<FleetPlace> place{};
    std::vector<std::string> drained{};  ///< workers to drain, each once
  };

  Service::Pause look();
  void answer(const FleetPlace& place, Result<fleet::State> state);
  void notify_drained(const std::string& worker, const Status& status);

  FleetLinker linker_;
  std::optional<FleetPlace> place_;
  FleetStatePointer state_;

  // Used by the poller's thread only.
  std::optional<FleetPlace> linked_;
  std::unique_ptr<FleetLink> link_;
  Poller<Wanted> poller_;
};

}  // namespace kernelscape::workspace
