#include "core/fleet/redis_connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

namespace kernelscape::fleet {
namespace {

constexpr std::chrono::milliseconds first_pause{10};
constexpr std::chrono::milliseconds longest_pause{500};
constexpr int max_breaks = 5;  // of the connection at one command: some Redis is there, but closes each
                               // connection that sends the command

timeval timeval_of(double seconds) {
  const double whole = static_cast<double>(static_cast<long>(seconds));
  return {.tv_sec = static_cast<time_t>(whole), .tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6)};
}

RedisValue value_of(const redisReply& reply) {
  using Kind = RedisValue::Kind;
  RedisValue value;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      value.kind = Kind::Integer;
      value.integer = reply.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      value.kind = Kind::Text;
      value.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ERROR:
      value.kind = Kind::Error;
      value.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ARRAY:
      value.kind = Kind::List;
      for (std::size_t i = 0; i < reply.elements; ++i) value.items.push_back(value_of(*reply.element[i]));
      break;
    default:
      break;
  }
  return value;
}

/**
 * Blocks SIGPIPE: hiredis writes to sockets that the other end may have closed, which must not end the
 * program.
 */
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;
  ~SigpipeBlocker() {
    constexpr timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

bool is_loading(const RedisValue& value) { return value.is_error("LOADING"); }

}  // namespace

void RedisConnection::Close::operator()(redisContext* context) const { redisFree(context); }

RedisConnection::RedisConnection(RedisAddress address, std::string password, RedisPatience patience)
    : address_(std::move(address)), password_(std::move(password)), patience_(std::move(patience)) {}
RedisConnection::RedisConnection(RedisConnection&&) noexcept = default;
RedisConnection& RedisConnection::operator=(RedisConnection&&) noexcept = default;
RedisConnection::~RedisConnection() = default;

Result<RedisConnection> RedisConnection::open(RedisAddress address, std::string password,
                                              RedisPatience patience) {
  RedisConnection connection(std::move(address), std::move(password), std::move(patience));
  const RedisPatience& waits = connection.patience_;
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const Status connected = connection.connect();
    if (connected) return connection;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const bool comes_back =
        connected.error().code == ErrorCode::Environment && passed.count() < waits.first_seconds;
    if (!comes_back || (waits.give_up && waits.give_up())) return std::unexpected(connected.error());
    std::this_thread::sleep_for(longest_pause);
  }
}

Status RedisConnection::connect() {
  const timeval wait = timeval_of(patience_.connect_seconds);
  context_.reset(address_.socket.empty() ? redisConnectWithTimeout(address_.host.c_str(), address_.port, wait)
                                         : redisConnectUnixWithTimeout(address_.socket.c_str(), wait));
  if (!context_ || context_->err != 0) {
    const std::string reason = context_ ? context_->errstr : "no memory";
    context_.reset();
    return fail(ErrorCode::Environment, fmt::format("no Redis responds at {}: {}", address_.text(), reason),
                "start redis-server there, or correct the address; start a tunnel first if you use one");
  }
  Status in = log_in();
  if (!in) context_.reset();
  return in;
}

Status RedisConnection::log_in() {
  const auto exchange_one = [this](const Words& words) -> Result<RedisValue> {
    std::vector<RedisValue> answers;
    std::string problem;
    if (!send_and_receive({&words, 1}, patience_.connect_seconds, answers, problem))
      return fail(ErrorCode::Environment,
                  fmt::format("the server at {} is not a Redis: {}", address_.text(), problem),
                  "correct the address");
    return std::move(answers.front());
  };
  const RedisValue open = TRY(exchange_one({"PING"}));
  if (open.kind == RedisValue::Kind::Text) {
    return fail(ErrorCode::Refused,
                fmt::format("the Redis at {} requires no password: everyone who can write to its queues can "
                            "run code on all workers",
                            address_.text()),
                "set requirepass in its redis.conf, or its users' passwords with ACL SETUSER");
  }
  const std::string number = std::to_string(address_.database);
  const Words login =
      address_.user.empty() ? Words{"AUTH", password_} : Words{"AUTH", address_.user, password_};
  if (const RedisValue in = TRY(exchange_one(login)); in.kind == RedisValue::Kind::Error)
    return std::unexpected(error_of(in));
  if (const RedisValue chosen = TRY(exchange_one({"SELECT", number})); chosen.kind == RedisValue::Kind::Error)
    return std::unexpected(error_of(chosen));
  return {};
}

Status RedisConnection::reconnect(const std::string& reason) {
  context_.reset();
  ++losses_;
  const auto start = std::chrono::steady_clock::now();
  auto pause = first_pause;
  while (true) {
    Status connected = connect();
    if (connected || connected.error().code == ErrorCode::Refused) return connected;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool given_up = patience_.give_up && patience_.give_up();
    if (given_up || seconds > patience_.reconnect_seconds) {
      return fail(ErrorCode::Environment,
                  fmt::format("the connection to the Redis at {} was lost ({}) and could not be restored: {}",
                              address_.text(), reason, connected.error().message),
                  "start it again with its append-only file; no measurement is lost");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
}

bool RedisConnection::send_and_receive(std::span<const Words> commands, double seconds,
                                       std::vector<RedisValue>& answers, std::string& problem) {
  const SigpipeBlocker quiet;
  const auto broken = [&] {
    problem = context_->errstr;
    return false;
  };
  if (redisSetTimeout(context_.get(), timeval_of(seconds)) != REDIS_OK) return broken();
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const Words& words : commands) {
    texts.clear();
    sizes.clear();
    for (const std::string_view word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data()) !=
        REDIS_OK)
      return broken();
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) return broken();
    const std::unique_ptr<void, decltype(&freeReplyObject)> reply(raw, freeReplyObject);
    answers.push_back(value_of(*static_cast<const redisReply*>(raw)));
  }
  return true;
}

