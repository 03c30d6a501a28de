#include "core/fleet/redis_address.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace kernelscape::fleet {
namespace {

constexpr std::string_view host_scheme = "redis://";
constexpr std::string_view socket_scheme = "redis+unix://";
constexpr const char* forms = "write redis://host:6379/0, or redis+unix:///path/to/redis.sock";

std::unexpected<Error> no_address(std::string_view text, std::string_view reason,
                                  const std::string& hint = forms) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is not an address of a Redis: {}", text, reason), hint);
}

std::optional<int> number_of(std::string_view text, int most) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most)
    return std::nullopt;
  return number;
}

constexpr int max_databases = 1 << 16;

/** Parses and removes "user@". */
Status take_user(std::string_view text, std::string_view& rest, RedisAddress& address) {
  const auto at = rest.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view user = rest.substr(0, at);
  rest = rest.substr(at + 1);
  if (user.contains(':')) {
    return fail(ErrorCode::InvalidArgument,
                "an address of a Redis must not contain a password: other users would see it",
                "remove it, and name a file with the password with --password-file");
  }
  if (user.empty()) return no_address(text, "the user name is empty");
  address.user = user;
  return {};
}

Result<RedisAddress> parse_socket(std::string_view text) {
  RedisAddress address;
  std::string_view path = text.substr(socket_scheme.size());
  if (const auto question = path.find("?db="); question != std::string_view::npos) {
    const auto database = number_of(path.substr(question + 4), max_databases);
    if (!database) return no_address(text, "the database is not a number");
    address.database = *database;
    path = path.substr(0, question);
  }
  TRY(take_user(text, path, address));
  if (!path.starts_with('/')) return no_address(text, "the path of the socket does not begin with /");
  address.socket = path;
  return address;
}

/** Parses and removes ":port". */
Status take_port(std::string_view text, std::string_view& host, RedisAddress& address) {
  const auto colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return {};
  const auto port = number_of(host.substr(colon + 1), 65'535);
  if (!port || *port == 0) return no_address(text, "the port is not a number from 1 to 65535");
  address.port = *port;
  host = host.substr(0, colon);
  return {};
}

}  // namespace

std::string RedisAddress::text() const {
  if (!socket.empty())
    return fmt::format("{}{}{}{}", socket_scheme, user.empty() ? "" : user + "@", socket,
                       database > 0 ? fmt::format("?db={}", database) : "");
  const bool v6 = host.contains(':');
  return fmt::format("{}{}{}{}{}:{}/{}", host_scheme, user.empty() ? "" : user + "@", v6 ? "[" : "", host,
                     v6 ? "]" : "", port, database);
}

Result<RedisAddress> parse_redis_address(std::string_view text) {
  if (text.starts_with(socket_scheme)) return parse_socket(text);
  if (text.starts_with("rediss://")) {
    return no_address(text, "this program does not support TLS",
                      "use stunnel or an ssh tunnel, as `kernelscape fleet up` writes them, and give the "
                      "tunnel's end on this machine as the address");
  }
  if (!text.starts_with(host_scheme))
    return no_address(text, "it begins with neither redis:// nor redis+unix://");
  RedisAddress address;
  std::string_view rest = text.substr(host_scheme.size());
  TRY(take_user(text, rest, address));
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    const auto number = database.empty() ? 0 : number_of(database, max_databases);
    if (!number) return no_address(text, "the database is not a number");
    address.database = *number;
  }
  TRY(take_port(text, rest, address));
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) return no_address(text, "it has no host");
  address.host = rest;
  return address;
}

}  // namespace kernelscape::fleet
