#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/fleet/access.h"
#include "core/fleet/redis_connection.h"
#include "core/measure/interruption.h"

namespace kernelscape::fleet_tests {

/** Waits until it is so, at most so many seconds; whether it is. */
inline bool wait_until(const std::function<bool()>& so, double seconds = 30) {
  const measure::Deadline deadline = measure::deadline_after(seconds);
  while (!so()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline bool has_redis() {
  for (const char* folder : {"/usr/bin/", "/usr/local/bin/", "/bin/"})
    if (access((std::string(folder) + "redis-server").c_str(), X_OK) == 0) return true;
  return false;
}

/** A redis-server on a unix socket in a folder of its own, with a password and an append-only file; ends with
 * this object. */
class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> options = {}, std::string password = "open sesame")
      : options_(std::move(options)), password_(std::move(password)) {
    start();
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { kill_now(); }

  std::string folder() const { return folder_.path().toStdString(); }
  fleet::RedisAddress address() const {
    return *fleet::parse_redis_address("redis+unix://" + folder() + "/redis.sock");
  }
  const std::string& password() const { return password_; }

  /** As a power cut: nothing is told to anybody. */
  void kill_now() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  void start() {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   "0",
                                   "--unixsocket",
                                   folder() + "/redis.sock",
                                   "--dir",
                                   folder(),
                                   "--save",
                                   "",
                                   "--appendonly",
                                   "yes",
                                   "--loglevel",
                                   "warning",
                                   "--logfile",
                                   folder() + "/log"};
    if (!password_.empty()) words.insert(words.end(), {"--requirepass", password_});
    words.insert(words.end(), options_.begin(), options_.end());
    process_ = fork();
    if (process_ == 0) {
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    const bool there = wait_until([this] {
      if (password_.empty()) return access((folder() + "/redis.sock").c_str(), F_OK) == 0;
      return fleet::RedisConnection::open(address(), password_).has_value();
    });
    if (!there) qFatal("redis-server does not start");
  }

  fleet::Access fleet(double lease_seconds = 1) const {
    fleet::Access access;
    access.address = address();
    access.secret = {password_, "a key of tests"};
    access.times.lease_seconds = lease_seconds;
    access.patience_seconds = 20;
    return access;
  }

  fleet::RedisConnection connect() const {
    return std::move(*fleet::RedisConnection::open(address(), password_));
  }

 private:
  QTemporaryDir folder_;
  std::vector<std::string> options_;
  std::string password_;
  pid_t process_ = -1;
};

}  // namespace kernelscape::fleet_tests

/** Leaves a test out where there is no redis-server, and says so. */
#define NEEDS_REDIS() \
  if (!kernelscape::fleet_tests::has_redis()) QSKIP("no redis-server here: apt-get install redis-server")