Result<std::vector<RedisValue>> RedisConnection::exchange(std::span<const Words> commands, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  int breaks = 0;
  while (true) {
    if (!context_) TRY(reconnect("the connection was closed"));
    std::vector<RedisValue> answers;
    std::string problem;
    if (!send_and_receive(commands, seconds, answers, problem)) {
      const bool given_up = breaks > 0 && patience_.give_up && patience_.give_up();
      if (++breaks == max_breaks || given_up) {
        context_.reset();
        return fail(ErrorCode::Environment,
                    fmt::format("the connection to the Redis at {} broke {} times at the command {}: {}",
                                address_.text(), breaks, commands.front().front(), problem),
                    "read its log; no measurement is lost");
      }
      TRY(reconnect(problem));
      continue;
    }
    // A Redis that is starting reads its database file first.
    const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (std::ranges::none_of(answers, is_loading) || waited > patience_.reconnect_seconds) return answers;
    std::this_thread::sleep_for(longest_pause);
  }
}

Error RedisConnection::error_of(const RedisValue& answer) const {
  const auto error = [&](ErrorCode code, std::string_view reason, std::string hint) {
    return Error{code, fmt::format("the Redis at {} {}: {}", address_.text(), reason, answer.text),
                 std::move(hint)};
  };
  if (answer.is_error("WRONGPASS") || answer.is_error("NOAUTH") || answer.is_error("ERR invalid password"))
    return error(ErrorCode::Refused, "rejects the password",
                 "give the password of its redis.conf (requirepass) or of its user (ACL SETUSER)");
  if (answer.is_error("NOPERM"))
    return error(ErrorCode::Refused, "denies this user a command that a fleet needs",
                 "`kernelscape fleet acl` prints the line that allows it");
  if (answer.is_error("OOM"))
    return error(ErrorCode::Environment, "is full",
                 "raise its maxmemory, or free memory in it; then resume the session: nothing is lost");
  if (answer.is_error("MISCONF"))
    return error(ErrorCode::Environment, "cannot write to its disk",
                 "free space there; then resume the session: nothing is lost");
  if (answer.is_error("READONLY"))
    return error(ErrorCode::Environment, "is a replica", "give the address of its master");
  if (answer.is_error("ERR unknown command") || answer.text.contains("Unknown Redis command"))
    return error(ErrorCode::Environment, "is too old", "use Redis 6.2, Valkey, or a newer version");
  return error(ErrorCode::Environment, "refuses a command", "read its log");
}

Result<RedisValue> RedisConnection::ask(const std::vector<std::string_view>& words) {
  std::vector<RedisValue> answers = TRY(exchange({&words, 1}, patience_.answer_seconds));
  return std::move(answers.front());
}

Result<RedisValue> RedisConnection::call(const std::vector<std::string_view>& words) {
  RedisValue answer = TRY(ask(words));
  if (answer.kind == RedisValue::Kind::Error) return std::unexpected(error_of(answer));
  return answer;
}

Result<RedisValue> RedisConnection::wait(const std::vector<std::string_view>& words, double seconds) {
  std::vector<RedisValue> answers = TRY(exchange({&words, 1}, seconds + patience_.answer_seconds));
  return std::move(answers.front());
}

Result<std::vector<RedisValue>> RedisConnection::ask_all(
    const std::vector<std::vector<std::string>>& commands) {
  std::vector<Words> words;
  for (const auto& command : commands) words.emplace_back(command.begin(), command.end());
  return exchange(words, patience_.answer_seconds);
}

Result<RedisValue> RedisConnection::ask(RedisScript& script, const std::vector<std::string_view>& keys,
                                        const std::vector<std::string_view>& arguments) {
  for (int attempt = 1;; ++attempt) {
    if (script.sha1.empty()) script.sha1 = TRY(call({"SCRIPT", "LOAD", script.text})).text;
    const std::string count = std::to_string(keys.size());
    Words words{"EVALSHA", script.sha1, count};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    RedisValue answer = TRY(ask(words));
    // A Redis that was restarted has lost its scripts.
    if (!answer.is_error("NOSCRIPT") || attempt > 3) return answer;
    script.sha1.clear();
  }
}

Result<RedisValue> RedisConnection::call(RedisScript& script, const std::vector<std::string_view>& keys,
                                         const std::vector<std::string_view>& arguments) {
  RedisValue answer = TRY(ask(script, keys, arguments));
  if (answer.kind == RedisValue::Kind::Error) return std::unexpected(error_of(answer));
  return answer;
}

}  // namespace kernelscape::fleet
